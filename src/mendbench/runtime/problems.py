"""Extracts the problems of single request fields from an API's error body.

There are two kinds of source: objects that contain a field and its problem (GitHub, FastAPI, problem+json, JSON:API,
Google, Stripe, Zod, Ajv, Kubernetes, Discord, Jira, …), and sentences with known phrases (Slack's json-pointers,
GitHub's schema errors, GraphQL, pydantic, JSON Schema, SQL, …). An object takes precedence over a sentence about the
same field.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias

from mendbench.io.json_documents import finite_json
from mendbench.model.failure import FieldProblem
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.problem_patterns import (
    MISSING,
    MISSING_CODES,
    PLACED,
    POINTER,
    SLACK_CODES,
    SLACK_NAMED,
    TEXTS,
    UNKNOWN,
    UNKNOWN_CODES,
    Kind,
)

MAX_WRAPPERS = 4
"""Maximum levels of JSON encoded in JSON strings."""
MAX_DEPTH = 12
MAX_ITEMS = 50
"""Maximum number of members read from one list, and of reported problems."""
MAX_TEXT = 8000
MAX_SAYS = 300

Path: TypeAlias = tuple[str, ...]

_SLOTS = (
    "errors", "error", "detail", "details", "message", "Message", "msg", "description", "error_description", "title",
    "errorMessages", "validationResults", "causes", "fieldViolations", "issues", "userErrors", "invalid-params",
    "invalid_params", "response_metadata", "extensions", "userPresentableMessage", "result", "content", "text",
    "structuredContent", "data", "response", "body", "metadata", "raw",
)  # fmt: skip
"""Keys under which services put their errors. Anything else in a body is data."""
_NO_FIELDS = frozenset({"errors", "errorMessages", "messages", "message", "warnings", "details", "non_field_errors"})
"""Keys of lists of texts that are not field names."""

_NAMES = ("field", "param", "parameter", "property", "propertyName", "attribute")
_WORDS = ("message", "msg", "detail", "description", "reason", "title")
_CODES = ("code", "type", "keyword", "error", "reason")

_JSON = re.compile(r"[\[{]\s*[\[{\"]")


def field_problems(body: Json) -> tuple[FieldProblem, ...]:
    """Return the problems of single fields in ``body``, in order, each once. Accepts any value."""
    objects: list[tuple[JsonObject, bool]] = []
    texts: list[str] = []
    _gather(body, objects, texts, depth=0, wrappers=0)
    named = [problem for value, graphql in objects for problem in _of_object(value, graphql=graphql)]
    fields = {problem.field for problem in named}
    phrased = [problem for text in texts for problem in _of_text(text) if problem.field not in fields]
    found = named + phrased or [problem for value, _ in objects for problem in _of_slack_code(value)]
    return tuple(dict.fromkeys(found))[:MAX_ITEMS]


def _gather(
    value: Json, objects: list[tuple[JsonObject, bool]], texts: list[str], *, depth: int, wrappers: int
) -> None:
    """Collect the objects and texts of ``value`` that may describe a field, from the outside in."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, str):
        inner, before = _embedded(value) if wrappers < MAX_WRAPPERS else (None, value)
        texts.append(before[:MAX_TEXT])
        if inner is not None:
            _gather(inner, objects, texts, depth=depth + 1, wrappers=wrappers + 1)
    elif isinstance(value, list):
        for item in value[:MAX_ITEMS]:
            _gather(item, objects, texts, depth=depth + 1, wrappers=wrappers)
    elif isinstance(value, dict):
        objects.append((value, "locations" in value or "extensions" in value))
        for inner in _inside(value):
            _gather(inner, objects, texts, depth=depth + 1, wrappers=wrappers)


def _inside(value: JsonObject) -> Iterator[Json]:
    for slot in _SLOTS:
        if slot in value:
            yield value[slot]
    messages = value.get("messages")
    if isinstance(messages, list) and set(value) <= {"messages", "warnings", "next_cursor"}:
        yield messages
    for payload in value.values():
        if isinstance(payload, dict) and isinstance(payload.get("userErrors"), list):
            yield payload["userErrors"]


def _embedded(text: str) -> tuple[Json, str]:
    """Return the JSON that ``text`` is or ends with, and the text before it; None and the text if there is none."""
    start = _JSON.search(text)
    if start is None:
        return None, text
    try:
        return finite_json(text[start.start() :]), text[: start.start()]
    except (ValueError, RecursionError):
        return None, text


def _of_object(value: JsonObject, *, graphql: bool) -> Iterator[FieldProblem]:
    says, code = _first_text(value, _WORDS), _first_text(value, _CODES)
    if says or code:
        for name in _names_in(value, graphql=graphql):
            yield _problem(name, says or code, code)
    errors = value.get("errors")
    if isinstance(errors, dict):
        yield from _of_map(errors, ())
    if value and all(_is_texts(item) for item in value.values()):
        yield from _of_map(value, ())


def _names_in(value: JsonObject, *, graphql: bool) -> Iterator[str]:
    """Yield the fields that an error object names. The ``path`` of a GraphQL error refers to the response and is ignored."""
    source, params = value.get("source"), value.get("params")
    extra = value.get("keys")
    inner = params if isinstance(params, dict) else {}
    at = value.get("instancePath", value.get("pointer"))
    if isinstance(source, dict):
        at = source.get("pointer", source.get("parameter"))
    path = value.get("path") if not graphql and {"code", "context"} & set(value) else None
    added = [inner.get("missingProperty"), inner.get("additionalProperty")]
    added += extra[:MAX_ITEMS] if isinstance(extra, list) else []
    base = _joined(value.get("loc")) or _joined(path) or (at if isinstance(at, str) else "")
    children = [item for item in added if isinstance(item, str) and item]
    if children:
        yield from (f"{base}/{child}" for child in children)
        return
    if base:
        yield base
        return
    for slot in _NAMES:
        name = value.get(slot)
        if name and isinstance(name, str | list):
            yield name if isinstance(name, str) else _joined(name)
            return
    if isinstance(value.get("name"), str) and {"isValid", "reason"} & set(value) and "kind" not in value:
        yield value["name"]


def _joined(path: Json) -> str:
    """Return a list of keys and indices as one path, without the leading ``body`` that some frameworks add."""
    if not isinstance(path, list):
        return ""
    parts = [str(part) for part in path if isinstance(part, str | int)]
    if parts[:1] == ["body"] and len(parts) > 1:
        return "/".join(parts[1:]) if isinstance(path[1], str) else "body"
    return "/".join(parts)


def _of_map(errors: JsonObject, at: Path) -> Iterator[FieldProblem]:
    """Read an object that maps fields to their problems, nested or not (Jira, Rails, Django, Discord)."""
    if len(at) > MAX_DEPTH:
        return
    for key, value in list(errors.items())[:MAX_ITEMS]:
        here = at if key == "_errors" else (*at, str(key))
        if not here or (not at and key in _NO_FIELDS):
            continue
        for item in value[:MAX_ITEMS] if isinstance(value, list) else [value]:
            if isinstance(item, str) and item:
                if isinstance(value, list) or " " in item:
                    yield _problem("/".join(here), item, None)
            elif isinstance(item, dict) and isinstance(item.get("message"), str):
                yield _problem("/".join(here), item["message"], _first_text(item, ("code", "kind", "type")))
            elif isinstance(item, dict) and key != "_errors":
                yield from _of_map(item, here) if _is_tree(item) else ()


def _is_texts(value: Json) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) and " " in item for item in value)


def _is_tree(value: JsonObject) -> bool:
    """Return whether a member of an error map contains more errors, not unrelated data."""
    return any(isinstance(inner, dict) or _is_texts(inner) or key == "_errors" for key, inner in value.items())


def _of_text(text: str) -> Iterator[FieldProblem]:
    for line in text.splitlines():
        pointed = POINTER.match(line)
        bare = SLACK_NAMED.match(line.removeprefix("[ERROR] "))
        if pointed:
            yield _of_pointer(pointed.group("says"), pointed.group("at"))
        elif bare:
            yield _of_pointer(bare.group(0), "")
    placed = [found for line in text.splitlines() if (found := PLACED.match(line))]
    yield from (_problem(found.group("at"), found.group("says"), None) for found in placed)
    if placed or "[json-pointer:" in text or text.startswith("[ERROR] "):
        return
    for kind, pattern in TEXTS:
        for match in pattern.finditer(text):
            yield from _of_match(match, kind, text)


def _of_pointer(says: str, at: str) -> FieldProblem:
    named = SLACK_NAMED.match(says)
    if named is None:
        return _problem(at or "body", says, None, "invalid")
    kind: Kind = "missing" if named.group("what").startswith("missing") else "unknown"
    return _problem(f"{at}/{named.group('name')}", says, None, kind)


def _of_match(match: re.Match[str], kind: Kind | None, text: str) -> Iterator[FieldProblem]:
    groups = match.groupdict()
    start, end = text.rfind("\n", 0, match.start()) + 1, text.find("\n", match.end())
    says = groups.get("says") or text[start : end if end >= 0 else len(text)]
    names = [groups["field"]] if groups.get("field") else re.split(r",\s*", groups.get("fields") or "")
    for name in names:
        at = groups.get("at")
        yield _problem(f"{at}.{name}" if at else name, says, groups.get("code"), kind)


def _of_slack_code(value: JsonObject) -> Iterator[FieldProblem]:
    error = value.get("error")
    if value.get("ok") is False and isinstance(error, str) and error in SLACK_CODES:
        field, kind = SLACK_CODES[error]
        yield _problem(field, error, error, kind)


def _problem(field: str, says: str, code: str | None, kind: Kind | None = None) -> FieldProblem:
    line = " ".join(says.split())
    return FieldProblem(
        field=_clean(field), problem=kind or _kind_of(code, line), says=line[:MAX_SAYS] or (code or "invalid")
    )


def _kind_of(code: str | None, says: str) -> Kind:
    short = (code or "").lower().rsplit(".", 1)[-1]
    if short in MISSING_CODES:
        return "missing"
    if short in UNKNOWN_CODES:
        return "unknown"
    if MISSING.search(says):
        return "missing"
    return "unknown" if UNKNOWN.search(says) else "invalid"


def _clean(field: str) -> str:
    """Return the field as the API names it, without surrounding notation."""
    bare = field[:MAX_SAYS].strip().strip("\"'`").lstrip("#").lstrip("/").rstrip(".,;")
    return bare.removeprefix("$").removeprefix("properties/") or "body"


def _first_text(value: JsonObject, slots: tuple[str, ...]) -> str:
    return next((value[slot] for slot in slots if isinstance(value.get(slot), str) and value[slot].strip()), "")
