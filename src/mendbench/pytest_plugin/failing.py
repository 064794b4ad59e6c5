"""The output for a failed trial in pytest: the result and the reason, never a traceback."""

from __future__ import annotations

import difflib
import json
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from mendbench.api.trials import RanTrial
from mendbench.exchanges.urls import normalise_url
from mendbench.model.case import Case, RequestCheck
from mendbench.model.json import Json
from mendbench.report.reasons import because
from mendbench.scoring.judging.checks import describe, short

if TYPE_CHECKING:
    from mendbench.model.trial_row import CheckRow

SHOWN_CHECKS = 6
"""Maximum number of failed checks shown; the page of the trial shows all."""
SHOWN_DIFF = 40
"""Maximum number of lines shown of the difference between two workflows."""
SHOWN_FIELDS = 6
"""Maximum number of differing fields shown of a sent body."""
_SENT = "; sent there: "
"""The text before the body in the reason of a failed check."""
ONE_RUN = "reports/one"
"""The output folder of the displayed command, so that its run replaces no other one."""


def headline(trial: RanTrial) -> str:
    """Return the result in one line."""
    if trial.judged:
        return f"{trial.outcome}: {because(trial.row)}; stopped: {trial.stop_reason}"
    return f"{trial.verdict}: {_plain(_message(trial))}"


def story(trial: RanTrial, command: Sequence[str]) -> str:
    """Return a description of what happened in a trial. ``command`` runs this trial alone."""
    lines = [f"{trial.case.id}: {headline(trial)}"]
    if trial.judged:
        lines += [*_attempts(trial), *_checks(trial), *_workflow(trial)]
        lines.append(f"all of it: {shlex.join([*command, '--out', ONE_RUN])}, then {ONE_RUN}/index.html")
    else:
        lines += [*_problem(trial, command), *_attempts(trial)]
    return _plain("\n".join(lines))


def _message(trial: RanTrial) -> str:
    problem = trial.row["problem"]
    if problem is None:
        return "it has no judgement"
    if problem["kind"] == "unjudged" and "request" in problem["detail"]:
        return f"no recording answers {problem['detail']['request']}"
    return str(problem["message"])


def _problem(trial: RanTrial, command: Sequence[str]) -> Iterator[str]:
    """Yield why a trial has no verdict, and how to fix that."""
    problem = trial.row["problem"]
    detail = problem["detail"] if problem is not None else {}
    if trial.verdict == "unjudged":
        if "request" in detail:
            near = detail["nearest"] and f"{detail['nearest']}, which differs in {', '.join(detail['differs'])}"
            yield f"nearest recording: {near or 'nothing like it is recorded'}"
        options = _recording_options(str(detail.get("record", "")))
        yield f"record it with: {shlex.join([*command, *options])}"
    else:
        yield f"run it alone with: {shlex.join([*command, '--out', ONE_RUN])}"


def _recording_options(hint: str) -> list[str]:
    """Return the options of a recording command, from ``--record`` on."""
    words = shlex.split(hint)
    return words[words.index("--record") :] if "--record" in words else ["--record", "new_episodes"]


def _attempts(trial: RanTrial) -> Iterator[str]:
    attempts = trial.row["attempts"]
    labels = Counter(str(attempt["label"] or "not judged") for attempt in attempts)
    counts = ", ".join(f"{count} {label}" for label, count in labels.items())
    yield f"attempts: {len(attempts)}{f' ({counts})' if attempts else ''}"
    for attempt in attempts:
        edits = ", ".join(attempt["edits"][:SHOWN_FIELDS])
        what = attempt["problem"] or (f"edited {edits}" if edits else attempt["status"])
        yield f"  {attempt['number']} {attempt['label'] or attempt['status']}: {short(str(what))}"


def _checks(trial: RanTrial) -> Iterator[str]:
    failed = [check for check in trial.row["checks"] if not check["held"]]
    if failed:
        yield "failed checks:"
    for check in failed[:SHOWN_CHECKS]:
        variant = f" [{check['variant']}]" if check["variant"] is not None else ""
        yield f"  {check['check']}{variant}"
        yield f"    {check['why']}"
        yield from (f"    {line}" for line in _differing(check, trial))
    if len(failed) > SHOWN_CHECKS:
        yield f"  and {len(failed) - SHOWN_CHECKS} more"


def _differing(failed: CheckRow, trial: RanTrial) -> Iterator[str]:
    """Yield the fields in which the body sent to the expected address differs from the expected body."""
    wanted = _wanted(failed, trial.case)
    if wanted is None or _SENT not in failed["why"]:
        return
    sent = _sent(failed["why"])
    if sent is None and failed["variant"] is None:
        sent = _sent_in_trial(wanted, trial)
    if sent is None:
        return
    for path, one, other in islice(_differences(wanted.json, sent, "body"), SHOWN_FIELDS):
        yield f"{path}: wanted {_shown(one)}, sent {_shown(other)}"


def _wanted(failed: CheckRow, case: Case) -> RequestCheck | None:
    variant = next((one for one in case.variants if one.name == failed["variant"]), None)
    checks = case.checks if variant is None else variant.checks
    requests = (check for check in checks if isinstance(check, RequestCheck) and check.json is not None)
    return next((check for check in requests if describe(check) == failed["check"]), None)


def _sent(why: str) -> Json:
    """Return the sent body that a check names; None if it names only a part of a long body."""
    return _parsed(why.partition(_SENT)[2])


def _sent_in_trial(wanted: RequestCheck, trial: RanTrial) -> Json:
    """Return the last body that the trial sent to the expected address. A clean run almost always sends the same."""
    url = normalise_url(wanted.url)
    there = [
        one for one in trial.row["requests"] if normalise_url(one["url"]) == url and one["method"] == wanted.method
    ]
    return _parsed(there[-1]["body"] or "") if there else None


def _parsed(text: str) -> Json:
    try:
        return json.loads(text)
    except ValueError:
        return None


_NOTHING = object()


def _differences(wanted: Json, sent: Json, path: str) -> Iterator[tuple[str, object, object]]:
    """Yield where ``sent`` differs from ``wanted``: objects may contain extra fields, lists no extra items."""
    if isinstance(wanted, dict) and isinstance(sent, dict):
        for name, value in wanted.items():
            yield from _differences(value, sent.get(name, _NOTHING), f"{path}.{name}")
    elif isinstance(wanted, list) and isinstance(sent, list) and len(wanted) == len(sent):
        for at, (one, other) in enumerate(zip(wanted, sent, strict=True)):
            yield from _differences(one, other, f"{path}[{at}]")
    elif wanted != sent:
        yield path, wanted, sent


def _shown(value: object) -> str:
    return "nothing" if value is _NOTHING else short(json.dumps(value, ensure_ascii=False))


def _workflow(trial: RanTrial) -> Iterator[str]:
    """Yield the differences of the last executed workflow from the broken one."""
    row = trial.row
    ran = [one["workflow"] for one in row["attempts"] if one["execution"] is not None and one["workflow"]]
    lines = list(_diff(str(row["workflow"]), str(ran[-1]))) if ran else []
    if not lines:
        yield "workflow: as it was"
        return
    yield "workflow:" if row["edited"] else "workflow (tried, and not kept):"
    yield from (f"  {line}" for line in lines[:SHOWN_DIFF])
    if len(lines) > SHOWN_DIFF:
        yield f"  and {len(lines) - SHOWN_DIFF} more lines"


def _diff(before: str, after: str) -> Iterable[str]:
    return islice(difflib.unified_diff(before.splitlines(), after.splitlines(), n=2, lineterm=""), 2, None)


def _plain(text: str) -> str:
    """Return ``text`` without terminal control characters: an API or a model may have written it."""
    return "".join(char if char.isprintable() or char == "\n" else f"\\x{ord(char):02x}" for char in text)
