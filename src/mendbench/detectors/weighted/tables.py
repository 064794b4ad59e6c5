"""Read the tables of this folder. Each line is one fact; lines that start with ``#`` are comments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from mendbench.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """One line of ``phrases.tsv``."""

    signal: str
    pattern: re.Pattern[str]


@cache
def weights() -> dict[str, float]:
    """Return the weight of each signal: what it adds to the log odds that an edit could help."""
    return {signal: float(weight) for signal, weight, _meaning in lines("weights.tsv", 3)}


@cache
def phrases() -> tuple[Phrase, ...]:
    """Return the phrases in the order in which they take words from a text."""
    return tuple(
        Phrase(signal=signal, pattern=re.compile(pattern, re.IGNORECASE | re.MULTILINE))
        for signal, pattern, _source in lines("phrases.tsv", 3)
    )


@cache
def codes() -> dict[str, str]:
    """Return the signal of each code that its own words do not explain."""
    return {code: signal for code, signal, _source in lines("codes.tsv", 3)}


@cache
def slots() -> dict[str, frozenset[str]]:
    """Return the names of slots by their kind."""
    found: dict[str, set[str]] = {}
    for name, kinds in lines("slots.tsv", 2):
        for kind in kinds.split(", "):
            found.setdefault(kind, set()).add(name)
    return {kind: frozenset(names) for kind, names in found.items()}


def lines(name: str, width: int) -> list[list[str]]:
    """Return the lines of a table, each as its ``width`` columns.

    Raises:
        BadInput: a line has another number of columns.
    """
    found = []
    for number, line in enumerate((files(__package__) / name).read_text(encoding="utf-8").splitlines(), start=1):
        if not line or line.startswith("#"):
            continue
        columns = line.split("\t")
        if len(columns) != width:
            raise BadInput(
                f"{name}, line {number}", f"{len(columns)} columns", f"write {width}, with tabs between them"
            )
        found.append(columns)
    return found
