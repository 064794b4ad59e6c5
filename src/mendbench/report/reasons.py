"""Texts about a trial's row: its name, why it is not right, and what was tried."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import SELF_REPAIR, TrialRow
from mendbench.repair.policies import is_policy, policy
from mendbench.scoring.judging.checks import short
from mendbench.scoring.judging.diffs import MISSING, value_at
from mendbench.scoring.judging.evidence import facts_in
from mendbench.scoring.judging.outcomes import rule_for
from mendbench.scoring.records import Treatment, treatment_of
from mendbench.trial.long_texts import whole

PLAIN_ENGINE, PLAIN_REPAIRER = "mendbench", "chat"
"""Defaults that a trial's name omits."""

CHECKS_SHOWN, EDITS_SHOWN = 5, 8
"""Maximum per trial; the rest is counted."""


def treatment_name(treatment: Treatment) -> str:
    """Return a readable name of a treatment: strategy, policy, solver, and the engine or detector if it is not the default.

    It depends only on the treatment, so that a history of runs finds it again.
    """
    if treatment.repairer == SELF_REPAIR:
        return ", ".join([f"{treatment.engine} by itself", *([treatment.model] if treatment.model else [])])
    repairer, model, name = treatment.repairer, treatment.model, treatment.policy
    who = repairer if model is None else model if repairer == PLAIN_REPAIRER else f"{repairer} {model}"
    usual = is_policy(name) and policy(name).detector == treatment.detector
    parts = [treatment.strategy, name if usual else f"{name} with detector {treatment.detector or 'none'}", who]
    return ", ".join([*parts, treatment.engine] if treatment.engine != PLAIN_ENGINE else parts)


def trial_name(row: TrialRow) -> str:
    """Return the trial's readable name, which is unique within a run."""
    sample = f", sample {row['sample']}" if row["sample"] else ""
    return f"{row['case']} [{treatment_name(treatment_of(row))}{sample}]"


def verdict_words(row: TrialRow) -> str:
    """Return verdict and outcome: ``incorrect: plausible``."""
    return str(row["verdict"]) if row["outcome"] is None else f"{row['verdict']}: {row['outcome']}"


def reason(row: TrialRow, texts: Mapping[str, str]) -> str:
    """Return in one line why a trial is not right, or its outcome if it is."""
    if row["verdict"] in {"unjudged", "crashed"}:
        problem = whole(row.get("problem"), texts) or {}
        return f"{row['verdict']}: {' '.join(str(problem.get('message') or 'no reason is stored').split())}"
    words = f"{verdict_words(row)}, stopped: {row['stop_reason']}, after {_attempts(row)}"
    return f"{words}; {because(row)}" if row["verdict"] == "incorrect" else words


def because(row: TrialRow) -> str:
    """Return the reason in the table of outcomes for a judged trial."""
    return rule_for(facts_in(row).verdict).because


def story(row: TrialRow, texts: Mapping[str, str]) -> str:
    """Return what happened in a trial, in a few lines: its end, the failures, the request, and the edits."""
    return "\n".join(_lines(row, texts))


def _lines(row: TrialRow, texts: Mapping[str, str]) -> Iterator[str]:
    yield reason(row, texts)
    yield f"case {row['case']} ({row['kind']}): {whole(row['title'], texts)}"
    detail = (whole(row.get("problem"), texts) or {}).get("detail") or {}
    yield from _missed(detail)
    failed = [check for check in whole(row["checks"], texts) if not check["held"]]
    for check in failed[:CHECKS_SHOWN]:
        on = "" if check["variant"] is None else f" (on the variant {short(check['variant'])})"
        harm = " [harm]" if check["harm"] else ""
        yield f"does not hold{on}{harm}: {check['check']}"
        yield f"  {check['why']}"
    if len(failed) > CHECKS_SHOWN:
        yield f"and {len(failed) - CHECKS_SHOWN} more checks do not hold"
    yield from _refused(row, texts)
    yield from _diff(row, texts)


def _missed(detail: Mapping[str, Json]) -> Iterator[str]:
    """Yield the request that has no recording, and how the nearest recorded one differs."""
    if detail.get("request"):
        yield f"asked: {short(str(detail['request']))}"
        yield f"nearest recorded: {short(str(detail.get('nearest') or 'nothing like it'))}"
    if detail.get("differs"):
        yield f"differs in: {', '.join(str(name) for name in detail['differs'])}"
    if detail.get("record"):
        yield f"record it with: {detail['record']}"


def _refused(row: TrialRow, texts: Mapping[str, str]) -> Iterator[str]:
    refused = next((request for request in reversed(row["requests"]) if not request["accepted"]), None)
    if refused is None:
        return
    sent = whole(refused, texts)
    body = f" {short(sent['body'])}" if sent["body"] else ""
    response = sent["fault"] or f"{sent['status']} {short(sent['response'] or '')}".rstrip()
    yield f"last request refused: {sent['method']} {sent['url']}{body}"
    yield f"  answered: {response}"


def _diff(row: TrialRow, texts: Mapping[str, str]) -> Iterator[str]:
    """Yield the places in the workflow that the applied edits changed, with the old and the new value."""
    edits = whole(row["edits"], texts)
    if not edits:
        return
    before, after = _document(row["workflow"], texts), _last_workflow(row, texts)
    yield "workflow diff:"
    for path in edits[:EDITS_SHOWN]:
        old, new = (_value(document, path) for document in (before, after))
        yield f"  {path}" if old == new else f"  {path}: {old} -> {new}"
    if len(edits) > EDITS_SHOWN:
        yield f"  and {len(edits) - EDITS_SHOWN} more places"


def _last_workflow(row: TrialRow, texts: Mapping[str, str]) -> JsonObject:
    ran = [attempt for attempt in row["attempts"] if attempt["execution"] is not None]
    return _document(ran[-1]["workflow"] if ran else row["workflow"], texts)


def _document(stored: Json, texts: Mapping[str, str]) -> JsonObject:
    document: JsonObject = json.loads(whole(stored, texts))
    return document


def _value(document: JsonObject, path: str) -> str:
    value = value_at(document, path)
    return "nothing" if value is MISSING else short(json.dumps(value, ensure_ascii=False))


def _attempts(row: TrialRow) -> str:
    number = len(row["attempts"])
    return f"{number} attempt{'' if number == 1 else 's'}"
