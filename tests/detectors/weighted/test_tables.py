import re

import pytest

from mendbench.detectors.weighted import tables
from mendbench.errors import BadInput


def test_every_signal_has_a_weight():
    assert {phrase.signal for phrase in tables.phrases()} | set(tables.codes().values()) <= set(tables.weights())


def test_every_weight_is_used():
    computed = {"wrong_id", "wait", "exhausted", "challenge", "methods", "page", "pointer", "reference"}
    used = {phrase.signal for phrase in tables.phrases()} | set(tables.codes().values()) | computed
    assert {signal for signal in tables.weights() if not signal.startswith("status ")} == used


def test_every_phrase_needs_words():
    assert [phrase.pattern.pattern for phrase in tables.phrases() if phrase.pattern.search("")] == []


def test_every_line_has_a_source():
    for name in ("codes.tsv", "phrases.tsv", "weights.tsv"):
        assert all(line[-1].strip() for line in tables.lines(name, 3))


def test_slots_are_in_one_spelling():
    assert all(re.fullmatch(r"[a-z0-9]+|#text", name) for names in tables.slots().values() for name in names)


def test_a_line_with_another_number_of_columns_is_named():
    with pytest.raises(BadInput, match=r"codes\.tsv, line 3: 3 columns; write 2"):
        tables.lines("codes.tsv", 2)
