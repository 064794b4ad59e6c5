"""One trial: run it, run its final workflow cleanly, and judge what happened."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mendbench.bench.clean_runs import CleanRunner
from mendbench.bench.engines import OURS, build_engine
from mendbench.bench.parts import Parts, Setting, build_parts
from mendbench.bench.recorder import Recorder
from mendbench.bench.right_runs import right_runs
from mendbench.bench.rows import build_row
from mendbench.bench.scope import Scope, open_scope, recording_options
from mendbench.errors import Incomplete, MendbenchError, ReplayMiss
from mendbench.model.case import Case
from mendbench.model.json import JsonObject
from mendbench.model.policy import Policy
from mendbench.model.trial import ITSELF, CleanRun, JsonRow, Problem, StopReason, Trajectory, TrialKey
from mendbench.repair.loop import Event, repair, trajectory_of
from mendbench.repair.policies import policy
from mendbench.replay.asks import AskBook
from mendbench.replay.guard import guarded
from mendbench.replay.recordings import Recordings
from mendbench.scoring.judging.judge import Judged, judge
from mendbench.scoring.judging.standings import edit_faults, executed


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Everything that a trial leaves behind, before it becomes a row."""

    trajectory: Trajectory | None
    clean: tuple[CleanRun, ...] = ()
    attempt_clean: Mapping[int, CleanRun]
    first_clean: tuple[CleanRun, ...] = ()
    """Of the first attempt's workflow on every variant, where judging the first attempt needs them."""
    right: Mapping[str | None, tuple[CleanRun, ...]] = field(default_factory=dict)
    """Of all right workflows, by variant."""
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
    recorder = recorder or Recorder()
    recordings = recorder.recordings(setting.corpus.cassettes(case))
    parts = build_parts(key, case, setting)
    rules = policy(key.policy)
    if max_answers is not None:
        rules = replace(rules, max_answers=min(max_answers, rules.max_answers))
    evidence = gather(case, key, parts, rules, recordings, recorder)
    judged = judged_by(case, evidence)
    seconds = round(time.perf_counter() - began, 6)
    return build_row(
        case,
        key,
        evidence,
        judged,
        {"seconds": seconds},
        trajectories=recordings.trajectory_keys(),
        price=parts.price,
        part=setting.part_of(case),
    )


def judged_by(case: Case, evidence: Evidence) -> Judged:
    """Return what the truth says about a trial that left this evidence."""
    return judge(
        case, evidence.trajectory, evidence.clean, evidence.attempt_clean, evidence.problem,
        right=evidence.right, first_clean=evidence.first_clean,
    )  # fmt: skip


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
            trajectory = _by_itself(case, key, parts, rules, scope, asks) or repair(
                workflow=case.workflow, inputs=scope.inputs, request=case.request, engine=parts.engine,
                world=scope.world, asks=asks, strategy=parts.strategy, repairer=parts.repairer, policy=rules,
                detector=parts.detector, clock=scope.clock, sample=key.sample, budget=parts.budget,
                on_event=events.append,
            )  # fmt: skip
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - engine, strategy and repairer are foreign code, which may even exit
        problem = _told(error, scope, recorder, hint)
    if trajectory is not None and trajectory.stop_reason == "crashed":
        said = trajectory.attempts[-1].problem if trajectory.attempts else None
        problem = Problem(kind="crashed", message=scope.redactor.text(said or "the repairer crashed"))
    asked = tuple(exchange.key for exchange in asks.traffic())
    if trajectory is None or problem is not None:
        stop: StopReason = problem.kind if problem is not None else "crashed"
        told = trajectory_of(events, workflow=case.workflow, stop_reason=stop, traffic=scope.world.traffic())
        return Evidence(
            trajectory=told and _without_secrets(told, scope), attempt_clean={}, asks=asked, problem=problem
        )
    runner = CleanRunner(
        case=case, engine=parts.judged_engine or parts.engine, recordings=recordings, recorder=recorder, hint=hint
    )
    ours = runner if parts.judged_engine is None else replace(runner, engine=build_engine(OURS, case))
    try:
        return replace(_clean_runs(runner, trajectory, ours), asks=asked)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - as above
        return Evidence(
            trajectory=trajectory, attempt_clean={}, asks=asked, problem=_told(error, scope, recorder, hint)
        )


def _by_itself(
    case: Case, key: TrialKey, parts: Parts, rules: Policy, scope: Scope, asks: AskBook
) -> Trajectory | None:
    """Return what an engine did that repairs by itself; None for one that does not."""
    if key.repairer != ITSELF:
        return None
    from mendbench.engines import Asking, CommandEngine, repair_by_itself  # noqa: PLC0415  what our own engine does not need

    engine = parts.engine
    if not isinstance(engine, CommandEngine):
        return None
    asking = Asking(asks=asks, model=parts.model, sample=key.sample, answers=min(engine.answers, rules.max_answers))
    return repair_by_itself(
        engine, workflow=case.workflow, inputs=scope.inputs, request=case.request, world=scope.world, clock=scope.clock,
        asking=asking,
    )  # fmt: skip


def _clean_runs(runner: CleanRunner, trajectory: Trajectory, ours: CleanRunner) -> Evidence:
    """Return a trial's evidence with all the clean runs that judging it needs; our own engine tells what is right to be written."""
    case = runner.case
    clean = tuple(runner.run(trajectory.workflow, variant) for variant in (None, *case.variants))
    by_attempt = {0: runner.run(case.workflow, None)}
    first_clean: tuple[CleanRun, ...] = ()
    ran = executed(trajectory)
    for attempt in ran:
        if attempt.candidate is not None:
            by_attempt[attempt.number] = runner.run(attempt.candidate, None)
    if edit_faults(case) and len(ran) > 1 and ran[0].number == 1 and ran[0].candidate is not None:
        first_clean = tuple(runner.run(ran[0].candidate, variant) for variant in case.variants)
    return Evidence(
        trajectory=trajectory, clean=clean, attempt_clean=by_attempt, first_clean=first_clean,
        right=right_runs(case, ours.run),
    )  # fmt: skip


def _told(error: BaseException, scope: Scope, recorder: Recorder, hint: str) -> Problem:
    """Return what a raised error means for a trial, without the case's secrets.

    Raises:
        MendbenchError: as :func:`problem_of`.
    """
    if isinstance(error, Incomplete) and recorder.mode == "none":
        problem = Problem(kind="unjudged", message=str(error), detail={"record": hint})
    else:
        problem = problem_of(error)
    return replace(problem, message=scope.redactor.text(problem.message))


def _without_secrets(trajectory: Trajectory, scope: Scope) -> Trajectory:
    """Return the trajectory with what foreign code raised redacted: everything else in it was when it arose."""
    clean = (
        attempt if attempt.problem is None else replace(attempt, problem=scope.redactor.text(attempt.problem))
        for attempt in trajectory.attempts
    )
    return replace(trajectory, attempts=tuple(clean))


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


def treatment_words(key: TrialKey) -> tuple[str, ...]:
    """Return the options of a command that runs trials of one treatment alone; detector and sample aside."""
    engine = () if key.engine == OURS else ("--engine", key.engine)
    model = ("--model", key.model) if key.model else ()
    if key.repairer == ITSELF:
        return (*engine, *model)
    return (*engine, "--strategy", key.strategy, "--policy", key.policy, "--repairer", key.repairer, *model)


def record_hint(case: Case, key: TrialKey) -> str:
    """Return the command that records what a trial misses."""
    words = ["mendbench", "run", case.id, *treatment_words(key)]
    words += ["--samples", str(key.sample + 1)] if key.sample else []
    return shlex.join([*words, *recording_options(case)])
