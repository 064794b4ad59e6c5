"""The data of a run under the names that templates use, for choosing a source."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeGuard

from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import View
from mendbench.secrets.redaction import sanitise

_OUTPUTS = ("response", "result", "stdout")
"""Outputs that contain a node's data."""

_HEADERS = frozenset({"etag", "location", "link", "last-modified", "retry-after", "allow"})
"""Headers of a response that later requests use (RFC 9110, RFC 8288); the others are left out."""

_ABOUT = frozenset({"extensions"})
"""Members of a response that describe the response and contain no data (GraphQL specification, section 7.1)."""

_ITEMS = 3
"""The maximum number of list entries that are shown."""

_VALUE = 50
"""The maximum number of characters of a value that are shown."""

_DEPTH = 8

_NAMEABLE = re.compile(r"[^\W\d][\w-]*")
"""Keys that a template can name. Values below other keys are not shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One value that a template can name."""

    template: str
    value: Json


def leaves(view: View) -> tuple[Leaf, ...]:
    """Return the data that a template of the failed node could name; for long lists, the first entries.

    Nodes that the failed node's templates name come first, then the others from the latest to the first.
    """
    failed = {failure.node_id for failure in view.failures}
    ran = {record.node_id: record.outputs for record in view.execution.nodes if record.node_id not in failed}
    named = [root for failure in view.failures for root in (failure.upstream_data or {}) if root in ran]
    order = dict.fromkeys([*named, *reversed(list(ran))])
    return tuple(leaf for node in order for leaf in _node_leaves(node, ran[node]))


def told(response: Json) -> Json:
    """Return a response without uninformative parts: documentation URLs, nulls, and data about the response."""
    if isinstance(response, dict):
        kept = {key: told(item) for key, item in response.items() if key not in _ABOUT}
        return {key: item for key, item in kept.items() if item is not None}
    if isinstance(response, list):
        return [told(item) for item in response]
    return None if isinstance(response, str) and response.startswith(("http://", "https://")) else response


def shown(value: Json) -> str:
    """Return a value on one line, shortened if long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _VALUE else f"{text[:_VALUE]}…"


def _node_leaves(node: str, outputs: JsonObject) -> Iterator[Leaf]:
    clean = sanitise(outputs)
    for name in _OUTPUTS:
        if name in clean:
            yield from _leaves(f"{node}.{name}", _parsed(clean[name]), 0)
    headers = clean.get("response_headers")
    for name, value in headers.items() if isinstance(headers, dict) else ():
        if name in _HEADERS:
            yield Leaf(template=f"${{{node}.response_headers.{name}}}", value=value)


def _parsed(value: Json) -> Json:
    """Return the parsed value of a JSON text, if it has parts that templates can name; else the value unchanged."""
    try:
        read = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return value
    return read if isinstance(read, dict) or _has_parts(read) else value


def _leaves(path: str, value: Json, depth: int) -> Iterator[Leaf]:
    if isinstance(value, dict) and value and depth < _DEPTH:
        for key, item in value.items():
            if key not in _ABOUT and _NAMEABLE.fullmatch(key):
                yield from _leaves(f"{path}.{key}", item, depth + 1)
    elif _has_parts(value) and not path.endswith("]") and depth < _DEPTH:
        for index, item in enumerate(value[:_ITEMS]):
            yield from _leaves(f"{path}[{index}]", item, depth + 1)
    elif value is not None:
        yield Leaf(template=f"${{{path}}}", value=value)


def _has_parts(value: Json) -> TypeGuard[list[Json]]:
    return isinstance(value, list) and any(isinstance(item, dict | list) for item in value)
