"""One scope of a case: a fresh world on its own data or a variant's, with its inputs, its secrets and its clock."""

from __future__ import annotations

import copy
import shlex
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import cast

from mendbench.cassettes.recordings import Recordings, RecordMode
from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.io.virtual_clock import VirtualClock
from mendbench.live.access import LiveAccess
from mendbench.live.world import Live
from mendbench.model.case import Case, Provenance, Variant
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import ITSELF, TrialKey
from mendbench.replay.model_cassette import AskBook, AskCaller
from mendbench.replay.request_queue import AskQueue
from mendbench.replay.world import ScopedWorld, SimulatedPart
from mendbench.runtime.engine import MendbenchEngine
from mendbench.secrets.redaction import Redactor, plant_canaries
from mendbench.services import hosts_of, simulated
from mendbench.values.merge_patch import merge_patch

SHELL, SHELL_AT = "shell", "shell://sandbox"
"""What a case declares under ``recorded_from`` if its nodes run shell commands, and where their requests go."""
FILES, FILES_AT = "file", "file://sandbox"
"""The same for files. Its state maps paths in the sandbox folder to texts: what a scope begins with."""
MODELS = "model"
"""What a case declares if there are models that its nodes can ask. Its state names them: ``{names: […]}``."""
OWN = frozenset({SHELL, FILES, MODELS})
"""What a case may declare that is no service."""
_OWN_HOSTS: dict[str, tuple[str, ...]] = {SHELL: (SHELL_AT,), FILES: (FILES_AT,), MODELS: ()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What an execution runs in. Used once: a world remembers what was sent."""

    inputs: JsonObject
    """Canaries in their places: what the workflow really sends."""
    world: ScopedWorld
    clock: VirtualClock
    redactor: Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """How a scope records, if it does."""

    mode: RecordMode = "none"
    live: Live | None = None
    asker: AskCaller | None = None
    queue: AskQueue | None = None
    trajectory: bool = False
    """What models' edits lead to: only real worlds record it, and apart from the case's own proof."""
    access: LiveAccess | None = None
    """What the scope may send to live APIs: nothing, until :meth:`by` says what it runs. None for a case without live APIs."""

    def by(self, *workflows: str) -> Recording:
        """Return the recording of a scope whose executions run these workflows, as a list of writes calls them."""
        return self if self.access is None else replace(self, access=replace(self.access, workflows=workflows))


def state_of(case: Case, variant: Variant | None, service: str) -> JsonObject:
    """Return the case's state of a service with the variant's laid over it: what its seed data is patched with.

    A null stays: it takes away what the seed data has.
    """
    return cast("JsonObject", laid_over(case.state.get(service, {}), variant.state.get(service, {}) if variant else {}))


def laid_over(own: Json, patch: Json) -> Json:
    """Return ``own`` with a merge patch laid over it, whose nulls stay."""
    if not isinstance(own, dict) or not isinstance(patch, dict):
        return copy.deepcopy(patch)
    return {**own, **{key: laid_over(own.get(key), value) for key, value in patch.items()}}


def redactor_of(case: Case) -> Redactor:
    """Return what takes a case's secrets out: those of its inputs and states, and of all its variants'."""
    variants = [(variant.inputs, variant.state) for variant in case.variants]
    _, secrets = plant_canaries([case.inputs, case.state, *map(list, variants)], case.id)
    return _redactor(tuple(sorted(secrets.items())))


def live_services(case: Case) -> frozenset[str]:
    """Return the services of a case that are recorded from live APIs."""
    return frozenset(name for name, source in case.recorded_from.items() if source == "live" and name not in OWN)


@lru_cache(maxsize=256)
def _redactor(secrets: tuple[tuple[str, str], ...]) -> Redactor:
    """Return the redactor of these secrets, whose pattern is dear to compile."""
    return Redactor(dict(secrets))


def services_of(case: Case) -> dict[str, Provenance]:
    """Return every service that a scope of the case has.

    The shell and the files belong to the engine's node types, so every case has them: empty where it does not declare them.
    """
    return {SHELL: "real", FILES: "real", **case.recorded_from}


def recording_options(case: Case) -> tuple[str, ...]:
    """Return the options of a command that records what a case misses."""
    return ("--record", "new_episodes", *(("--allow-shell",) if SHELL in case.recorded_from else ()))


def treatment_words(key: TrialKey) -> tuple[str, ...]:
    """Return the options of a command that runs trials of one treatment alone; detector and sample aside."""
    engine = () if key.engine == MendbenchEngine.name else ("--engine", key.engine)
    model = ("--model", key.model) if key.model else ()
    if key.repairer == ITSELF:
        return (*engine, *model)
    return (*engine, "--strategy", key.strategy, "--policy", key.policy, "--repairer", key.repairer, *model)


def record_hint(case: Case, key: TrialKey) -> str:
    """Return the command that records what a trial misses."""
    words = ["mendbench", "run", case.id, *treatment_words(key)]
    words += ["--samples", str(key.sample + 1)] if key.sample else []
    return shlex.join([*words, *recording_options(case)])


def models_of(case: Case, variant: Variant | None) -> tuple[str, ...]:
    """Return the models that there are for the nodes of a case. One that it does not declare does not exist, as with hosts."""
    return tuple(state_of(case, variant, MODELS)["names"]) if MODELS in case.recorded_from else ()


def open_scope(
    case: Case, variant: Variant | None, recordings: Recordings, recording: Recording, record_hint: str
) -> Scope:
    """Return a fresh scope of a case, or of one of its variants."""
    inputs, _ = plant_canaries({**case.inputs, **(variant.inputs if variant else {})}, case.id)
    services, hosts = {}, {}
    for name, provenance in services_of(case).items():
        state, _ = plant_canaries(state_of(case, variant, name), case.id)
        try:
            if provenance == "simulator":
                service = simulated(name)
                state = merge_patch(service.seed(), state)
                services[name] = SimulatedPart(service=service, state=state)
            own = _OWN_HOSTS.get(name)
            hosts.update(dict.fromkeys(hosts_of(name, state) if own is None else own, name))
        except BadInput as error:
            raise BadInput(f"{case.folder / 'case.yaml'}: {error.place}", error.found, error.mend) from None
    redactor, clock = redactor_of(case), VirtualClock()
    asks = AskBook(
        recordings=recordings, redactor=redactor, mode=recording.mode, caller=recording.asker, record_hint=record_hint,
        models=models_of(case, variant), queue=recording.queue,
    )  # fmt: skip
    origins = {name: digest(state_of(case, variant, name)) for name in services_of(case)}
    world = ScopedWorld(
        recordings=recordings, services=services, hosts=hosts, redactor=redactor, clock=clock, mode=recording.mode,
        live=recording.live, record_hint=record_hint, trajectory=recording.trajectory, asks=asks, origins=origins,
        access=recording.access,
    )  # fmt: skip
    return Scope(inputs=cast("JsonObject", inputs), world=world, clock=clock, redactor=redactor)
