"""Figures and verdicts of a comparison in words."""

from __future__ import annotations

import math
from collections.abc import Collection
from itertools import islice

from mendbench.report.tables import FEW
from mendbench.report.words import about, rounded_up
from mendbench.scoring.comparing.comparison import Difference, Figure, unseen_share
from mendbench.scoring.comparing.contrasts import ContrastResult

MINUS, TO, NOTHING = "\N{MINUS SIGN}", "\N{EN DASH}", "-"

MAX_NAMES = 4
"""Names that a line lists."""

_UNITS = {"attempts": 2, "tokens": 0, "usd": 6, "level": 2, "count": 2}
"""Decimals shown."""

_SMALL = 1e-5
"""Dollars below which two digits are shown that count, be they ever so far behind the point."""


def counted(count: int, what: str) -> str:
    """Return a count with its noun."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def few(names: Collection[str], between: str = ", ") -> str:
    """Return names in a line, the first of them if they are many."""
    more = len(names) - MAX_NAMES
    return between.join(islice(names, MAX_NAMES)) + (f" and {more} more" if more > 0 else "")


def figure(one: Difference, side: Figure) -> str:
    """Return what a score comes to on one side: right ones of the cases, or the value; with open trials both bounds."""
    if side.value is None:
        return NOTHING
    if _in_cases(one, side):
        low = _number(side.numerator)
        high = _number(side.bounds.high * side.denominator) if side.bounds else low
        return f"{low if low == high else f'{low}{TO}{high}'}/{_number(side.denominator)}"
    ends = side.bounds or (side.value, side.value)
    low, high = (_value(one, end) for end in ends)
    return low if low == high else f"{low}{TO}{high}"


def gap(one: Difference) -> str:
    """Return B less A; both bounds of it where pairs are open."""
    if one.bounds is not None:
        return _gaps(one, *one.bounds)
    return NOTHING if one.difference is None else _gaps(one, one.difference)


def interval(one: Difference) -> str:
    """Return the interval of B less A."""
    return NOTHING if one.interval is None else _gaps(one, *one.interval)


def verdict(one: Difference) -> str:
    """Return what is known of B, in a cell."""
    return f"open: {one.worst} to {one.best}" if one.verdict == "open" else one.verdict


def cases(one: Difference) -> str:
    """Return how many cases count, of how many would if all were judged; and how many more would tell, if that is known."""
    told = f"{one.cases} of {one.cases + one.left_out}" if one.left_out else str(one.cases)
    return told if one.more_cases is None else f"{told} + {rounded_up(one.more_cases)}"


def sentence(one: Difference, a: str = "A", b: str = "B") -> str:
    """Return what is known of B, with the counts that say it."""
    if one.verdict == "undefined":
        return f"undefined: there are no {one.of} on both sides"
    figures = f"{b} {figure(one, one.b)}, {a} {figure(one, one.a)}"
    if one.verdict == "alike":
        could = f"; with so few, up to {unseen_share(one.groups):.0%} of other groups of cases could"
        return f"alike: no case differs ({figures}{could})"
    pairs = f"{one.won} won, {one.lost} lost, {one.tied} tied"
    if one.verdict == "open":
        ends = f"in the worst case {one.worst}, in the best {one.best}"
        return f"open: {counted(one.open, 'case')} of {one.cases} without a verdict on a side; {ends} ({figures}; of the others {pairs})"
    if one.verdict == "not told apart":
        return f"{b} is not told apart from {a}{_more(one)} ({figures}; {pairs})"
    return f"{b} is {one.verdict} than {a} ({figures}; {pairs})"


def primary(result: ContrastResult) -> str:
    """Return what became of a primary contrast."""
    lead = f"Primary contrast {result.name!r}"
    if result.undefined:
        return f"{lead}: no result: {result.undefined}"
    one = result.difference
    if one is None:
        return f"{lead}: no result"
    p = "" if one.p is None else f", p = {one.p:.2g} after Holm's correction"
    settled = f"; {result.settled}" if result.settled else ""
    return f"{lead}: {sentence(one, result.against, result.treatment)}{p}{settled}"


def _more(one: Difference) -> str:
    if one.open:
        return f", whatever becomes of {counted(one.open, 'open pair')}"
    if not one.difference:
        return "; neither is ahead"
    return "" if one.more_cases is None else f"; would need {about(one.more_cases)} more cases"


def _in_cases(one: Difference, side: Figure) -> bool:
    """Return whether a share is told as so many of the cases: where each case holds or does not."""
    ends = (side.numerator, *((end * side.denominator for end in side.bounds) if side.bounds else ()))
    return one.unit == "share" and side.denominator == one.cases and all(round(end, 6).is_integer() for end in ends)


def _gaps(one: Difference, *values: float) -> str:
    """Return differences: shares in points of a hundred, those of few cases in cases."""
    if one.unit != "share":
        return " to ".join(_signed(value, _value(one, abs(value))) for value in values)
    if one.cases >= FEW:
        return " to ".join(_signed(value, f"{100 * abs(value):.0f}") for value in values) + " points"
    texts = [f"{abs(value) * one.cases:.1f}".removesuffix(".0") for value in values]
    told = " to ".join(_signed(value, text) for value, text in zip(values, texts, strict=True))
    return f"{told} case" if texts == ["1"] else f"{told} cases"


def _signed(value: float, text: str) -> str:
    sign = "+" if value > 0 else MINUS
    return text if not float(text) else f"{sign}{text}"


def _value(one: Difference, value: float) -> str:
    if one.unit == "usd" and 0 < abs(value) < _SMALL:
        return f"{value:.{1 - math.floor(math.log10(abs(value)))}f}"
    return f"{value:.2f}" if one.unit == "share" else f"{value:.{_UNITS[one.unit]}f}"


def _number(value: float) -> str:
    rounded = round(value, 2)
    return str(int(rounded)) if rounded == int(rounded) else f"{rounded:.2f}"
