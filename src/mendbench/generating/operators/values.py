"""Operators on what a node sends: keys and values of a request's body, or of a tool's arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from mendbench.generating.breaks import Break, form_fields, value_at, with_extra, with_key, with_value, without
from mendbench.generating.seed import Seed
from mendbench.generating.spellings import misspellings
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.templates import Place, templates_in

_PAYLOADS = {"http": ("body", "params"), "mcp": ("arguments",)}
"""The parameters in which a node of a type sends data."""

_MONEY = re.compile(r"(^|_)(amount|price|total|unit_amount|fee)(_|$)")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_REFUSED = "refusals of a request's body by validating APIs"


def misspelt_param(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which a key has another spelling."""
    for node, place, holder in _keys(seed):
        key = str(place[-1])
        wrong = next((one for one in misspellings(key) if one not in holder), None)
        if wrong is not None:
            what = f"{node} sends {wrong}, and the parameter is {key}"
            yield _of("misspelt-param", node, what, with_key(seed.workflow, place, wrong), key)


def missing_param(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which a key is missing."""
    for node, place, holder in _keys(seed):
        if len(holder) > 1:
            what = f"{node} does not send {place[-1]}"
            yield _of("missing-param", node, what, without(seed.workflow, place), str(place[-1]))


def extra_param(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which a value is sent a second time, under a key that the API does not know."""
    for node, place, holder in _keys(seed):
        extra = next((one for one in misspellings(str(place[-1])) if one not in holder), None)
        if extra is not None:
            what = f"{node} also sends {place[-1]} as {extra}, and the API refuses it"
            yield _of("extra-param", node, what, with_extra(seed.workflow, place, extra))


def string_for_list(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which a list of texts is one comma-separated text."""
    for node, place, value in _values(seed):
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            what = f"{node} sends {place[-1]} as one text instead of a list"
            yield _of("string-for-list", node, what, with_value(seed.workflow, place, ", ".join(value)))


def list_for_string(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which a text is the only item of a list."""
    for node, place, value in _values(seed):
        if isinstance(value, str) and _is_text(seed, value) and not _in_form(seed, place):
            what = f"{node} sends {place[-1]} as a list instead of a text"
            yield _of("list-for-string", node, what, with_value(seed.workflow, place, [value]))


def string_for_number(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which a number is a text as people write it."""
    for node, place, value in _values(seed):
        if isinstance(value, int | float) and not isinstance(value, bool):
            what = f"{node} sends {place[-1]} as a text instead of a number"
            yield _of("string-for-number", node, what, with_value(seed.workflow, place, f"{value:,} in all"))


def wrong_enum(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which one word has another form: the API may know only some words there."""
    for node, place, value in _values(seed):
        if isinstance(value, str) and re.fullmatch(r"[A-Za-z]+(?:[_-][A-Za-z]+)*", value):
            for wrong in _forms(value):
                what = f"{node} sends {wrong} as {place[-1]}, and the API knows {value}"
                yield _of("wrong-enum", node, what, with_value(seed.workflow, place, wrong), value)


def wrong_date_format(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which an ISO date is written in another format."""
    for node, place, value in _values(seed):
        if isinstance(value, str) and _DATE.fullmatch(value):
            wrong = date.fromisoformat(value).strftime("%d.%m.%Y")
            what = f"{node} sends {place[-1]} as day.month.year instead of an ISO date"
            yield _of("wrong-date-format", node, what, with_value(seed.workflow, place, wrong))


def major_units(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which an amount is in units with decimals, and the API takes whole minor units."""
    for node, place, value in _values(seed):
        if isinstance(value, int) and not isinstance(value, bool) and _MONEY.search(str(place[-1])):
            what = f"{node} sends {place[-1]} in major units instead of minor ones"
            yield _of("major-units", node, what, with_value(seed.workflow, place, value / 100))


def _is_text(seed: Seed, text: str) -> bool:
    """Return whether a text stays one when its templates are replaced: it is no single template that stands for another value."""
    found = templates_in(text)
    return len(found) != 1 or found[0].text != text or isinstance(seed.value(found[0]), str)


def _forms(word: str) -> Iterator[str]:
    """Yield other forms of a word, as people write them."""
    swapped = word.replace("_", "-") if "_" in word else word.replace("-", "_")
    for form in (
        swapped,
        word.replace("_", " "),
        word.capitalize() if word.islower() else word.lower(),
        f"{word}s",
        f"{word}ed",
    ):
        if form != word:
            yield form


def _of(operator: str, node: str, what: str, workflow: JsonObject, *facts: str) -> Break:
    return Break(
        operator=operator, what=what, node=node, workflow=workflow, cause=(node,), facts=facts, source=_REFUSED
    )


def _keys(seed: Seed) -> Iterator[tuple[str, Place, JsonObject]]:
    """Yield each key of what nodes send, nested ones too: the node, the key's place in the workflow, the object with the key."""
    for at, node in seed.nodes():
        params = node.get("params")
        for name in _PAYLOADS.get(str(node.get("type")), ()):
            payload = params.get(name) if isinstance(params, dict) else None
            for place, holder in _inside(("nodes", at, "params", name), payload):
                yield node["id"], place, holder


def _values(seed: Seed) -> Iterator[tuple[str, Place, Json]]:
    yield from ((node, place, holder[str(place[-1])]) for node, place, holder in _keys(seed))


def _in_form(seed: Seed, place: Place) -> bool:
    return isinstance(value_at(seed.workflow, place[:-1]), str)


def _inside(place: Place, value: Json) -> Iterator[tuple[Place, JsonObject]]:
    if isinstance(value, str) and "=" in value:
        value = form_fields(value)
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*place, key), value
            yield from _inside((*place, key), item)
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from _inside((*place, at), item)
