"""The facts about a trial in its row: written, read back, and judged again.

An old trial is rescored from its row alone, without a replay, a case or a recording. ``evidence.verdict`` and ``evidence.first_right`` are
in the row, ``evidence.label`` and ``evidence.progress`` in each of its attempts. Each is named after the result that is derived from it.
"""

from __future__ import annotations

import dataclasses
import json
from functools import lru_cache
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from mendbench.errors import BadInput
from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import TrialRow
from mendbench.scoring.judging.attempts import AttemptFacts
from mendbench.scoring.judging.outcomes import Facts
from mendbench.scoring.judging.progress import ProgressFacts, best
from mendbench.scoring.judging.recall import Recall
from mendbench.scoring.judging.ruling import TrialFacts, ruling

Held = TypeVar("Held")

Known = TypeVar("Known", Facts, AttemptFacts, ProgressFacts)

AGAIN = "make the run again with `mendbench run`"
"""The hint for missing facts."""

_TYPE_NAMES: dict[type, str] = {bool: "true or false", int: "a whole number"}


def trial_evidence(facts: TrialFacts | None) -> JsonObject:
    """Return the evidence of a row, with null values for a trial that was not judged."""
    return {
        "verdict": dataclasses.asdict(facts.verdict) if facts is not None else None,
        "first_right": facts.first_right if facts is not None else None,
    }


def attempt_evidence(facts: TrialFacts | None, at: int) -> JsonObject | None:
    """Return the evidence of the attempt at index ``at`` (from 0); None for a trial that was not judged."""
    if facts is None:
        return None
    return {
        "label": dataclasses.asdict(facts.attempts[at]),
        "progress": dataclasses.asdict(facts.levels[at]) if facts.levels else None,
    }


def facts_in(row: TrialRow) -> TrialFacts:
    """Return the facts about a judged trial.

    Raises:
        BadInput: a fact is missing or invalid; the place is a path in the row.
    """
    evidence = held(row, "evidence", dict)
    attempts = held(row, "attempts", list)
    each = [
        (f"attempts[{at}].evidence", held(attempt, "evidence", dict, f"attempts[{at}]"))
        for at, attempt in enumerate(attempts)
    ]
    with_level = [(place, facts) for place, facts in each if facts.get("progress") is not None]
    if len(with_level) not in {0, len(each)}:
        raise BadInput(f"{each[0][0]}.progress", "some attempts have one, and some have not", AGAIN)
    return TrialFacts(
        verdict=_read(Facts, evidence, "verdict", "evidence"),
        attempts=tuple(_read(AttemptFacts, facts, "label", place) for place, facts in each),
        levels=tuple(_read(ProgressFacts, facts, "progress", place) for place, facts in with_level),
        first_right=None if evidence.get("first_right") is None else held(evidence, "first_right", bool, "evidence"),
    )


def rescored(row: TrialRow) -> TrialRow:
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


def held(document: Json, name: str, kind: type[Held], place: str = "") -> Held:
    """Return the value of a key in an object.

    Raises:
        BadInput: the value is missing, or is not of type ``kind``.
    """
    found = document.get(name) if isinstance(document, dict) else None
    if not isinstance(found, kind):
        raise BadInput(f"{place}.{name}".lstrip("."), "missing" if found is None else repr(found), AGAIN)
    return found


def _read(facts: type[Known], document: JsonObject, name: str, place: str) -> Known:
    values = held(document, name, dict, place)
    where = f"{place}.{name}"
    fields = _types(cast("type", facts))
    for field, wanted in fields.items():
        if field not in values:
            raise BadInput(f"{where}.{field}", "missing", AGAIN)
        if not _is(values[field], wanted):
            raise BadInput(f"{where}.{field}", f"{values[field]!r} is not {_type_name(wanted)}", AGAIN)
    return facts(**{field: values[field] for field in fields})


@lru_cache(maxsize=8)
def _types(facts: type) -> dict[str, Any]:
    return get_type_hints(facts)


def _is(value: Json, wanted: Any) -> bool:
    if get_origin(wanted) is Literal:
        return isinstance(value, str) and value in get_args(wanted)
    return type(value) is wanted and (wanted is not int or value >= 0)


def _type_name(wanted: Any) -> str:
    return " or ".join(get_args(wanted)) or _TYPE_NAMES[wanted]


def _judged(row: TrialRow) -> JsonObject:
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


def _problem(row: TrialRow) -> JsonObject:
    kind = held(row["problem"], "kind", str, "problem")
    if kind not in {"unjudged", "crashed"}:
        raise BadInput("problem.kind", f"{kind!r} is not unjudged or crashed", AGAIN)
    return {"verdict": kind, "outcome": None}


def _context_recall(row: TrialRow) -> float | None:
    attempts = held(row, "attempts", list)
    if not attempts:
        return None
    facts = held(attempts[0], "facts", dict, "attempts[0]")
    found, missing = (held(facts, name, list, "attempts[0].facts") for name in ("found", "missing"))
    return Recall(found=tuple(found), missing=tuple(missing)).share
