"""Responses as lines of a file, in three shapes: OpenAI's batch output, Anthropic's batch results, and id with content.

The shape is detected for each line. ``custom_id`` and ``content`` can also be the columns of a CSV file.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from mendbench.api_errors.chat_responses import refuses_for_length
from mendbench.errors import BadInput, Incomplete
from mendbench.io.canonical_json import canonical_json
from mendbench.model.exchange import Response
from mendbench.model.json import Json, JsonObject
from mendbench.prompts.completions import FINISHED, answered, completion, of_message
from mendbench.prompts.file_lines import bytes_of, lines_of, parsed
from mendbench.repairers.asking import read_response

Shape: TypeAlias = Literal["OpenAI batch", "Anthropic batch", "plain"]

_PLAIN = frozenset({"custom_id", "content", "finish_reason"})
_BAD_REQUEST = 400
"""The status of a request that cannot be served (RFC 9110 section 15.5.1): of Anthropic's ``invalid_request_error``."""
_SHAPES = "use OpenAI batch output, Anthropic batch results, or custom_id with content"
_SHOWN = 160
"""Characters of a provider's message that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseLine:
    """One line: a response, or a report that there is none."""

    place: str
    """Such as ``answers.jsonl:3``."""
    custom_id: str
    shape: Shape
    response: Response | None
    """In the form of a cassette, but not redacted; None if there is none."""
    why: str = ""
    """Why there is none."""
    model: str | None = None
    """The provider's name for the model that responded."""

    @property
    def counts(self) -> bool:
        """Whether it reports the token counts of the prompt and the response."""
        return self.response is not None and counts_tokens(self.response)

    @property
    def content(self) -> str:
        """The content of the response, without ids, times and counts, which differ between equal responses."""
        return "" if self.response is None else content_of(self.response)


def counts_tokens(response: Response) -> bool:
    """Return whether a response reports the token counts of the prompt and of itself.

    Raises:
        Incomplete: it is not a response.
    """
    reply = read_response(response, model="", model_request="")
    return reply.prompt_tokens is not None and reply.completion_tokens is not None


def content_of(response: Response) -> str:
    """Return the content of a response as a text for comparison: text, finish reason, tool calls.

    Raises:
        Incomplete: it is not a response.
    """
    reply = read_response(response, model="", model_request="")
    if reply.status == "prompt_too_long":
        return reply.status
    message = parsed(response.body, "answer")["choices"][0]["message"]
    return canonical_json([reply.text, reply.status, message.get("tool_calls") or [], message.get("refusal") or ""])


def read_responses(path: Path) -> tuple[tuple[ResponseLine, ...], tuple[BadInput, ...]]:
    """Return the lines of a file, and the errors of lines that cannot be read.

    Raises:
        BadInput: the file as a whole cannot be read: it is neither JSONL nor a CSV file with these columns.
    """
    read: list[ResponseLine] = []
    broken: list[BadInput] = []
    for found in _csv_lines(path) if _is_csv(path) else _json_lines(path):
        if isinstance(found, BadInput):
            broken.append(found)
        else:
            read.append(found)
    return tuple(read), tuple(broken)


def _is_csv(path: Path) -> bool:
    start = bytes_of(path).lstrip()[:1]
    return bool(start) and start not in b"{["


def _json_lines(path: Path) -> Iterator[ResponseLine | BadInput]:
    for place, data in lines_of(path):
        try:
            yield _line(parsed(data, place), place)
        except BadInput as error:
            yield error


def _line(raw: JsonObject, place: str) -> ResponseLine:
    name = raw.get("custom_id")
    if not isinstance(name, str) or not name:
        raise BadInput(place, "no custom_id", _SHAPES)
    if "result" in raw:
        return _of_anthropic(name, raw["result"], place)
    if "response" in raw or "error" in raw:
        return _of_openai(name, raw, place)
    if "content" in raw and raw.keys() <= _PLAIN:
        return _of_plain(name, raw["content"], raw.get("finish_reason"), place)
    raise BadInput(place, f"a line of no known shape ({', '.join(sorted(raw))})", _SHAPES)


def _of_openai(name: str, raw: JsonObject, place: str) -> ResponseLine:
    """Read a line of batch output (API reference, "The request output object"), or of its error file."""
    response, error = raw.get("response"), raw.get("error")
    status, body = (response.get("status_code"), response.get("body")) if isinstance(response, dict) else (None, None)
    if error is not None:
        refused = answered({"error": error}, status) if isinstance(status, int) else None
        if refused is not None and refuses_for_length(refused):  # vLLM writes it without a body
            return _judged(name, "OpenAI batch", place, refused, None)
        return _unanswered(name, "OpenAI batch", place, _words(error))
    if not isinstance(status, int) or not isinstance(body, dict):
        raise BadInput(place, "an OpenAI batch line without response.status_code and response.body", _SHAPES)
    return _judged(name, "OpenAI batch", place, answered(body, status), body.get("model"))


def _of_anthropic(name: str, result: Json, place: str) -> ResponseLine:
    """Read a line of batch results (API reference, "Retrieve Message Batch results")."""
    kind = result.get("type") if isinstance(result, dict) else None
    if isinstance(kind, str) and kind in {"canceled", "expired"}:
        return _unanswered(name, "Anthropic batch", place, str(kind))
    if kind == "errored":
        refused = answered({"error": result.get("error")}, _BAD_REQUEST)  # a response if it is about the length
        return _judged(name, "Anthropic batch", place, refused, None)
    if kind != "succeeded" or not isinstance(result.get("message"), dict):
        raise BadInput(place, "an Anthropic batch line without result.type or result.message", _SHAPES)
    found = of_message(result["message"])
    if isinstance(found, str):
        return _unanswered(name, "Anthropic batch", place, found)
    return _judged(name, "Anthropic batch", place, answered(found), found.get("model"))


def _of_plain(name: str, content: Json, finish: Json, place: str) -> ResponseLine:
    """Read an id with its content. An empty content is not a response: the cell was not filled in."""
    if not isinstance(content, str):
        raise BadInput(place, f"content is no text but {type(content).__name__}", "write the response's text")
    if finish not in (None, "", *FINISHED):
        raise BadInput(place, f"finish_reason {finish!r}", f"use one of {', '.join(FINISHED)}, or leave it out")
    if not content.strip():
        return _unanswered(name, "plain", place, "no content")
    return _judged(name, "plain", place, answered(completion({"content": content}, finish or "stop")), None)


def _judged(name: str, shape: Shape, place: str, response: Response, model: Json) -> ResponseLine:
    """Return the line of a response, if it is one. A timeout or a failure never is."""
    try:
        content_of(response)
    except Incomplete:
        what = parsed(response.body, place)
        why = _words(what.get("error") or what)
        return _unanswered(name, shape, place, why if 200 <= response.status < 300 else f"HTTP {response.status} {why}")  # noqa: PLR2004  the 2xx
    return ResponseLine(
        place=place, custom_id=name, shape=shape, response=response, model=model if isinstance(model, str) else None
    )


def _unanswered(name: str, shape: Shape, place: str, why: str) -> ResponseLine:
    return ResponseLine(place=place, custom_id=name, shape=shape, response=None, why=why)


def _words(error: Json) -> str:
    """Return the provider's error message, which can be nested."""
    while isinstance(error, dict) and isinstance(error.get("error"), dict):
        error = error["error"]
    named = [error.get(name) for name in ("code", "type", "message")] if isinstance(error, dict) else []
    words = [word for word in named if isinstance(word, str) and word]
    return " ".join((": ".join(words) or canonical_json(error)).split())[:_SHOWN]


def _csv_lines(path: Path) -> Iterator[ResponseLine | BadInput]:
    """Yield the rows of a CSV file (RFC 4180), each with the line on which it begins."""
    try:
        text = bytes_of(path).decode()
    except UnicodeDecodeError as error:
        raise BadInput(str(path), f"no UTF-8 ({error.reason} at byte {error.start})", "save it as UTF-8") from None
    if not text.endswith(("\n", "\r")):
        place = f"{path}:{text.count(chr(10)) + 1}"
        yield BadInput(
            place, "no line end after the last row, which may be cut off", "fetch the file again, or end the row"
        )
        text = text[: text.rfind("\n") + 1]
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    names: list[str] | None = None
    while True:
        place = f"{path}:{rows.line_num + 1}"
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield BadInput(place, f"no whole row of CSV ({error})", "fetch the file again, or mend the row")
            continue
        if row is None:
            return
        if names is None:
            names = _columns(row, place)
        elif row:
            yield _row(dict(zip(names, row, strict=False)) if len(row) == len(names) else None, place)


def _columns(row: list[str], place: str) -> list[str]:
    names = [name.strip() for name in row]
    if not {"custom_id", "content"} <= set(names) <= _PLAIN or len(set(names)) < len(names):
        columns = "custom_id, content and, if you like, finish_reason"
        raise BadInput(place, "neither a line of JSON nor the head of a CSV file", f"let the columns be {columns}")
    return names


def _row(row: dict[str, str] | None, place: str) -> ResponseLine | BadInput:
    if row is None or not row["custom_id"].strip():
        return BadInput(place, "a row without custom_id, or with cells too many or too few", "mend the row")
    try:
        return _of_plain(row["custom_id"].strip(), row["content"], row.get("finish_reason"), place)
    except BadInput as error:
        return error
