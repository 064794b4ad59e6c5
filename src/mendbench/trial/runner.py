"""Runs one trial: opens its session, follows the rollout, runs the final workflow cleanly, judges, and builds the row."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from mendbench.errors import Incomplete, LiveRefused, MendbenchError, ReplayMiss
from mendbench.model.json import JsonObject
from mendbench.model.policy import Policy
from mendbench.model.trial import SELF_REPAIR, CleanRun, Evidence, Problem, Trajectory, TrialKey, TrialRow
from mendbench.recording.recorder import Recorder
from mendbench.repair.policies import policy
from mendbench.repair.stop_rules import repair
from mendbench.replay.guard import guarded
from mendbench.replay.request_queue import ResponsePending
from mendbench.scoring.judging.judge import judge
from mendbench.scoring.judging.workflow_status import edit_faults, executed
from mendbench.trial.clean_runs import CleanRunner
from mendbench.trial.components import BenchContext, price_of
from mendbench.trial.engines import OURS, build_engine
from mendbench.trial.record_hint import record_hint
from mendbench.trial.row import DEFAULT_MODEL, build_row, of_key
from mendbench.trial.scope import Scope
from mendbench.trial.session import TrialSession, session_for


def run_trial(
    context: BenchContext, key: TrialKey, recorder: Recorder | None = None, max_responses: int | None = None
) -> tuple[TrialRow, dict[str, str]]:
    """Run one trial and return its row, and the row's long texts by digest.

    ``max_answers`` lowers the policy's limit: while recording, all first responses are requested before second ones.

    Errors in foreign code are recorded in the row. Bad input ends the run.

    Raises:
        ResponsePending: a response that it needs is pending; run the trial again when the response has arrived.
        MendbenchError: a name or a file that the trial needs cannot be used.
    """
    began = time.perf_counter()
    case = context.corpus.case(key.case)
    recorder = recorder or Recorder()
    recordings = recorder.recordings(context.corpus.cassettes(case), context.private_recordings(key))
    rules = policy(key.policy)
    if max_responses is not None:
        rules = replace(rules, max_responses=min(max_responses, rules.max_responses))
    session = session_for(context, case, key, recordings, recorder)
    trajectory, problem = _run_rollout(session, rules, key)
    built = session.rows.get(len(trajectory.attempts)) if trajectory is not None and problem is None else None
    if built is None:
        evidence = _evidence(session, key, trajectory, problem)
        built = build_row(
            case, key, evidence, judge(case, evidence), {},
            trajectories=recordings.trajectory_keys(), price=session.parts.price, part=context.part_of(case),
            model=context.model(key.model) if key.model else DEFAULT_MODEL,
            recorded=partial(recordings.model_entry, _served_as(context, key)),
        )  # fmt: skip
        if evidence.problem is None and trajectory is not None:
            session.rows[len(trajectory.attempts)] = built
    row, texts = built
    stopped = row["stop_reason"] if trajectory is None or row["problem"] else trajectory.stop_reason
    timing: JsonObject = {"seconds": round(time.perf_counter() - began, 6)}
    return of_key(row, key, stopped, timing), texts


def lost_trial(context: BenchContext, key: TrialKey, why: str) -> tuple[TrialRow, dict[str, str]]:
    """Return the row of a trial whose process died: ``crashed``, and nothing else is known."""
    case = context.corpus.case(key.case)
    evidence = Evidence(trajectory=None, attempt_clean={}, problem=Problem(kind="crashed", message=why))
    price = price_of(key.repairer, key.model, context)
    return build_row(
        case, key, evidence, judge(case, evidence), {}, price=price, part=context.part_of(case),
        model=context.model(key.model) if key.model else DEFAULT_MODEL,
    )  # fmt: skip


def _served_as(context: BenchContext, key: TrialKey) -> str:
    """Return the model name under which responses to a trial's prompts are recorded."""
    return (context.model(key.model).served_as or key.model) if key.model else ""


def gather(session: TrialSession, key: TrialKey, rules: Policy) -> Evidence:
    """Run a trial and the clean runs that judging it needs."""
    return _evidence(session, key, *_run_rollout(session, rules, key))


def _run_rollout(session: TrialSession, rules: Policy, key: TrialKey) -> tuple[Trajectory | None, Problem | None]:
    """Follow the rollout until the policy stops. With a problem, the trajectory ends where the problem occurred."""
    try:
        with guarded():
            trajectory = _self_repair(session, key, rules) or repair(session.rollout, rules)
    except (KeyboardInterrupt, ResponsePending):
        raise
    except BaseException as error:  # noqa: BLE001 - engine, strategy and repairer are foreign code, which may even exit
        problem = _problem_for(error, session, key)
        broken = session.rollout.broken_off(problem.kind)
        return broken and _without_secrets(broken, session.scope), problem
    if trajectory.stop_reason == "crashed":
        message = trajectory.attempts[-1].problem if trajectory.attempts else None
        text = session.scope.redactor.text(message or "the repairer crashed")
        return _without_secrets(trajectory, session.scope), Problem(kind="crashed", message=text)
    return trajectory, None


def _evidence(session: TrialSession, key: TrialKey, trajectory: Trajectory | None, problem: Problem | None) -> Evidence:
    """Return the evidence of a trial, with the clean runs that judging it needs."""
    if trajectory is None or problem is not None:
        asked = tuple(exchange.key for exchange in session.model_world.traffic())
        return Evidence(trajectory=trajectory, attempt_clean={}, model_requests=asked, problem=problem)
    made = (
        session.model_world.traffic()
        if key.repairer == SELF_REPAIR
        else session.rollout.model_requests(len(trajectory.attempts))
    )
    asked = tuple(exchange.key for exchange in made)
    runner = CleanRunner(
        case=session.case, engine=session.parts.judged_engine or session.parts.engine, recordings=session.recordings,
        recorder=session.recorder, hint=record_hint(session.case, key), edits=True,
    )  # fmt: skip
    ours = runner if session.parts.judged_engine is None else replace(runner, engine=build_engine(OURS, session.case))
    try:
        return replace(_clean_runs(runner, trajectory, ours), model_requests=asked)
    except (KeyboardInterrupt, ResponsePending):
        raise
    except BaseException as error:  # noqa: BLE001 - as above
        return Evidence(
            trajectory=trajectory, attempt_clean={}, model_requests=asked, problem=_problem_for(error, session, key)
        )


def _self_repair(session: TrialSession, key: TrialKey, rules: Policy) -> Trajectory | None:
    """Return the trajectory of a self-repairing engine; None for any other engine."""
    if key.repairer != SELF_REPAIR:
        return None
    from mendbench.engines import Asking, CommandEngine, repair_by_itself  # noqa: PLC0415  what our own engine does not need

    engine, scope, case = session.parts.engine, session.scope, session.case
    if not isinstance(engine, CommandEngine):
        return None
    asking = Asking(
        model_world=session.model_world,
        model=session.parts.model,
        sample=key.sample,
        responses=min(engine.responses, rules.max_responses),
    )
    return repair_by_itself(
        engine, workflow=case.workflow, inputs=scope.inputs, request=case.request, world=scope.world, clock=scope.clock,
        asking=asking,
    )  # fmt: skip


def _clean_runs(runner: CleanRunner, trajectory: Trajectory, ours: CleanRunner) -> Evidence:
    """Return the evidence with all clean runs. Our own engine runs the right workflows, which define the allowed writes."""
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
        right=ours.right(),
    )  # fmt: skip


def _problem_for(error: BaseException, session: TrialSession, key: TrialKey) -> Problem:
    """Return the problem that an error means for a trial, without the case's secrets.

    Raises:
        MendbenchError: as :func:`problem_of`.
    """
    hint = record_hint(session.case, key)
    if isinstance(error, ReplayMiss):  # another policy's trial may have raised it
        error = ReplayMiss(
            error.request, nearest=error.nearest, differs=error.differs, record=hint, service=error.service
        )
    if isinstance(error, LiveRefused) and error.writes:
        problem = Problem(kind="unjudged", message=str(error))
    elif isinstance(error, Incomplete) and session.recorder.mode == "none":
        problem = Problem(kind="unjudged", message=str(error), detail={"record": hint})
    else:
        problem = problem_of(error)
    return replace(problem, message=session.scope.redactor.text(problem.message))


def _without_secrets(trajectory: Trajectory, scope: Scope) -> Trajectory:
    """Return the trajectory with messages of foreign code redacted. Everything else was redacted earlier."""
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
