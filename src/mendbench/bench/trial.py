"""One trial: run it, run its final workflow cleanly, and judge what happened."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from mendbench.bench.parts import TRUTH_DETECTOR, Parts, Setting, build_parts
from mendbench.bench.recorder import Recorder
from mendbench.bench.rows import build_row
from mendbench.bench.scope import Recording, open_scope
from mendbench.detectors import detector
from mendbench.errors import EffectEscape, MendbenchError, ReplayMiss
from mendbench.model.case import Case, Variant
from mendbench.model.json import JsonObject
from mendbench.model.policy import Policy
from mendbench.model.trial import CleanRun, JsonRow, Problem, StopReason, Trajectory, TrialKey
from mendbench.repair.loop import Event, repair, trajectory_of
from mendbench.repair.policies import policy
from mendbench.replay.asks import AskBook
from mendbench.replay.guard import guarded
from mendbench.replay.recordings import Recordings
from mendbench.scoring.judge import judge


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything that a trial leaves behind, before it becomes a row."""

    trajectory: Trajectory | None
    clean: tuple[CleanRun, ...] = ()
    attempt_clean: Mapping[int, CleanRun]
    asks: tuple[str, ...] = ()
    """Digests of the asks that were answered."""
    problem: Problem | None = None


def run_trial(
    setting: Setting, key: TrialKey, recorder: Recorder | None = None, max_answers: int | None = None
) -> tuple[JsonRow, dict[str, str]]:
    """Run one trial and return its row, and the long texts that the row names by digest.

    ``max_answers`` lowers the policy's limit: while recording, first answers are asked for before second ones.

    Whatever goes wrong in foreign code is data on the row. Bad input is not: it ends the run.

    Raises:
        MendbenchError: a name or a file that the trial needs cannot be used.
    """
    began = time.perf_counter()
    case = setting.corpus.case(key.case)
    recordings = Recordings.open(setting.corpus.cassettes(case))
    parts = build_parts(key, case, setting)
    rules = policy(key.policy)
    if max_answers is not None:
        rules = replace(rules, max_answers=min(max_answers, rules.max_answers))
    evidence = gather(case, key, parts, rules, recordings, recorder or Recorder())
    judged = judge(case, evidence.trajectory, evidence.clean, evidence.attempt_clean, evidence.problem)
    seconds = round(time.perf_counter() - began, 6)
    return build_row(case, key, evidence, judged, {"seconds": seconds})


def gather(
    case: Case, key: TrialKey, parts: Parts, rules: Policy, recordings: Recordings, recorder: Recorder
) -> Evidence:
    """Run a trial and the clean runs that judging it needs."""
    events: list[Event] = []
    hint = record_hint(case, key)
    scope = open_scope(case, None, recordings, recorder.for_trial(case, None), hint)
    asks = AskBook(
        recordings=recordings, redactor=scope.redactor, mode=recorder.mode,
        caller=recorder.asker(), record_hint=hint,
    )  # fmt: skip
    trajectory: Trajectory | None = None
    problem: Problem | None = None
    try:
        with guarded():
            trajectory = repair(
                workflow=case.workflow, inputs=scope.inputs, request=case.request, engine=parts.engine,
                world=scope.world, asks=asks, strategy=parts.strategy, repairer=parts.repairer, policy=rules,
                detector=parts.detector, clock=scope.clock, sample=key.sample, budget=parts.budget,
                on_event=events.append,
            )  # fmt: skip
    except (EffectEscape, Exception) as error:  # noqa: BLE001 - engine, strategy and repairer are foreign code
        problem = problem_of(error)
    if trajectory is not None and trajectory.stop_reason == "crashed":
        said = trajectory.attempts[-1].problem if trajectory.attempts else None
        problem = Problem(kind="crashed", message=said or "the repairer crashed")
    asked = tuple(exchange.key for exchange in asks.traffic())
    if trajectory is None or problem is not None:
        stop: StopReason = problem.kind if problem is not None else "crashed"
        told = trajectory_of(events, workflow=case.workflow, stop_reason=stop, traffic=scope.world.traffic())
        return Evidence(trajectory=told, attempt_clean={}, asks=asked, problem=problem)
    runner = CleanRunner(case=case, parts=parts, recordings=recordings, recorder=recorder, hint=hint)
    try:
        clean = tuple(runner.run(trajectory.workflow, variant) for variant in (None, *case.variants))
        by_attempt = {0: runner.run(case.workflow, None)}
        for attempt in trajectory.attempts:
            if attempt.execution is not None and attempt.candidate is not None:
                by_attempt[attempt.number] = runner.run(attempt.candidate, None)
    except (EffectEscape, Exception) as error:  # noqa: BLE001 - as above
        return Evidence(trajectory=trajectory, attempt_clean={}, asks=asked, problem=problem_of(error))
    return Evidence(trajectory=trajectory, clean=clean, attempt_clean=by_attempt, asks=asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanRunner:
    """Runs workflows from their start in fresh worlds. The same detector judges every trial's."""

    case: Case
    parts: Parts
    recordings: Recordings
    recorder: Recorder
    hint: str

    def run(self, workflow: JsonObject, variant: Variant | None) -> CleanRun:
        """Run a workflow on the case's own data, or on a variant's.

        Raises:
            ReplayMiss: an exchange that it needs is not recorded.
        """
        recording: Recording = self.recorder.for_trial(self.case, variant)
        scope = open_scope(self.case, variant, self.recordings, recording, self.hint)
        with guarded():
            execution = self.parts.engine.execute(
                workflow, scope.inputs, scope.world,
                checkpoint=None, detector=detector(TRUTH_DETECTOR), clock=scope.clock,
            )  # fmt: skip
        return CleanRun(variant=variant.name if variant else None, execution=execution, traffic=scope.world.traffic())


def problem_of(error: BaseException) -> Problem:
    """Return what a raised error means for a trial: a missing recording leaves it unjudged, anything else crashed it.

    Raises:
        MendbenchError: the error is one that ends the run.
    """
    if isinstance(error, ReplayMiss):
        detail: JsonObject = {"request": error.request, "nearest": error.nearest, "differs": list(error.differs)}
        return Problem(kind="unjudged", message=str(error), detail={**detail, "record": error.record})
    if isinstance(error, MendbenchError):
        raise error
    text = " ".join(str(error).split())
    return Problem(kind="crashed", message=f"{type(error).__name__}: {text}")


def record_hint(case: Case, key: TrialKey) -> str:
    """Return the command that records what a trial misses."""
    model = f" --model {key.model}" if key.model else ""
    return (
        f"mendbench run {case.id} --strategy {key.strategy} --policy {key.policy} "
        f"--repairer {key.repairer}{model} --record new_episodes"
    )
