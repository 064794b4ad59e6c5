"""Find the phrases of ``phrases.tsv`` in a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mendbench.detectors.weighted.tables import phrases

MAX_TEXT = 6000
"""The maximum number of characters of a text that are searched."""

MAX_MATCHES = 3
"""Matches of one phrase that are reported."""

NEUTRAL = frozenset({"wait", "exhausted", "challenge", "methods", "pointer", "template"})
"""Signals that do not say by themselves that a request failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A phrase that was found."""

    signal: str
    text: str


def matches(text: str) -> Iterator[Match]:
    """Yield the phrases in a text. A phrase takes its words: no later one sees them."""
    left = text[:MAX_TEXT]
    for phrase in phrases():
        found = [match.group() for match in phrase.pattern.finditer(left) if match.group().strip()]
        if found:
            yield from (Match(signal=phrase.signal, text=" ".join(words.split())) for words in found[:MAX_MATCHES])
            left = phrase.pattern.sub("\0", left)


def says_failure(text: str) -> bool:
    """Return whether a text is about a failure."""
    return any(match.signal not in NEUTRAL for match in matches(text[:600]))
