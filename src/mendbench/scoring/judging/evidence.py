"""Writing the facts about a trial to its row, and reading them back.

``evidence.verdict`` and ``evidence.first_right`` are in the row, ``evidence.label`` and ``evidence.progress`` in each of its attempts.
Each is named after the result that is derived from it.
"""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any, Literal, TypeAlias, TypeVar, get_args, get_origin, get_type_hints

from mendbench.errors import BadInput
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import JsonRow
from mendbench.scoring.judging.attempts import AttemptFacts
from mendbench.scoring.judging.outcomes import Facts
from mendbench.scoring.judging.progress import ProgressFacts
from mendbench.scoring.judging.ruling import TrialFacts

Held = TypeVar("Held")

Known = TypeVar("Known", Facts, AttemptFacts, ProgressFacts)

AGAIN = "make the run again with `mendbench run`"
"""The hint for missing facts."""

_TOLD: dict[type, str] = {bool: "true or false", int: "a whole number"}

Asked: TypeAlias = dict[str, Any]
"""The types of a class's fields by their names."""


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


def facts_in(row: JsonRow) -> TrialFacts:
    """Return the facts about a judged trial.

    Raises:
        BadInput: a fact is missing or invalid; the place is a path in the row.
    """
    evidence = held(row, "evidence", dict)
    attempts = held(row, "attempts", list)
    each = [
        (f"attempts[{at}].evidence", held(one, "evidence", dict, f"attempts[{at}]")) for at, one in enumerate(attempts)
    ]
    with_level = [(place, one) for place, one in each if one.get("progress") is not None]
    if len(with_level) not in {0, len(each)}:
        raise BadInput(f"{each[0][0]}.progress", "some attempts have one, and some have not", AGAIN)
    return TrialFacts(
        verdict=_read(Facts, evidence, "verdict", "evidence"),
        attempts=tuple(_read(AttemptFacts, one, "label", place) for place, one in each),
        levels=tuple(_read(ProgressFacts, one, "progress", place) for place, one in with_level),
        first_right=_first_right(evidence),
    )


def held(document: Json, name: str, kind: type[Held], place: str = "") -> Held:
    """Return the value of a key in an object.

    Raises:
        BadInput: the value is missing, or is not of type ``kind``.
    """
    found = document.get(name) if isinstance(document, dict) else None
    if not isinstance(found, kind):
        raise BadInput(f"{place}.{name}".lstrip("."), "missing" if found is None else repr(found), AGAIN)
    return found


def _first_right(evidence: JsonObject) -> bool | None:
    found = evidence.get("first_right")
    return found if found is None else held(evidence, "first_right", bool, "evidence")


def _read(facts: type[Known], document: JsonObject, name: str, place: str) -> Known:
    values = held(document, name, dict, place)
    where = f"{place}.{name}"
    fields = _fields(facts)
    for field, wanted in fields.items():
        if field not in values:
            raise BadInput(f"{where}.{field}", "missing", AGAIN)
        if not _is(values[field], wanted):
            raise BadInput(f"{where}.{field}", f"{values[field]!r} is not {_told(wanted)}", AGAIN)
    return facts(**{field: values[field] for field in fields})


def _fields(facts: type) -> Asked:
    return _hints(facts)


@lru_cache(maxsize=8)
def _hints(facts: type) -> Asked:
    return get_type_hints(facts)


def _is(value: Json, wanted: Any) -> bool:
    if get_origin(wanted) is Literal:
        return isinstance(value, str) and value in get_args(wanted)
    return type(value) is wanted and (wanted is not int or value >= 0)


def _told(wanted: Any) -> str:
    return " or ".join(get_args(wanted)) or _TOLD[wanted]
