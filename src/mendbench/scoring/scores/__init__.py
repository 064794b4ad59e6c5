"""Scores: each is one module in this folder that exposes ``SCORE``, or an entry point of an installed package.

A score has the name of its module or entry point.
"""

from __future__ import annotations

from typing import Any

from mendbench.errors import BadInput, UnknownName
from mendbench.plugins import entry_point, entry_points_of, load_member, loaded, modules_by_member
from mendbench.scoring.score import Score

ENTRY_POINTS = "mendbench.scores"
"""The entry point group for scores of installed packages."""


def score(name: str) -> Score:
    """Return the score of that name.

    Raises:
        UnknownName: there is none.
        BadInput: it does not expose a score, or its installed package does not load.
    """
    modules = modules_by_member(__name__)
    member = name.replace("_", "-")
    found: Any
    if member in modules:
        found = load_member(__name__, modules[member], "SCORE")
    elif point := entry_point(ENTRY_POINTS, name):
        found = loaded(point)
    else:
        raise UnknownName("score", name, score_names())
    if not isinstance(found, Score):
        raise BadInput(f"score {name!r}", "is no Score", "expose one as SCORE in its module")
    return found


def score_names() -> tuple[str, ...]:
    """Return the names of all scores, sorted."""
    own = (member.replace("-", "_") for member in modules_by_member(__name__))
    return tuple(sorted({*own, *(point.name for point in entry_points_of(ENTRY_POINTS))}))


def all_scores() -> dict[str, Score]:
    """Return all scores by name, sorted.

    Raises:
        BadInput: as :func:`score`.
    """
    return {name: score(name) for name in score_names()}
