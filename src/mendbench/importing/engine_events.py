"""The later trace files of the engine whose workflows we run: formats 2.0 to 2.8.

An event has its node's own output, as it was when the node ended, and its parameters after the templates were resolved;
nothing is cut. There is still no workflow: of a node that was not reached nothing is told. Up to 2.4 a file is one JSON
object with ``nodes``; later it is one object a line: ``meta`` first, then ``node.start``, ``gate``, ``blob`` and ``event``,
and ``run.complete`` where the run was not killed. Beware of:

- an event that is told again under the same ``id`` takes the place of the first;
- a long text stands once, in a ``blob`` line, and a reference, ``{"$…_blob": md5}``, everywhere else;
- ``lossy`` says that an output could not be stored as it was;
- inputs are told from 2.7 on, raw: credentials stand in them and in the parameters.
"""

from __future__ import annotations

from pathlib import Path

from mendbench.errors import BadInput
from mendbench.importing.engine_responses import failed, take
from mendbench.importing.interface import Dropped, Found, Source
from mendbench.model.exchange import Headers
from mendbench.model.json import Json, JsonObject


def read_engine_events(path: Path, trace: JsonObject) -> Source:
    """Return what a trace holds that was read from there.

    Raises:
        BadInput: an event of it is none.
    """
    meta, events = _in_lines(path, trace["lines"]) if "lines" in trace else (trace, _in_nodes(path, trace))
    found: list[Found] = []
    dropped: list[Dropped] = []
    said: dict[str, str] = {}
    for place, event in events:
        node, output = str(event["node_id"]), event.get("node_output")
        if words := failed(event, output):
            said.setdefault(node, words)
        if why := _unread(event):
            dropped.append(Dropped(what=f"{place} {node}", why=why))
        else:
            take(place, node, event, output, found, dropped, _sent_headers(event))
    inputs = meta.get("inputs")
    return Source(
        kind="engine trace", path=path, found=tuple(found), dropped=tuple(dropped),
        inputs=inputs if isinstance(inputs, dict) else {}, said=said,
    )  # fmt: skip


def _in_nodes(path: Path, trace: JsonObject) -> list[tuple[str, JsonObject]]:
    return [_event(path, f"nodes[{number}]", event, {}) for number, event in enumerate(trace["nodes"])]


def _in_lines(path: Path, lines: list[Json]) -> tuple[JsonObject, list[tuple[str, JsonObject]]]:
    """Return the first line, and the events in the order in which their nodes began."""
    told = [(f"line {number}", line) for number, line in enumerate(lines, 1) if isinstance(line, dict)]
    blobs = {str(line["md5"]): line["value"] for _, line in told if line.get("kind") == "blob" and _is_blob(line)}
    events: dict[str, tuple[str, JsonObject]] = {}
    for place, line in told:
        if line.get("kind") == "event":
            events[repr(line.get("id", place))] = _event(path, place, line, blobs)
    in_order = sorted(events.values(), key=lambda pair: pair[1]["seq"] if isinstance(pair[1].get("seq"), int) else 0)
    return told[0][1], in_order


def _is_blob(line: JsonObject) -> bool:
    return "md5" in line and isinstance(line.get("value"), str)


def _event(path: Path, place: str, event: Json, blobs: dict[str, Json]) -> tuple[str, JsonObject]:
    if not isinstance(event, dict) or "node_id" not in event:
        raise BadInput(f"{path}: {place}", "no event of a node", "name a trace that the engine wrote")
    whole = _whole(event, blobs)
    return place, whole if isinstance(whole, dict) else event


def _whole(value: Json, blobs: dict[str, Json]) -> Json:
    """Return a value with the texts that its references stand for."""
    if isinstance(value, dict):
        if len(value) == 1:
            name, key = next(iter(value.items()))
            if name.startswith("$") and name.endswith("_blob") and isinstance(key, str) and key in blobs:
                return blobs[key]
        return {name: _whole(item, blobs) for name, item in value.items()}
    return [_whole(item, blobs) for item in value] if isinstance(value, list) else value


def _unread(event: JsonObject) -> str | None:
    """Return why an event's answer is not taken; None if it is."""
    if event.get("parent_id") is not None:
        return "it ran inside a workflow that another node called"
    if event.get("sub_workflow_events"):
        return "it called a workflow, whose nodes are not read"
    if event.get("batch_items"):
        return "it ran as a batch, whose items are not read"
    return "its response could not be stored whole" if event.get("lossy") else None


def _sent_headers(event: JsonObject) -> Headers:
    """Return the headers that a node's parameters tell: what of them is a credential must not stand anywhere."""
    params = event.get("node_params")
    if not isinstance(params, dict):
        return ()
    told = params.get("headers")
    named = [(str(name), str(value)) for name, value in told.items()] if isinstance(told, dict) else []
    named += [("authorization", str(params["auth_token"]))] if params.get("auth_token") else []
    return (*named, *((("x-api-key", str(params["api_key"])),) if params.get("api_key") else ()))
