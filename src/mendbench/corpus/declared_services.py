"""What a case declares under ``recorded_from``: its services, their state, its models and its secrets."""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import cast

from mendbench.model.case import Case, Provenance, Variant
from mendbench.model.json import Json, JsonObject
from mendbench.secrets.redaction import Redactor, plant_canaries

SHELL, SHELL_AT = "shell", "shell://sandbox"
"""What a case declares under ``recorded_from`` if its nodes run shell commands, and where their requests go."""
FILES, FILES_AT = "file", "file://sandbox"
"""The same for files. Its state maps paths in the sandbox folder to texts: what a scope begins with."""
MODELS = "model"
"""What a case declares if there are models that its nodes can ask. Its state names them: ``{names: […]}``."""
OWN = frozenset({SHELL, FILES, MODELS})
"""What a case may declare that is no service."""
OWN_HOSTS: dict[str, tuple[str, ...]] = {SHELL: (SHELL_AT,), FILES: (FILES_AT,), MODELS: ()}


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


def services_of(case: Case) -> dict[str, Provenance]:
    """Return every service that a scope of the case has.

    The shell and the files belong to the engine's node types, so every case has them: empty where it does not declare them.
    """
    return {SHELL: "real", FILES: "real", **case.recorded_from}


def live_services(case: Case) -> frozenset[str]:
    """Return the services of a case that are recorded from live APIs."""
    return frozenset(name for name, source in case.recorded_from.items() if source == "live" and name not in OWN)


def models_of(case: Case, variant: Variant | None) -> tuple[str, ...]:
    """Return the models that there are for the nodes of a case. One that it does not declare does not exist, as with hosts."""
    return tuple(state_of(case, variant, MODELS)["names"]) if MODELS in case.recorded_from else ()


def redactor_of(case: Case) -> Redactor:
    """Return what takes a case's secrets out: those of its inputs and states, and of all its variants'."""
    variants = [(variant.inputs, variant.state) for variant in case.variants]
    _, secrets = plant_canaries([case.inputs, case.state, *map(list, variants)], case.id)
    return _redactor(tuple(sorted(secrets.items())))


@lru_cache(maxsize=256)
def _redactor(secrets: tuple[tuple[str, str], ...]) -> Redactor:
    """Return the redactor of these secrets, whose pattern is dear to compile."""
    return Redactor(dict(secrets))
