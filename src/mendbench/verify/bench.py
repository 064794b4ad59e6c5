"""The parts that prove a case: trials and clean runs of its workflows, from its recordings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import cast

from mendbench.cassettes.recordings import Recordings
from mendbench.detectors import detector
from mendbench.errors import LiveRefused, ReplayMiss
from mendbench.live.access import writes_refused
from mendbench.model.case import Case, Variant
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Context, Prompt, Reply
from mendbench.model.trial import Attempt, CleanRun, Evidence, Trajectory
from mendbench.ports.engine import Engine
from mendbench.recording.recorder import Recorder
from mendbench.recording.scope_recording import Recording
from mendbench.replay.guard import guarded
from mendbench.scoring.judging.diffs import diff_paths
from mendbench.scoring.judging.judge import Judged, judge
from mendbench.secrets.redaction import plant_canaries
from mendbench.trial.clean_runs import CleanRunner
from mendbench.trial.components import TRUTH_DETECTOR
from mendbench.trial.record_hint import recording_command
from mendbench.trial.right_runs import known_as, right_runs, right_workflows
from mendbench.trial.scope import open_scope

_NO_PROMPT = Prompt(system="", frame="", context=Context(strategy="none", sections=(), tokens=0))


@dataclass(frozen=True, kw_only=True)
class ProofParts:
    """The parts that prove a case."""

    case: Case
    engine: Engine
    recordings: Recordings
    recorder: Recorder
    runs: dict[tuple[str, str | None], CleanRun] = field(default_factory=dict)
    """Clean runs by workflow and variant; they are reused."""

    @property
    def hint(self) -> str:
        """The command that records what is missing."""
        return recording_command(self.case)

    def clean(self, workflow: JsonObject, variant: Variant | None) -> CleanRun:
        """Return a clean run of a workflow; the same one each time.

        Raises:
            ReplayMiss: an exchange that it needs is not recorded.
        """
        key = (json.dumps(workflow), variant.name if variant else None)
        if key not in self.runs:
            self.runs[key] = self.fresh(workflow, variant, self.recordings)
        return self.runs[key]

    def own_runs(self) -> Iterator[tuple[JsonObject, CleanRun]]:
        """Yield all workflows that were run on the case's own data so far, each with its clean run."""
        yield from ((json.loads(workflow), run) for (workflow, variant), run in self.runs.items() if variant is None)

    def fresh(self, workflow: JsonObject, variant: Variant | None, recordings: Recordings) -> CleanRun:
        """Return a new clean run of a workflow.

        Raises:
            ReplayMiss: as :meth:`clean`.
        """
        runner = CleanRunner(
            case=self.case, engine=self.engine, recordings=recordings, recorder=self.recorder, hint=self.hint
        )
        return runner.run_fresh(workflow, variant)

    def problems(self, workflow: JsonObject) -> tuple[str, ...]:
        """Return the validator's messages about an edited workflow; none for the broken one, which may have any form."""
        if not diff_paths(self.case.workflow, workflow):
            return ()
        inputs, _ = plant_canaries(self.case.inputs, self.case.id)
        return self.engine.validate(workflow, cast("JsonObject", inputs))

    def judged(self, workflow: JsonObject) -> Judged:
        """Return the judgement of a trial in which ``workflow`` was the only response. It must have no :meth:`problems`.

        Raises:
            ReplayMiss: as :meth:`clean`.
        """
        case, edited = self.case, bool(diff_paths(self.case.workflow, workflow))
        scope = open_scope(case, None, self.recordings, self._recording(workflow, edited=edited), self.hint)
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
