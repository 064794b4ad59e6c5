"""Scores by name: the tables ``SCORES`` of the modules in this folder, and the entry points of installed packages."""

from __future__ import annotations

from mendbench.errors import BadInput, UnknownName
from mendbench.plugins import entry_point, entry_points_of, loaded
from mendbench.scoring.score import Score
from mendbench.scoring.scores import attempts, outcomes, prompts, spending, success, warnings

ENTRY_POINTS = "mendbench.scores"
"""The entry point group for scores of installed packages."""

_OWN: dict[str, Score] = {
    **success.SCORES,
    **outcomes.SCORES,
    **attempts.SCORES,
    **spending.SCORES,
    **prompts.SCORES,
    **warnings.SCORES,
}


def score(name: str) -> Score:
    """Return the score of that name.

    Raises:
        UnknownName: there is none.
        BadInput: its entry point is no score, or its installed package does not load.
    """
    if name in _OWN:
        return _OWN[name]
    point = entry_point(ENTRY_POINTS, name)
    if point is None:
        raise UnknownName("score", name, score_names())
    found = loaded(point)
    if not isinstance(found, Score):
        raise BadInput(f"score {name!r}", "is no Score", "let its entry point name one")
    return found


def score_names() -> tuple[str, ...]:
    """Return the names of all scores, sorted."""
    return tuple(sorted({*_OWN, *(point.name for point in entry_points_of(ENTRY_POINTS))}))


def all_scores() -> dict[str, Score]:
    """Return all scores by name, sorted.

    Raises:
        BadInput: as :func:`score`.
    """
    return {name: score(name) for name in score_names()}
