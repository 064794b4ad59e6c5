"""Rescoring: judging an old trial with the current scorer, from its row alone, without a replay, a case or a recording."""

from __future__ import annotations

import json

from mendbench.errors import BadInput
from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import JsonObject
from mendbench.model.trial import JsonRow
from mendbench.scoring.judging.evidence import AGAIN, facts_in, held
from mendbench.scoring.judging.progress import best
from mendbench.scoring.judging.recall import Recall
from mendbench.scoring.judging.ruling import ruling


def rescored(row: JsonRow) -> JsonRow:
    """Return the row of a trial with everything derived from its facts computed again, and all else unchanged.

    For a trial with a problem, only the content of its first prompt is known.

    Raises:
        BadInput: a fact is missing or invalid; the place is a path in the row.
    """
    rescored_row = {
        "context_recall": _context_recall(row),
        **(_judged(row) if row.get("problem") is None else _problem(row)),
    }
    attempts = rescored_row.pop("attempts", row["attempts"])
    return {**row, **json.loads(canonical_json(rescored_row)), "attempts": attempts}


def _judged(row: JsonRow) -> JsonObject:
    ruled = ruling(facts_in(row))
    levels = ruled.progress or (None,) * len(ruled.labels)
    return {
        "verdict": ruled.verdict.verdict,
        "outcome": ruled.verdict.outcome,
        "right_after_first": ruled.right_after_first,
        "wasted_attempts": ruled.wasted,
        "progress": best(ruled.progress),
        "attempts": [
            {**attempt, "label": label, "progress": level}
            for attempt, label, level in zip(row["attempts"], ruled.labels, levels, strict=True)
        ],
    }


def _problem(row: JsonRow) -> JsonObject:
    kind = held(row["problem"], "kind", str, "problem")
    if kind not in {"unjudged", "crashed"}:
        raise BadInput("problem.kind", f"{kind!r} is not unjudged or crashed", AGAIN)
    return {"verdict": kind, "outcome": None}


def _context_recall(row: JsonRow) -> float | None:
    attempts = held(row, "attempts", list)
    if not attempts:
        return None
    facts = held(attempts[0], "facts", dict, "attempts[0]")
    found, missing = (held(facts, name, list, "attempts[0].facts") for name in ("found", "missing"))
    return Recall(found=tuple(found), missing=tuple(missing)).share
