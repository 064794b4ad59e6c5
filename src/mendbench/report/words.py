"""Counts, shares and estimates as words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mendbench.model.json import JsonObject
from mendbench.scoring.statistics.exact import MANY_CASES

MINUS = "\N{MINUS SIGN}"


def on_apis(api: str) -> str:
    """Return the stratum of APIs in words; empty if the run has only one."""
    return f" on {api} APIs" if api else ""


def counted(count: float, what: str, plural: str = "") -> str:
    """Return a count with its noun."""
    return f"{figure(count)} {what if count == 1 else plural or f'{what}s'}"


def stale_sentences(stale: JsonObject) -> tuple[str, ...]:
    """Return sentences about a run's count of stale responses; empty if all recordings are used."""
    lines = []
    if stale.get("responses"):
        where = f"{stale['responses']} recorded responses, in {stale['cassettes']} cassettes"
        lines.append(f"{where}, that nothing asks for any more; `mendbench prompts prune` lists them")
    if stale.get("open"):
        unsure = "that a trial without a verdict may ask for, and no other one does: known once it has one"
        lines.append(f"{stale['open']} recorded responses {unsure}")
    return tuple(lines)


def figure(value: float, digits: int = 2) -> str:
    """Return a number as text: an integer, or else rounded."""
    rounded = round(value, digits)
    return (
        f"{int(rounded):,}".replace(",", "\N{NARROW NO-BREAK SPACE}")
        if rounded == int(rounded)
        else f"{rounded:.{digits}f}"
    )


def signed(value: float, digits: int = 2) -> str:
    """Return a difference with its sign."""
    text = figure(abs(value), digits)
    return text if text == "0" else f"{'+' if value > 0 else MINUS}{text}"


def percent(share: float) -> str:
    """Return a share in whole per cent, with a non-breaking space before the sign."""
    return f"{share:.0%}".replace("%", "\N{NARROW NO-BREAK SPACE}%")


def listing(names: Sequence[str]) -> str:
    """Return names as a list in a sentence."""
    return " and ".join(", ".join(names).rsplit(", ", 1)) if names else "none"


def about(number: int) -> str:
    """Return an estimated number of cases in words."""
    return f"over {MANY_CASES}" if number > MANY_CASES else f"about {rounded_up(number)}"


def rounded_up(number: int) -> int:
    """Return a number of cases rounded up to two significant digits."""
    step = int(10 ** max(0, math.floor(math.log10(number)) - 1))
    return math.ceil(number / step) * step
