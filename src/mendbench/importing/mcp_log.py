"""Logs of the JSON-RPC messages between an MCP client and its servers.

Requests and responses are paired by id. Each side counts its own ids, and starts again with each ``initialize``. Direction comes from
the methods (MCP 2025-06-18, Client and Server Features) and from the logger's words, whose meaning is learned from messages that only one
side can send.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import quote

from mendbench.errors import BadInput
from mendbench.importing.interface import Dropped, FoundExchange, Source
from mendbench.importing.mcp_messages import Broken, Message, messages_in, messages_in_text
from mendbench.io.canonical_json import canonical_json
from mendbench.io.json_documents import parse_json
from mendbench.io.reading import MAX_RECORDING, read_text
from mendbench.model.exchange import Fault, Request, Response
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.nodes.interface import json_request
from mendbench.secrets.redaction import sanitise

_Side: TypeAlias = Literal["client", "server"]

_CALL, _LIST, _START, _CANCEL = "tools/call", "tools/list", "initialize", "notifications/cancelled"
_OF_CLIENT = ("initialize", "tools/", "resources/", "prompts/", "completion/", "logging/")
_OF_SERVER = ("sampling/", "roots/", "elicitation/")
_RESULTS: tuple[tuple[_Side, frozenset[str]], ...] = (
    ("client", frozenset({"role", "roots", "action"})),
    ("server", frozenset({"serverInfo", "tools", "content", "structuredContent", "isError"})),
)
"""Fields of results that only one side sends. A sampled message has ``content`` too, but only it has a ``role``."""

_UNNAMED = "server"
"""The name of a server that neither the logger nor the server itself names."""

_HEADERS = (("content-type", "application/json"),)
_TIMED_OUT = ("timeout", "timed out", "time out")
_UNSENT = "mendbench's nodes call and list tools: they send nothing else"
_HINT = "name a log with the JSON-RPC messages of an MCP client or server, one message or array a line"


def is_mcp_log(document: JsonObject) -> bool:
    """Return whether a parsed file holds JSON-RPC messages of MCP, bare or wrapped by a logger."""
    lines = document.get("lines")
    held = lines if isinstance(lines, list) else [document]
    return any(_is_mcp(message) for line in held for message in messages_in(line, ""))


def is_mcp_log_text(text: str) -> bool:
    """Return whether a text has lines that end in JSON-RPC messages of MCP."""
    for line in text.split("\n"):
        found = messages_in_text(line, "")
        if not isinstance(found, Broken) and any(_is_mcp(message) for message in found):
            return True
    return False


def _is_mcp(message: Message) -> bool:
    return str(message.body.get("method", "")).startswith((*_OF_CLIENT, *_OF_SERVER, "notifications/"))


def read_mcp_log(path: Path, no_file: str = "name the file to import") -> Source:
    """Return the tool calls and tool lists in a log. ``no_file`` is what to do if it is no file.

    Raises:
        BadInput: it cannot be read, or has no tool call or list with a response.
    """
    messages, dropped = _messages(read_text(path, MAX_RECORDING, no_file))
    pairing = _Pairing(directions=_Directions.learned(messages), dropped=dropped)
    for message in messages:
        pairing.take(message)
    pairing.end()
    if not messages:
        raise BadInput(str(path), "no JSON-RPC message", _HINT)
    if not pairing.found:
        first = pairing.dropped[0]
        raise BadInput(
            str(path), f"no tool call with a response ({sanitise(first.what)}: {sanitise(first.why)})", _HINT
        )
    in_order = sorted(pairing.found, key=lambda pair: pair[0])
    return Source(
        kind="MCP log", path=path, found=tuple(found for _, found in in_order), dropped=tuple(pairing.dropped)
    )


def _messages(text: str) -> tuple[list[Message], list[Dropped]]:
    """Return all messages of a log, and what else its lines hold."""
    try:
        whole = parse_json(text)
    except ValueError:
        lines = [(f"line {number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
        read = [(place, messages_in_text(line, place)) for place, line in lines]
    else:
        items = whole if isinstance(whole, list) else [whole]
        read = [(f"[{number}]", messages_in(item, f"[{number}]")) for number, item in enumerate(items)]
    found = [message for _, held in read if not isinstance(held, Broken) for message in held]
    dropped = [
        Dropped(what=held.place, why="its JSON-RPC message is cut off or broken")
        for _, held in read
        if isinstance(held, Broken)
    ]
    if others := sum(held == [] for _, held in read):
        dropped.append(Dropped(what=f"{others} lines", why="they hold no JSON-RPC message"))
    return found, dropped


@dataclass(frozen=True, slots=True, kw_only=True)
class _Directions:
    """Who says what: the logger's words for messages of each side."""

    client: frozenset[str]
    server: frozenset[str]

    @staticmethod
    def learned(messages: list[Message]) -> _Directions:
        """Return the words that occur with messages of one side only."""
        said: dict[_Side, set[str]] = {"client": set(), "server": set()}
        for message in messages:
            side = _surely(message.body)
            if side is not None and message.label:
                said[side].add(message.label)
        both = said["client"] & said["server"]
        return _Directions(client=frozenset(said["client"] - both), server=frozenset(said["server"] - both))

    def of(self, message: Message) -> _Side | None:
        """Return the side that sent a message; None if the log does not show it."""
        if side := _surely(message.body):
            return side
        return "client" if message.label in self.client else "server" if message.label in self.server else None


def _surely(body: JsonObject) -> _Side | None:
    """Return the only side that can send a message; None if both can."""
    method, result = body.get("method"), body.get("result")
    if isinstance(method, str):
        return "client" if method.startswith(_OF_CLIENT) else "server" if method.startswith(_OF_SERVER) else None
    return next((side for side, names in _RESULTS if isinstance(result, dict) and names & set(result)), None)


_Id: TypeAlias = tuple[str | None, _Side | None, str]
"""A request's connection (the server that the logger named), its sender and its id as JSON."""


@dataclass(slots=True, kw_only=True)
class _Pairing:
    """Pairs the messages of a log in their order."""

    directions: _Directions
    dropped: list[Dropped]
    found: list[tuple[int, FoundExchange]] = field(default_factory=list)
    """The exchanges, each with the position of its request."""
    _waiting: dict[_Id, tuple[int, Message]] = field(default_factory=dict)
    _name: str | None = None
    """The name that the server gave itself, for logs that name none."""
    _taken: int = 0

    def take(self, message: Message) -> None:
        """Add the next message."""
        self._taken += 1
        method = message.body.get("method")
        if method is None:
            self._response(message)
        elif message.body.get("id") is None:
            self._notification(message, str(method))
        else:
            self._request(message, str(method))

    def end(self) -> None:
        """Drop the requests that are still without a response."""
        for _, request in self._waiting.values():
            self._drop(request, "the log ends before its response")
        self._waiting.clear()

    def _request(self, message: Message, method: str) -> None:
        if method == _START:
            for key in [key for key in self._waiting if key[0] == message.server]:
                self._drop(self._waiting.pop(key)[1], "the session ended before its response")
        key = (message.server, self.directions.of(message), _id(message.body))
        earlier = self._waiting.get(key)
        if earlier is not None and earlier[1].body == message.body:
            self._drop(message, "the log holds it twice")
            return
        if earlier is not None:
            self._drop(earlier[1], "its id was used again before its response")
        self._waiting[key] = (self._taken, message)

    def _response(self, message: Message) -> None:
        """Pair a response with the request of the other side, or drop it."""
        sender = self.directions.of(message)
        keys = [
            key for key in self._waiting
            if (key[0], key[2]) == (message.server, _id(message.body)) and (sender is None or key[1] != sender)
        ]  # fmt: skip
        if len(keys) != 1:
            why = "two requests have its id, and the log does not show who sent it" if keys else "no request has its id"
            self._drop(message, why)
            return
        at, request = self._waiting.pop(keys[0])
        result = message.body.get("result")
        if request.body["method"] == _START and isinstance(result, dict):
            info = result.get("serverInfo")
            if isinstance(info, dict) and isinstance(info.get("name"), str) and info["name"]:
                self._name = info["name"]
        body = canonical_json({**message.body, "id": 1}).encode("utf-8", "surrogatepass")
        took = _elapsed_ms(request, message)
        self._pair(at, request, Response(status=200, headers=_HEADERS, body=body, elapsed_ms=took))

    def _notification(self, message: Message, method: str) -> None:
        params = _object(message.body.get("params"))
        keys = [
            key for key in self._waiting
            if method == _CANCEL and (key[0], key[2]) == (message.server, json.dumps(params.get("requestId")))
            and self.directions.of(message) in {key[1], None}
        ]  # fmt: skip
        if len(keys) != 1:
            self._drop(message, "a notification: it has no response")
            return
        at, request = self._waiting.pop(keys[0])
        reason = str(params.get("reason") or "no reason given")
        if any(words in reason.lower() for words in _TIMED_OUT):
            fault: Fault = "timeout"
            self._pair(at, request, Response(status=0, fault=fault, elapsed_ms=_elapsed_ms(request, message)))
        else:
            self._drop(request, f"it was cancelled: {sanitise(reason)}")

    def _pair(self, at: int, message: Message, response: Response) -> None:
        read = self._exchanged(message)
        if isinstance(read, str):
            self._drop(message, read)
        else:
            self.found.append((at, FoundExchange(place=message.place, request=read, response=response)))

    def _exchanged(self, message: Message) -> Request | str:
        """Return the request that our nodes would send, or why there is none."""
        method, params = message.body["method"], _object(message.body.get("params"))
        server = quote(message.server or self._name or _UNNAMED, safe="")
        if method == _LIST:
            later = "a later page of the list: mendbench's nodes ask for the first one"
            return later if params.get("cursor") else json_request(f"mcp://{server}/{_LIST}", {})
        if method != _CALL:
            return "the handshake" if method == _START else _UNSENT
        tool, arguments = params.get("name"), params.get("arguments", {})
        if not isinstance(tool, str) or not tool:
            return "it names no tool"
        if not isinstance(arguments or {}, dict):
            return "its arguments are no object"
        return json_request(f"mcp://{server}/{quote(tool, safe='')}", arguments or {})

    def _drop(self, message: Message, why: str) -> None:
        name = _object(message.body.get("params")).get("name")
        said = " ".join(str(word) for word in (message.body.get("method", "response"), name) if word)
        self.dropped.append(Dropped(what=f"{message.place} {said}", why=why))


def _id(body: JsonObject) -> str:
    return json.dumps(body.get("id"))


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _elapsed_ms(first: Message, second: Message) -> int:
    return max(0, round((second.at - first.at) * 1000)) if first.at is not None and second.at is not None else 0
