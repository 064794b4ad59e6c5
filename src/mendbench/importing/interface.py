"""What every source of recorded exchanges gives."""

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
class Found:
    """One exchange of a source."""

    place: str
    """Where it stands in the source: ``entries[3]``."""
    response: Response | None
    """None where the source does not hold its body."""
    request: Request | None = None
    """None where the source tells only which node was answered."""
    node: str | None = None
    """The node that asked, if the source tells."""
    headers: Headers = ()
    """What is known of the headers that were sent, where there is no request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """Something of a source that does not come into the case, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What was read from one file."""

    kind: str
    """What sort of file it is, in a few words."""
    path: Path
    found: tuple[Found, ...]
    dropped: tuple[Dropped, ...] = ()
    workflow: JsonObject | None = None
    """The failing workflow, where the source holds it."""
    inputs: JsonObject = field(default_factory=dict)
    """What the workflow was given, where the source tells."""
    said: dict[str, str] = field(default_factory=dict)
    """What the source says of nodes that failed."""


def json_file(path: Path) -> JsonObject:
    """Return the JSON object in a file; ``{"lines": [...]}`` of one that holds an object a line.

    A last line that was cut, as a crash leaves it, is left out.

    Raises:
        BadInput: it cannot be read, or holds something else.
    """
    text = read_text(path, MAX_RECORDING, "name the file to import")
    if (lines := _json_lines(text)) is not None:
        return {"lines": lines}
    value = load_json(text, str(path))
    if not isinstance(value, dict):
        raise BadInput(str(path), f"a JSON {type(value).__name__}", "name a trace, a cassette or a HAR file")
    return value


def _json_lines(text: str) -> list[Json] | None:
    """Return what the lines of a file hold; None if they are not JSON each."""
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
    """Return a body that was parsed for showing as bytes again: a text as it is, all else as JSON."""
    if value is None:
        return b""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def settled(headers: Headers) -> Headers:
    """Return headers without those about the transfer, and without the pseudo headers of HTTP/2 (RFC 9113 section 8.3)."""
    return tuple((name, value) for name, value in headers if name.lower() not in HOP_HEADERS and name[:1] != ":")
