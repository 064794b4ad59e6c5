"""One scope of a case: a fresh world on its own data or a variant's, with its inputs, its secrets and its clock."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import cast

from mendbench.kit.canonical import digest
from mendbench.kit.clock import VirtualClock
from mendbench.kit.merge import merge_patch
from mendbench.kit.redaction import Redactor, plant_canaries
from mendbench.model.case import Case, Variant
from mendbench.model.json import JsonObject
from mendbench.replay.asks import AskBook, AskCaller
from mendbench.replay.live import Live
from mendbench.replay.recordings import Recordings, RecordMode
from mendbench.replay.world import ScopedWorld, SimulatedPart
from mendbench.services import hosts_of, simulated


SHELL, SANDBOX = "shell", "sandbox"
"""What a case declares under ``recorded_from`` if its nodes run shell commands, and the host of their requests."""


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
    trajectory: bool = False
    """What models' edits lead to: only real worlds record it, and apart from the case's own proof."""


def state_of(case: Case, variant: Variant | None, service: str) -> JsonObject:
    """Return the case's state of a service with the variant's laid over it: what the service's seed data is patched with."""
    own = case.state.get(service, {})
    return cast("JsonObject", merge_patch(own, variant.state.get(service, {}) if variant else {}))


def redactor_of(case: Case) -> Redactor:
    """Return what takes a case's secrets out: those of its inputs and states, and of all its variants'."""
    variants = [(variant.inputs, variant.state) for variant in case.variants]
    _, secrets = plant_canaries([case.inputs, case.state, *map(list, variants)], case.id)
    return Redactor(secrets)


def open_scope(
    case: Case, variant: Variant | None, recordings: Recordings, recording: Recording, record_hint: str
) -> Scope:
    """Return a fresh scope of a case, or of one of its variants."""
    inputs, _ = plant_canaries({**case.inputs, **(variant.inputs if variant else {})}, case.id)
    services, hosts = {}, {}
    for name, provenance in case.recorded_from.items():
        state, _ = plant_canaries(state_of(case, variant, name), case.id)
        if provenance == "simulator":
            service = simulated(name)
            services[name] = SimulatedPart(service=service, state=merge_patch(copy.deepcopy(service.seed()), state))
        hosts.update(dict.fromkeys((SANDBOX,) if name == SHELL else hosts_of(name, state), name))
    redactor, clock = redactor_of(case), VirtualClock()
    asks = AskBook(
        recordings=recordings, redactor=redactor, mode=recording.mode, caller=recording.asker, record_hint=record_hint
    )
    origins = {name: digest(patch) for name, patch in variant.state.items()} if variant else {}
    world = ScopedWorld(
        recordings=recordings, services=services, hosts=hosts, redactor=redactor, clock=clock, mode=recording.mode,
        live=recording.live, record_hint=record_hint, trajectory=recording.trajectory, asks=asks, origins=origins,
    )  # fmt: skip
    return Scope(inputs=cast("JsonObject", inputs), world=world, clock=clock, redactor=redactor)
