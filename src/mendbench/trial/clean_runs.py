"""Clean runs: a workflow runs from its start in a fresh world, with the same detector in every trial."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from mendbench.cassettes.recordings import Recordings
from mendbench.detectors import detector
from mendbench.model.case import Case, Variant
from mendbench.model.json import JsonObject
from mendbench.model.trial import CleanRun
from mendbench.ports.engine import Engine
from mendbench.recording.recorder import Recorder
from mendbench.recording.scope_recording import Recording
from mendbench.replay.guard import guarded
from mendbench.trial.components import TRUTH_DETECTOR
from mendbench.trial.right_runs import known_as, right_runs
from mendbench.trial.scope import open_scope


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanRunner:
    """Runs a case's workflows. Each is run once per process for one state of the recordings.

    Policies differ in when they stop and rarely in their results, so most workflows occur in several trials.
    """

    case: Case
    engine: Engine
    recordings: Recordings
    recorder: Recorder
    hint: str
    edits: bool = False
    """Whether workflows other than the case's own may send requests to live APIs. Wrong fixes and mutants never may."""

    def run(self, workflow: JsonObject, variant: Variant | None) -> CleanRun:
        """Run a workflow on the case's own data, or on a variant's.

        Raises:
            ReplayMiss: an exchange that it needs is not recorded.
        """
        # Not the canonical JSON: the order of keys and 1.0 instead of 1 can affect what a workflow writes.
        decides = (*self._surroundings(), variant.name if variant else None, json.dumps(workflow))
        return _kept(_Wanted(decides, runner=self, workflow=workflow, variant=variant))

    def right(self) -> Mapping[str | None, tuple[CleanRun, ...]]:
        """Run all right workflows of the case: see :func:`~mendbench.trial.right_runs.right_runs`.

        Raises:
            BadInput: a fix does not apply.
            ReplayMiss: as :meth:`run`.
        """
        return _right(_Wanted(self._surroundings(), runner=self, workflow={}, variant=None))

    def _surroundings(self) -> tuple[object, ...]:
        """Return everything outside the workflow that affects a run."""
        recordings = self.recordings
        return (
            self.case.id,
            self.case.digest,
            self.engine.name,
            recordings.folder,
            self.recorder.mode,
            recordings.stamps(),
        )

    def run_fresh(self, workflow: JsonObject, variant: Variant | None) -> CleanRun:
        """Run a workflow, even if it was run before.

        Raises:
            ReplayMiss: as :meth:`run`.
        """
        recording = self._named(self.recorder.for_trial(self.case, variant), workflow, variant)
        scope = open_scope(self.case, variant, self.recordings, recording, self.hint)
        with guarded():
            execution = self.engine.execute(
                workflow, scope.inputs, scope.world,
                checkpoint=None, detector=detector(TRUTH_DETECTOR), clock=scope.clock,
            )  # fmt: skip
        return CleanRun(variant=variant.name if variant else None, execution=execution, traffic=scope.world.traffic())

    def _named(self, recording: Recording, workflow: JsonObject, variant: Variant | None) -> Recording:
        if recording.access is None:
            return recording
        name = known_as(self.case, workflow) or ("an edit" if self.edits else None)
        if name is None:
            return recording
        return recording.by(f"{name}, variant {variant.name!r}" if variant else name)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A cache key for runs, and everything that the runs need."""

    decides: tuple[object, ...]
    runner: CleanRunner = field(compare=False, kw_only=True)
    workflow: JsonObject = field(compare=False, kw_only=True)
    variant: Variant | None = field(compare=False, kw_only=True)


@lru_cache(maxsize=32)
def _right(wanted: _Wanted) -> Mapping[str | None, tuple[CleanRun, ...]]:
    return right_runs(wanted.runner.case, wanted.runner.run)


@lru_cache(maxsize=1024)
def _kept(wanted: _Wanted) -> CleanRun:
    return wanted.runner.run_fresh(wanted.workflow, wanted.variant)
