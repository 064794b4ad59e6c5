"""Converts the output of another engine's node to the response that it got: the same in all its trace formats."""

from __future__ import annotations

from mendbench.importing.interface import HOP_HEADERS, Dropped, FoundExchange, body_bytes
from mendbench.io.canonical_json import canonical_json
from mendbench.model.exchange import Fault, Headers, Response
from mendbench.model.json import Json, JsonObject

NODE_TYPES = {"HttpNode": "http", "MCPNode": "mcp", "ShellNode": "shell", "LLMNode": "llm"}
"""Class names of the nodes that send requests, and our names for their types."""

_CUT = ("... [truncated]", "<large dict truncated>", "<binary data:")
_LONGEST_MS = 30 * 24 * 3600 * 1000
"""A month."""

_UNRESOLVED = "Unresolved variables in parameter"
"""The engine's message for an unresolved template: in this case nothing was sent."""

_FAULTS: tuple[tuple[str, Fault], ...] = (
    ("timed out", "timeout"), ("timeout", "timeout"), ("name or service not known", "dns"), ("getaddrinfo", "dns"),
    ("name resolution", "dns"), ("could not resolve host", "dns"), ("connection refused", "refused"),
    ("connection reset", "reset"), ("certificate", "tls"), ("ssl", "tls"),
)  # fmt: skip


def take(
    place: str,
    node: str,
    event: JsonObject,
    output: Json,
    found: list[FoundExchange],
    dropped: list[Dropped],
    headers: Headers = (),
) -> None:
    """Add a node's response to what was found, or to what was dropped and why. A node that sends no requests adds nothing.

    ``headers`` are those that it sent, as far as they are known.
    """
    kind = NODE_TYPES.get(str(event.get("node_type")))
    if kind is None or kind == "llm":
        if kind == "llm":
            dropped.append(
                Dropped(what=f"{place} {node}", why="a model's response: record it with `case check --record`")
            )
        return
    if output is None and event.get("error"):
        output = {}
    if not isinstance(output, dict):
        why = "the file says nothing of its response" if output is None else "its response was cut"
        dropped.append(Dropped(what=f"{place} {node}", why=why))
    elif is_cut(output):
        dropped.append(Dropped(what=f"{place} {node}", why="its response was cut"))
    elif _UNRESOLVED in str(event.get("error")) or (response := _RESPONSES[kind](output, event)) is None:
        dropped.append(Dropped(what=f"{place} {node}", why="it sent nothing: it failed before"))
    else:
        found.append(FoundExchange(place=place, node=node, response=response, headers=headers))


def _http(output: JsonObject, event: JsonObject) -> Response | None:
    status = output.get("status_code")
    elapsed = _milliseconds(output.get("response_time"), 1000) or _milliseconds(event.get("duration_ms"))
    if not isinstance(status, int) or status == 0:
        return _faulty(f"{output.get('error') or ''} {event.get('error') or ''}", elapsed)
    named = output.get("response_headers")
    headers: Headers = tuple((str(k), str(v)) for k, v in named.items()) if isinstance(named, dict) else ()
    kept = tuple((name, value) for name, value in headers if name.lower() not in HOP_HEADERS)
    return Response(status=status, headers=kept, body=body_bytes(output.get("response")), elapsed_ms=elapsed)


def _milliseconds(duration: Json, factor: int = 1) -> int:
    """Return a time in milliseconds; 0 if the value is not a time."""
    if isinstance(duration, bool) or not isinstance(duration, int | float) or not 0 <= duration <= _LONGEST_MS:
        return 0
    return round(duration * factor)


def _mcp(output: JsonObject, event: JsonObject) -> Response | None:
    """Return the JSON-RPC response that leads to these outputs."""
    elapsed = _milliseconds(event.get("duration_ms"))
    result, error = output.get("result"), output.get("error")
    if result is None and not error:
        result = next((value for name, value in output.items() if name.endswith("_result")), None)
    if result is None and error is None:
        return None
    if error and "timed out" in str(error).lower():
        return Response(status=0, fault="timeout", elapsed_ms=elapsed)
    text = str(error) if error else result if isinstance(result, str) else canonical_json(result)
    content: JsonObject = {"content": [{"type": "text", "text": text}]}
    if error:
        content["isError"] = True
    elif isinstance(result, dict):
        content["structuredContent"] = result
    rpc = {"jsonrpc": "2.0", "id": 1, "result": content}
    headers = (("content-type", "application/json"),)
    return Response(status=200, headers=headers, body=body_bytes(rpc), elapsed_ms=elapsed)


def _shell(output: JsonObject, event: JsonObject) -> Response | None:
    if "exit_code" not in output:
        return None
    streams = {name: output.get(name) for name in ("stdout", "stderr", "exit_code")}
    headers = (("content-type", "application/json"),)
    elapsed = _milliseconds(event.get("duration_ms"))
    return Response(status=200, headers=headers, body=body_bytes(streams), elapsed_ms=elapsed)


_RESPONSES = {"http": _http, "mcp": _mcp, "shell": _shell}


def _faulty(message: str, elapsed: int) -> Response | None:
    lowered = message.lower()
    fault = next((fault for word, fault in _FAULTS if word in lowered), None)
    return Response(status=0, fault=fault, elapsed_ms=elapsed) if fault else None


def failed(event: JsonObject, output: Json) -> str | None:
    """Return the error message of a failed node, regardless of its ``success``; None if it did not fail."""
    if event.get("error"):
        return _briefly(str(event["error"]))
    fields = output if isinstance(output, dict) else {}
    status = fields.get("status_code")
    if fields.get("error"):
        return str(fields["error"])
    if isinstance(status, int) and status >= 400:  # noqa: PLR2004 - RFC 9110 section 15.5
        return f"HTTP {status}"
    return "it failed" if event.get("success") is False or event.get("status") == "failed" else None


def _briefly(text: str) -> str:
    """Return an error message in one line, without file locations."""
    lines = (line.strip() for line in text.splitlines())
    return " ".join(line for line in lines if line and not line.startswith(("At: ", "Loaded from file: ")))


def is_cut(value: Json) -> bool:
    """Return whether the engine truncated a value when it wrote the trace."""
    if isinstance(value, str):
        return value.endswith(_CUT[0]) or value == _CUT[1] or value.startswith(_CUT[2])
    if isinstance(value, dict):
        return any(is_cut(item) for item in value.values())
    return isinstance(value, list) and any(is_cut(item) for item in value)
