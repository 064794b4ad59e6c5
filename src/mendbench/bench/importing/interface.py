"""What every source of recorded exchanges gives."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from mendbench.bench.documents import read_json
from mendbench.errors import BadInput
from mendbench.model.exchange import Answer, Headers, Request
from mendbench.model.json import Json, JsonObject

HOP_HEADERS = frozenset({"connection", "content-encoding", "content-length", "keep-alive", "transfer-encoding"})
"""Headers about the transfer and not about the answer (RFC 9110 section 7.6.1): bodies are imported decoded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One exchange of a source."""

    place: str
    """Where it stands in the source: ``entries[3]``."""
    answer: Answer
    request: Request | None = None
    """None where the source tells only which node was answered."""
    node: str | None = None
    """The node that asked, if the source tells."""


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
    """Return the JSON object in a file.

    Raises:
        BadInput: it cannot be read, or holds something else.
    """
    value = read_json(path, "name the file to import")
    if not isinstance(value, dict):
        raise BadInput(str(path), f"a JSON {type(value).__name__}", "name a trace, a cassette or a HAR file")
    return value


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
