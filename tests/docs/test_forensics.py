"""The page about forensics names every figure, and its examples come out as it says."""

import re
from pathlib import Path

from mendbench.cli.forensics_view import show_forensics
from mendbench.scoring.forensics import attempt_use as forensics
from mendbench.scoring.forensics import warning_cost
from mendbench.scoring.forensics.attempt_use import Curve, LabelLine, LimitStep, Stopping
from mendbench.scoring.forensics.early_stopping import PolicyEffect
from mendbench.scoring.forensics.passes import LABELS
from mendbench.scoring.forensics.warning_cost import DetectorWarnings, FalseWarnings, MissedWarnings
from tests.fakes.forensics import cut, false_warning, trial
from tests.fakes.tables import for_each

PAGE = (Path(__file__).parents[2] / "docs" / "forensics.md").read_text("utf-8")
WORDS = {part for words in re.findall(r"`([^`\n]+)`", PAGE) for part in words.split(".")}

IDENTITY = {
    "part",
    "engine",
    "detector",
    "policy",
    "number",
    "matrix",
    "prices",
    "steps",
    "label",
    "unjudged",
    "crashed",
}
"""Fields that say what a figure is of, and not what it is."""

EXAMPLE = (
    trial("a", "p", right=True),
    trial("b", "ip", right=True),
    trial("c", "xxx"),
    trial("d", "lx", stop_reason="declined"),
    trial("user", "fff", kind="needs_user"),
    trial("fine", "", kind="control", right=True),
)


@for_each(
    "data", [LabelLine, LimitStep, Stopping, Curve, PolicyEffect, DetectorWarnings, FalseWarnings, MissedWarnings]
)
def test_every_figure_is_explained(data):
    assert set(data.__dataclass_fields__) - IDENTITY <= WORDS


def test_every_label_is():
    assert set(LABELS) <= WORDS


def test_the_worked_example_comes_out_as_shown(capsys):
    show_forensics(forensics.document(EXAMPLE), warning_cost.document(EXAMPLE))
    lines = capsys.readouterr().out.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("What a limit of so many attempts means"))
    shown = [line.split() for line in lines[at:] if re.match(r"(summary)?\s+\d\s", line)][:3]
    block = next(text for text in re.findall(r"```\n(.*?)```", PAGE, re.DOTALL) if text.startswith("limit"))
    assert [line.split() for line in block.splitlines()[1:]] == [shown[0][1:], *shown[1:]]


def test_the_example_of_prices_comes_out_as_stated():
    by_case = {one.case: one for one in EXAMPLE}
    warned = [false_warning("b"), false_warning("c"), cut(by_case["user"], "two-layer", 1)]
    (price,) = [
        one
        for group in warning_cost.warning_costs([*EXAMPLE, *warned])
        for one in group.prices
        if one.policy == "two-layer"
    ]
    assert (price.false.n, price.false.repairs_lost, price.false.nothing_lost, price.false.saved.attempts) == (
        2,
        1,
        1,
        5,
    )
    assert (price.missed.n, price.missed.wasted.attempts, price.missed.wasted.tokens, price.missed.wasted.cost_usd) == (
        1,
        1,
        110,
        0.5,
    )


def test_the_identity_of_repairs_holds():
    own = [cut(one, "loop", 1) for one in EXAMPLE]
    (line,) = forensics.forensics([*EXAMPLE, *own])
    (found,) = line.policies
    assert found.repairs == found.naive_repairs - found.lost - found.lost_otherwise + found.gained
