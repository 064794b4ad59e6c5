"""Evidence in a run's rows beyond the verdict: the reasons for a trial's result, and secrets in the rows."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from mendbench.model.json import Json
from mendbench.model.trial import TrialKey, TrialRow
from mendbench.results.baseline import fact_digest
from mendbench.results.store import StoredRun
from mendbench.results.stored_rows import StoredRows
from mendbench.scoring.gating.result import BaselineEntry
from mendbench.strategies.interface import SUFFIX
from mendbench.trial.engines import OURS
from mendbench.trial.long_texts import REFERENCE, whole
from mendbench.trial.row import SHORT

MAX_CHECKS = 2
"""Maximum number of failed checks in a finding; the report shows all."""

MAX_FACTS = 5
"""Maximum number of facts named in a finding; the report shows all."""

MAX_CHANGED = 3
"""Maximum number of changed responses in a finding."""

_CANARY = re.compile(r"canary[0-9a-f]{40}")
"""A value of :func:`mendbench.secrets.redaction.canary`. The search is by shape, independent of the redactor."""
_CANARY_BYTES = re.compile(_CANARY.pattern.encode())
_SHOWN = 14


def reasons(row: TrialRow, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Return the reasons for a trial's result, one line each: what is missing, where it crashed, which states and checks are wrong."""
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


def changed_responses(row: TrialRow, texts: Mapping[str, str], changed: Sequence[str]) -> tuple[str, ...]:
    """Return one line for each request of a trial whose response from the world changed.

    ``changed`` names the requests as ``exchanges`` of the row does. Requests sent only by the runs that judge the trial are shown by key.
    """
    sent = {str(request["key"])[:SHORT]: request for request in row["requests"]}
    lines = []
    for key in (name.partition("@")[0] for name in changed[:MAX_CHANGED]):
        request = sent.get(key)
        if request is None:
            lines.append(f"changed response in a run that judges the trial: key {key}")
        else:
            method, url = whole(request["method"], texts), whole(request["url"], texts)
            lines.append(f"changed response: {method} {url}, now {request['fault'] or request['status']}, key {key}")
    more = len(changed) - MAX_CHANGED
    return (*lines, *([f"{more} more changed responses"] if more > 0 else []))


def lost_facts(
    row: TrialRow, texts: Mapping[str, str], before: BaselineEntry, text_of: Callable[[str], str]
) -> tuple[str, ...]:
    """Return a line with the facts that the first prompt of a trial stated before and no longer states; nothing if it states them all.

    ``text_of`` returns the plain text of a fact from its pattern.
    """
    missing = row["attempts"][0]["facts"]["missing"] if row["attempts"] else []
    lost = [text_of(str(whole(fact, texts))) for fact in missing if fact_digest(fact) in before.stated]
    if not lost:
        return ()
    more = f" and {len(lost) - MAX_FACTS} more" if len(lost) > MAX_FACTS else ""
    return (f"no longer in the first prompt: {', '.join(lost[:MAX_FACTS])}{more}",)


def prompt_hints(
    key: TrialKey, before: BaselineEntry, after: BaselineEntry, template: Path | None, baseline: Path
) -> tuple[str, ...]:
    """Return the commands that show the first prompt of a trial, if that prompt changed and our engine renders it.

    ``template`` is the strategy's file if it belongs to the repository: then its version of the commit that accepted the baseline is
    compared with the present one.
    """
    prompts = [entry.responses[0].prompt for entry in (before, after) if entry.responses]
    if len(set(prompts)) < len((before, after)) or key.engine != OURS:
        return ()
    model = ("--model", key.model) if key.model else ()
    hints = [f"the prompt now: {shlex.join(['mendbench', 'strategy', 'render', key.strategy, key.case, *model])}"]
    if template is not None:
        file = shlex.quote(f"./{template.as_posix()}")
        accepted = f"$(git log -1 --format=%h -- {shlex.quote(baseline.as_posix())})"
        diff = shlex.join(["mendbench", "strategy", "diff", f"./before{SUFFIX}", key.strategy, key.case])
        hints.append(f"what changed in it: git show {accepted}:{file} > before{SUFFIX} && {diff}")
    return tuple(hints)


def secrets_in(stored: StoredRun) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the keys of trials whose rows contain a case's declared secret, and the places of the secret."""
    in_texts = {key: match.group()[:_SHOWN] for key, text in stored.texts.items() if (match := _CANARY.search(text))}
    found = []
    for row in _suspects(stored, in_texts):
        places: dict[str, str] = {}
        for place, secret in _places(row, "", in_texts):
            places.setdefault(place, secret)
        descriptions = tuple(f"{place} holds a secret in the clear ({secret}...)" for place, secret in places.items())
        if descriptions:
            found.append((row["key"], descriptions))
    return tuple(found)


def _suspects(stored: StoredRun, in_texts: Mapping[str, str]) -> Iterator[TrialRow]:
    """Yield the rows that may contain a secret or one of these texts. Rows of a folder are parsed only in that case."""
    rows = stored.rows
    lines = rows.raw() if isinstance(rows, StoredRows) else (json.dumps(row).encode() for row in rows)
    names = [name.encode() for name in in_texts]
    for row, line in enumerate(lines):
        if _CANARY_BYTES.search(line) or b"\\u" in line or any(name in line for name in names):
            yield rows[row]


def _places(value: Json, place: str, in_texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the path of each secret in a row, and how the secret begins."""
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
