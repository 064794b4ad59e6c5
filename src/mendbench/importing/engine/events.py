"""Later trace files of the engine whose workflows we run: formats 2.0 to 2.8.

An event has the output of its node, as it was when the node ended, and the parameters after template resolution;
nothing is truncated. The workflow is not included, so nodes that were not reached are unknown. Up to 2.4 a file is one JSON
object with ``nodes``; later it has one object per line: ``meta`` first, then ``node.start``, ``gate``, ``blob`` and ``event``,
and ``run.complete`` if the run was not killed. Note:

- a later event with the same ``id`` replaces the earlier one;
- a long text is stored once, in a ``blob`` line; everywhere else there is a reference, ``{"$…_blob": md5}``;
- ``lossy`` means that an output could not be stored unchanged;
- inputs are included from 2.7 on, raw: they and the parameters contain credentials.
"""

from __future__ import annotations

from pathlib import Path

from mendbench.errors import BadInput
from mendbench.importing.engine.responses import failed, take
from mendbench.importing.interface import Dropped, FoundExchange, Source
from mendbench.model.exchange import Headers
from mendbench.model.json import Json, JsonObject


def read_engine_events(path: Path, trace: JsonObject) -> Source:
    """Return the content of a trace of these formats.

    Raises:
        BadInput: one of its events is invalid.
    """
    meta, events = _in_lines(path, trace["lines"]) if "lines" in trace else (trace, _in_nodes(path, trace))
    found: list[FoundExchange] = []
    dropped: list[Dropped] = []
    messages: dict[str, str] = {}
    for place, event in events:
        node, output = str(event["node_id"]), event.get("node_output")
        if words := failed(event, output):
            messages.setdefault(node, words)
        if why := _unread(event):
            dropped.append(Dropped(what=f"{place} {node}", why=why))
        else:
            take(place, node, event, output, found, dropped, _sent_headers(event))
    inputs = meta.get("inputs")
    return Source(
        kind="engine trace", path=path, found=tuple(found), dropped=tuple(dropped),
        inputs=inputs if isinstance(inputs, dict) else {}, said=messages,
    )  # fmt: skip


def _in_nodes(path: Path, trace: JsonObject) -> list[tuple[str, JsonObject]]:
    return [_event(path, f"nodes[{number}]", event, {}) for number, event in enumerate(trace["nodes"])]


def _in_lines(path: Path, lines: list[Json]) -> tuple[JsonObject, list[tuple[str, JsonObject]]]:
    """Return the first line, and the events in the order in which their nodes began."""
    numbered = [(f"line {number}", line) for number, line in enumerate(lines, 1) if isinstance(line, dict)]
    blobs = {str(line["md5"]): line["value"] for _, line in numbered if _is_blob(line)}
    events: dict[str, tuple[str, JsonObject]] = {}
    for place, line in numbered:
        if line.get("kind") == "event":
            events[repr(line.get("id", place))] = _event(path, place, line, blobs)
    in_order = sorted(events.values(), key=lambda pair: pair[1]["seq"] if isinstance(pair[1].get("seq"), int) else 0)
    return numbered[0][1], in_order


def _is_blob(line: JsonObject) -> bool:
    return line.get("kind") == "blob" and "md5" in line and isinstance(line.get("value"), str)


def _event(path: Path, place: str, event: Json, blobs: dict[str, Json]) -> tuple[str, JsonObject]:
    if not isinstance(event, dict) or "node_id" not in event:
        raise BadInput(f"{path}: {place}", "no event of a node", "name a trace that the engine wrote")
    whole = _whole(event, blobs)
    return place, whole if isinstance(whole, dict) else event


def _whole(value: Json, blobs: dict[str, Json]) -> Json:
    """Return a value with its references replaced by their texts."""
    if isinstance(value, dict):
        if len(value) == 1:
            name, key = next(iter(value.items()))
            if name.startswith("$") and name.endswith("_blob") and isinstance(key, str) and key in blobs:
                return blobs[key]
        return {name: _whole(item, blobs) for name, item in value.items()}
    return [_whole(item, blobs) for item in value] if isinstance(value, list) else value


def _unread(event: JsonObject) -> str | None:
    """Return why an event's response is not imported; None if it is."""
    if event.get("parent_id") is not None:
        return "it ran inside a workflow that another node called"
    if event.get("sub_workflow_events"):
        return "it called a workflow, whose nodes are not read"
    if event.get("batch_items"):
        return "it ran as a batch, whose items are not read"
    return "its response could not be stored whole" if event.get("lossy") else None


def _sent_headers(event: JsonObject) -> Headers:
    """Return the headers in a node's parameters. They can contain credentials, which must not be stored."""
    params = event.get("node_params")
    if not isinstance(params, dict):
        return ()
    headers = params.get("headers")
    named = [(str(name), str(value)) for name, value in headers.items()] if isinstance(headers, dict) else []
    named += [("authorization", str(params["auth_token"]))] if params.get("auth_token") else []
    return (*named, *((("x-api-key", str(params["api_key"])),) if params.get("api_key") else ()))
