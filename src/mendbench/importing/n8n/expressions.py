"""The simple expressions of n8n: a path into the JSON of an input item, or of an item of a named node.

A parameter that begins with ``=`` is a text in which each ``{{ … }}`` is JavaScript. One that is nothing but ``={{ … }}`` keeps the type
of its value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import Json

Path: TypeAlias = tuple[str | int, ...]

_CODE = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_HEAD = re.compile(
    r"""\$json(?![\w(])
    | \$input\.(?:item|first\(\))\.json(?![\w(])
    | \$node\[(?P<q1>["'])(?P<n1>.+?)(?P=q1)\]\.json(?![\w(])
    | \$node\.(?P<n2>\w+)\.json(?![\w(])
    | \$\((?P<q3>["'])(?P<n3>.+?)(?P=q3)\)\.(?:item|first\(\)|all\(\)\[0\])\.json(?![\w(])
    | \$items\((?P<q4>["'])(?P<n4>.+?)(?P=q4)\)\[0\]\.json(?![\w(])""",
    re.VERBOSE,
)
_STEP = re.compile(
    r"""(?:\?\.)?\[(?P<index>\d{1,9})\] | (?:\?\.)?\[(?P<quote>["'])(?P<key>[^"'\\]*)(?P=quote)\] | \??\.(?P<name>[A-Za-z_$][\w$]*)""",
    re.VERBOSE,
)


class NotSimple(ValueError):
    """The value of an expression cannot be known without running its JavaScript."""


class Missing(NotSimple):
    """A simple expression names nothing in the data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A path into an item's JSON."""

    node: str | None
    """The node that gave the item; None for the input item."""
    first: bool
    """Whether it is the node's first item, and not the one that belongs to the current item."""
    path: Path


Part: TypeAlias = str | Reference | None
"""A part of a parameter: text, a simple expression, or None for any other expression."""


def is_expression(raw: Json) -> bool:
    """Return whether a parameter's value is computed."""
    return isinstance(raw, str) and raw.startswith("=")


def parts_of(raw: str) -> list[Part]:
    """Return the parts of a parameter that begins with ``=``; texts at even places, expressions at odd ones."""
    pieces = _CODE.split(raw[1:])
    return [_reference(piece.strip()) if at % 2 else piece for at, piece in enumerate(pieces)]


def sole(parts: list[Part]) -> Reference | None:
    """Return the expression of a parameter that consists of one simple expression alone."""
    alone = len(parts) == 3 and parts[0] == "" and parts[2] == ""  # noqa: PLR2004 - nothing, the expression, nothing
    return parts[1] if alone and isinstance(parts[1], Reference) else None


def followed(value: Json, path: Path) -> Json:
    """Return what a path leads to.

    Raises:
        Missing: it leads to nothing, which JavaScript calls ``undefined``.
        NotSimple: it names a property that only JavaScript's own values have, such as a text's ``length``.
    """
    for step in path:
        if value is None:
            raise Missing
        if isinstance(value, dict):
            if str(step) not in value:
                raise Missing
            value = value[str(step)]
        elif isinstance(value, list) and isinstance(step, int):
            if step >= len(value):
                raise Missing
            value = value[step]
        else:
            raise NotSimple
    return value


def in_text(value: Json) -> str:
    """Return a value as n8n inserts it into a text.

    Raises:
        NotSimple: it is neither a text nor a number, and its form depends on n8n's version.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return canonical_json(value)
    raise NotSimple("a value in a text is neither a text nor a number")


def _reference(code: str) -> Reference | None:
    head = _HEAD.match(code)
    if head is None:
        return None
    names = [name for name in (head["n1"], head["n2"], head["n3"], head["n4"]) if name]
    path: list[str | int] = []
    at = head.end()
    while step := _STEP.match(code, at):
        path.append(int(step["index"]) if step["index"] else step["name"] or step["key"] or "")
        at = step.end()
    if at != len(code):
        return None
    first = any(word in head.group() for word in ("first()", "all()", "$items("))
    return Reference(node=names[0] if names else None, first=first, path=tuple(path))
