"""One scope of a case: a fresh world on its own data or a variant's, with its inputs, its secrets and its clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from mendbench.cassettes.recordings import Recordings
from mendbench.corpus.declared_services import OWN_HOSTS, models_of, redactor_of, services_of, state_of
from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.io.virtual_clock import VirtualClock
from mendbench.model.case import Case, Variant
from mendbench.model.json import JsonObject
from mendbench.recording.scope_recording import Recording
from mendbench.replay.model_cassette import ModelCassette
from mendbench.replay.world import ScopedWorld, SimulatedPart
from mendbench.secrets.redaction import Redactor, plant_canaries
from mendbench.services import hosts_of, simulated
from mendbench.values.merge_patch import merge_patch


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The environment of one execution. It is used once, because a world has state."""

    inputs: JsonObject
    """The inputs that the workflow really sends, with canaries in place of secrets."""
    world: ScopedWorld
    clock: VirtualClock
    redactor: Redactor


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
            own = OWN_HOSTS.get(name)
            hosts.update(dict.fromkeys(hosts_of(name, state) if own is None else own, name))
        except BadInput as error:
            raise BadInput(f"{case.folder / 'case.yaml'}: {error.place}", error.found, error.hint) from None
    redactor, clock = redactor_of(case), VirtualClock()
    model_world = ModelCassette(
        recordings=recordings, redactor=redactor, mode=recording.mode, caller=recording.caller, record_hint=record_hint,
        models=models_of(case, variant), queue=recording.queue,
    )  # fmt: skip
    origins = {name: digest(state_of(case, variant, name)) for name in services_of(case)}
    world = ScopedWorld(
        recordings=recordings, services=services, hosts=hosts, redactor=redactor, clock=clock, mode=recording.mode,
        live=recording.live, record_hint=record_hint, trajectory=recording.trajectory, model_world=model_world, origins=origins,
        access=recording.access,
    )  # fmt: skip
    return Scope(inputs=cast("JsonObject", inputs), world=world, clock=clock, redactor=redactor)
