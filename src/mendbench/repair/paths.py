"""Paths inside a workflow document, as people and models write them: dots, brackets, or JSON pointers.

:func:`put` and :func:`drop` modify the caller's document in place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TypeAlias

from jsonpointer import JsonPointer, JsonPointerException  # type: ignore[attr-defined, unused-ignore]

from mendbench.model.json import Json, JsonObject
from mendbench.values.json_patch import APPEND, MAX_DEPTH

Token: TypeAlias = str | int
"""A name, or a list index written in brackets."""

_STEP = re.compile(
    r"""(?:^|\.)(?P<name>[^.\[\]]+)|\[(?:(?P<index>\d+)|(?P<quote>["'])(?P<quoted>.*?)(?P=quote)|(?P<bare>[^\[\]"']+))\]"""
)
_MAX_DIGITS = 9
"""Maximum digits of a list index."""

_NEW_LIST = (0, "0", APPEND)
"""First tokens under a missing value that indicate a list."""


class EditError(ValueError):
    """An edit that cannot be applied. The message is one sentence that a repairer can act on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """A parsed path."""

    tokens: tuple[Token, ...]
    dotted: bool
    """Whether adjacent names may be one key that contains dots. False for a JSON pointer."""

    def under(self, *parents: Token) -> Path:
        """Return this path with ``parents`` before it."""
        return replace(self, tokens=(*parents, *self.tokens))

    def without(self, count: int) -> Path:
        """Return this path without its first ``count`` tokens."""
        return replace(self, tokens=self.tokens[count:])

    def __str__(self) -> str:
        """Return the path with dots and brackets."""
        text = "".join(f"[{token}]" if isinstance(token, int) else f".{token}" for token in self.tokens)
        return text.removeprefix(".")


def parse_path(text: Json) -> Path:
    """Parse a path: ``params.body.text``, ``blocks[0]["a.b"]``, ``/params/body`` or a list.

    Raises:
        EditError: it has another form, is empty, or has more steps than a document may have levels.
    """
    tokens: tuple[Token, ...]
    dotted = isinstance(text, str) and not text.startswith("/")
    if isinstance(text, list) and text and all(isinstance(t, str) or type(t) is int for t in text) and "" not in text:
        tokens = tuple(text)
    elif not isinstance(text, str):
        raise EditError("'path' is not a text")
    else:
        tokens = _dotted_tokens(text.strip().removeprefix("$.")) if dotted else _pointer_tokens(text)
    if len(tokens) > MAX_DEPTH:
        raise EditError(f"'path' has {len(tokens):,} steps, and at most {MAX_DEPTH} can lead to anything")
    return Path(tokens=tokens, dotted=dotted)


def is_index(token: Token) -> bool:
    """Return whether ``token`` can be a list index."""
    return isinstance(token, int) or (token.isascii() and token.isdigit() and len(token) <= _MAX_DIGITS)


def put(root: JsonObject, path: Path, value: Json) -> None:
    """Set the value at ``path``, in place.

    Missing objects and lists on the path are created; ``-`` or the next index appends.

    Raises:
        EditError: something on the path is neither an object nor a list, or an index is beyond the end.
    """
    container, key = _last_container(root, path, create=True)
    _assign(container, key, value)


def drop(root: JsonObject, path: Path) -> None:
    """Remove the value at ``path``, in place.

    Raises:
        EditError: there is nothing there.
    """
    container, key = _last_container(root, path, create=False)
    del container[key]


def _last_container(root: JsonObject, path: Path, *, create: bool) -> tuple[Json, Json]:
    """Return the object or list that holds the value at ``path``, and its key there. Create what is missing, or refuse it."""
    container: Json = root
    at = 0
    while True:
        key, used = _key(container, path, at)
        at += used
        if not create and (key not in container if isinstance(container, dict) else key >= len(container)):
            raise EditError(f"there is nothing at {str(path)!r}")
        if at == len(path.tokens):
            return container, key
        if create and _missing(container, key):
            _assign(container, key, [] if path.tokens[at] in _NEW_LIST else {})
        container = container[key]


def _pointer_tokens(text: str) -> tuple[str, ...]:
    try:
        tokens = tuple(JsonPointer(text).parts)
    except JsonPointerException as error:
        raise EditError(f"{text!r} is not a JSON pointer: {error}") from error
    if "" in tokens:
        raise EditError(f"the path {text!r} has an empty step")
    return tokens


def _dotted_tokens(text: str) -> tuple[Token, ...]:
    tokens: list[Token] = []
    at = 0
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            raise EditError(f"the path {text!r} cannot be read from position {at + 1} on")
        index = step.group("index")
        name = step.group("name") or step.group("quoted") or step.group("bare")
        tokens.append(int(index) if index and is_index(index) else index or name or "")
        at = step.end()
    if not tokens or "" in tokens:
        raise EditError("'path' is empty" if not tokens else f"the path {text!r} has an empty step")
    return tuple(tokens)


def _key(container: Json, path: Path, at: int) -> tuple[Json, int]:
    """Return the key of ``container`` at position ``at`` of the path, and the number of tokens that it uses."""
    token = path.tokens[at]
    if isinstance(container, list):
        return _index(container, token, path), 1
    parent = str(replace(path, tokens=path.tokens[:at]))
    if not isinstance(container, dict):
        raise EditError(f"{parent!r} is {_kind(container)}, not an object or a list")
    if isinstance(token, int) and str(token) not in container:
        raise EditError(f"{parent or 'the document'!r} is an object, so [{token}] finds nothing in it")
    if path.dotted:
        names = [str(name) for name in takewhile(lambda token: isinstance(token, str), path.tokens[at:])]
        for end in range(len(names), 1, -1):
            if (whole := ".".join(names[:end])) in container:
                return whole, end
    return str(token), 1


def _index(container: list[Json], token: Token, path: Path) -> int:
    if token == APPEND:
        return len(container)
    if not is_index(token):
        raise EditError(f"{str(path)!r} takes {token!r} for a place in a list; give an index")
    index = int(token)
    if index < 0 or index > len(container):
        raise EditError(f"index {index} in {str(path)!r} is beyond the list's {len(container)} items")
    return index


def _missing(container: Json, key: Json) -> bool:
    return container.get(key) is None if isinstance(container, dict) else bool(key == len(container))


def _assign(container: Json, key: Json, value: Json) -> None:
    if isinstance(container, list) and key == len(container):
        container.append(value)
    else:
        container[key] = value


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a boolean"
    return "a text" if isinstance(value, str) else "a number"
