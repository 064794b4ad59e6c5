"""Collects the model requests of trials, with and without a recorded response. No request is sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter
from pathlib import Path

from mendbench.cassettes.recordings import Recordings
from mendbench.corpus.declared_services import redactor_of
from mendbench.errors import ReplayMiss
from mendbench.io.canonical_json import digest
from mendbench.model.exchange import Request, Response
from mendbench.model.execution import Checkpoint, Execution
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Prompt, Reply
from mendbench.model.trial import TrialKey
from mendbench.ports.clock import Clock
from mendbench.ports.engine import Detector, Engine
from mendbench.ports.repair import Repairer
from mendbench.ports.world import World
from mendbench.recording.recorder import Recorder
from mendbench.repair.policies import policy
from mendbench.replay.model_cassette import ModelCassette
from mendbench.runs.executor import WORTH_A_WORKER, chunked, run_all, workers_for
from mendbench.secrets.redaction import Redactor
from mendbench.trial.components import BenchContext, build_components
from mendbench.trial.runner import gather
from mendbench.trial.session import open_session


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """The model requests of one trial, up to its end or its first request without a response."""

    trial: TrialKey
    answered: frozenset[str]
    """Digests of the model requests with a recorded response."""
    missing: tuple[JsonObject, ...]
    """The model request without a response: of the repairer, or of a node."""
    problem: str | None
    """Why the trial stopped, if not for a missing response."""
    attempts: int = 0
    """Attempts up to that point."""
    node_waits: bool = False
    """Whether a workflow node made the missing model request."""
    private: Path | None = None
    """The folder of the trial's private recordings; None if its recordings belong to the corpus."""


def collect_all(
    context: BenchContext, keys: Sequence[TrialKey], workers: int, on_progress: Callable[[int, int, str], None]
) -> tuple[Collected, ...]:
    """Return the model requests of each trial, in the order of their keys. ``workers`` are processes; 0 means one per core."""
    count = workers_for(workers, len(keys), WORTH_A_WORKER)
    found: list[Collected] = []
    for one in run_all(partial(collect, context), chunked(keys, attrgetter("case"), count), count):
        found.append(one)
        on_progress(len(found), len(keys), one.trial.case)
    return tuple(sorted(found, key=lambda one: one.trial.order()))


def collect(context: BenchContext, key: TrialKey) -> Collected:
    """Run one trial from recordings, and return its model requests.

    Raises:
        MendbenchError: a name or a file that the trial needs cannot be used.
    """
    case = context.corpus.case(key.case)
    recorder = Recorder()
    recordings = recorder.recordings(context.corpus.cassettes(case), context.private_recordings(key))
    heard = _Heard(recordings=recordings, redactor=redactor_of(case))
    parts = build_components(key, case, context)
    parts = replace(parts, engine=_Engine(parts.engine, heard), repairer=_Repairer(parts.repairer, heard))
    evidence = gather(open_session(case, key, parts, recordings, recorder), key, policy(key.policy))
    problem = evidence.problem.message if evidence.problem is not None and not heard.missing else None
    return Collected(
        trial=key, answered=frozenset(heard.answered), missing=tuple(heard.missing.values()), problem=problem,
        attempts=len(evidence.trajectory.attempts) if evidence.trajectory is not None else 0,
        node_waits=bool(heard.missing.keys() - heard.repairers), private=context.private_recordings(key),
    )  # fmt: skip


class _Caught(Exception):
    """Carries a model request in its recorded form."""

    def __init__(self, model_request: JsonObject) -> None:
        self.model_request = model_request
        super().__init__()


class _Catcher:
    """A model that never responds."""

    def send(self, model_request: JsonObject) -> Response:
        raise _Caught(model_request)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heard:
    """The model requests of one trial."""

    recordings: Recordings
    redactor: Redactor
    answered: set[str] = field(default_factory=set)
    missing: dict[str, JsonObject] = field(default_factory=dict)
    repairers: set[str] = field(default_factory=set)
    """The missing requests that the repairer made."""

    def miss(self, request: Request, *, repairer: bool) -> None:
        """Note a model request without a response, redacted as it would be recorded."""
        book = ModelCassette(recordings=self.recordings, redactor=self.redactor, mode="new_episodes", caller=_Catcher())
        try:
            book.exchange(request, node=None, phase=0)
        except _Caught as caught:
            key = digest(caught.model_request)
            self.missing[key] = caught.model_request
            if repairer:
                self.repairers.add(key)


class _Listening:
    """A world that notes model requests before it forwards them."""

    def __init__(self, world: World, heard: _Heard, *, repairer: bool) -> None:
        self._world, self._heard, self._repairer = world, heard, repairer
        self.traffic, self.begin_execution = world.traffic, world.begin_execution

    def send(self, request: Request, *, node: str | None = None) -> Response:
        try:
            response = self._world.send(request, node=node)
        except ReplayMiss:
            if request.is_model_request:
                self._heard.miss(request, repairer=self._repairer)
            raise
        if request.is_model_request:
            self._heard.answered.add(self._world.traffic()[-1].key)
        return response


class _Engine:
    """The trial's engine, in a world that notes model requests."""

    def __init__(self, engine: Engine, heard: _Heard) -> None:
        self._engine, self._heard = engine, heard
        self.name, self.validate, self.describe = engine.name, engine.validate, engine.describe

    def execute(
        self,
        workflow: JsonObject,
        inputs: JsonObject,
        world: World,
        *,
        checkpoint: Checkpoint | None,
        detector: Detector | None,
        clock: Clock,
    ) -> Execution:
        listening = _Listening(world, self._heard, repairer=False)
        return self._engine.execute(workflow, inputs, listening, checkpoint=checkpoint, detector=detector, clock=clock)


class _Repairer:
    """The trial's repairer, with its model requests noted."""

    def __init__(self, repairer: Repairer, heard: _Heard) -> None:
        self._repairer, self._heard = repairer, heard
        self.name, self.model = repairer.name, repairer.model

    def reply(self, prompt: Prompt, model_requests: World, *, sample: int, times_asked: int) -> Reply:
        listening = _Listening(model_requests, self._heard, repairer=True)
        return self._repairer.reply(prompt, listening, sample=sample, times_asked=times_asked)
