"""Block Kit's rules, as far as they concern messages (https://docs.slack.dev/reference/block-kit)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeAlias

from mendbench.model.json import Json, JsonObject
from mendbench.services.slack.errors import SlackError, pointed
from mendbench.services.wire import parse_json

MAX_BLOCKS = 50
MAX_SECTION_TEXT = 3000
MAX_HEADER_TEXT = 150
MAX_FIELDS = 10
MAX_FIELD_TEXT = 2000
MAX_ACTIONS = 25
MAX_CONTEXT = 10
MAX_CHARACTERS = 13_200
"""Maximum size of all blocks together. Undocumented; measured in slackapi/bolt-js issue 2509."""

Place: TypeAlias = tuple[str | int, ...]
"""The location in the call: ``("blocks", 0, "text")``."""

_UNCHECKED = {"divider", "rich_text", "input", "file", "video", "markdown", "table"}
_TEXT_TYPES = {"plain_text", "mrkdwn"}


def read_blocks(value: Json) -> list[Json] | None:
    """Return the blocks of a call, or None if it has none.

    Raises:
        SlackError: the blocks are not an array, break a rule, or are too long together.
    """
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            value = parse_json(value)
        except ValueError:
            raise SlackError("invalid_blocks_format") from None
    if not isinstance(value, list):
        raise SlackError("invalid_blocks_format")
    problems = _problems(value)
    if problems:
        raise SlackError("invalid_blocks", messages=tuple(problems), extra={"errors": problems})
    if len(json.dumps(value, separators=(",", ":"), ensure_ascii=False)) > MAX_CHARACTERS:
        raise SlackError("msg_blocks_too_long")
    return value


def _problems(blocks: list[Json]) -> list[str]:
    if len(blocks) > MAX_BLOCKS:
        return [pointed(f"no more than {MAX_BLOCKS} items allowed", "blocks")]
    return [problem for index, block in enumerate(blocks) for problem in _block_problems(block, index)]


def _block_problems(block: Json, index: int) -> list[str]:
    at = ("blocks", index)
    if not isinstance(block, dict):
        return [pointed("must be an object", *at)]
    if block.get("type") is None:
        return [pointed("missing required field: type", *at)]
    kind = str(block["type"])
    check = _CHECKS.get(kind)
    if check is not None:
        return check(block, at)
    return [] if kind in _UNCHECKED else [pointed(f"unsupported type: {kind}", *at, "type")]


def _header(block: JsonObject, at: Place) -> list[str]:
    return _text(block.get("text"), (*at, "text"), MAX_HEADER_TEXT, {"plain_text"}, owner=at)


def _image(block: JsonObject, at: Place) -> list[str]:
    needed = ("image_url", "alt_text")
    return [pointed(f"missing required field: {name}", *at) for name in needed if not block.get(name)]


def _section(block: JsonObject, at: Place) -> list[str]:
    if block.get("text") is None and block.get("fields") is None:
        return [pointed("must define either `text` or `fields`", *at, "type")]
    problems: list[str] = []
    if block.get("text") is not None:
        problems += _text(block["text"], (*at, "text"), MAX_SECTION_TEXT, _TEXT_TYPES, owner=at)
    fields = block.get("fields")
    if fields is not None:
        problems += _fields(fields, (*at, "fields"))
    return problems


def _fields(fields: Json, at: Place) -> list[str]:
    if not isinstance(fields, list):
        return [pointed("must be an array", *at)]
    if len(fields) > MAX_FIELDS:
        return [pointed(f"no more than {MAX_FIELDS} items allowed", *at)]
    return [
        problem
        for index, item in enumerate(fields)
        for problem in _text(item, (*at, index), MAX_FIELD_TEXT, _TEXT_TYPES, owner=at)
    ]


def _elements(block: JsonObject, at: Place, most: int) -> list[str]:
    elements = block.get("elements")
    if elements is None:
        return [pointed("missing required field: elements", *at)]
    if not isinstance(elements, list):
        return [pointed("must be an array", *at, "elements")]
    if not elements:
        return [pointed("must be more than 0 items", *at, "elements")]
    return [pointed(f"no more than {most} items allowed", *at, "elements")] if len(elements) > most else []


def _text(value: Json, at: Place, most: int, kinds: set[str], *, owner: Place) -> list[str]:
    """Check a text object. Slack first reports that no schema matches, and then the reason."""
    if value is None:
        return [pointed(f"missing required field: {at[len(owner)]}", *owner)]
    why = _text_problem(value, at, most, kinds)
    return [pointed("failed to match all allowed schemas", *at), why] if why else []


def _text_problem(value: Json, at: Place, most: int, kinds: set[str]) -> str | None:
    if not isinstance(value, dict):
        return pointed("must be an object", *at)
    missing = [name for name in ("type", "text") if name not in value]
    if missing:
        return pointed(f"missing required field: {missing[0]}", *at)
    if str(value["type"]) not in kinds:
        return pointed(f"unsupported type: {value['type']}", *at, "type")
    text = value["text"]
    if not isinstance(text, str):
        return pointed("must provide a string", *at, "text")
    if not text:
        return pointed("must be more than 0 characters", *at, "text")
    return pointed(f"must be less than {most + 1} characters", *at, "text") if len(text) > most else None


_CHECKS: dict[str, Callable[[JsonObject, Place], list[str]]] = {
    "section": _section,
    "header": _header,
    "image": _image,
    "actions": lambda block, at: _elements(block, at, MAX_ACTIONS),
    "context": lambda block, at: _elements(block, at, MAX_CONTEXT),
}
