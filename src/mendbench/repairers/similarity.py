"""Similarity of names, for the rule book."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

ENOUGH = 0.55
"""Names with a lower similarity count as different."""

_CONTAINED = 0.75
_SYNONYM = 0.6
_LEAST_LETTERS = 3
_SYNONYMS = (
    {"title", "subject", "summary", "headline", "heading", "name"},
    {"body", "text", "content", "message", "description", "markdown_text"},
)


def likeness(name: str, other: str) -> float:
    """Return the similarity of two names, from 0 to 1: common letters, one inside the other, or known synonyms."""
    a, b = _folded(name), _folded(other)
    score = difflib.SequenceMatcher(None, a, b, autojunk=False).ratio()
    if min(len(a), len(b)) >= _LEAST_LETTERS and (a in b or b in a):
        score = max(score, _CONTAINED)
    if any(name in words and other in words for words in _SYNONYMS):
        score = max(score, _SYNONYM)
    return score


def most_like(name: str, names: Iterable[str]) -> str | None:
    """Return the name most similar to ``name``, if any is similar enough; of equals the first."""
    best, best_score = None, ENOUGH
    for other in names:
        if (score := likeness(name, other)) > best_score:
            best, best_score = other, score
    return best


def path_likeness(bad: str, good: str) -> tuple[float, float]:
    """Return the similarity of two paths: first of their last parts, then as a whole."""
    return likeness(_last(bad), _last(good)), difflib.SequenceMatcher(None, bad, good, autojunk=False).ratio()


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _last(path: str) -> str:
    return re.sub(r"\[\d+\]", "", path).rpartition(".")[2]
