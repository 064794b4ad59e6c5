"""The JSON-RPC 2.0 messages in a log, with what the logger noted beside each.

A line is a message, a batch (an array of messages), an object of the logger that holds one (parsed or as JSON text), or text that ends
in one. What follows the JSON in a line of text is ignored: some loggers add fields there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from mendbench.io.json_documents import parse_json, reader_of
from mendbench.model.json import Json, JsonObject

_DIRECTION = ("direction", "dir", "from", "sender", "source", "side", "origin", "flow")
_SERVER = ("server", "server_name", "serverName", "mcp_server", "mcpServer")
_TIME = ("timestamp", "time", "ts", "@timestamp", "datetime", "at")

_INSTANT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_BRACKETED = re.compile(r"\[([^\[\]\s]+)\]")
_LEVELS = frozenset({"trace", "debug", "info", "notice", "warn", "warning", "error", "critical", "fatal"})
_MILLISECONDS = 1e11
"""A larger number of a timestamp counts milliseconds: as seconds it would be after the year 5000."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One JSON-RPC message of a log."""

    place: str
    """Its line: ``line 12``. In a batch also its index."""
    body: JsonObject
    label: str = ""
    """The logger's words for its direction, without numbers; empty if there are none."""
    server: str | None = None
    """The server's name, if the logger noted it."""
    at: float | None = None
    """When it was logged, in seconds since 1970; None if unknown. Times without a zone are read as UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A line with a JSON-RPC message whose JSON cannot be read."""

    place: str


def messages_in(value: Json, place: str) -> list[Message]:
    """Return the messages in one parsed line."""
    return [
        Message(place=f"{place}[{index}]" if index is not None else place, body=body) for index, body in _bodies(value)
    ] or _wrapped(value, place)


def messages_in_text(line: str, place: str) -> list[Message] | Broken:
    """Return the messages in one line of text; an empty list if it has none."""
    if "jsonrpc" not in line:
        return []
    try:
        return messages_in(parse_json(line), place)
    except ValueError:
        at = line.find("{")
    at -= line[at - 1 : at] == "["  # a batch
    while at >= 0:
        try:
            value, _ = reader_of(line).raw_decode(line, at)
        except (ValueError, RecursionError):
            value = None
        if found := list(_bodies(value)):
            prefix = line[:at]
            return [
                Message(
                    place=f"{place}[{index}]" if index is not None else place, body=body, label=_label(prefix),
                    server=_named(prefix), at=_instant(prefix),
                )
                for index, body in found
            ]  # fmt: skip
        at = line.find("{", at + 1)
    return Broken(place=place) if '"jsonrpc"' in line else []


def _bodies(value: Json) -> Iterator[tuple[int | None, JsonObject]]:
    """Yield the messages that a value is, with their index in a batch."""
    if _is_message(value):
        yield None, value
    elif isinstance(value, list):
        yield from ((index, item) for index, item in enumerate(value) if _is_message(item))


def _is_message(value: Json) -> bool:
    return (
        isinstance(value, dict)
        and value.get("jsonrpc") == "2.0"
        and (isinstance(value.get("method"), str) or "result" in value or "error" in value)
    )


def _wrapped(value: Json, place: str) -> list[Message]:
    """Return the messages that the fields of a logger's object hold."""
    if not isinstance(value, dict):
        return []
    found: list[Message] = []
    for key, item in value.items():
        inner = _parsed(item)
        for index, body in _bodies(inner):
            found.append(
                Message(
                    place=f"{place}.{key}" + (f"[{index}]" if index is not None else ""),
                    body=body,
                    label=_first(value, _DIRECTION) or "",
                    server=_first(value, _SERVER),
                    at=_time(value),
                )
            )
    return found


def _parsed(item: Json) -> Json:
    if not isinstance(item, str) or '"jsonrpc"' not in item:
        return item
    try:
        return parse_json(item)
    except ValueError:
        return None


def _first(value: JsonObject, names: tuple[str, ...]) -> str | None:
    for name in names:
        found = value.get(name)
        found = found.get("name") if isinstance(found, dict) else found
        if isinstance(found, str) and found:
            return found
    return None


def _time(value: JsonObject) -> float | None:
    for name in _TIME:
        found = value.get(name)
        if isinstance(found, int | float) and not isinstance(found, bool):
            return found / 1000 if found > _MILLISECONDS else float(found)
        if isinstance(found, str) and (instant := _instant(found)) is not None:
            return instant
    return None


def _instant(text: str) -> float | None:
    found = _INSTANT.search(text)
    if found is None:
        return None
    try:
        read = datetime.fromisoformat(found.group().replace(",", "."))
    except ValueError:
        return None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def _label(prefix: str) -> str:
    """Return a prefix without its time and numbers, which differ from line to line."""
    return " ".join(re.sub(r"[\d.,:]+", " ", _INSTANT.sub(" ", prefix)).split())


def _named(prefix: str) -> str | None:
    """Return the one word in brackets that is neither a level, a time nor a number."""
    words = [
        word for word in _BRACKETED.findall(prefix)
        if word.lower() not in _LEVELS and not word.isdigit() and not _INSTANT.search(word)
    ]  # fmt: skip
    return words[0] if len(words) == 1 else None
