"""Drafts of right calls: what a user fills in where no right call is known."""

from __future__ import annotations

import json
from collections.abc import Iterable

from mendbench.errors import BadInput
from mendbench.model.json import Json, JsonObject
from mendbench.probing.calls import examples_of
from mendbench.probing.tools import Tool, types_of

_PLACEHOLDERS: dict[str, Json] = {
    "string": "FILL IN", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {},
}  # fmt: skip


class NoCalls(BadInput):
    """No right call of a server is known."""

    def __init__(self, place: str, draft: str) -> None:
        hint = (
            "fill in the draft on standard output, or the one that --write-calls FILE writes, and give it: --calls FILE"
        )
        super().__init__(place, "no right call is known for any of its tools", hint)
        self.draft = draft
        """See :func:`draft_of`."""


def draft_of(tools: Iterable[Tool]) -> str:
    """Return a file of calls with one line for each tool: its required arguments with values of their types, and an empty request."""
    return "".join(f"{json.dumps(_call(tool), ensure_ascii=False)}\n" for tool in tools)


def _call(tool: Tool) -> JsonObject:
    return {
        "tool": tool.name,
        "arguments": {name: _value(tool.properties.get(name, {})) for name in tool.required},
        "request": "",
    }


def _value(schema: JsonObject) -> Json:
    types = types_of(schema) - {"null"}
    placeholder = next((value for name, value in _PLACEHOLDERS.items() if name in types), _PLACEHOLDERS["string"])
    return next(examples_of(schema), placeholder)
