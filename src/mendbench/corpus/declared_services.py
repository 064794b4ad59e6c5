"""The services that a case declares under ``recorded_from``, their state, its models and its secrets."""

from __future__ import annotations

import copy
from functools import lru_cache
from typing import cast

from mendbench.model.case import Case, Provenance, Variant
from mendbench.model.json import Json, JsonObject
from mendbench.secrets.redaction import Redactor, plant_canaries

SHELL, SHELL_AT = "shell", "shell://sandbox"
"""The name under ``recorded_from`` for shell commands, and the URL of their requests."""
FILES, FILES_AT = "file", "file://sandbox"
"""The same for files. The state maps paths in the sandbox folder to texts: the initial files of a scope."""
MODELS = "model"
"""The name for models that the case's nodes can use. The state names them: ``{names: […]}``."""
OWN = frozenset({SHELL, FILES, MODELS})
"""Names that a case may declare that are not services."""
OWN_HOSTS: dict[str, tuple[str, ...]] = {SHELL: (SHELL_AT,), FILES: (FILES_AT,), MODELS: ()}


def state_of(case: Case, variant: Variant | None, service: str) -> JsonObject:
    """Return the case's state of a service merged with the variant's. It patches the service's seed data.

    Nulls stay: they remove values of the seed data.
    """
    return cast("JsonObject", laid_over(case.state.get(service, {}), variant.state.get(service, {}) if variant else {}))


def laid_over(own: Json, patch: Json) -> Json:
    """Return ``own`` with a merge patch applied; its nulls stay."""
    if not isinstance(own, dict) or not isinstance(patch, dict):
        return copy.deepcopy(patch)
    return {**own, **{key: laid_over(own.get(key), value) for key, value in patch.items()}}


def services_of(case: Case) -> dict[str, Provenance]:
    """Return all services in a scope of the case.

    The shell and the files belong to the engine's node types, so every case has them; they are empty if not declared.
    """
    return {SHELL: "real", FILES: "real", **case.recorded_from}


def live_services(case: Case) -> frozenset[str]:
    """Return the services of a case that are recorded from live APIs."""
    return frozenset(name for name, source in case.recorded_from.items() if source == "live" and name not in OWN)


def models_of(case: Case, variant: Variant | None) -> tuple[str, ...]:
    """Return the models for the nodes of a case. Like hosts, undeclared models do not exist."""
    return tuple(state_of(case, variant, MODELS)["names"]) if MODELS in case.recorded_from else ()


def redactor_of(case: Case) -> Redactor:
    """Return the redactor for a case's secrets: those in its inputs and states, and in those of all its variants."""
    variants = [(variant.inputs, variant.state) for variant in case.variants]
    _, secrets = plant_canaries([case.inputs, case.state, *map(list, variants)], case.id)
    return _redactor(tuple(sorted(secrets.items())))


@lru_cache(maxsize=256)
def _redactor(secrets: tuple[tuple[str, str], ...]) -> Redactor:
    """Return the redactor of these secrets. It is cached because its pattern is slow to compile."""
    return Redactor(dict(secrets))
