"""Read what a failure says: its codes, texts, numbers, and the fields that it points at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mendbench.detectors.weighted import slots
from mendbench.detectors.weighted.opening import parsed_text
from mendbench.detectors.weighted.tables import slots as kinds
from mendbench.model.json import Json

MAX_LEAVES = 80
"""The maximum number of values that are read."""

MAX_DEPTH = 8
MAX_ITEMS = 20
_MAX_TOKENS = 4
"""Codes that are read from one text."""

_POINTERS = kinds()["pointer"]
"""Slots that name a field of the request."""
_SKIPPED = kinds()["skipped"]
"""Links, identifiers, times and traces."""

_CODE = re.compile(r"[A-Za-z][\w.:/#\-]{2,120}")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_TOKEN = re.compile(r"\b[a-zA-Z]+(?:_[a-zA-Z]+)+\b|\b(?:[A-Z][a-z]+){2,}\b")
_QUOTED = re.compile(r"(['\"`]).{1,80}?\1|\[[^\]]*\]|\{[^}]*\}")
"""Quoted words are values and names, not codes."""
_VERDICT_WORDS = frozenset(
    {"error", "fatal", "fail", "failed", "failure", "critical", "warning", "exception", "fault", "false", "ko", "nok"}
)
"""Values that say that it failed, and not why."""
_TAIL = re.compile(r"(?:exception|error|fault)$", re.IGNORECASE)
_SEPARATORS = re.compile(r"[\s\-._:]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A scalar with the name of its slot and its path."""

    slot: str
    path: str
    value: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the parts of a response say."""

    texts: tuple[str, ...]
    codes: tuple[tuple[str, str], ...]
    """Paths and codes."""
    numbers: tuple[Leaf, ...]
    pointer: tuple[str, str] | None
    """The path and the name of the first field that the response points at."""


def read(parts: Sequence[Json]) -> Reading:
    """Return what the parts of a response say."""
    leaves = [leaf for part in parts for leaf in _leaves(part, "", "", 0)][:MAX_LEAVES]
    texts: list[str] = []
    codes: list[tuple[str, str]] = []
    for leaf in leaves:
        if not isinstance(leaf.value, str) or slots.number_of(leaf.value) is not None:
            continue
        text = leaf.value.strip()
        if leaf.slot in slots.VERDICTS and text.lower() in _VERDICT_WORDS:
            continue
        if _is_code(leaf.slot, text):
            codes.append((leaf.path, text))
        else:
            texts.append(text)
            codes += [(leaf.path, token) for token in _TOKEN.findall(_QUOTED.sub(" ", text))[:_MAX_TOKENS]]
    return Reading(
        texts=tuple(dict.fromkeys(texts)),
        codes=tuple(dict.fromkeys(codes)),
        numbers=tuple(leaf for leaf in leaves if slots.number_of(leaf.value) is not None),
        pointer=_pointer(leaves) or _fields_of(parts),
    )


def spelled(code: str) -> str:
    """Return a code as words: ``InvalidParameterValue``, ``invalid-parameter-value`` and ``INVALID_PARAMETER_VALUE`` are the same."""
    last = re.split(r"[#/]", code.strip().rstrip("/"))[-1]
    return _SEPARATORS.sub(" ", _CAMEL.sub(" ", _TAIL.sub("", last) or last)).lower().strip()


def _leaves(value: Json, slot: str, path: str, depth: int) -> Iterator[Leaf]:
    """Yield the scalars of a value, without what is skipped. A text that is data is opened."""
    if depth > MAX_DEPTH:
        return
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "[", "<"}:
        value = parsed_text(value.strip()) or value
    if isinstance(value, dict):
        for name, item in value.items():
            plain = slots.name_of(name)
            if plain not in _SKIPPED and not plain.startswith("xmlns"):
                yield from _leaves(item, plain or slot, f"{path}.{name}".lstrip("."), depth + 1)
    elif isinstance(value, list):
        if slot in _POINTERS and value:
            named = ", ".join(str(item) for item in value[:MAX_ITEMS] if isinstance(item, str | int))
            yield Leaf(slot=slot, path=path, value=named)
            value = [item for item in value if isinstance(item, dict)]
        for number, item in enumerate(value[:MAX_ITEMS]):
            yield from _leaves(item, slot, f"{path}[{number}]", depth + 1)
    else:
        yield Leaf(slot=slot, path=path or "body", value=value)


def _is_code(slot: str, text: str) -> bool:
    """Return whether a text is a code, such as ``channel_not_found``, and not a sentence."""
    if not _CODE.fullmatch(text):
        return False
    joined = any(mark in text for mark in "_-.") or bool(_CAMEL.search(text)) or text.isupper()
    return joined or slot not in slots.MESSAGES


def _pointer(leaves: Sequence[Leaf]) -> tuple[str, str] | None:
    pointing = (leaf for leaf in leaves if leaf.slot in _POINTERS and leaf.value not in (None, "", [], {}))
    leaf = next(pointing, None)
    return None if leaf is None else (leaf.path, str(leaf.value))


def _fields_of(parts: Sequence[Json]) -> tuple[str, str] | None:
    """Return the fields of an error object whose slots are the names of fields, each with a list of its problems."""
    for part in parts:
        if not isinstance(part, dict):
            continue
        errors = {
            slot: value
            for slot, value in part.items()
            if slots.is_error(slots.name_of(slot)) or slots.name_of(slot) in slots.MESSAGES
        }
        for slot, value in [*errors.items(), ("body", part)]:
            if isinstance(value, dict) and (
                fields := [name for name, item in value.items() if _are_problems(name, item)]
            ):
                return slot, ", ".join(fields)
    return None


def _are_problems(name: str, value: Json) -> bool:
    if slots.name_of(name) in slots.MESSAGES | slots.VERDICTS | slots.NEUTRAL | slots.ERRORS | slots.ERROR_CODES:
        return False
    return isinstance(value, list) and bool(value) and all(isinstance(text, str) for text in value)
