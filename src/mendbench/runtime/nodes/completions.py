"""Reads chat completions from OpenAI-compatible servers: the text, the function calls, the token counts."""

from __future__ import annotations

from dataclasses import dataclass

from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import Json, JsonObject

_TOKENS = (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens"), ("total_tokens", "total_tokens"))
"""Our names for the counts, and the API's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One function call that the model requests."""

    name: str
    """The name as offered, or whatever the model wrote."""
    arguments: str
    """As the model wrote them: JSON, if it followed the format."""


def reply_of(body: Json) -> str | None:
    """Return the text of a chat completion (OpenAI's ``choices[0].message.content``), or None if there is none."""
    content = _message(body).get("content")
    return content if isinstance(content, str) else None


def calls_of(body: Json) -> tuple[Call, ...]:
    """Return the calls of a chat completion (``choices[0].message.tool_calls``), in order."""
    calls = _message(body).get("tool_calls")
    functions = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return tuple(
        Call(name=str(function.get("name", "")), arguments=_written(function.get("arguments")))
        for function in functions
        if isinstance(function, dict)
    )


def tokens_of(body: Json) -> JsonObject:
    """Return the token counts of a chat completion; each is None if absent."""
    usage = body.get("usage") if isinstance(body, dict) else None
    counts = usage if isinstance(usage, dict) else {}
    return {ours: counts.get(theirs) for ours, theirs in _TOKENS}


def added(a: JsonObject, b: JsonObject) -> JsonObject:
    """Return the sums of two token counts; a count that only one of them has is kept."""
    return {name: _sum(a.get(name), b.get(name)) for name, _ in _TOKENS}


def refusal(body: Json, status: int) -> str:
    """Return the model server's error message if it returned no text."""
    error = body.get("error") if isinstance(body, dict) else None
    message = error.get("message") if isinstance(error, dict) else error
    if isinstance(message, str) and message:
        return message
    return f"HTTP {status}: the answer holds no text"


def _message(body: Json) -> JsonObject:
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    return message if isinstance(message, dict) else {}


def _written(arguments: Json) -> str:
    """Return the arguments as text: some servers send an object where the API specifies a string."""
    if arguments is None:
        return ""
    return arguments if isinstance(arguments, str) else canonical_json(arguments)


def _sum(a: Json, b: Json) -> Json:
    if not isinstance(a, int) or not isinstance(b, int):
        return b if a is None else a
    return a + b
