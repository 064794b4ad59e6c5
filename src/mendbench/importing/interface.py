"""The types that every source of recorded exchanges returns."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.io.json_documents import load_json, parse_json
from mendbench.io.reading import MAX_RECORDING, read_text
from mendbench.model.exchange import Headers, Request, Response
from mendbench.model.json import Json, JsonObject

HOP_HEADERS = frozenset({"connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding"})
"""Headers about the transfer and not about the response (RFC 9110 section 7.6.1): bodies are imported decoded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundExchange:
    """One exchange of a source."""

    place: str
    """Its location in the source: ``entries[3]``."""
    response: Response | None
    """None if the source does not contain its body."""
    request: Request | None = None
    """None if the source names only the node that got the response."""
    node: str | None = None
    """The node that sent the request, if the source names it."""
    headers: Headers = ()
    """The known request headers, if there is no request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A part of a source that is not imported, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What was read from one file."""

    kind: str
    """The kind of file, in a few words."""
    path: Path
    found: tuple[FoundExchange, ...]
    dropped: tuple[Dropped, ...] = ()
    workflow: JsonObject | None = None
    """The failing workflow, if the source contains it."""
    inputs: JsonObject = field(default_factory=dict)
    """The workflow's inputs, if the source contains them."""
    said: dict[str, str] = field(default_factory=dict)
    """The source's error messages for nodes that failed."""


def json_file(path: Path) -> JsonObject:
    """Return the JSON object in a file; ``{"lines": [...]}`` for a file with one value per line, and for one that is an array.

    A last line that a crash truncated is left out.

    Raises:
        BadInput: it cannot be read, or contains something else.
    """
    text = read_text(path, MAX_RECORDING, "name the file to import")
    if (lines := _json_lines(text)) is not None:
        return {"lines": lines}
    value = load_json(text, str(path))
    if isinstance(value, list):
        return {"lines": value}
    if not isinstance(value, dict):
        raise BadInput(str(path), f"a JSON {type(value).__name__}", "name a trace, a cassette or a HAR file")
    return value


def _json_lines(text: str) -> list[Json] | None:
    """Return the values in the lines of a file; None if not every line is JSON."""
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2:  # noqa: PLR2004 - one line is a document
        return None
    values: list[Json] = []
    for number, line in enumerate(lines):
        try:
            values.append(parse_json(line))
        except ValueError:
            return values if number and number == len(lines) - 1 else None
    return values


def body_bytes(value: Json) -> bytes:
    """Return a parsed body as bytes again: a text unchanged, anything else as JSON."""
    if value is None:
        return b""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def settled(headers: Headers) -> Headers:
    """Return headers without those about the transfer, and without the pseudo headers of HTTP/2 (RFC 9113 section 8.3)."""
    return tuple((name, value) for name, value in headers if name.lower() not in HOP_HEADERS and name[:1] != ":")
