"""What a run's rows tell of a trial beyond its verdict: why it came out so, and whether a secret stands in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from mendbench.model.json import Json
from mendbench.model.trial import JsonRow
from mendbench.results.store import StoredRun
from mendbench.results.stored_rows import StoredRows
from mendbench.trial.row import REFERENCE, SHORT, whole

MAX_CHECKS = 2
"""Checks that do not hold of which a finding tells; the report tells all."""

MAX_CHANGED = 3
"""Changed responses of which a finding tells."""

_CANARY = re.compile(r"canary[0-9a-f]{40}")
"""What :func:`mendbench.secrets.redaction.canary` makes. Searched for by its shape, not with the redactor that should have taken it out."""
_CANARY_BYTES = re.compile(_CANARY.pattern.encode())
_SHOWN = 14


def reasons(row: JsonRow, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return why a trial came out as it did, one line each: what it misses, where it crashed, which states and checks are not right."""
    problem = whole(row["problem"], texts)
    if problem is not None:
        return (str(problem["message"]),)
    checks = [check for check in whole(row["checks"], texts) if not check["held"]]
    states = [
        f"node {name}: {states['got']} where {states['expected']} is right"
        for name, states in sorted(row["nodes"].items())
        if states["got"] not in {None, states["expected"]} and states["expected"] != "not_run"
    ]
    failed = [
        f"{check['check']}{_on(check['variant'])} does not hold" + (f": {check['why']}" if check["why"] else "")
        for check in checks[:MAX_CHECKS]
    ]
    more = len(checks) - MAX_CHECKS
    return (*states[:1], *failed, *([f"{more} more checks do not hold"] if more > 0 else []))


def changed_responses(row: JsonRow, texts: Mapping[str, str], changed: Sequence[str]) -> tuple[str, ...]:
    """Return one line for each request of a trial to which the world responded otherwise than before.

    ``changed`` names them as ``exchanges`` of the row does. What only the runs that judge the trial sent is told by its key.
    """
    sent = {str(one["key"])[:SHORT]: one for one in row["requests"]}
    lines = []
    for key in (name.partition("@")[0] for name in changed[:MAX_CHANGED]):
        one = sent.get(key)
        if one is None:
            lines.append(f"changed response in a run that judges the trial: key {key}")
        else:
            method, url = whole(one["method"], texts), whole(one["url"], texts)
            lines.append(f"changed response: {method} {url}, now {one['fault'] or one['status']}, key {key}")
    more = len(changed) - MAX_CHANGED
    return (*lines, *([f"{more} more changed responses"] if more > 0 else []))


def secrets_in(stored: StoredRun) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the keys of trials whose record holds a case's declared secret, and where it stands."""
    in_texts = {key: match.group()[:_SHOWN] for key, text in stored.texts.items() if (match := _CANARY.search(text))}
    found = []
    for row in _suspects(stored, in_texts):
        places: dict[str, str] = {}
        for place, secret in _places(row, "", in_texts):
            places.setdefault(place, secret)
        told = tuple(f"{place} holds a secret in the clear ({secret}...)" for place, secret in places.items())
        if told:
            found.append((row["key"], told))
    return tuple(found)


def _suspects(stored: StoredRun, in_texts: Mapping[str, str]) -> Iterator[JsonRow]:
    """Yield the rows in which a secret may stand, or one of these texts. Those of a folder are read only if so."""
    rows = stored.rows
    lines = rows.raw() if isinstance(rows, StoredRows) else (json.dumps(row).encode() for row in rows)
    names = [name.encode() for name in in_texts]
    for row, line in enumerate(lines):
        if _CANARY_BYTES.search(line) or b"\\u" in line or any(name in line for name in names):
            yield rows[row]


def _places(value: Json, place: str, in_texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield where in a row a secret stands, by the names of two levels of fields, and how it begins."""
    if isinstance(value, dict):
        held = value.get(REFERENCE)
        if isinstance(held, str) and held in in_texts:
            yield place, in_texts[held]
        for name, item in value.items():
            if match := _CANARY.search(name):
                yield place, match.group()[:_SHOWN]
            yield from _places(item, f"{place}.{name}" if place else name, in_texts)
    elif isinstance(value, list):
        for number, item in enumerate(value, start=1):
            yield from _places(item, f"{place}[{number}]", in_texts)
    elif isinstance(value, str) and (match := _CANARY.search(value)):
        yield place, match.group()[:_SHOWN]


def _on(variant: str | None) -> str:
    return f" (on {variant})" if variant else ""
