"""Trial sessions: a case in its scope, the components of a trial, and its rollout so far.

Policies that share a detector share one rollout and differ in where they stop. So one session serves all of them: it and its rows are
kept while neighbouring trials of the matrix need them. Sessions of one case and detector begin with the same execution,
which runs once; the others get a copy of its result, and those with the same strategy share the first prompt.
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
from mendbench.repair.rollout import Begin, FirstPrompt, Rollout
from mendbench.replay.model_cassette import ModelCassette
from mendbench.trial.components import BenchContext, TrialComponents, build_components
from mendbench.trial.engines import OURS
from mendbench.trial.record_hint import record_hint
from mendbench.trial.scope import Scope, open_scope
from mendbench.values.lru import LruCache

CHAT = "chat"
"""Our repairer that asks a model: it reads a prompt and changes nothing in it."""


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
        known = context if recorder.mode == "none" and key.engine == OURS else None
        return open_session(case, key, build_components(key, case, context), recordings, recorder, known)

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
    known: BenchContext | None = None,
) -> TrialSession:
    """Return a new session. ``known`` has the first executions of other sessions, to be copied, and their first prompts."""
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
        begun=None if known is None else _beginning(case, key, recordings, scope, known.first_executions),
        first_prompt=_first_prompt(case, key, parts, recordings, known) if known is not None and key.repairer == CHAT else None,
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


def _first_prompt(
    case: Case, key: TrialKey, parts: TrialComponents, recordings: Recordings, known: BenchContext
) -> FirstPrompt:
    """Return a function that takes the first prompt of another model's or sample's session. No foreign repairer gets a shared one.

    It has no ``view``: our repairer that asks a model reads the text alone, and a view holds all data of an execution.
    """
    decides = (*_decides(case, key, recordings), parts.strategy, parts.budget)
    return lambda render: known.first_prompts.get(decides, lambda: replace(render(), view=None))


def _decides(case: Case, key: TrialKey, recordings: Recordings) -> tuple[object, ...]:
    """Return what decides the first execution in replay by our own engine."""
    return case.id, case.digest, key.detector, recordings.folder, recordings.stamps()


def _beginning(
    case: Case, key: TrialKey, recordings: Recordings, scope: Scope, first_executions: LruCache[object, bytes]
) -> Begin:
    """Return a function that begins a rollout in replay: it copies a known first execution, or else runs one."""
    decides = _decides(case, key, recordings)

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
