"""Trace files of the engine whose workflows we run: formats 1.1.0 and 1.2.0, and the dispatch to later ones.

:mod:`mendbench.importing.engine.events` reads the later formats. These files have no workflow, no parameters
and no requests: only what each node left in the shared store. So a response is identified by the node that got it, and the
request comes from running the workflow. Note:

- repair events are among the node events, each attempt twice, and contain the workflow only inside a prompt;
- outputs are stored by reference and written at the end: a node that ran twice shows its last output at both events;
- a node that was taken from the cache has no event, but its output is in the store of later ones;
- ``success`` and ``final_status`` do not show whether a node failed: its output does;
- long values are truncated and marked; nothing is redacted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mendbench.errors import BadInput
from mendbench.importing.engine.events import read_engine_events
from mendbench.importing.engine.responses import failed, take
from mendbench.importing.interface import Dropped, FoundExchange, Source, json_file
from mendbench.model.json import JsonObject

VERSIONS = ("1.1.0", "1.2.0")
LATER = "2."
"""Prefix of the versions in which each event has its own output and parameters."""


def is_engine_trace(document: JsonObject) -> bool:
    """Return whether a document is such a trace, of any version."""
    lines = document.get("lines") or []
    if lines and isinstance(lines[0], dict):
        return "format_version" in lines[0] and lines[0].get("kind") == "meta"
    return "format_version" in document and isinstance(document.get("nodes"), list)


def read_engine_trace(path: Path) -> Source:
    """Return the content of a trace.

    Raises:
        BadInput: it has another version, or its events are invalid.
    """
    trace = json_file(path)
    version = str((trace["lines"][0] if "lines" in trace else trace).get("format_version"))
    if version.startswith(LATER):
        return read_engine_events(path, trace)
    if version not in VERSIONS:
        raise BadInput(
            f"{path}: format_version", f"format_version {version!r}", f"known are {', '.join(VERSIONS)} and {LATER}x"
        )
    events = trace["nodes"]
    for number, event in enumerate(events):
        if not isinstance(event, dict):
            raise BadInput(
                f"{path}: nodes[{number}]", f"a {type(event).__name__}", "name a trace that the engine wrote"
            )
    ran = [(number, event) for number, event in enumerate(events) if "node_type" in event and "node_id" in event]
    return _source(path, ran, _recovered(events))


def _source(path: Path, ran: list[tuple[int, JsonObject]], workflow: JsonObject | None) -> Source:
    times = Counter(str(event["node_id"]) for _, event in ran)
    found: list[FoundExchange] = []
    dropped: list[Dropped] = []
    messages: dict[str, str] = {}
    seen: set[str] = set()
    for number, event in ran:
        node, place = str(event["node_id"]), f"nodes[{number}]"
        output = _store(event, "shared_after").get(node)
        words = failed(event, output)
        if words:
            messages.setdefault(node, words)
        if node in seen:
            continue
        seen.add(node)
        if times[node] > 1 and (words or _any_failed(ran, node)):
            why = f"it ran {times[node]} times, and the file shows only what came last"
            dropped.append(Dropped(what=f"{place} the first response to {node}", why=why))
            continue
        take(place, node, event, output, found, dropped)
    for node, output in _cached(ran, seen):
        event = {"node_type": _type_by_output(output)}
        take(f"the store of a later node ({node} was cached)", node, event, output, found, dropped)
    return Source(
        kind="engine trace", path=path, found=tuple(found), dropped=tuple(dropped), workflow=workflow,
        inputs=_inputs(ran), said=messages,
    )  # fmt: skip


def _any_failed(ran: list[tuple[int, JsonObject]], node: str) -> bool:
    """Return whether any event of a node reports a failure: then its first output is not known."""
    return any(
        not event.get("success", True) or event.get("error") for _, event in ran if str(event["node_id"]) == node
    )


def _store(event: JsonObject, name: str) -> JsonObject:
    value = event.get(name)
    return value if isinstance(value, dict) else {}


def _inputs(ran: list[tuple[int, JsonObject]]) -> JsonObject:
    """Return the content of the store before the first node ran."""
    first = _store(ran[0][1], "shared_before") if ran else {}
    return {name: value for name, value in first.items() if not name.startswith("__")}


def _cached(ran: list[tuple[int, JsonObject]], seen: set[str]) -> Iterator[tuple[str, JsonObject]]:
    """Yield what nodes without an event of their own left in the store."""
    cached: dict[str, JsonObject] = {}
    for _, event in ran:
        for name, value in _store(event, "shared_after").items():
            if name not in seen and isinstance(value, dict) and _type_by_output(value):
                cached.setdefault(name, value)
    yield from cached.items()


def _type_by_output(output: JsonObject) -> str | None:
    if "status_code" in output and "response" in output:
        return "HttpNode"
    if "exit_code" in output and "stdout" in output:
        return "ShellNode"
    return "MCPNode" if "result" in output and any(name.endswith("_result") for name in output) else None


def _recovered(events: list[Any]) -> JsonObject | None:
    """Return the workflow in the first prompt of a repair; None if no prompt contains a complete one."""
    decoder = json.JSONDecoder()
    for event in events:
        prompt = event.get("llm_prompt") if event.get("type") == "repair_llm_call" else None
        if not isinstance(prompt, str):
            continue
        at = prompt.find("{")
        while at >= 0:
            try:
                value, end = decoder.raw_decode(prompt, at)
            except (ValueError, RecursionError):
                end = at + 1
            else:
                if isinstance(value, dict) and isinstance(value.get("nodes"), list) and "ir_version" in value:
                    return value
            at = prompt.find("{", end)
    return None
