"""The proof of a case: it fails as labelled, the right edits pass, and nothing else does."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal, TypeAlias

from mendbench.cassettes.recordings import Recordings
from mendbench.corpus.declared_services import live_services, redactor_of
from mendbench.corpus.incident import read_incident
from mendbench.errors import ReplayMiss
from mendbench.model.case import Case, Fix, Level
from mendbench.model.exchange import Request, Response
from mendbench.model.execution import Execution, NodeState
from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import Prompt, View
from mendbench.model.trial import CleanRun
from mendbench.ports.engine import Engine
from mendbench.recording.recorder import Recorder
from mendbench.scoring.judging.judge import Judged
from mendbench.scoring.judging.level import level_of
from mendbench.secrets.redaction import plant_canaries
from mendbench.strategies import strategies, strategy
from mendbench.strategies.frame import build_prompt
from mendbench.trial.components import BenchContext, build_engine
from mendbench.values.json_patch import PatchError, apply_patch
from mendbench.verify.agreement import disagreements
from mendbench.verify.bench import ProofParts
from mendbench.verify.frame_facts import facts_in_frame
from mendbench.verify.incident import incident_difference
from mendbench.verify.mutants import Mutant, accepted_mutants, mutants_of
from mendbench.verify.patches import patch_between
from mendbench.verify.reasons import error_of, stop_of, stops
from mendbench.verify.refusals import refusals
from mendbench.verify.refutation import refutation
from mendbench.verify.stated_facts import unstated_facts

Fate: TypeAlias = Literal["killed", "survived", "invalid", "missed", "accepted", "unproved (live)"]
"""killed: judged wrong, or refuted. survived: judged right. invalid: no engine would run it. missed: a recording that it needs is missing.
accepted: it is a fix that the case accepts by name. unproved (live): it needs an answer of a live API that was never asked for, and some
answer might let it pass.
"""

UNPROVED: Final = "unproved (live)"
"""What a wrong fix or a mutant is called that neither a judgement nor :func:`refutation` calls wrong."""

NO_SURVIVOR: Final = "no mutant survives"
"""The name of the finding whose mutants have a fate and a patch each."""

FIX_PASSES: Final = "the reference fix passes"
"""The name of the finding without which mutants show nothing: a world that refuses everything kills everything."""

RECORDED: Final = "everything is recorded"
"""The name of the finding about exchanges that the proof misses."""

WRONG_FIX: Final = "the wrong fix fails"
"""The start of the name of a finding about a wrong fix."""

UNUSED: Final = "no recorded exchange is unused"
"""The name of the finding about recordings that the proof does not use."""

ANY_EDIT: Final = "no check refutes it: any edit is wrong here"
"""Why a wrong fix fails that only the kind of its case refutes."""

SHOWN_UNUSED = 2
"""Unused exchanges that are named."""

_NEVER_SENT = (
    "and a wrong fix is never sent to a live API; choose one that sends only what is recorded or what a check refuses, such as one that"
    " hard-codes a value or leaves a node out, or make the world a simulator"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One requirement of the proof."""

    what: str
    held: bool | None
    """None: unproved (live). It neither fails the case nor counts as proved."""
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantFate:
    """The fate of one mutant."""

    kind: str
    what: str
    fate: Fate
    why: str = ""
    patch: tuple[JsonObject, ...] = ()
    """For one that survived: the JSON Patch that makes it of the broken workflow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The proof of one case."""

    case: str
    kind: str
    findings: tuple[Requirement, ...]
    mutants: tuple[MutantFate, ...]
    recorded_from: dict[str, str]
    seconds: float
    level: Level | None = None
    """None if no edit is right, or if the first execution is not recorded."""
    dropped: int = 0
    """Unused recorded exchanges that were deleted: only while recording, and only if everything else held."""

    @property
    def held(self) -> bool:
        """Whether nothing fails. What is unproved does not fail."""
        return all(finding.held is not False for finding in self.findings)

    @property
    def valid_mutants(self) -> tuple[MutantFate, ...]:
        """The mutants; none if the reference fix does not pass."""
        return () if any(one.what == FIX_PASSES and one.held is False for one in self.findings) else self.mutants

    @property
    def unchecked_fixes(self) -> int:
        """How many wrong fixes fail only because any edit is wrong in such a case."""
        return sum(finding.why == ANY_EDIT for finding in self.findings)

    @property
    def mutation_score(self) -> float | None:
        """Share of the judged mutants that were killed; None if none was judged, or the reference fix does not pass."""
        judged = [mutant for mutant in self.valid_mutants if mutant.fate in {"killed", "survived"}]
        return sum(m.fate == "killed" for m in judged) / len(judged) if judged else None


def prove(context: BenchContext, case_id: str, recorder: Recorder | None = None) -> Proof:
    """Prove one case. While recording, missing exchanges that the proof needs are recorded."""
    case, recorder = context.corpus.case(case_id), recorder or Recorder()
    return _proved(context, case, recorder, recorder.recordings(context.corpus.cassettes(case)))


def proved_with(context: BenchContext, case_id: str) -> frozenset[str]:
    """Prove a case and return the keys of the exchanges that the proof uses."""
    case, recorder = context.corpus.case(case_id), Recorder()
    recordings = recorder.recordings(context.corpus.cassettes(case))
    _proved(context, case, recorder, recordings)
    return frozenset(recordings.used)


def _proved(context: BenchContext, case: Case, recorder: Recorder, recordings: Recordings) -> Proof:
    began = time.perf_counter()
    bench = ProofParts(case=case, engine=build_engine("mendbench", case), recordings=recordings, recorder=recorder)
    findings: list[Requirement] = []
    fates: list[MutantFate] = []
    level: Level | None = None
    try:
        fixed = _fixed(case)
        if recorder.mode != "none" and live_services(case):
            bench.record_live()
        level = level_of(case, bench.clean(case.workflow, None).execution)
        findings += _truth(bench)
        fates += _mutants(bench, fixed)
        alive = [mutant.what for mutant in fates if mutant.fate == "survived"]
        findings.append(Requirement(what=NO_SURVIVOR, held=not alive, why="; ".join(alive)))
        findings += _prompts(bench, context)
        findings.append(_services_agree(bench, fixed))
        if incident := read_incident(case.folder):
            off = incident_difference(bench, incident)
            findings.append(Requirement(what="the world answers as in the incident", held=not off, why=off))
    except ReplayMiss as miss:
        findings.append(Requirement(what=RECORDED, held=False, why=str(miss)))
    except PatchError as error:
        findings.append(Requirement(what="the fix applies", held=False, why=str(error)))
    whole = all(finding.held is not False for finding in findings)
    dropped = recordings.prune() if recorder.mode != "none" and whole else ()
    findings += _recordings(bench)
    return Proof(
        case=case.id, kind=case.kind, findings=tuple(findings), mutants=tuple(fates),
        recorded_from=dict(case.recorded_from), seconds=round(time.perf_counter() - began, 3), dropped=len(dropped), level=level,
    )  # fmt: skip


def _fixed(case: Case) -> JsonObject | None:
    """Return the workflow after the reference fix.

    Raises:
        PatchError: that or an accepted fix does not apply.
    """
    for fix in case.accepts:
        apply_patch(case.workflow, fix.patch)
    return apply_patch(case.workflow, case.fix.patch) if case.fix else None


def _truth(bench: ProofParts) -> Iterator[Requirement]:
    case = bench.case
    run = bench.clean(case.workflow, None)
    off = _mislabelled(case.first, run.execution, "expect.first")
    yield Requirement(what="the broken workflow fails as labelled", held=not off, why=off)
    again = bench.fresh(case.workflow, None, bench.recordings)
    same = again.execution == run.execution and _exchanges(again) == _exchanges(run)
    yield Requirement(what="two executions agree", held=same, why="" if same else "they differ")
    untouched = bench.judged(case.workflow)
    right = untouched.verdict.verdict == "correct"
    wanted = case.fix is None
    yield Requirement(
        what="no edit passes" if wanted else "no edit fails",
        held=right == wanted,
        why="" if right == wanted else f"judged {untouched.verdict.outcome}",
    )
    if wanted:
        yield _holds_untouched(untouched)
    fixes = [(FIX_PASSES, case.fix)] if case.fix else []
    fixes += [(f"the accepted fix passes: {fix.why}", fix) for fix in case.accepts]
    for what, fix in fixes:
        yield _passes(bench, what, fix)
    if case.fix:
        yield _after_fix(bench, case.fix)
    for fix in case.wrong_fixes:
        yield _fails(bench, fix)


def _holds_untouched(untouched: Judged) -> Requirement:
    """Return whether the case's statements about the unchanged workflow hold, on its own data and on its variants'.

    The verdict alone is not enough: if no edit is right, it depends on how the trial ended.
    """
    off = _unmet(untouched)
    return Requirement(what="checks and variants hold without an edit", held=not off, why="; ".join(off))


def _unmet(judged: Judged) -> list[str]:
    return [
        f"{one.check}{f' (variant {one.variant!r})' if one.variant else ''}: {one.why}"
        for one in judged.checks
        if not one.held
    ]


def _exchanges(run: CleanRun) -> list[tuple[Request, Response]]:
    return [(exchange.request, exchange.response) for exchange in run.traffic]


def _passes(bench: ProofParts, what: str, fix: Fix) -> Requirement:
    workflow = apply_patch(bench.case.workflow, fix.patch)
    if problems := bench.problems(workflow):
        return Requirement(what=what, held=False, why=f"the fixed workflow does not validate: {'; '.join(problems)}")
    judged = bench.judged(workflow)
    if judged.verdict.verdict == "correct":
        return Requirement(what=what, held=True)
    refused = refusals(bench.case, lambda variant: bench.clean(workflow, variant))
    ended = stops(bench.case, lambda variant: bench.clean(workflow, variant))
    why = "; ".join((*refused, f"judged {judged.verdict.outcome}", *_unmet(judged), *ended))
    return Requirement(what=what, held=False, why=f"{why}; mend the fix, or the check that it does not meet")


def _after_fix(bench: ProofParts, fix: Fix) -> Requirement:
    run = bench.clean(apply_patch(bench.case.workflow, fix.patch), None)
    off = _mislabelled(bench.case.after_fix, run.execution, "expect.after_fix")
    return Requirement(what="the fixed workflow runs as labelled", held=not off, why=off)


def _mislabelled(labels: Mapping[str, NodeState], execution: Execution, place: str) -> str:
    """Return where an execution differs from the labels at ``place``, with the errors that explain it; empty if nowhere.

    Errors and warnings count alike here: distinguishing them is what detectors are measured by.
    """
    records = {record.node_id: record for record in execution.nodes}
    off = []
    states = set()
    for node, label in labels.items():
        record = records.get(node)
        got = "gone" if record is None else record.state if record.observation is None else "failed"
        wanted = "failed" if label in {"error", "warning"} else label
        if got != wanted:
            error = error_of(record) if record is not None else ""
            off.append(f"{node} is {got}, labelled {label}{f' ({error})' if error else ''}")
            states.add(got)
    if "not_run" in states:
        off.append(f"not_run because {stop_of(execution) or 'no edge that was followed leads there'}")
    return f"{'; '.join(off)}; correct {place} in case.yaml, or mend the workflow or the state" if off else ""


def _fails(bench: ProofParts, fix: Fix) -> Requirement:
    what = f"{WRONG_FIX}: {fix.why}"
    try:
        workflow = apply_patch(bench.case.workflow, fix.patch)
    except PatchError as error:
        return Requirement(what=what, held=False, why=f"it does not apply: {error}")
    if problems := bench.problems(workflow):
        hint = "write one that the validator accepts: an input that it no longer uses has to go in the same patch"
        return Requirement(
            what=what, held=False, why=f"it does not validate, so it tempts nobody: {'; '.join(problems)}; {hint}"
        )
    try:
        judged = bench.judged(workflow)
    except ReplayMiss as miss:
        if miss.service not in live_services(bench.case):
            raise
        if reason := refutation(bench, workflow):
            return Requirement(what=what, held=True, why=f"refuted before any answer: {reason}")
        return Requirement(what=what, held=None, why=f"{UNPROVED}: no recording answers {miss.request}, {_NEVER_SENT}")
    held = judged.verdict.verdict == "incorrect"
    hint = "every check holds on all data: make a check stricter, add a variant, or move it to accepts"
    if held:
        return Requirement(what=what, held=True, why="" if bench.case.fix else _refuted_by(judged))
    return Requirement(what=what, held=False, why=f"judged {judged.verdict.outcome}; {hint}")


def _refuted_by(judged: Judged) -> str:
    """Return which check refutes a wrong fix of a case in which no edit is right."""
    return next((f"refuted by {why}" for why in _unmet(judged)), ANY_EDIT)


def _mutants(bench: ProofParts, fixed: JsonObject | None) -> Iterator[MutantFate]:
    run = bench.clean(fixed or bench.case.workflow, None)
    inputs, _ = plant_canaries(bench.case.inputs, bench.case.id)
    data = {**inputs, **_outputs(run.execution)}
    readers = _readers(run)
    for mutant in mutants_of(bench.case, fixed, data, readers):
        yield _fate(bench, mutant)
    for mutant in accepted_mutants(bench.case, fixed, data, readers):
        yield MutantFate(kind=mutant.kind, what=mutant.what, fate="accepted")


def _readers(run: CleanRun) -> frozenset[str]:
    """Return the nodes whose requests got responses and changed nothing."""
    asked = {one.node for one in run.traffic if one.node is not None and one.accepted}
    return frozenset(asked - {one.node for one in run.traffic if one.changed})


def _fate(bench: ProofParts, mutant: Mutant) -> MutantFate:
    own = MutantFate(kind=mutant.kind, what=mutant.what, fate="invalid")
    if problems := bench.problems(mutant.workflow):
        return replace(own, why="; ".join(problems))
    try:
        judged = bench.judged(mutant.workflow)
    except ReplayMiss as miss:
        if miss.service not in live_services(bench.case):
            return replace(own, fate="missed", why=str(miss))
        if reason := refutation(bench, mutant.workflow):
            return replace(own, fate="killed", why=f"refuted before any answer: {reason}")
        return replace(own, fate=UNPROVED, why=f"no recording answers {miss.request}, and a mutant is never sent")
    if judged.verdict.verdict == "incorrect":
        return replace(own, fate="killed", why=str(judged.verdict.outcome))
    patch = patch_between(bench.case.workflow, mutant.workflow)
    return replace(own, fate="survived", why=str(judged.verdict.outcome), patch=patch)


def _outputs(execution: Execution) -> dict[str, Json]:
    return {record.node_id: record.outputs for record in execution.nodes}


def _prompts(bench: ProofParts, context: BenchContext) -> Iterator[Requirement]:
    """Check that the frame does not contain the facts, and that no strategy can see the truth."""
    case = bench.case
    found = facts_in_frame(case)
    hint = "every strategy would know it: reword the request or the workflow, or choose a fact that only the failure states"
    yield Requirement(
        what="no fact stands in the frame", held=not found, why="; ".join((*found, hint)) if found else ""
    )
    run = bench.clean(case.workflow, None)
    seen = (_context(bench.engine, case, run.execution, info.strategy, context) for info in strategies())
    unstated = unstated_facts(bench, seen)
    hint = "a fact is what the error report has to state: correct it, or the state that should yield it"
    yield Requirement(
        what="every fact is stated", held=not unstated, why="; ".join((*unstated, hint)) if unstated else ""
    )
    other = next((one for one in context.corpus.cases if one.group != case.group), case)
    swapped = replace(
        case, faults=other.faults, fix=other.fix, checks=other.checks, variants=other.variants, title=other.title,
        accepts=other.accepts, wrong_fixes=other.wrong_fixes, first=other.first, after_fix=other.after_fix,
    )  # fmt: skip
    leaking = [
        info.strategy
        for info in strategies(context.strategy_dirs)
        if first_prompt(bench.engine, case, run.execution, info.strategy, context.strategy_dirs)
        != first_prompt(bench.engine, swapped, run.execution, info.strategy, context.strategy_dirs)
    ]
    yield Requirement(what="no prompt depends on the truth", held=not leaking, why=", ".join(leaking))


def _context(engine: Engine, case: Case, execution: Execution, strategy_name: str, context: BenchContext) -> str:
    """Return a strategy's own part of its first prompt."""
    prompt = first_prompt(engine, case, execution, strategy_name, context.strategy_dirs)
    return "\n".join(section.text for section in prompt.context.sections)


def first_prompt(
    engine: Engine, case: Case, execution: Execution, strategy_name: str, strategy_dirs: Sequence[Path] = ()
) -> Prompt:
    """Return the prompt that a strategy makes from a case's first execution."""
    view = View(
        request=case.request, workflow=case.workflow, execution=execution,
        agent=engine.describe(case.workflow, execution),
    )  # fmt: skip
    return build_prompt(view, strategy(strategy_name, strategy_dirs))


def _services_agree(bench: ProofParts, fixed: JsonObject | None) -> Requirement:
    off = disagreements(bench, fixed)
    again = bench.hint.replace("--record new_episodes", "--record all")
    hint = f"record it again with `{again}`, or change state so that the simulator gives the recorded response"
    return Requirement(what="services and cassette agree", held=not off, why="; ".join((*off, hint)) if off else "")


def _recordings(bench: ProofParts) -> Iterator[Requirement]:
    unused = bench.recordings.unused()
    shown = ", ".join(f"{entry.request.method} {entry.request.url}" for entry in unused[:SHOWN_UNUSED])
    more = f" and {len(unused) - SHOWN_UNUSED} more" if len(unused) > SHOWN_UNUSED else ""
    advice = f"{len(unused)} are: {shown}{more}; state, inputs or a fix changed since the recording: record it again with `{bench.hint}`"
    yield Requirement(what=UNUSED, held=not unused, why=advice if unused else "")
    redactor = redactor_of(bench.case)
    leaks = [
        f"{name} in {path.name}"
        for path in sorted(bench.recordings.folder.glob("*.yaml"))
        for name in redactor.leaks(path.read_bytes())
    ]
    yield Requirement(what="no secret is on a cassette", held=not leaks, why=", ".join(leaks))
