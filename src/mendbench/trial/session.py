"""Trial sessions: a case in its scope, the components of a trial, and its rollout so far.

Policies that share a detector share one rollout and differ in where they stop. So one session serves all of them: it and its rows are
kept while neighbouring trials of the matrix need them. Sessions of one case and detector begin with the same execution,
which runs once; the others get a copy of its result.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mendbench.cassettes.recordings import Recordings
from mendbench.model.case import Case
from mendbench.model.execution import Execution
from mendbench.model.trial import SELF_REPAIR, TrialKey, TrialRow
from mendbench.recording.recorder import Recorder
from mendbench.repair.rollout import Begin, Rollout
from mendbench.replay.model_cassette import ModelCassette
from mendbench.trial.components import BenchContext, TrialComponents, build_components
from mendbench.trial.engines import OURS
from mendbench.trial.record_hint import record_hint
from mendbench.trial.scope import Scope, open_scope
from mendbench.values.lru import LruCache


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSession:
    """One rollout and its environment. Trials that differ only in policy share it."""

    case: Case
    parts: TrialComponents
    recordings: Recordings
    recorder: Recorder
    scope: Scope
    rollout: Rollout
    model_world: ModelCassette
    rows: dict[int, tuple[TrialRow, dict[str, str]]] = field(default_factory=dict)
    """By the number of attempts: the row of a trial that stopped there, and the long texts of that row."""


def session_order(key: TrialKey) -> tuple[str | int, ...]:
    """Return the sort key that puts trials of one session next to each other."""
    return key.engine, key.repairer, key.model or "", key.strategy, key.detector or "", key.sample


def session_for(
    context: BenchContext, case: Case, key: TrialKey, recordings: Recordings, recorder: Recorder
) -> TrialSession:
    """Return the session of a trial. In replay, consecutive trials share one if they differ only in policy.

    Raises:
        UnknownName, BadInput: as :func:`mendbench.trial.components.build_components`.
    """

    def opened() -> TrialSession:
        first_executions = context.first_executions if recorder.mode == "none" and key.engine == OURS else None
        return open_session(case, key, build_components(key, case, context), recordings, recorder, first_executions)

    if recorder.mode != "none" or key.repairer == SELF_REPAIR:
        return opened()
    strategy = context.strategy(key.strategy, case)
    decides = (replace(key, policy=""), case.digest, strategy, recordings.stamps())
    session: TrialSession = context.sessions.get(decides, opened)
    return session


def open_session(
    case: Case,
    key: TrialKey,
    parts: TrialComponents,
    recordings: Recordings,
    recorder: Recorder,
    first_executions: LruCache[object, bytes] | None = None,
) -> TrialSession:
    """Return a new session. ``first_executions`` are those of other sessions, to be copied."""
    hint = record_hint(case, key)
    recording = recorder.for_trial(case, None).by("the broken workflow", f"an edit by {key.model or key.repairer}")
    scope = open_scope(case, None, recordings, recording, hint)
    model_world = ModelCassette(
        recordings=recordings, redactor=scope.redactor, mode=recorder.mode, caller=recorder.model_caller(key.model), record_hint=hint,
        queue=recorder.queue,
    )  # fmt: skip
    rollout = Rollout(
        workflow=case.workflow, inputs=scope.inputs, request=case.request, engine=parts.engine, world=scope.world,
        model_world=model_world, strategy=parts.strategy, repairer=parts.repairer, detector=parts.detector, clock=scope.clock,
        sample=key.sample, budget=parts.budget,
        begun=None if first_executions is None else _beginning(case, key, recordings, scope, first_executions),
    )  # fmt: skip
    return TrialSession(
        case=case,
        parts=parts,
        recordings=recordings,
        recorder=recorder,
        scope=scope,
        rollout=rollout,
        model_world=model_world,
    )


def _beginning(
    case: Case, key: TrialKey, recordings: Recordings, scope: Scope, first_executions: LruCache[object, bytes]
) -> Begin:
    """Return a function that begins a rollout in replay: it copies a known first execution, or else runs one."""
    decides = (case.id, case.digest, key.detector, recordings.folder, recordings.stamps())

    def begun(run: Callable[[], Execution]) -> Execution:
        ran: list[Execution] = []

        def made() -> bytes:
            ran.append(run())
            return pickle.dumps((ran[0], scope.world.progress(), scope.clock.now_ms()))

        kept = first_executions.get(decides, made)
        if ran:
            return ran[0]
        execution: Execution
        execution, progress, now_ms = pickle.loads(kept)  # noqa: S301 - our own, and never out of this process
        scope.world.go_on_from(progress)
        scope.clock.advance(now_ms - scope.clock.now_ms())
        return execution

    return begun
