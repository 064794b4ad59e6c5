"""Search for credentials in values and texts. A finding contains the position of a credential, and nothing of its value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from mendbench.model.json import Json
from mendbench.secrets.encodings import parsed
from mendbench.secrets.undeclared import (
    MOST_REMEMBERED,
    TEMPLATE,
    clean_text,
    named_items,
    secret_key,
    shows_nothing,
    without_shapes,
)
from mendbench.secrets.value_positions import Way, json_places

_DECLARES = frozenset({"default", "const", "example", "value"})
"""In a declaration of a value, the fields that contain a value."""
SHAPE = "a credential's shape"
"""The reason for a credential with a provider's format, under any key."""
_DRAWN = re.compile(r"(?=\S*\d)[^\s<>]{8,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A credential in a value that must not contain any."""

    way: Way
    """The path of keys and indexes to it, with credentials in keys masked."""
    why: str
    """How it was recognised; nothing of the credential itself."""
    line: int = 0
    """Its line within the text that contains it, from 0."""
    in_key: bool = False
    """Whether the key itself is the credential."""


def credentials_in(value: Json) -> Iterator[Kept]:
    """Yield every credential in a JSON value, recognised by key or by format, in any encoding.

    Templates, placeholders and masks are not credentials. Neither is a declaration of a value, such as a ``type`` under ``token``. A value
    deeper under a credential's key is one if it looks random: eight characters without a space, including a digit.
    """
    yield from _kept(value, ())


def credentials_in_text(text: str) -> Iterator[Kept]:
    """Yield every credential in the text of a file, with its line. JSON texts and JSON lines are searched as values."""
    value = parsed(text)
    yield from _kept_in_lines(text, ()) if value is None else _kept_in_json(text, value, ())


def _kept(value: Json, way: Way) -> Iterator[Kept]:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "surrogateescape")
    if isinstance(value, str):
        yield from _kept_in_text(value, way)
    elif isinstance(value, dict):
        for key, name, item in named_items(value):
            shown = without_shapes(str(key))
            if shown != str(key):
                yield Kept(way=(*way, shown), why="a key with a credential's shape", in_key=True)
            if secret_key(str(name)):
                yield from _kept_under(item, (*way, shown), deep=False)
            else:
                yield from _kept(item, (*way, shown))
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _kept(item, (*way, number))


def _kept_under(value: Json, way: Way, *, deep: bool) -> Iterator[Kept]:
    """Yield the credentials under a credential's key. In a named value, such as a HAR cookie, only the value is one."""
    if isinstance(value, dict):
        if isinstance(value.get("type"), str):
            value = {name: item for name, item in value.items() if name in _DECLARES}
        named = "name" in value and "value" in value
        for key, item in value.items():
            child = (*way, without_shapes(str(key)))
            if named and key != "value":
                yield from _kept(item, child)
            else:
                yield from _kept_under(item, child, deep=str(key) not in _DECLARES)
    elif isinstance(value, list | tuple):
        for number, item in enumerate(value):
            yield from _kept_under(item, (*way, number), deep=deep)
    elif isinstance(value, str | int) and not isinstance(value, bool):
        bare = TEMPLATE.sub("<redacted>", str(value))
        if _DRAWN.fullmatch(bare) if deep or isinstance(value, int) else bare.strip() and not shows_nothing(bare):
            yield Kept(way=way, why="a value under a credential's name")
        else:
            yield from _kept_in_text(str(value), way)


def _kept_in_text(text: str, way: Way) -> Iterator[Kept]:
    value = parsed(text)
    if value is not None:
        yield from _kept_in_json(text, value, way)
    elif _first(text) is not None:
        yield from _kept_in_lines(text, way)


def _kept_in_json(text: str, value: Json, way: Way) -> Iterator[Kept]:
    found = list(_kept(value, way))
    places = json_places(text) if found and "\n" in text else None
    for kept in found:
        line = places.of(kept.way[len(way) :], in_key=kept.in_key)[0].line if places is not None else 0
        yield replace(kept, line=line)


def _kept_in_lines(text: str, way: Way) -> Iterator[Kept]:
    """Yield the findings in each line of a text, and those that span several lines. Findings do not span lines of JSON."""
    lines = text.split("\n")
    if len(lines) > 1:
        for number, line in enumerate(lines):
            found = list(_kept_in_text(line, way))
            yield from (replace(kept, line=number) for kept in found)
            lines[number] = "" if found else line
        if all(parsed(line) is not None for line in lines if line.strip()):
            return
    first = _first("\n".join(lines))
    if first is not None:
        yield Kept(way=way, why=first[0], line=first[1])


def _first(text: str) -> tuple[str, int] | None:
    """Return how the first credential in a text was recognised, and its line, or None."""
    return _looked_for(text) if len(text) > MOST_REMEMBERED else _remembered(text)


def _looked_for(text: str) -> tuple[str, int] | None:
    bare = TEMPLATE.sub("<redacted>", text)
    clean = clean_text(bare)
    if clean == bare:
        return None
    why = "a credential in a text" if without_shapes(bare) == bare else SHAPE
    pairs = enumerate(zip(bare, clean, strict=False))
    return why, bare.count("\n", 0, next((at for at, (was, now) in pairs if was != now), len(clean)))


_remembered = lru_cache(maxsize=4096)(_looked_for)
