"""The ways that trials go: a case in its scope, with all parts of a trial, and its course as far as anybody has gone it.

Policies with one detector go the same way and differ in where they stop. So a way is gone once, and what it came to is told once,
for as long as its neighbours in the matrix need it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mendbench.bench.parts import Parts, Setting, build_parts
from mendbench.bench.recorder import Recorder
from mendbench.bench.scope import Scope, open_scope, record_hint
from mendbench.model.case import Case
from mendbench.model.trial import ITSELF, JsonRow, TrialKey
from mendbench.repair.course import Course
from mendbench.replay.asks import AskBook
from mendbench.replay.recordings import Recordings


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """What a trial goes, and everything that belongs to it."""

    case: Case
    parts: Parts
    recordings: Recordings
    recorder: Recorder
    scope: Scope
    course: Course
    asks: AskBook
    told: dict[int, tuple[JsonRow, dict[str, str]]] = field(default_factory=dict)
    """What it came to after so many attempts: the row of one trial that stopped there, and its long texts."""


def way_for(setting: Setting, case: Case, key: TrialKey, recordings: Recordings, recorder: Recorder) -> Way:
    """Return the way of a trial. In replay it is the one that another policy went, if that was a moment ago.

    Raises:
        UnknownName, BadInput: as :func:`mendbench.bench.parts.build_parts`.
    """

    def opened() -> Way:
        return open_way(case, key, build_parts(key, case, setting), recordings, recorder)

    if recorder.mode != "none" or key.repairer == ITSELF:
        return opened()
    told_by = setting.strategy(key.strategy)
    decides = (replace(key, policy=""), case.digest, told_by, recordings.stamps())
    way: Way = setting.ways.get(decides, opened)
    return way


def open_way(case: Case, key: TrialKey, parts: Parts, recordings: Recordings, recorder: Recorder) -> Way:
    """Return a way that nobody has gone yet."""
    hint = record_hint(case, key)
    scope = open_scope(case, None, recordings, recorder.for_trial(case, None), hint)
    asks = AskBook(
        recordings=recordings, redactor=scope.redactor, mode=recorder.mode, caller=recorder.asker(), record_hint=hint,
        queue=recorder.queue,
    )  # fmt: skip
    course = Course(
        workflow=case.workflow, inputs=scope.inputs, request=case.request, engine=parts.engine, world=scope.world,
        asks=asks, strategy=parts.strategy, repairer=parts.repairer, detector=parts.detector, clock=scope.clock,
        sample=key.sample, budget=parts.budget,
    )  # fmt: skip
    return Way(case=case, parts=parts, recordings=recordings, recorder=recorder, scope=scope, course=course, asks=asks)
