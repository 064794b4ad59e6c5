"""Figures and verdicts of a comparison as texts."""

from __future__ import annotations

import math

from mendbench.cli.words import NOTHING, TO, counted, number
from mendbench.report.tables import FEW
from mendbench.report.words import MINUS, about, rounded_up
from mendbench.scoring.comparing.comparison import Difference, Figure, unseen_share
from mendbench.scoring.comparing.contrasts import ContrastResult

_DECIMALS = {"share": 2, "attempts": 2, "tokens": 0, "usd": 6, "level": 2, "count": 2}

_SMALL = 1e-5
"""Amounts below this many dollars are shown with two significant digits."""


def figure(score: Difference, side: Figure) -> str:
    """Return a score on one side: right cases of all cases, or the value. With open trials, both bounds."""
    if side.value is None:
        return NOTHING
    if _in_cases(score, side):
        low = number(round(side.numerator, 2))
        high = number(round(side.bounds.high * side.denominator, 2)) if side.bounds else low
        return f"{low if low == high else f'{low}{TO}{high}'}/{number(round(side.denominator, 2))}"
    low, high = (_value(score, end) for end in side.bounds or (side.value, side.value))
    return low if low == high else f"{low}{TO}{high}"


def gap(score: Difference) -> str:
    """Return B less A; with open pairs, both bounds."""
    if score.bounds is not None:
        return _gaps(score, *score.bounds)
    return NOTHING if score.difference is None else _gaps(score, score.difference)


def interval(score: Difference) -> str:
    """Return the interval of B less A."""
    return NOTHING if score.interval is None else _gaps(score, *score.interval)


def verdict(score: Difference) -> str:
    """Return the verdict on B, for a cell."""
    return f"open: {score.worst} to {score.best}" if score.verdict == "open" else score.verdict


def cases(score: Difference) -> str:
    """Return how many cases count, of how many if all were judged; and how many more a verdict would need, if known."""
    counting = f"{score.cases} of {score.cases + score.left_out}" if score.left_out else str(score.cases)
    return counting if score.more_cases is None else f"{counting} + {rounded_up(score.more_cases)}"


def sentence(score: Difference, a: str = "A", b: str = "B") -> str:
    """Return the verdict on B, with the counts behind it."""
    if score.verdict == "undefined":
        return f"undefined: there are no {score.of} on both sides"
    figures = f"{b} {figure(score, score.b)}, {a} {figure(score, score.a)}"
    if score.verdict == "alike":
        could = f"; with so few, up to {unseen_share(score.groups):.0%} of other groups of cases could"
        return f"alike: no case differs ({figures}{could})"
    pairs = f"{score.won} won, {score.lost} lost, {score.tied} tied"
    if score.verdict == "open":
        without = f"{counted(score.open, 'case')} of {score.cases} without a verdict on a side"
        ends = f"in the worst case {score.worst}, in the best {score.best}"
        return f"open: {without}; {ends} ({figures}; of the others {pairs})"
    if score.verdict == "not significant":
        return f"{b} is not significantly different from {a}{_more(score)} ({figures}; {pairs})"
    return f"{b} is {score.verdict} than {a} ({figures}; {pairs})"


def primary(result: ContrastResult) -> str:
    """Return the result of a primary contrast."""
    lead, score = f"Primary contrast {result.name!r}", result.difference
    if result.undefined or score is None:
        return f"{lead}: no result{': ' if result.undefined else ''}{result.undefined or ''}"
    p = "" if score.p is None else f", p = {score.p:.2g} after Holm's correction"
    settled = f"; {result.settled}" if result.settled else ""
    return f"{lead}: {sentence(score, result.against, result.treatment)}{p}{settled}"


def _more(score: Difference) -> str:
    if score.open:
        return f", whatever becomes of {counted(score.open, 'open pair')}"
    if not score.difference:
        return "; neither is ahead"
    return "" if score.more_cases is None else f"; would need {about(score.more_cases)} more cases"


def _in_cases(score: Difference, side: Figure) -> bool:
    """Return whether a share is shown as a count of cases: if each case is right or is not."""
    ends = (side.numerator, *((end * side.denominator for end in side.bounds) if side.bounds else ()))
    return score.unit == "share" and side.denominator == score.cases and all(round(end, 6).is_integer() for end in ends)


def _gaps(score: Difference, *values: float) -> str:
    """Return differences: shares in percentage points, or in cases if there are few."""
    unit = ""
    texts = [_value(score, abs(value)) for value in values]
    if score.unit == "share" and score.cases >= FEW:
        texts, unit = [f"{100 * abs(value):.0f}" for value in values], " points"
    elif score.unit == "share":
        texts = [f"{abs(value) * score.cases:.1f}".removesuffix(".0") for value in values]
        unit = " case" if texts == ["1"] else " cases"
    signs = ["" if not float(text) else "+" if value > 0 else MINUS for value, text in zip(values, texts, strict=True)]
    return " to ".join(sign + text for sign, text in zip(signs, texts, strict=True)) + unit


def _value(score: Difference, value: float) -> str:
    if score.unit == "usd" and 0 < abs(value) < _SMALL:
        return f"{value:.{1 - math.floor(math.log10(abs(value)))}f}"
    return f"{value:.{_DECIMALS[score.unit]}f}"
