"""One way to break a seed, before anybody has tried whether it fails."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from mendbench.generating.seed import Seed
from mendbench.model.case import Fault, Who
from mendbench.model.failure import Category
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.templates import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A broken workflow, or a world that refuses a working one."""

    operator: str
    what: str
    """The title of the case: what is wrong, in one sentence."""
    node: str
    """The node that must fail."""
    workflow: JsonObject
    cause: tuple[str, ...] = ()
    """The nodes that a correct edit must change; empty if no edit helps."""
    facts: tuple[str, ...] = ()
    """What the fix requires, as plain texts."""
    state: Mapping[str, JsonObject] = field(default_factory=dict)
    """Service to a merge patch over the seed's state."""
    who: Who = "edit"
    category: Category = "api_validation"
    """What the failure is: stated by the operator, like ``who``."""
    says: str = ""
    """If no edit helps: a regular expression for what the user must learn."""
    faults: tuple[Fault, ...] = ()
    """Of a compound: the faults of its parts, the one that shows first at first."""
    source: str = ""
    """Where failures of this kind are documented."""


Operator: TypeAlias = Callable[[Seed], Iterator[Break]]
"""Yields the breaks of one kind that a seed allows, in the order of its nodes."""


def value_at(document: Json, place: Place) -> Json:
    """Return the value at a place that exists."""
    for step in place:
        document = document[step]
    return document


def with_value(document: JsonObject, place: Place, value: Json) -> JsonObject:
    """Return a copy of a document with another value at a place that exists."""

    def change(holder: Json) -> None:
        holder[place[-1]] = value

    return _changed(document, place[:-1], change)


def without(document: JsonObject, place: Place) -> JsonObject:
    """Return a copy of a document without the key at a place."""

    def change(holder: JsonObject) -> None:
        del holder[str(place[-1])]

    return _changed(document, place[:-1], change)


def with_key(document: JsonObject, place: Place, key: str) -> JsonObject:
    """Return a copy of a document in which the key at a place has another name, in the same position."""

    def change(holder: JsonObject) -> None:
        renamed = {key if name == place[-1] else name: value for name, value in holder.items()}
        holder.clear()
        holder.update(renamed)

    return _changed(document, place[:-1], change)


def with_extra(document: JsonObject, place: Place, key: str) -> JsonObject:
    """Return a copy of a document in which the value at a place stands a second time, under another key."""

    def change(holder: JsonObject) -> None:
        holder[key] = holder[str(place[-1])]

    return _changed(document, place[:-1], change)


def form_fields(text: str) -> dict[str, str] | None:
    """Return the fields of a form-encoded text, as they are written; None if it is none."""
    parts = [part.partition("=") for part in text.split("&")]
    plain = all(equals and re.fullmatch(r"[\w.\[\]-]+", key) for key, equals, _ in parts)
    return {key: value for key, _, value in parts} if plain else None


def _changed(document: JsonObject, place: Place, change: Callable[[Json], None]) -> JsonObject:
    """Return a copy of a document in which the object at a place, or the fields of the form there, are changed."""
    changed = copy.deepcopy(document)
    holder = value_at(changed, place)
    if isinstance(holder, str):
        fields = form_fields(holder) or {}
        change(fields)
        value_at(changed, place[:-1])[place[-1]] = "&".join(f"{key}={value}" for key, value in fields.items())
    else:
        change(holder)
    return changed
