"""Form bodies with nested names: ``line_items[0][price]=…`` (https://docs.stripe.com/api/expanding_objects and others)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl

from mendbench.model.json import Json, JsonObject
from mendbench.services.payments.errors import not_a_form
from mendbench.services.wire import Call, parse_json

_NAME = re.compile(r"([^\[\]]+)((?:\[[^\[\]]*\])*)")
_PART = re.compile(r"\[([^\[\]]*)\]")
_MAX_PARTS = 8


def read_pairs(call: Call) -> list[tuple[str, str]]:
    """Return the names and values of a call, from its query and its form.

    Raises:
        StripeError: the body is JSON, or its content type is JSON.
    """
    pairs = list(call.query)
    if call.method in {"GET", "HEAD", "DELETE"} or not call.body:
        return pairs
    if "json" in call.header("content-type").lower() or _is_json(call.body):
        raise not_a_form()
    return pairs + parse_qsl(call.body.decode("utf-8", "replace"), keep_blank_values=True)


def nested(pairs: Iterable[tuple[str, str]]) -> JsonObject:
    """Return the values by their nested names, as objects, or as lists where all names below are numbers or empty."""
    tree: JsonObject = {}
    for name, value in pairs:
        _put(tree, _parts(name), value)
    return {key: _listed(item) for key, item in tree.items()}


def _parts(name: str) -> list[str]:
    found = _NAME.fullmatch(name)
    if not found:
        return [name]
    return [found.group(1), *_PART.findall(found.group(2))][:_MAX_PARTS]


def _put(tree: JsonObject, parts: list[str], value: str) -> None:
    place = tree
    for part in parts[:-1]:
        key = part or str(len(place))
        below = place.get(key)
        if not isinstance(below, dict):
            below = place[key] = {}
        place = below
    place[parts[-1] or str(len(place))] = value


def _listed(value: Json) -> Json:
    if not isinstance(value, dict):
        return value
    inner = {key: _listed(item) for key, item in value.items()}
    if inner and all(key.isascii() and key.isdigit() for key in inner):
        return [inner[key] for key in sorted(inner, key=int)]
    return inner


def _is_json(body: bytes) -> bool:
    try:
        return isinstance(parse_json(body.decode("utf-8", "replace")), dict | list)
    except ValueError:
        return False
