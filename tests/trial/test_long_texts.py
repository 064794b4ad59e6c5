"""The long texts of rows."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mendbench.io.canonical_json import canonical_json
from mendbench.io.json_documents import parse_json
from mendbench.trial.long_texts import LONG_TEXT, REFERENCE, references, shortened, whole

LONG = "x" * (LONG_TEXT + 1)
TEXT = st.text(max_size=30) | st.text(min_size=90, max_size=300)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([REFERENCE, "a", "b"]), inner, max_size=2)
    ),
    max_leaves=12,
)
SURROGATES = st.text(st.characters(codec=None, categories=["Cs", "Lu"]), max_size=300)


@given(value=VALUES)
@example(value={REFERENCE: "an output that looks like a reference"})
@example(value={REFERENCE: [{REFERENCE: LONG}]})
def test_a_row_with_its_texts_is_whole_again(value):
    texts = {}
    short = json.loads(json.dumps(shortened(value, texts)))
    assert whole(short, texts) == value
    assert references(short) == set(texts)


def test_a_number_that_no_reader_takes_is_written_as_text():
    short = shortened({"a": [float("inf"), 10**400, True, 1.5], "b": float("nan")}, {})
    assert parse_json(json.dumps(short)) == {"a": ["inf", hex(10**400), True, 1.5], "b": "nan"}


@given(value=VALUES)
def test_no_long_text_stays_in_a_row(value):
    def longest(item):
        if isinstance(item, str):
            return len(item.encode())
        inside = item.values() if isinstance(item, dict) else item if isinstance(item, list) else []
        return max(map(longest, inside), default=0)

    assert longest(shortened(value, {})) <= LONG_TEXT


@given(text=SURROGATES)
def test_whatever_a_model_wrote_can_be_written_to_a_file(text):
    texts = {}
    short = shortened({text: text}, texts)
    for each in (short, texts):
        canonical_json(each).encode()


@pytest.mark.parametrize(("size", "moved"), [(LONG_TEXT, False), (LONG_TEXT + 1, True)])
def test_a_text_moves_out_from_one_byte_beyond_the_limit(size, moved):
    texts = {}
    assert isinstance(shortened("x" * size, texts), dict) is moved
    assert len(texts) == moved


@pytest.mark.parametrize("held", [[], [1, 2], None, 5, {}])
def test_what_looks_like_a_reference_and_is_none_is_refused(held):
    with pytest.raises(ValueError, match="neither a digest nor a list of one value"):
        references({"a": [{"$text": held}]})
