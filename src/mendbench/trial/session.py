"""The ways that trials go: a case in its scope, with all parts of a trial, and its course as far as anybody has gone it.

Policies with one detector go the same way and differ in where they stop. So a way is gone once, and what it came to is told once,
for as long as its neighbours in the matrix need it. All ways of a case with one detector begin with the same execution: that is run once
too, and each other way gets a copy of how it ended.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from mendbench.cassettes.recordings import Recordings
from mendbench.model.case import Case
from mendbench.model.execution import Execution
from mendbench.model.trial import SELF_REPAIR, JsonRow, TrialKey
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
    """What a trial goes, and everything that belongs to it."""

    case: Case
    parts: TrialComponents
    recordings: Recordings
    recorder: Recorder
    scope: Scope
    course: Rollout
    model_world: ModelCassette
    told: dict[int, tuple[JsonRow, dict[str, str]]] = field(default_factory=dict)
    """What it came to after so many attempts: the row of one trial that stopped there, and its long texts."""


def session_order(key: TrialKey) -> tuple[str | int, ...]:
    """Return what is the same for all trials of a case that go one way; in the order of it they follow each other."""
    return key.engine, key.repairer, key.model or "", key.strategy, key.detector or "", key.sample


def session_for(
    setting: BenchContext, case: Case, key: TrialKey, recordings: Recordings, recorder: Recorder
) -> TrialSession:
    """Return the way of a trial. In replay it is the one that another policy went, if that was a moment ago.

    Raises:
        UnknownName, BadInput: as :func:`mendbench.trial.components.build_components`.
    """

    def opened() -> TrialSession:
        firsts = setting.firsts if recorder.mode == "none" and key.engine == OURS else None
        return open_session(case, key, build_components(key, case, setting), recordings, recorder, firsts)

    if recorder.mode != "none" or key.repairer == SELF_REPAIR:
        return opened()
    told_by = setting.strategy(key.strategy)
    decides = (replace(key, policy=""), case.digest, told_by, recordings.stamps())
    way: TrialSession = setting.ways.get(decides, opened)
    return way


def open_session(
    case: Case,
    key: TrialKey,
    parts: TrialComponents,
    recordings: Recordings,
    recorder: Recorder,
    firsts: LruCache[object, bytes] | None = None,
) -> TrialSession:
    """Return a way that nobody has gone yet. ``firsts`` are the first executions that other ways began with."""
    hint = record_hint(case, key)
    recording = recorder.for_trial(case, None).by("the broken workflow", f"an edit by {key.model or key.repairer}")
    scope = open_scope(case, None, recordings, recording, hint)
    model_world = ModelCassette(
        recordings=recordings, redactor=scope.redactor, mode=recorder.mode, caller=recorder.model_caller(key.model), record_hint=hint,
        queue=recorder.queue,
    )  # fmt: skip
    course = Rollout(
        workflow=case.workflow, inputs=scope.inputs, request=case.request, engine=parts.engine, world=scope.world,
        model_world=model_world, strategy=parts.strategy, repairer=parts.repairer, detector=parts.detector, clock=scope.clock,
        sample=key.sample, budget=parts.budget, begun=None if firsts is None else _beginning(case, key, recordings, scope, firsts),
    )  # fmt: skip
    return TrialSession(
        case=case,
        parts=parts,
        recordings=recordings,
        recorder=recorder,
        scope=scope,
        course=course,
        model_world=model_world,
    )


def _beginning(
    case: Case, key: TrialKey, recordings: Recordings, scope: Scope, firsts: LruCache[object, bytes]
) -> Begin:
    """Return what begins a way in replay: with the execution that another way began with, if that was a moment ago."""
    decides = (case.id, case.digest, key.detector, recordings.folder, recordings.stamps())

    def begun(run: Callable[[], Execution]) -> Execution:
        ran: list[Execution] = []

        def made() -> bytes:
            ran.append(run())
            return pickle.dumps((ran[0], scope.world.progress(), scope.clock.now_ms()))

        kept = firsts.get(decides, made)
        if ran:
            return ran[0]
        execution: Execution
        execution, progress, now_ms = pickle.loads(kept)  # noqa: S301 - our own, and never out of this process
        scope.world.go_on_from(progress)
        scope.clock.advance(now_ms - scope.clock.now_ms())
        return execution

    return begun
