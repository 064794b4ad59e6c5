"""Counts, figures and lists as texts for the terminal."""

from __future__ import annotations

NOTHING = "-"
"""Stands for a figure that is undefined or unknown."""

TO = "\N{EN DASH}"

_MINUTE, _HOUR = 60, 3600


def counted(count: int, noun: str, form: str = "") -> str:
    """Return a count with its noun. ``form`` formats the count: ``,`` separates thousands."""
    return f"{count:{form}} {noun}{'' if count == 1 else 's'}"


def number(value: float | None) -> str:
    """Return a number as text: an integer, or two decimals."""
    if value is None:
        return NOTHING
    return str(int(value)) if float(value).is_integer() else f"{value:.2f}"


def decimals(value: float | None, digits: int = 2) -> str:
    """Return a number with so many decimals."""
    return NOTHING if value is None else f"{value:.{digits}f}"


def span(low: float, high: float) -> str:
    """Return the bounds of a number; the number itself if they are equal."""
    return number(low) if low == high else f"{number(low)}{TO}{number(high)}"


def duration(seconds: float) -> str:
    """Return a duration in its largest units."""
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds // _HOUR:.0f} h {seconds % _HOUR / _MINUTE:.0f} min"
