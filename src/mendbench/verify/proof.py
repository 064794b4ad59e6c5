"""The proof of a case: it fails as labelled, the right edits pass, and nothing else does."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

from mendbench.cassettes.recordings import Recordings
from mendbench.corpus.declared_services import live_services, redactor_of
from mendbench.detectors import detector
from mendbench.errors import LiveRefused, ReplayMiss
from mendbench.live.access import writes_refused
from mendbench.model.case import Case, Fix, Variant
from mendbench.model.exchange import Request, Response
from mendbench.model.execution import Execution, NodeState
from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import Context, Prompt, Reply, View
from mendbench.model.trial import Attempt, CleanRun, Evidence, Trajectory
from mendbench.ports.engine import Engine
from mendbench.recording.recorder import Recorder
from mendbench.recording.scope_recording import Recording
from mendbench.replay.guard import guarded
from mendbench.scoring.judging.diffs import diff_paths
from mendbench.scoring.judging.judge import Judged, judge
from mendbench.scoring.judging.recall import context_recall, facts_of
from mendbench.secrets.redaction import plant_canaries
from mendbench.strategies import strategies, strategy
from mendbench.strategies.frame import build_frame, build_prompt
from mendbench.trial.clean_runs import CleanRunner
from mendbench.trial.components import TRUTH_DETECTOR, BenchContext, build_engine
from mendbench.trial.record_hint import recording_options
from mendbench.trial.right_runs import known_as, right_runs, right_workflows
from mendbench.trial.scope import open_scope
from mendbench.values.json_patch import PatchError, apply_patch
from mendbench.verify.mutants import Mutant, accepted_mutants, mutants_of

Fate: TypeAlias = Literal["killed", "survived", "invalid", "missed", "accepted"]
"""killed: judged wrong. survived: judged right. invalid: no engine would run it. missed: a recording that it needs is missing.
accepted: it is a fix that the case accepts by name.
"""

_NEVER_SENT = (
    "and a wrong fix is never sent to a live API; choose one that asks only what is recorded, such as one that hard-codes"
    " a value or leaves a node out, or make the world a simulator"
)

_NO_PROMPT = Prompt(system="", frame="", context=Context(strategy="none", sections=(), tokens=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One requirement of the proof."""

    what: str
    held: bool
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantFate:
    """The fate of one mutant."""

    kind: str
    what: str
    fate: Fate
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The proof of one case."""

    case: str
    kind: str
    findings: tuple[Finding, ...]
    mutants: tuple[MutantFate, ...]
    recorded_from: dict[str, str]
    seconds: float
    dropped: int = 0
    """Unused recorded exchanges that were deleted: only while recording, and only if everything else held."""

    @property
    def held(self) -> bool:
        """Whether everything holds."""
        return all(finding.held for finding in self.findings)

    @property
    def mutation_score(self) -> float | None:
        """Share of the judged mutants that were killed; None if none was judged."""
        judged = [mutant for mutant in self.mutants if mutant.fate in {"killed", "survived"}]
        return sum(m.fate == "killed" for m in judged) / len(judged) if judged else None


@dataclass(frozen=True, kw_only=True)
class _Bench:
    """The parts that prove a case."""

    case: Case
    engine: Engine
    recordings: Recordings
    recorder: Recorder
    runs: dict[tuple[str, str | None], CleanRun] = field(default_factory=dict)
    """Clean runs by workflow and variant; they are reused."""

    @property
    def hint(self) -> str:
        return " ".join(["mendbench case check", self.case.id, *recording_options(self.case)])

    def clean(self, workflow: JsonObject, variant: Variant | None) -> CleanRun:
        key = (json.dumps(workflow), variant.name if variant else None)
        if key not in self.runs:
            self.runs[key] = self.fresh(workflow, variant, self.recordings)
        return self.runs[key]

    def fresh(self, workflow: JsonObject, variant: Variant | None, recordings: Recordings) -> CleanRun:
        runner = CleanRunner(
            case=self.case, engine=self.engine, recordings=recordings, recorder=self.recorder, hint=self.hint
        )
        return runner.run_fresh(workflow, variant)

    def judged(self, workflow: JsonObject) -> Judged | None:
        """Return the judgement of a trial in which ``workflow`` was the only response; None if it does not validate."""
        case, edited = self.case, bool(diff_paths(self.case.workflow, workflow))
        scope = open_scope(case, None, self.recordings, self._recording(workflow, edited=edited), self.hint)
        if edited and self.engine.validate(workflow, scope.inputs):
            return None
        judge_of = detector(TRUTH_DETECTOR)
        with guarded():
            first = end = self.engine.execute(
                case.workflow, scope.inputs, scope.world,
                checkpoint=None, detector=None if edited else judge_of, clock=scope.clock,
            )  # fmt: skip
            attempts: tuple[Attempt, ...] = ()
            if edited:
                scope.world.begin_execution()
                end = self.engine.execute(
                    workflow, scope.inputs, scope.world,
                    checkpoint=first.checkpoint, detector=judge_of, clock=scope.clock,
                )  # fmt: skip
                attempts = (
                    Attempt(
                        number=1, prompt=_NO_PROMPT, reply=Reply(text=""), status="edited",
                        candidate=workflow, execution=end,
                    ),
                )  # fmt: skip
        stop = {"success": "succeeded", "warning": "warned", "error": "attempts_exhausted"}
        trajectory = Trajectory(
            first=first, attempts=attempts, stop_reason=stop[end.outcome],  # type: ignore[arg-type]
            end=end.outcome, workflow=workflow, traffic=scope.world.traffic(),
        )  # fmt: skip
        clean = tuple(self.clean(workflow, variant) for variant in (None, *case.variants))
        broken, right = self.clean(case.workflow, None), right_runs(case, self.clean)
        return judge(case, Evidence(trajectory=trajectory, clean=clean, attempt_clean={0: broken}, right=right))

    def _recording(self, workflow: JsonObject, *, edited: bool) -> Recording:
        """Return how a trial records. A trial of a wrong fix or a mutant may send nothing to a live API."""
        recording, case = self.recorder.for_trial(self.case, None), self.case
        name = known_as(case, workflow) if recording.access is not None else None
        if name is None:
            return recording
        return recording.by("the broken workflow", name) if edited else recording.by(name)

    def record_live(self) -> None:
        """Record the live API requests of the case's own workflows, in clean runs that the proof needs too.

        If writes are not allowed, a run ends at its first write and the next run starts, so that all writes are listed.

        Raises:
            LiveRefused: a write is not allowed, or a secret cannot be sent.
        """
        case, writes = self.case, list[str]()
        for workflow in (case.workflow, *right_workflows(case)):
            for variant in (None, *case.variants):
                try:
                    with suppress(ReplayMiss):  # the proof meets it again and reports it
                        self.clean(workflow, variant)
                except LiveRefused as refused:
                    if not refused.writes:
                        raise
                    writes += refused.writes
        if writes:
            raise writes_refused(case.id, list(dict.fromkeys(writes)))


class _RealOnly(Recordings):
    """A case's recordings without the responses of its simulated services, which have to respond again."""

    def __init__(self, folder_of: Recordings, simulated: frozenset[str]) -> None:
        super().__init__(folder_of.folder)
        self._simulated = simulated

    def world(self, key: str, *, fresh: bool = False):  # type: ignore[no-untyped-def]  # noqa: ANN202
        entry = super().world(key, fresh=fresh)
        return None if entry is not None and entry.service in self._simulated else entry


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
    bench = _Bench(case=case, engine=build_engine("mendbench", case), recordings=recordings, recorder=recorder)
    findings: list[Finding] = []
    fates: list[MutantFate] = []
    try:
        fixed = _fixed(case)
        if recorder.mode != "none" and live_services(case):
            bench.record_live()
        findings += _truth(bench)
        fates += _mutants(bench, fixed)
        alive = [mutant.what for mutant in fates if mutant.fate == "survived"]
        findings.append(Finding(what="no mutant survives", held=not alive, why="; ".join(alive)))
        findings += _prompts(bench, context)
        findings += _services_agree(bench, fixed)
    except ReplayMiss as miss:
        findings.append(Finding(what="everything is recorded", held=False, why=str(miss)))
    except PatchError as error:
        findings.append(Finding(what="the fix applies", held=False, why=str(error)))
    whole = all(finding.held for finding in findings)
    dropped = recordings.prune() if recorder.mode != "none" and whole else ()
    findings += _recordings(bench)
    return Proof(
        case=case.id, kind=case.kind, findings=tuple(findings), mutants=tuple(fates),
        recorded_from=dict(case.recorded_from), seconds=round(time.perf_counter() - began, 3), dropped=len(dropped),
    )  # fmt: skip


def _fixed(case: Case) -> JsonObject | None:
    """Return the workflow after the reference fix.

    Raises:
        PatchError: that or an accepted fix does not apply.
    """
    for fix in case.accepts:
        apply_patch(case.workflow, fix.patch)
    return apply_patch(case.workflow, case.fix.patch) if case.fix else None


def _truth(bench: _Bench) -> Iterator[Finding]:
    case = bench.case
    run = bench.clean(case.workflow, None)
    off = _mislabelled(case.first, run.execution)
    yield Finding(what="the broken workflow fails as labelled", held=not off, why="; ".join(off))
    again = bench.fresh(case.workflow, None, bench.recordings)
    same = again.execution == run.execution and _told(again) == _told(run)
    yield Finding(what="two executions agree", held=same, why="" if same else "they differ")
    untouched = bench.judged(case.workflow)
    right = untouched is not None and untouched.verdict.verdict == "correct"
    wanted = case.fix is None
    yield Finding(
        what="no edit passes" if wanted else "no edit fails", held=right == wanted,
        why="" if right == wanted else f"judged {untouched.verdict.outcome if untouched else 'invalid'}",
    )  # fmt: skip
    if wanted and untouched is not None:
        yield _holds_untouched(untouched)
    fixes = [("the reference fix passes", case.fix)] if case.fix else []
    fixes += [(f"the accepted fix passes: {fix.why}", fix) for fix in case.accepts]
    for what, fix in fixes:
        yield _passes(bench, what, fix)
    if case.fix:
        yield _after_fix(bench, case.fix)
    for fix in case.wrong_fixes:
        yield _fails(bench, fix)


def _holds_untouched(untouched: Judged) -> Finding:
    """Return whether the case's statements about the unchanged workflow hold, on its own data and on its variants'.

    The verdict alone is not enough: if no edit is right, it depends on how the trial ended.
    """
    off = [
        f"{one.check}{f' ({one.variant})' if one.variant else ''}: {one.why}"
        for one in untouched.checks
        if not one.held
    ]
    return Finding(what="checks and variants hold without an edit", held=not off, why="; ".join(off))


def _told(run: CleanRun) -> list[tuple[Request, Response]]:
    return [(exchange.request, exchange.response) for exchange in run.traffic]


def _passes(bench: _Bench, what: str, fix: Fix) -> Finding:
    judged = bench.judged(apply_patch(bench.case.workflow, fix.patch))
    if judged is None:
        return Finding(what=what, held=False, why="the fixed workflow does not validate")
    held = judged.verdict.verdict == "correct"
    broken = [f"{result.check}: {result.why}" for result in judged.checks if not result.held]
    return Finding(what=what, held=held, why="" if held else f"judged {judged.verdict.outcome}; {'; '.join(broken)}")


def _after_fix(bench: _Bench, fix: Fix) -> Finding:
    off = _mislabelled(bench.case.after_fix, bench.clean(apply_patch(bench.case.workflow, fix.patch), None).execution)
    return Finding(what="the fixed workflow runs as labelled", held=not off, why="; ".join(off))


def _mislabelled(labels: Mapping[str, NodeState], execution: Execution) -> list[str]:
    """Return where an execution differs from the labels.

    Errors and warnings count alike here: distinguishing them is what detectors are measured by.
    """
    records = {record.node_id: record for record in execution.nodes}
    off = []
    for node, label in labels.items():
        record = records.get(node)
        got = "gone" if record is None else record.state if record.observation is None else "failed"
        wanted = "failed" if label in {"error", "warning"} else label
        if got != wanted:
            off.append(f"{node} is {got}, labelled {label}")
    return off


def _fails(bench: _Bench, fix: Fix) -> Finding:
    what = f"the wrong fix fails: {fix.why}"
    try:
        judged = bench.judged(apply_patch(bench.case.workflow, fix.patch))
    except PatchError as error:
        return Finding(what=what, held=False, why=f"it does not apply: {error}")
    except ReplayMiss as miss:
        if miss.service not in live_services(bench.case):
            raise
        return Finding(what=what, held=False, why=f"not judged: no recording answers {miss.request}, {_NEVER_SENT}")
    if judged is None:
        return Finding(what=what, held=False, why="it does not validate, so it tempts nobody")
    held = judged.verdict.verdict == "incorrect"
    return Finding(what=what, held=held, why="" if held else f"judged {judged.verdict.outcome}")


def _mutants(bench: _Bench, fixed: JsonObject | None) -> Iterator[MutantFate]:
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


def _fate(bench: _Bench, mutant: Mutant) -> MutantFate:
    try:
        judged = bench.judged(mutant.workflow)
    except ReplayMiss as miss:
        return MutantFate(kind=mutant.kind, what=mutant.what, fate="missed", why=str(miss))
    if judged is None:
        return MutantFate(kind=mutant.kind, what=mutant.what, fate="invalid")
    fate: Fate = "killed" if judged.verdict.verdict == "incorrect" else "survived"
    return MutantFate(kind=mutant.kind, what=mutant.what, fate=fate, why=str(judged.verdict.outcome))


def _outputs(execution: Execution) -> dict[str, Json]:
    return {record.node_id: record.outputs for record in execution.nodes}


def _prompts(bench: _Bench, context: BenchContext) -> Iterator[Finding]:
    """Check that the frame does not contain the facts, and that no strategy can see the truth."""
    case = bench.case
    frame = build_frame(case.request, case.workflow, None)
    found = context_recall(facts_of(case), frame).found
    yield Finding(what="no fact stands in the frame", held=not found, why=", ".join(found))
    other = next((one for one in context.corpus.cases if one.group != case.group), case)
    swapped = replace(
        case, faults=other.faults, fix=other.fix, checks=other.checks, variants=other.variants, title=other.title,
        accepts=other.accepts, wrong_fixes=other.wrong_fixes, first=other.first, after_fix=other.after_fix,
    )  # fmt: skip
    run = bench.clean(case.workflow, None)
    leaking = [
        info.strategy
        for info in strategies(context.strategy_dirs)
        if first_prompt(bench.engine, case, run.execution, info.strategy, context.strategy_dirs)
        != first_prompt(bench.engine, swapped, run.execution, info.strategy, context.strategy_dirs)
    ]
    yield Finding(what="no prompt depends on the truth", held=not leaking, why=", ".join(leaking))


def first_prompt(
    engine: Engine, case: Case, execution: Execution, strategy_name: str, strategy_dirs: Sequence[Path] = ()
) -> Prompt:
    """Return the prompt that a strategy makes from a case's first execution."""
    view = View(
        request=case.request, workflow=case.workflow, execution=execution,
        agent=engine.describe(case.workflow, execution),
    )  # fmt: skip
    return build_prompt(view, strategy(strategy_name, strategy_dirs))


def _services_agree(bench: _Bench, fixed: JsonObject | None) -> Iterator[Finding]:
    simulated = frozenset(name for name, source in bench.case.recorded_from.items() if source == "simulator")
    if not simulated:
        return
    apart = _Bench(case=bench.case, engine=bench.engine, recordings=bench.recordings, recorder=Recorder())
    off: list[str] = []
    for workflow in [bench.case.workflow, *([fixed] if fixed else [])]:
        for variant in (None, *bench.case.variants):
            recorded = bench.clean(workflow, variant).traffic
            fresh = apart.fresh(workflow, variant, _RealOnly(bench.recordings, simulated)).traffic
            off += [
                f"{one.request.method} {one.request.url}"
                for one, other in zip(recorded, fresh, strict=False)
                if one.response != other.response
            ]
    yield Finding(what="services and cassette agree", held=not off, why="; ".join(dict.fromkeys(off)))


def _recordings(bench: _Bench) -> Iterator[Finding]:
    unused = bench.recordings.unused()
    shown = ", ".join(f"{entry.request.method} {entry.request.url} ({entry.key})" for entry in unused)
    advice = f"; once all else holds, this deletes what nothing uses: {bench.hint}" if unused else ""
    yield Finding(what="no recorded exchange is unused", held=not unused, why=shown + advice)
    redactor = redactor_of(bench.case)
    leaks = [
        f"{name} in {path.name}"
        for path in sorted(bench.recordings.folder.glob("*.yaml"))
        for name in redactor.leaks(path.read_bytes())
    ]
    yield Finding(what="no secret is on a cassette", held=not leaks, why=", ".join(leaks))
