"""Stand between a client and an MCP server over stdio, and give the arguments of its tools other names.

``python renaming_proxy.py MAP.json -- COMMAND...`` starts the server. The map holds, for each tool, real name to new name. Within a tool
the two names of an argument change places, in both directions. So a new name reaches the server as the real one, a real name reaches it as
one that it does not have, and any other name stays as it is. Changed are the argument names of calls, the schemas and descriptions of
``tools/list``, and the texts of results and errors. An ``outputSchema`` is left out.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import IO, Any, cast

Names = Mapping[str, str]
_AS_NAME = (
    r"(?<=[\"'`\[])(?:{word})(?=[\"'`\]])|^(?:{word})(?=$|\.\w|:| is | must )"
    r"|(?<=\bat )(?:{word})\b|(?<=\bfield )(?:{word})\b|(?<![\w-])(?:{word})(?=:)"
)
"""Where a word is a name: in quotes or brackets, at the start of a line before a verb or its own part, alone on a line, after ``at`` or
``field``, before a colon."""


def swapped(names: Names) -> dict[str, str]:
    """Return a map in which each real name and its new name stand for each other."""
    return {**names, **{new: real for real, new in names.items()}}


def rename_keys(names: Names, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call under their other names; nested names are kept."""
    both = swapped(names)
    return {both.get(name, name): value for name, value in arguments.items()}


def rename_text(names: Names, text: str) -> str:
    """Return a text with the names in it changed, as whole words; a name that is also an English word, only where it stands as a name."""
    both = swapped(names)
    return _pattern(tuple(sorted(both))).sub(lambda found: both[found[0]], text) if both else text


def rename_schema(names: Names, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool's input schema with its arguments under their other names, and these names in its descriptions."""
    both = swapped(names)
    changed: dict[str, Any] = _described(names, schema)
    if "properties" in schema:
        changed["properties"] = {
            both.get(name, name): _titled(both.get(name, name), one) for name, one in changed["properties"].items()
        }
    if "required" in schema:
        changed["required"] = [both.get(name, name) for name in schema["required"]]
    return changed


def rename_tool(names: Names, tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of ``tools/list`` under the other names of its arguments."""
    kept = {key: value for key, value in tool.items() if key != "outputSchema"}
    described = {"description": rename_text(names, tool["description"])} if "description" in tool else {}
    return {**kept, **described, "inputSchema": rename_schema(names, tool["inputSchema"])}


def rename_answer(names: Names, message: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a call with the names in its texts changed."""
    changed = dict(message)
    if "error" in message:
        changed["error"] = _all_texts(names, message["error"])
    if "result" in message:
        result = dict(message["result"])
        result["content"] = [
            {**one, "text": rename_text(names, one["text"])} if "text" in one else one
            for one in result.get("content", ())
        ]
        if "structuredContent" in result:
            result["structuredContent"] = _all_texts(names, result["structuredContent"])
        changed["result"] = result
    return changed


class Proxy:
    """The changes of one connection; it remembers which call an answer belongs to."""

    def __init__(self, names: Mapping[str, Names]) -> None:
        self._names = names
        self._called: dict[Any, str] = {}
        """The tool of each open call, by its id."""

    def to_server(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return a client's message as the server gets it."""
        if message.get("method") != "tools/call":
            return message
        params = message["params"]
        self._called[message["id"]] = params["name"]
        arguments = rename_keys(self._names.get(params["name"], {}), params.get("arguments") or {})
        return {**message, "params": {**params, "arguments": arguments}}

    def to_client(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return a server's message as the client gets it."""
        if "method" in message:
            return message
        if (tool := self._called.pop(message.get("id"), None)) is not None:
            return rename_answer(self._names.get(tool, {}), message)
        tools = message.get("result", {}).get("tools")
        if tools is None:
            return message
        renamed = [rename_tool(self._names.get(one["name"], {}), one) for one in tools]
        return {**message, "result": {**message["result"], "tools": renamed}}


@cache
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    plain = "|".join(re.escape(name) for name in names if name.isalpha() and name.islower())
    others = "|".join(re.escape(name) for name in names if not (name.isalpha() and name.islower()))
    parts = [rf"(?<![\w-])(?:{others})(?![\w-])"] if others else []
    return re.compile("|".join([*parts, _AS_NAME.replace("{word}", plain)] if plain else parts), re.MULTILINE)


def _described(names: Names, value: Any) -> Any:
    """Return a schema with the names in its descriptions changed; its keys are kept."""
    if isinstance(value, Mapping):
        return {
            key: rename_text(names, one) if key == "description" and isinstance(one, str) else _described(names, one)
            for key, one in value.items()
        }
    return [_described(names, one) for one in value] if isinstance(value, list) else value


def _titled(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema whose title is its new name's, as Pydantic makes one, if it has a title."""
    return {**schema, "title": name.replace("_", " ").title()} if "title" in schema else schema


def _all_texts(names: Names, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {swapped(names).get(key, key): _all_texts(names, one) for key, one in value.items()}
    if isinstance(value, list):
        return [_all_texts(names, one) for one in value]
    return rename_text(names, value) if isinstance(value, str) else value


def _pump(lines: Iterable[bytes], to: IO[bytes], change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Pass messages on, one a line; a line that is no JSON object passes unchanged."""
    for line in lines:
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        to.write(json.dumps(change(message)).encode() + b"\n" if isinstance(message, dict) else line)
        to.flush()


def main(names: Path, command: list[str]) -> int:
    """Run a server behind the proxy and return its exit code."""
    proxy = Proxy(json.loads(names.read_text("utf-8")))
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    to_server, from_server = cast("IO[bytes]", server.stdin), cast("IO[bytes]", server.stdout)

    def requests() -> None:
        _pump(sys.stdin.buffer, to_server, proxy.to_server)
        to_server.close()

    threading.Thread(target=requests, daemon=True).start()
    _pump(from_server, sys.stdout.buffer, proxy.to_client)
    return server.wait()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[3:]))
