"""Classify what a chat model's server returns: a response, a refusal of a prompt that is too long, or neither.

The shape is OpenAI's (API reference, "The chat completion object"), which other servers follow with their own wording.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from mendbench.model.exchange import Response
from mendbench.model.json import Json, JsonObject

_TOO_LONG_STATUSES = frozenset({400, 413, 422})
_TOO_LONG = re.compile(
    rb"(?i)context[ _](length|limit|size|window)|maximum context|prompt (is )?too long|too many tokens|input is too long|input token count"
)
"""How servers refuse a prompt that is too long: OpenAI and vLLM (``context_length_exceeded``), llama.cpp
(``exceed_context_size_error``), Anthropic (``prompt is too long``) and Google (``input token count``)."""

_CUT = frozenset({"length", "max_tokens", "model_length", "model_context_window_exceeded"})
"""Finish reasons of a response that a token limit ended: those of OpenAI, Anthropic and Mistral."""

_GAVE_UP = frozenset(
    {"error", "abort", "aborted", "cancelled", "canceled", "timeout", "failed", "insufficient_system_resource"}
)
"""Finish reasons of an incomplete response (OpenRouter, vLLM, DeepSeek and similar servers). Servers that use other words add an
``error``."""

LIMITS = ("max_completion_tokens", "max_tokens")
"""Parameters that limit a response's tokens (OpenAI API reference, "Create chat completion"). The second is the older name of the first."""


def limit_in(params: Mapping[str, Json]) -> tuple[str, Json] | None:
    """Return the parameter that limits a response's tokens, with its value, or None."""
    return next(((name, params[name]) for name in LIMITS if params.get(name) is not None), None)


def refuses_for_length(response: Response) -> bool:
    """Return whether a server refused a prompt because it does not fit. This counts as a response, as it never changes."""
    return response.fault is None and response.status in _TOO_LONG_STATUSES and bool(_TOO_LONG.search(response.body))


def choice_of(body: Json) -> JsonObject | None:
    """Return the first choice of a completion, with its message; None if there is none or it is incomplete."""
    first = _first(body)
    return None if first is None or not isinstance(first.get("message"), dict) or holds_failure(body) else first


def was_cut(choice: JsonObject) -> bool:
    """Return whether a token limit ended a response."""
    return _reason(choice) in _CUT


def holds_failure(body: Json) -> bool:
    """Return whether a body with a success status reports a server failure, instead of a response or in the middle of one."""
    first = _first(body)
    return (isinstance(body, dict) and bool(body.get("error"))) or (first is not None and _gave_up(first))


def _first(body: Json) -> JsonObject | None:
    choices = body.get("choices") if isinstance(body, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first if isinstance(first, dict) else None


def _gave_up(choice: JsonObject) -> bool:
    return bool(choice.get("error")) or _reason(choice) in _GAVE_UP


def _reason(choice: JsonObject) -> str:
    return str(choice.get("finish_reason") or "").lower()
