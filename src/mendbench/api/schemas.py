"""The published JSON Schemas."""

from __future__ import annotations

from collections.abc import Callable

from mendbench.config.tables import Config
from mendbench.errors import UnknownName
from mendbench.model.json import JsonObject
from mendbench.runtime.schema import WORKFLOW_SCHEMA

SCHEMAS = ("case", "workflow", "strategy", "config", "trial")


def schema(what: str) -> JsonObject:
    """Return a published JSON Schema.

    Raises:
        UnknownName: there is no schema with that name.
    """
    from mendbench.results.json_schemas import case_schema, strategy_schema, trial_schema  # noqa: PLC0415 - only this command needs them

    found: dict[str, Callable[[], JsonObject]] = {
        "case": case_schema,
        "config": Config.model_json_schema,
        "workflow": lambda: WORKFLOW_SCHEMA,
        "strategy": strategy_schema,
        "trial": trial_schema,
    }
    if what not in found:
        raise UnknownName("schema", what, found)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found[what]()}
