"""Failures as an engine reports them: the errors of its document, and the details beyond the format."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast, get_args

from mendbench.model.failure import (
    Category,
    EarlierFailure,
    Failure,
    FieldProblem,
    SentRequest,
    Source,
    UpstreamSource,
)
from mendbench.model.json import Json, JsonObject
from mendbench.model.workflow import Workflow

_CATEGORIES = frozenset(get_args(Category))
_SOURCES = frozenset(get_args(Source))
_ADDED_HEADER_PREFIX = "mendbench-"

Part = TypeVar("Part")


def failures_in(document: JsonObject, own: JsonObject, workflow: Workflow) -> Iterable[Failure]:
    """Yield the failures: each error with its details from beyond the format."""
    more = own.get("failures")
    for at, error in enumerate(document.get("errors") or ()):
        entry = error if isinstance(error, dict) else {"message": str(error)}
        beyond = more[at] if isinstance(more, list) and at < len(more) and isinstance(more[at], dict) else {}
        yield _failure({**entry, **beyond}, workflow)


def _failure(entry: JsonObject, workflow: Workflow) -> Failure:
    node_id = entry.get("node_id") if isinstance(entry.get("node_id"), str) else None
    node = workflow.node(node_id) if node_id is not None else None
    words = str(entry.get("message") or "it failed without a message")
    source, category = as_text(entry.get("source")), as_text(entry.get("category"))
    status = entry.get("status_code")
    return Failure(
        source=cast("Source", source if source in _SOURCES else "runtime"),
        category=cast("Category", category if category in _CATEGORIES else "execution_failure"),
        message=words,
        node_id=node_id,
        fixable=entry["fixable"] if isinstance(entry.get("fixable"), bool) else True,
        action=str(entry.get("action") or "error"),
        status_code=status if isinstance(status, int) and not isinstance(status, bool) else None,
        raw_response=entry.get("raw_response"),
        response_headers=_headers(entry.get("response_headers")),
        response_time=as_float(entry.get("response_time")),
        mcp_error_details=as_object(entry.get("mcp_error_details")) or None,
        mcp_error=entry.get("mcp_error"),
        shell_command=as_text(entry.get("shell_command")),
        shell_exit_code=entry["shell_exit_code"] if isinstance(entry.get("shell_exit_code"), int) else None,
        shell_stdout=as_text(entry.get("shell_stdout")),
        shell_stderr=as_text(entry.get("shell_stderr")),
        available_fields=tuple(map(str, entry["available_fields"]))
        if isinstance(entry.get("available_fields"), list)
        else None,
        available_fields_total=entry["available_fields_total"]
        if isinstance(entry.get("available_fields_total"), int)
        else None,
        available_fields_truncated=entry.get("available_fields_truncated") is True,
        unresolved=tuple(map(str, as_list(entry.get("unresolved")))),
        exception_type=as_text(entry.get("exception_type")),
        hint=as_text(entry.get("hint")),
        node_type=as_text(entry.get("node_type")) or (node.type if node is not None else None),
        request_sent=_part(SentRequest, entry.get("request_sent")),
        problems=_parts(FieldProblem, entry.get("problems")),
        upstream=_parts(UpstreamSource, entry.get("upstream")),
        upstream_data=as_object(entry.get("upstream_data")) or None,
        suggestion=as_text(entry.get("suggestion")),
        earlier=_parts(EarlierFailure, entry.get("earlier")),
        batch_item=_batch_item(entry.get("batch_item")),
    )


def _headers(value: Json) -> JsonObject | None:
    """Return a response's headers without those that only the loopback server added."""
    if not isinstance(value, dict):
        return None
    return {
        name: item for name, item in value.items() if not str(name).lower().startswith(_ADDED_HEADER_PREFIX)
    } or None


_TEXT = (str,)
_SHAPES: Mapping[type, Mapping[str, tuple[type, ...]]] = {
    SentRequest: {"method": _TEXT, "url": _TEXT, "headers": (dict,), "body": (object,)},
    FieldProblem: {"field": _TEXT, "problem": _TEXT, "says": _TEXT},
    UpstreamSource: {"param": _TEXT, "template": _TEXT, "resolved": (bool,)},
    EarlierFailure: {"node_id": _TEXT, "message": _TEXT},
}
"""The minimum content of the parts of a failure; code that reads them relies on it."""
_PROBLEMS = frozenset({"missing", "invalid", "unknown"})


def _part(kind: type[Part], entry: Json) -> Part | None:
    """Return a part of a failure, None if it is not in the expected form."""
    if not isinstance(entry, dict):
        return None
    shape = _SHAPES[kind]
    if not all(name in entry and isinstance(entry[name], types) for name, types in shape.items()):
        return None
    if kind is FieldProblem and entry["problem"] not in _PROBLEMS:
        return None
    names = {field.name for field in dataclasses.fields(cast("Any", kind))}
    return kind(**{name: value for name, value in entry.items() if name in names})


def _parts(kind: type[Part], entries: Json) -> tuple[Part, ...]:
    found = (_part(kind, entry) for entry in entries) if isinstance(entries, list) else ()
    return tuple(part for part in found if part is not None)


def _batch_item(value: Json) -> JsonObject | None:
    """Return which item of a batch failed, None if it is not in the form ``{"index", "count", "item"}``."""
    own = as_object(value)
    return own if all(type(own.get(name)) is int for name in ("index", "count")) else None


def as_object(value: Json) -> JsonObject:
    """Return an object, empty if it is not one."""
    return value if isinstance(value, dict) else {}


def as_list(value: Json) -> list[Json]:
    """Return a list, empty if it is not one."""
    return value if isinstance(value, list) else []


def as_text(value: Json) -> str | None:
    """Return a text, None if it is not one."""
    return value if isinstance(value, str) else None


def as_float(value: Json) -> float | None:
    """Return a number, None if it is not one."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None
