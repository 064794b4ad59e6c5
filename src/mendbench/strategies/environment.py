"""The Jinja environment of all templates: sandboxed, bounded, strict, without randomness, and with only the given data."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Sequence
from functools import lru_cache, reduce
from typing import Any

from jinja2 import StrictUndefined
from jinja2.sandbox import safe_range
from jinja2.utils import Namespace

from mendbench.api_errors.patterns import PatternHistory, noted, suggestion
from mendbench.api_errors.status_phrases import PHRASES
from mendbench.model.failure import Failure, FieldProblem
from mendbench.model.json import Json, JsonObject
from mendbench.strategies.bounds import BoundedEnvironment
from mendbench.strategies.run_data import shown, told

GLOBALS = {"range": safe_range, "namespace": Namespace}
"""All functions that a template can call besides filters."""

_CODE = re.compile(r"[\w.\-]*")


@lru_cache(maxsize=1)
def environment() -> BoundedEnvironment:
    """Return the environment. It is never changed after its creation."""
    made = BoundedEnvironment(
        undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True, cache_size=0
    )
    made.globals = dict(GLOBALS)
    made.add_filters(
        {
            "tojson": to_json,
            "fenced": fenced,
            "reason": reason,
            "required_fix": required_fix,
            "pattern_hint": pattern_hint,
            "shown": shown,
            "told": told,
            "once": once,
            "error_text": error_text,
        }
    )
    return made


def to_json(value: Json, indent: int | None = 2) -> str:
    """Return ``value`` as JSON: keys keep the order of the recording, and non-ASCII is kept."""
    return json.dumps(value, indent=indent, ensure_ascii=False, default=_plain)


def once(data: Json) -> Json:
    """Return data in which each payload stands once: of equal objects and lists beside each other the first is kept."""
    if isinstance(data, list):
        return [once(item) for item in data]
    if not isinstance(data, dict):
        return data
    kept: JsonObject = {}
    for key, item in data.items():
        if not (isinstance(item, dict | list) and item and item in kept.values()):
            kept[key] = item
    return {key: once(item) for key, item in kept.items()}


def fenced(value: Json) -> str:
    """Return ``value`` in a fenced block: a text unchanged, all else as JSON. The fence is longer than any inside."""
    text = value if isinstance(value, str) else to_json(value)
    fence = "```"
    while fence in text:
        fence += "`"
    language = "" if isinstance(value, str) else "json"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def error_text(failure: Failure) -> str:
    """Return the error that a tool would hand its caller: an MCP server's own message, else the message and the response."""
    if failure.mcp_error_details is not None:
        error = failure.mcp_error
        said = error.get("message") if isinstance(error, dict) else None
        return said if isinstance(said, str) else failure.message
    body = failure.raw_response
    text = (body if isinstance(body, str) else to_json(body, None)).strip()
    return failure.message if body is None or text in failure.message else f"{failure.message}: {text}"


def reason(status: int) -> str:
    """Return the reason phrase of an HTTP status, or an empty text if it has none."""
    return PHRASES.get(status, "")


def required_fix(problem: FieldProblem) -> str:
    """Return one field problem as a sentence that states the requirement."""
    must = {"missing": "is required and cannot be empty", "invalid": "is not valid", "unknown": "is not known"}
    words = "" if _CODE.fullmatch(problem.says) else f": {problem.says}"
    return f"Field '{problem.field}' {must[problem.problem]}{words}"


def pattern_hint(messages: Sequence[str]) -> str:
    """Return the suggestion block of the error pattern detector after errors with these messages; empty after none."""
    return suggestion(reduce(noted, messages, PatternHistory())) or ""


def _plain(value: object) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    raise TypeError(f"{type(value).__name__} is no JSON")
