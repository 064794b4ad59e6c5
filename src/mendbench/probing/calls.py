"""Right calls: from a file, from a log of JSON-RPC messages, or from the examples in the tools' schemas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mendbench.errors import BadInput, UnknownName
from mendbench.exchanges.bodies import parse_body
from mendbench.importing.mcp_log import read_mcp_log
from mendbench.io.json_documents import parse_json
from mendbench.io.reading import MAX_RECORDING, read_text
from mendbench.model.exchange import Response
from mendbench.model.json import Json, JsonObject
from mendbench.probing.answers import answer_of
from mendbench.probing.servers import FOLDER_MARK
from mendbench.probing.tools import Tool

_HINT = 'write one call a line: {"tool": "…", "arguments": {…}, "request": "…"}'
_LIST = "tools/list"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call that is right."""

    tool: str
    arguments: JsonObject
    request: str = ""
    """What the user asked for, in one sentence; empty if unknown."""
    place: str
    """Where it comes from: ``calls.jsonl: line 3``."""


def read_calls(path: Path) -> tuple[Call, ...]:
    """Return the calls in a file with one JSON object a line.

    Raises:
        BadInput: it cannot be read, has no call, or a line is no call.
    """
    text = read_text(path, MAX_RECORDING, "name a file with right calls")
    lines = [(f"{path}: line {number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        raise BadInput(str(path), "no calls", _HINT)
    return tuple(_call(place, line) for place, line in lines)


def _call(place: str, line: str) -> Call:
    try:
        value = parse_json(line)
    except ValueError as error:
        raise BadInput(place, f"no JSON ({error})", _HINT) from None
    if not isinstance(value, dict) or not isinstance(value.get("tool"), str):
        raise BadInput(place, "no object with the name of a tool", _HINT)
    arguments, request = value.get("arguments", {}), value.get("request", "")
    if not isinstance(arguments, dict):
        raise BadInput(f"{place}: arguments", f"a {type(arguments).__name__}", "write them as an object: name to value")
    if not isinstance(request, str):
        raise BadInput(f"{place}: request", f"a {type(request).__name__}", "write what the user asked for, as text")
    if unknown := sorted(set(value) - {"tool", "arguments", "request"}):
        raise UnknownName("field", unknown[0], ("tool", "arguments", "request"), place)
    return Call(tool=value["tool"], arguments=arguments, request=request, place=place)


def read_log(path: Path) -> tuple[Call, ...]:
    """Return the calls in a log of JSON-RPC messages that were answered without an error, each once.

    Raises:
        BadInput: it cannot be read, is no such log, or has no such call.
    """
    found: dict[str, Call] = {}
    for exchange in read_mcp_log(path, "name a log of JSON-RPC messages with right calls").found:
        if exchange.request is None or exchange.response is None or not _succeeded(exchange.response):
            continue
        tool = unquote(urlsplit(exchange.request.url).path.removeprefix("/"))
        arguments = parse_body(exchange.request.body, "application/json")
        if tool != _LIST and isinstance(arguments, dict):
            call = Call(tool=tool, arguments=arguments, place=f"{path}: {exchange.place}")
            found.setdefault(f"{tool} {arguments}", call)
    if not found:
        raise BadInput(
            str(path), "no tool call that succeeded", "name a log with right calls, or write them for --calls"
        )
    return tuple(found.values())


def _succeeded(response: Response) -> bool:
    message = parse_body(response.body, "application/json")
    return response.fault is None and isinstance(message, dict) and answer_of(message).accepted


def calls_from_schemas(tools: Iterable[Tool]) -> tuple[Call, ...]:
    """Return a call for each tool whose schema gives a value for every required argument, and for at least one argument."""
    return tuple(_examples(tools))


def _examples(tools: Iterable[Tool]) -> Iterator[Call]:
    for tool in tools:
        whole = next((one for one in tool.schema.get("examples") or () if isinstance(one, dict)), None)
        values = {name: list(examples_of(schema)) for name, schema in tool.properties.items()}
        arguments = {name: found[0] for name, found in values.items() if found and found[0] is not None}
        arguments = whole if whole is not None else arguments
        if arguments and set(tool.required) <= set(arguments):
            yield Call(tool=tool.name, arguments=arguments, place=f"the schema of {tool.name}")


def examples_of(schema: JsonObject) -> Iterator[Json]:
    """Yield the values that an argument's schema gives, the likeliest first."""
    for key in ("examples", "enum"):
        values = schema.get(key)
        if key == "enum" and "default" in schema:
            yield schema["default"]
        yield from values if isinstance(values, list) else ()
    yield from (schema[key] for key in ("const", "default") if key in schema)


def checked(calls: Iterable[Call], tools: Iterable[Tool]) -> tuple[Call, ...]:
    """Return the calls, all of known tools.

    Raises:
        UnknownName: one is of an unknown tool.
    """
    names = [tool.name for tool in tools]
    found = tuple(calls)
    for call in found:
        if call.tool not in names:
            raise UnknownName("tool", call.tool, names, call.place)
    return found


def placed(value: Json, folder: str) -> Json:
    """Return a value with the path of the server's folder in place of ``{folder}``."""
    if isinstance(value, str):
        return value.replace(FOLDER_MARK, folder) if folder else value
    if isinstance(value, dict):
        return {key: placed(item, folder) for key, item in value.items()}
    return [placed(item, folder) for item in value] if isinstance(value, list) else value
