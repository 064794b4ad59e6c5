"""The result of a gate or a comparison, as findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from mendbench.report.findings import Level, RunFinding, RunJudgement, Status
from mendbench.report.reasons import treatment_name
from mendbench.scoring.comparing.changes import Change, Ending
from mendbench.scoring.gating.result import GateResult, TrialChange
from mendbench.scoring.gating.result import Level as GateLevel
from mendbench.scoring.gating.verdict_texts import limit_words, shift_words

_OF_GATE: Mapping[GateLevel, Level] = {"fail": "error", "open": "warning", "show": "notice"}


def judgement_of_gate(result: GateResult) -> RunJudgement:
    """Return the gate's result as a judgement. What fails the gate is an error; what it cannot decide is a warning."""
    statuses: Mapping[str, Status] = {"pass": "passed", "fail": "failed"}
    return RunJudgement(
        status=statuses.get(result.verdict, "open"),
        verdict=f"gate {result.headline}",
        notes=result.notes,
        findings=tuple(_of_gate(result)),
    )


def _of_gate(result: GateResult) -> Iterator[RunFinding]:
    for difference in result.differences:
        words = f"{difference.before} -> {difference.after}; {difference.hint}"
        yield RunFinding(level="warning", title=f"{difference.what} is another", message=words)
    for limit in result.limits:
        if limit.status != "holds":
            level: Level = "error" if limit.status == "broken" else "warning"
            yield RunFinding(level=level, title=f"limit {limit.status}", message=limit_words(limit))
    for shift in result.shifts:
        if shift.status != "holds":
            level = "error" if shift.status == "worse" else "warning"
            title = "worse beyond noise" if level == "error" else "may be noise"
            yield RunFinding(level=level, title=title, message=shift_words(shift))
    yield from (_of_trial(finding) for finding in result.findings)


def _of_trial(finding: TrialChange) -> RunFinding:
    return RunFinding(
        level=_OF_GATE[finding.level],
        title=finding.change,
        message="; ".join((f"{finding.was} -> {finding.now}", *finding.why)),
        key=finding.key,
        case=finding.trial.case,
    )


def judgement_of_changes(changes: Sequence[Change], *, trials: int, against: str) -> RunJudgement:
    """Return the changes from another run as a judgement.

    A newly failing trial is an error if its responses are the same. If they differ, chance may be the cause, and it is a
    warning, like a trial that has lost its verdict. ``trials`` is how many were compared, ``against`` names the other run.
    """
    counts = Counter(change.direction for change in changes)
    summary = ", ".join(f"{count} {direction}" for direction, count in counts.items()) or "none came out otherwise"
    findings = tuple(_of_change(change) for change in changes)
    levels = {finding.level for finding in findings}
    return RunJudgement(
        status="failed" if "error" in levels else "open" if "warning" in levels else "passed",
        verdict=f"of {trials} trials compared with {against}: {summary}",
        findings=findings,
    )


def _of_change(change: Change) -> RunFinding:
    failing, chance = change.direction == "newly failing", change.responses == "other responses"
    level: Level = "error" if failing and not chance else "notice"
    if (failing and chance) or change.direction == "no verdict any more":
        level = "warning"
    before = "" if change.a == change.b else f" ({treatment_name(change.a)})"
    return RunFinding(
        level=level,
        title=change.direction,
        message=f"{_ending(change.before)}{before} -> {_ending(change.after)}; {change.responses}",
        key=change.after.key,
        case=change.case,
    )


def _ending(ending: Ending) -> str:
    return f"{ending.outcome or ending.verdict} ({ending.stop_reason}, {ending.wasted_attempts or 0} wasted)"
