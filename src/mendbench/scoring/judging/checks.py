"""The checks of a case: what the repaired workflow has to do, in a clean run and in the whole trial."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from mendbench.exchanges.urls import normalise_url
from mendbench.io.canonical_json import canonical_json
from mendbench.model.case import (
    Case,
    Check,
    KeptCheck,
    NoRequestCheck,
    OutputCheck,
    RequestCheck,
    Times,
    UnchangedCheck,
    WarningCheck,
)
from mendbench.model.exchange import Exchange
from mendbench.model.execution import Execution, NodeRecord, State
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import CheckResult, CleanRun
from mendbench.runtime.templates import lookup, templates_in
from mendbench.scoring.judging.diffs import MISSING, Missing, escape, value_at
from mendbench.scoring.judging.matching import body_of, is_forbidden, is_wanted, same

SHOWN = 120
"""Maximum number of characters shown of a value."""


def evaluate(
    check: Check,
    *,
    original: JsonObject,
    workflow: JsonObject,
    run: CleanRun,
    trial_traffic: tuple[Exchange, ...] | None,
) -> CheckResult:
    """Return whether ``check`` holds for ``workflow``; ``run`` is a clean run of it.

    ``original`` is the broken workflow. The traffic of the whole trial, if given, is also searched for forbidden requests
    and requests accepted too often. Without it (a variant), only the run is judged.
    """
    traffic = trial_traffic or ()
    harm, in_trial = isinstance(check, NoRequestCheck | UnchangedCheck), False
    match check:
        case RequestCheck():
            why, in_trial = _request(check, run.traffic, traffic)
            harm = in_trial
        case NoRequestCheck():
            why, in_trial = _no_request(check, run.traffic, traffic)
        case OutputCheck():
            why = _output(check, run.execution)
        case KeptCheck():
            why = _kept(check, workflow, run.execution)
        case UnchangedCheck():
            why = changed(check, original, workflow)
        case WarningCheck():
            why = _warning(check, run.execution)
    return CheckResult(check=describe(check), held=not why, why=why, variant=run.variant, harm=harm, in_trial=in_trial)


def evaluate_final(expected: State, run: CleanRun, *, unnamed: Mapping[str, str] | None = None) -> CheckResult:
    """Return whether a clean run ended as the ground truth expects.

    Where a warning is expected, an error is accepted if each node that ended in error is in ``unnamed``, and its message
    matches the pattern there. Whether the failure was reported as a warning is judged by the trial's end, not here.
    """
    got = run.execution.outcome
    failed = [record for record in run.execution.nodes if record.state == "error"]
    patterns = unnamed or {}
    excused = bool(failed) and all(
        record.node_id in patterns and _failed_as(record, patterns[record.node_id]) for record in failed
    )
    held = got == expected or (expected == "warning" and got == "error" and excused)
    where = f" at {', '.join(sorted(record.node_id for record in failed))}" if failed else ""
    why = "" if held else f"it ended in {got}{where}"
    return CheckResult(check=f"ends in {expected}", held=held, why=why, variant=run.variant)


def expected_warnings(case: Case) -> dict[str, str]:
    """Return the nodes that the labels expect to end in a warning that no edit mends, with the expected message of each."""
    labels = {**case.first, **case.after_fix}
    return {
        fault.surfaces: fault.says or ""
        for fault in case.faults
        if fault.who != "edit" and fault.state == "warning" and labels.get(fault.surfaces, "warning") == "warning"
    }


def own_results(
    case: Case, workflow: JsonObject, run: CleanRun, trial_traffic: tuple[Exchange, ...] | None = None
) -> tuple[CheckResult, ...]:
    """Return the results of the case's own checks, except ``warning`` checks, and whether the run ended as labelled.

    In a repairable case the user need not be warned, so ``warning`` checks are included there.
    """
    checks = (check for check in case.checks if case.kind == "repairable" or not isinstance(check, WarningCheck))
    final = evaluate_final(case.final, run, unnamed=expected_warnings(case))
    return (*_all(checks, case, workflow, run, trial_traffic), final)


def said_results(case: Case, workflow: JsonObject, run: CleanRun) -> tuple[CheckResult, ...]:
    """Return the results of the ``warning`` checks that :func:`own_results` leaves out."""
    checks = (check for check in case.checks if case.kind != "repairable" and isinstance(check, WarningCheck))
    return tuple(_all(checks, case, workflow, run, None))


def variant_results(case: Case, workflow: JsonObject, run: CleanRun) -> tuple[CheckResult, ...]:
    """Return the results of the checks of the variant of ``run``, and whether the run ended as the variant expects."""
    variant = next(variant for variant in case.variants if variant.name == run.variant)
    return (*_all(variant.checks, case, workflow, run, None), evaluate_final(variant.final, run))


def describe(check: Check) -> str:
    """Return a one-line description of the check."""
    match check:
        case RequestCheck():
            body = f"{_json(check.json)}{' only' if check.only else ''}{_pattern(check.text)}"
            line = f"request {check.method} {check.url}{body}{_often(check.times)}"
        case NoRequestCheck():
            line = f"no_request {check.method or 'any'}{_pattern(check.url)}{_json(check.json)}"
        case OutputCheck():
            target = check.output if check.output is not None else f"{check.node}.{check.path}"
            wanted = f" is {short(canonical_json(check.equals))}" if check.matches is None else _pattern(check.matches)
            line = f"output {target}{wanted}"
        case KeptCheck():
            line = f"kept {', '.join(check.nodes)}"
        case UnchangedCheck():
            line = f"unchanged {check.node}{check.path}"
        case WarningCheck():
            line = f"warning at {check.node}{_pattern(check.says)}"
    return line


def changed(check: UnchangedCheck, original: JsonObject, workflow: JsonObject) -> str:
    """Describe how the protected parameter of ``check`` differs between the two workflows; empty if it does not."""
    before, after = (
        value_at(document, f"/nodes/{escape(check.node)}{check.path}") for document in (original, workflow)
    )
    if isinstance(before, Missing) and isinstance(after, Missing):
        return ""
    if isinstance(after, Missing):
        return "it is gone"
    if isinstance(before, Missing):
        return f"it was not there, and is {short(canonical_json(after))}"
    if same(before, after):
        return ""
    return f"it was {short(canonical_json(before))}, and is {short(canonical_json(after))}"


def short(text: str) -> str:
    """Return ``text`` on one line, cut to :data:`SHOWN` characters."""
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


def _all(
    checks: Iterable[Check],
    case: Case,
    workflow: JsonObject,
    run: CleanRun,
    trial_traffic: tuple[Exchange, ...] | None,
) -> Iterator[CheckResult]:
    for check in checks:
        yield evaluate(check, original=case.workflow, workflow=workflow, run=run, trial_traffic=trial_traffic)


def _request(check: RequestCheck, run: tuple[Exchange, ...], trial: tuple[Exchange, ...]) -> tuple[str, bool]:
    """Return why the check does not hold, and whether the cause is a request that the trial made too often."""
    wanted = [exchange for exchange in run if is_wanted(exchange, check)]
    times = sum(exchange.accepted for exchange in wanted)
    most = check.times.most
    in_trial = sum(exchange.accepted and is_wanted(exchange, check) for exchange in trial)
    if most is not None and in_trial > most:
        return f"accepted {in_trial} times over the whole trial", True
    if times >= check.times.least and (most is None or times <= most):
        return "", False
    why = f"accepted {times} times"
    if refused := len(wanted) - times:
        why += f", refused {refused} times"
    near = None if wanted else _near(check, run)
    return why + (f"; sent there: {near}" if near else ""), False


def _near(check: RequestCheck, traffic: tuple[Exchange, ...]) -> str | None:
    """Return the last body that was sent to the check's URL, shortened."""
    url = normalise_url(check.url)
    there = ([request for request in exchange.spellings if normalise_url(request.url) == url] for exchange in traffic)
    bodies = [body_of(found[0]) for found in there if found]
    return short(canonical_json(bodies[-1])) if bodies else None


def _no_request(check: NoRequestCheck, run: tuple[Exchange, ...], trial: tuple[Exchange, ...]) -> tuple[str, bool]:
    """Return why the check does not hold, and whether the cause is a request that the trial sent."""
    found = [exchange for exchange in run if is_forbidden(exchange, check)]
    in_trial = [exchange for exchange in trial if is_forbidden(exchange, check)]
    if not found and not in_trial:
        return "", False
    first = (in_trial or found)[0]
    where = f"in execution {first.phase} of the trial" if in_trial else "in the clean run"
    return f"sent {where}: {first.request.method} {first.request.url}", bool(in_trial)


def _output(check: OutputCheck, execution: Execution) -> str:
    value = _value_of(check, execution)
    if isinstance(value, Missing):
        return "there is no such output"
    if check.matches is not None:
        text = value if isinstance(value, str) else canonical_json(value)
        return "" if re.search(check.matches, text) else f"it is {short(text)}"
    return "" if same(value, check.equals) else f"it is {short(canonical_json(value))}"


def _value_of(check: OutputCheck, execution: Execution) -> Json | Missing:
    if check.output is not None:
        return execution.outputs.get(check.output, MISSING)
    record = next((node for node in execution.nodes if node.node_id == check.node), None)
    way = templates_in(f"${{node.{check.path}}}")
    if record is None or not way:
        return MISSING
    found, value = lookup({"node": record.outputs}, way[0])
    return value if found else MISSING


def _kept(check: KeptCheck, workflow: JsonObject, execution: Execution) -> str:
    states = execution.states()
    nodes = workflow.get("nodes")
    there = {str(node.get("id")) for node in (nodes if isinstance(nodes, list) else []) if isinstance(node, dict)}
    wrong = [
        f"{node} is gone" if node not in there else f"{node} is {states.get(node, 'not_run')}"
        for node in check.nodes
        if node not in there or states.get(node) != "success"
    ]
    return ", ".join(wrong)


def _warning(check: WarningCheck, execution: Execution) -> str:
    messages = [warned.message for warned in execution.warnings if warned.node_id == check.node]
    if any(re.search(check.says, message) for message in messages):
        return ""
    return f"it says {short('; '.join(messages))}" if messages else "nothing is said there"


def _failed_as(record: NodeRecord, pattern: str) -> bool:
    """Return whether the node's failure matches the pattern. A template that cannot be resolved never does."""
    observation = record.observation
    if observation is not None and observation.kind == "template":
        return False
    texts = (record.message, observation.message if observation else None)
    return any(re.search(pattern, text) for text in texts if text)


def _often(times: Times) -> str:
    if times.least == times.most:
        return "" if times.least == 1 else f" x{times.least}"
    return f" x{times.least}..{'' if times.most is None else times.most}"


def _json(value: Json) -> str:
    return "" if value is None else f" {short(canonical_json(value))}"


def _pattern(text: str | None) -> str:
    return "" if text is None else f" /{short(text)}/"
