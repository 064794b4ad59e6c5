"""The page about scores has every score once, with what the code says of it and with examples that the code computes."""

import re
from collections import Counter
from pathlib import Path

from mendbench.scoring.score import measure
from mendbench.scoring.scores import score, score_names
from tests.fakes.scored import described
from tests.fakes.tables import for_each

PAGE = tuple(described((Path(__file__).parents[2] / "docs" / "scores.md").read_text("utf-8")))
EXAMPLE = re.compile(r"(?P<top>[\d.]+) / (?P<under>[\d.]+) = (?P<value>[\d.]+)(?:, at most (?P<most>[\d.]+))?")


def as_shown(value, shown):
    return f"{value:.{len(shown.partition('.')[2])}f}"


def test_every_score_stands_on_the_page_once_and_nothing_else_does():
    assert Counter(one.name for one in PAGE) == Counter(score_names())


@for_each("one", PAGE)
def test_the_page_says_what_the_code_says(one):
    found = score(one.name)
    assert one.line("Unit") == f"{found.unit}. Over: {found.of}. Better: {found.better}."
    assert re.fullmatch(r"`[^`]+ / [^`]+`", one.line("Formula"))
    assert one.text.strip()[0].isalpha()


@for_each("one", PAGE)
def test_the_example_is_what_the_code_computes(one):
    shown = EXAMPLE.fullmatch(one.line("Example")).groupdict()
    found = measure(score(one.name), one.records)
    computed = {"top": found.numerator, "under": found.denominator, "value": found.value}
    computed["most"] = found.bounds.high if found.bounds else None
    assert shown == {
        name: None if value is None else as_shown(value, shown[name] or "0.000") for name, value in computed.items()
    }
