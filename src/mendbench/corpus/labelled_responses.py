"""Labelled API responses: what a detector is evaluated on. One JSON object a line."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from mendbench.errors import BadInput
from mendbench.io.json_documents import load_json
from mendbench.io.reading import read_bytes
from mendbench.model.execution import State
from mendbench.model.json import Json, JsonObject

MAX_BYTES = 100_000_000
"""The maximum size of a file, bytes."""

_ALIKE = 0.8
"""How much an unknown key resembles a missing one that it is taken for (``difflib``: 1 is the same word)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledResponse:
    """One response with its truth."""

    id: str
    """As written in the file, or ``line N``."""
    service: str
    """Whose response it is. Rows of one service are resampled together."""
    status: int
    headers: JsonObject
    """Lower-case names."""
    body: Json
    """Parsed JSON, or text."""
    truth: State | None
    """None if the file gives none: such a row can be explained, not scored."""
    method: str = ""
    """The request's method; empty if unknown."""
    url: str = ""
    """The request's URL; empty if unknown."""
    sent: Json = None
    """The request's body; None if it has none or it is unknown."""
    source: str = ""
    why: str = ""
    second: State | None = field(default=None)
    """The label of a second reader."""


class _Request(BaseModel):
    model_config = ConfigDict(extra="ignore")
    method: str = ""
    url: str = ""
    body: Any = None


class _Row(BaseModel):
    model_config = ConfigDict(extra="ignore")
    id: str = ""
    service: str = ""
    status: Annotated[int, Field(ge=100, le=999, strict=True)] = 200
    headers: dict[str, Any] = Field(default_factory=dict)
    body: Any = None
    truth: State | None = None
    request: _Request | None = None
    source: str = ""
    why: str = ""
    second_reader: State | None = None

    @field_validator("headers", mode="before")
    @classmethod
    def _no_headers(cls, value: object) -> object:
        return {} if value is None else value


def read_responses(path: Path, *, labelled: bool = True) -> tuple[LabelledResponse, ...]:
    """Return the responses in a file, in its order. Unknown keys are ignored, but for misspelt ones.

    Raises:
        BadInput: the file cannot be read, is empty, or a line is not such an object; with ``labelled``, a row has no truth.
    """
    text = read_bytes(path, MAX_BYTES, "name a file of labelled responses").decode("utf-8", "replace")
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if not lines:
        raise BadInput(
            str(path),
            "no response in it",
            "write one JSON object a line, with service, status, headers, body and truth",
        )
    return tuple(_response(line, number, str(path), labelled=labelled) for number, line in lines)


def _response(line: str, number: int, file: str, *, labelled: bool) -> LabelledResponse:
    value, place = load_json(line, file, "write one JSON object a line", line=number), f"{file}:{number}"
    if not isinstance(value, dict):
        raise BadInput(place, "not an object", "write an object with service, status, headers, body and truth")
    _refuse_misspelt(value, place)
    try:
        row = _Row.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        slot = ".".join(str(part) for part in first["loc"])
        raise BadInput(
            f"{place}: {slot}", repr(first["input"])[:80], _REMEDIES.get(slot, first["msg"].lower())
        ) from None
    if labelled and row.truth is None:
        raise BadInput(f"{place}: truth", "missing", _REMEDIES["truth"])
    request = row.request or _Request()
    return LabelledResponse(
        id=row.id or f"line {number}", service=row.service or "unnamed", status=row.status,
        headers={name.lower(): item for name, item in row.headers.items()}, body=_parsed(row.body), truth=row.truth,
        method=request.method, url=request.url, sent=request.body, source=row.source, why=row.why, second=row.second_reader,
    )  # fmt: skip


def _refuse_misspelt(value: JsonObject, place: str) -> None:
    known = _Row.model_fields.keys()
    for key in value.keys() - known:
        if close := difflib.get_close_matches(key, known - value.keys(), n=1, cutoff=_ALIKE):
            raise BadInput(f"{place}: {key}", f"unknown key {key!r}", f"did you mean {close[0]!r}?")


_REMEDIES = {
    "truth": "write success, warning or error",
    "second_reader": "write success, warning or error",
    "status": "write an HTTP status as a number",
    "headers": "write an object of header names and values",
}


def _parsed(body: Json) -> Json:
    """Return a body as a node would have it: a text that is JSON is parsed."""
    from mendbench.exchanges.bodies import parse_body  # noqa: PLC0415

    return parse_body(body.encode("utf-8", "replace"), None) if isinstance(body, str) else body
