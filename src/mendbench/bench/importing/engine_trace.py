"""The trace files of the engine whose workflows we run (formats 1.1.0 and 1.2.0).

Such a file has no workflow, no parameters and no requests: only what each node left in the shared store. So an answer is
known by the node that got it, and the request is made by running the workflow. What else to beware of:

- repair events stand among the node events, each attempt twice, and hold the workflow only inside a prompt;
- outputs are stored by reference and written at the end: a node that ran twice shows its last output at both events;
- a node that was taken from the cache has no event, but its output stands in the store of later ones;
- ``success`` and ``final_status`` do not tell whether a node failed: its output does;
- long values are cut, and say so; nothing is redacted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mendbench.bench.importing.interface import Dropped, Found, Source, body_bytes, json_file
from mendbench.errors import BadInput
from mendbench.kit.canonical import canonical_json
from mendbench.model.exchange import Answer, Fault, Headers
from mendbench.model.json import Json, JsonObject

VERSIONS = ("1.1.0", "1.2.0")

NODE_TYPES = {"HttpNode": "http", "MCPNode": "mcp", "ShellNode": "shell", "LLMNode": "llm"}
"""Class names of the nodes that reach the world, and our names for their types."""

_CUT = ("... [truncated]", "<large dict truncated>", "<binary data:")
_FAULTS: tuple[tuple[str, Fault], ...] = (
    ("timed out", "timeout"), ("timeout", "timeout"), ("name or service not known", "dns"), ("getaddrinfo", "dns"),
    ("name resolution", "dns"), ("could not resolve host", "dns"), ("connection refused", "refused"),
    ("connection reset", "reset"), ("certificate", "tls"), ("ssl", "tls"),
)  # fmt: skip


def is_engine_trace(document: JsonObject) -> bool:
    """Return whether a document is such a trace, of whichever version."""
    return "format_version" in document and isinstance(document.get("nodes"), list)


def read_engine_trace(path: Path) -> Source:
    """Return what a trace holds.

    Raises:
        BadInput: it is of another version, or its events are none.
    """
    trace = json_file(path)
    if trace.get("format_version") not in VERSIONS:
        found = f"format_version {trace.get('format_version')!r}"
        raise BadInput(f"{path}: format_version", found, f"known are {' and '.join(VERSIONS)}")
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
    found: list[Found] = []
    dropped: list[Dropped] = []
    said: dict[str, str] = {}
    seen: set[str] = set()
    for number, event in ran:
        node, place = str(event["node_id"]), f"nodes[{number}]"
        output = _store(event, "shared_after").get(node)
        words = _failed(event, output)
        if words:
            said.setdefault(node, words)
        if node in seen:
            continue
        seen.add(node)
        if times[node] > 1 and (words or _any_failed(ran, node)):
            why = f"it ran {times[node]} times, and the file shows only what came last"
            dropped.append(Dropped(what=f"{place} the first answer to {node}", why=why))
            continue
        _take(place, node, event, output, found, dropped)
    for node, output in _cached(ran, seen):
        event = {"node_type": _type_by_output(output)}
        _take(f"the store of a later node ({node} was cached)", node, event, output, found, dropped)
    return Source(
        kind="engine trace", path=path, found=tuple(found), dropped=tuple(dropped), workflow=workflow,
        inputs=_inputs(ran), said=said,
    )  # fmt: skip


def _take(place: str, node: str, event: JsonObject, output: Json, found: list[Found], dropped: list[Dropped]) -> None:
    """Add a node's answer to what was found, or to what was dropped and why; nothing for a node that asks nobody."""
    kind = NODE_TYPES.get(str(event.get("node_type")))
    if kind is None or kind == "llm":
        if kind == "llm":
            dropped.append(
                Dropped(what=f"{place} {node}", why="a model's answer: record it with `case check --record`")
            )
        return
    if not isinstance(output, dict):
        why = "the file says nothing of its answer" if output is None else "its answer was cut"
        dropped.append(Dropped(what=f"{place} {node}", why=why))
    elif _is_cut(output):
        dropped.append(Dropped(what=f"{place} {node}", why="its answer was cut"))
    elif (answer := _ANSWERS[kind](output, event)) is None:
        dropped.append(Dropped(what=f"{place} {node}", why="it sent nothing: it failed before"))
    else:
        found.append(Found(place=place, node=node, answer=answer))


def _http(output: JsonObject, event: JsonObject) -> Answer | None:
    status = output.get("status_code")
    elapsed = round(float(output.get("response_time") or 0) * 1000) or round(float(event.get("duration_ms") or 0))
    if not isinstance(status, int) or status == 0:
        return _faulty(f"{output.get('error') or ''} {event.get('error') or ''}", elapsed)
    told = output.get("response_headers")
    headers: Headers = tuple((str(k), str(v)) for k, v in told.items()) if isinstance(told, dict) else ()
    gone = {"content-encoding", "content-length", "transfer-encoding", "connection"}
    kept = tuple((name, value) for name, value in headers if name.lower() not in gone)
    return Answer(status=status, headers=kept, body=body_bytes(output.get("response")), elapsed_ms=elapsed)


def _mcp(output: JsonObject, event: JsonObject) -> Answer | None:
    """Return the JSON-RPC answer that leads to these outputs."""
    elapsed = round(float(event.get("duration_ms") or 0))
    result, error = output.get("result"), output.get("error")
    if result is None and not error:
        result = next((value for name, value in output.items() if name.endswith("_result")), None)
    if result is None and error is None:
        return None
    if error and "timed out" in str(error).lower():
        return Answer(status=0, fault="timeout", elapsed_ms=elapsed)
    text = str(error) if error else result if isinstance(result, str) else canonical_json(result)
    told: JsonObject = {"content": [{"type": "text", "text": text}]}
    if error:
        told["isError"] = True
    elif isinstance(result, dict):
        told["structuredContent"] = result
    rpc = {"jsonrpc": "2.0", "id": 1, "result": told}
    headers = (("content-type", "application/json"),)
    return Answer(status=200, headers=headers, body=body_bytes(rpc), elapsed_ms=elapsed)


def _shell(output: JsonObject, event: JsonObject) -> Answer | None:
    if "exit_code" not in output:
        return None
    told = {name: output.get(name) for name in ("stdout", "stderr", "exit_code")}
    headers = (("content-type", "application/json"),)
    elapsed = round(float(event.get("duration_ms") or 0))
    return Answer(status=200, headers=headers, body=body_bytes(told), elapsed_ms=elapsed)


_ANSWERS = {"http": _http, "mcp": _mcp, "shell": _shell}


def _faulty(said: str, elapsed: int) -> Answer | None:
    lowered = said.lower()
    fault = next((fault for word, fault in _FAULTS if word in lowered), None)
    return Answer(status=0, fault=fault, elapsed_ms=elapsed) if fault else None


def _failed(event: JsonObject, output: Json) -> str | None:
    """Return in what words a node failed, whatever its ``success`` says; None if it did not."""
    if event.get("error"):
        return str(event["error"])
    told = output if isinstance(output, dict) else {}
    status = told.get("status_code")
    if told.get("error"):
        return str(told["error"])
    if isinstance(status, int) and status >= 400:  # noqa: PLR2004 - RFC 9110 section 15.5
        return f"HTTP {status}"
    return None if event.get("success", True) else "it failed"


def _any_failed(ran: list[tuple[int, JsonObject]], node: str) -> bool:
    """Return whether any event of a node tells of a failure: then its first output is not known."""
    return any(
        not event.get("success", True) or event.get("error") for _, event in ran if str(event["node_id"]) == node
    )


def _store(event: JsonObject, name: str) -> JsonObject:
    value = event.get(name)
    return value if isinstance(value, dict) else {}


def _inputs(ran: list[tuple[int, JsonObject]]) -> JsonObject:
    """Return what stood in the store before the first node ran."""
    first = _store(ran[0][1], "shared_before") if ran else {}
    return {name: value for name, value in first.items() if not name.startswith("__")}


def _cached(ran: list[tuple[int, JsonObject]], seen: set[str]) -> Iterator[tuple[str, JsonObject]]:
    """Yield what nodes without an event of their own left in the store."""
    told: dict[str, JsonObject] = {}
    for _, event in ran:
        for name, value in _store(event, "shared_after").items():
            if name not in seen and isinstance(value, dict) and _type_by_output(value):
                told.setdefault(name, value)
    yield from told.items()


def _type_by_output(output: JsonObject) -> str | None:
    if "status_code" in output and "response" in output:
        return "HttpNode"
    if "exit_code" in output and "stdout" in output:
        return "ShellNode"
    return "MCPNode" if "result" in output and any(name.endswith("_result") for name in output) else None


def _is_cut(value: Json) -> bool:
    if isinstance(value, str):
        return value.endswith(_CUT[0]) or value == _CUT[1] or value.startswith(_CUT[2])
    if isinstance(value, dict):
        return any(_is_cut(item) for item in value.values())
    return isinstance(value, list) and any(_is_cut(item) for item in value)


def _recovered(events: list[Any]) -> JsonObject | None:
    """Return the workflow that the first prompt of a repair holds; None if no prompt holds one whole."""
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
