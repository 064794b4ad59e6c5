"""YAML input: safe-loaded, with the C loader if available, and bounded.

libyaml's composer recurses for each level and could overflow the stack. Aliases, and especially merge keys, can expand a few lines to
gigabytes. Some scalars take quadratic time to parse. This module refuses all of that, for every YAML file.
"""

from __future__ import annotations

import math
from typing import Any

import yaml

from mendbench.errors import BadInput
from mendbench.io.merge_conflicts import refuse_conflict
from mendbench.io.reading import MAX_DEPTH

MAX_NUMBER = 400
"""The maximum length of a number: more than any double has."""

FREE_NODES = 100_000
BYTES_A_NODE = 8
"""How many values a document may contain: the first number, and one more per second number of bytes. Documents by people and recorders have
at most one per twenty bytes; each value takes about 300 bytes during parsing."""

FREE_TEXT = 1_000_000
"""The number of characters by which aliases may expand a document."""

_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_DEEP = "nested too deeply: write it flatter"
_ALIASES = "aliases that stand for too much: write out what is needed"
_STRANGE = (ValueError, LookupError, AttributeError, TypeError, OverflowError)
"""Exceptions of PyYAML's constructors for scalars that do not match their tag."""


class Loader(_BASE):  # type: ignore[misc]
    """Loads the types of JSON, and dates and binary data."""

    def __init__(self, stream: str | bytes) -> None:
        self.length = len(stream)
        self._depth = self._nodes = 0
        super().__init__(stream)

    def descend_resolver(self, current_node: Any, current_index: Any) -> None:  # noqa: ARG002  the signature is PyYAML's
        """Count one more node and one more level."""
        self._depth += 1
        self._nodes += 1
        mark = None if current_node is None else current_node.start_mark
        if self._depth > MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem=_DEEP, problem_mark=mark)
        if self._nodes > FREE_NODES + self.length // BYTES_A_NODE:
            raise yaml.MarkedYAMLError(problem=f"more than {self._nodes - 1} values", problem_mark=mark)

    def ascend_resolver(self) -> None:
        """Leave a level."""
        self._depth -= 1

    def flatten_mapping(self, node: Any) -> None:
        """Expand merge keys, as PyYAML does, up to a limit."""
        merged: list[Any] = []
        own = []
        for key, value in node.value:
            if key.tag != "tag:yaml.org,2002:merge":
                if key.tag == "tag:yaml.org,2002:value":
                    key.tag = "tag:yaml.org,2002:str"
                own.append((key, value))
                continue
            parts = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for part in reversed(parts):
                if not isinstance(part, yaml.MappingNode) or part is node:
                    raise yaml.MarkedYAMLError(problem="a merge key that names no mapping", problem_mark=key.start_mark)
                self.flatten_mapping(part)
                if len(merged) + len(part.value) > FREE_NODES:
                    raise yaml.MarkedYAMLError(problem=_ALIASES, problem_mark=key.start_mark)
                merged += part.value
        if len(own) < len(node.value):
            node.value = [*merged, *own]


def _read(kind: str) -> Any:
    """Return a constructor of one kind of scalar that reports all failures as errors of the document."""
    base = _BASE.yaml_constructors[f"tag:yaml.org,2002:{kind}"]

    def construct(loader: Any, node: Any) -> Any:
        if kind in {"int", "float"} and len(node.value) > MAX_NUMBER:
            raise yaml.MarkedYAMLError(problem="a number that is too long", problem_mark=node.start_mark)
        try:
            value = base(loader, node)
            if isinstance(value, int | float) and not math.isfinite(float(value)):
                raise ValueError("no number of JSON")
        except yaml.MarkedYAMLError:
            raise
        except _STRANGE as error:
            message = f"{str(node.value)[:40]!r} is no {kind} ({error})"
            raise yaml.MarkedYAMLError(problem=message, problem_mark=node.start_mark) from None
        return value

    return construct


for _kind in ("int", "float", "bool", "timestamp", "binary"):
    Loader.add_constructor(f"tag:yaml.org,2002:{_kind}", _read(_kind))


def load_yaml(data: str | bytes, place: str, hint: str, first_line: int = 1) -> Any:
    """Return the value of a YAML document. ``place`` names the file in errors, ``first_line`` is the first line of ``data`` in it.

    Raises:
        BadInput: it is invalid YAML, has unsafe tags, or is refused. The message has line and column if known.
    """
    try:
        loader = Loader(data)
        value = loader.get_single_data()
        if (b"&" in data) if isinstance(data, bytes) else ("&" in data):
            refuse_swollen(value, loader.length)
    except (yaml.YAMLError, ValueError) as error:
        text = data if isinstance(data, str) else data.decode("utf-8", "replace")
        refuse_conflict(text, place, first_line)
        refuse_tab(error, text, place, first_line)
        found = described_error(error, place, hint, first_line)
        raise BadInput(found.place, f"not YAML ({found.found})", hint) from None
    except RecursionError:  # circular merge keys
        raise BadInput(place, _DEEP, hint) from None
    return value


def load_documents(data: bytes) -> list[Any]:
    """Return the values of all documents of a YAML text, each within the bounds of :func:`load_yaml`.

    Raises:
        YAMLError, ValueError, RecursionError: it is invalid YAML, has unsafe tags, or is refused.
    """
    loader = Loader(data)
    values = []
    while loader.check_data():
        values.append(loader.get_data())
    if b"&" in data:
        refuse_swollen(values, loader.length)
    return values


def refuse_tab(error: Exception, text: str, place: str, first_line: int = 1) -> None:
    """Refuse a tab in the indentation by name: the library only reports an unexpected character.

    Raises:
        BadInput: the error is at a tab.
    """
    mark = getattr(error, "problem_mark", None)
    lines = text.split("\n")
    if mark is not None and mark.line < len(lines) and lines[mark.line][mark.column : mark.column + 1] == "\t":
        raise BadInput(f"{place}:{mark.line + first_line}:{mark.column + 1}", "a tab", "indent with spaces")


def described_error(error: Exception, place: str, hint: str, first_line: int = 1) -> BadInput:
    """Describe an error in a YAML document in one line."""
    mark = getattr(error, "problem_mark", None)
    message = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error) or "not YAML"
    return BadInput(f"{place}:{mark.line + first_line}:{mark.column + 1}" if mark else place, str(message), hint)


def refuse_swollen(value: Any, length: int) -> None:
    """Refuse a value that contains itself, or is far larger or deeper than its ``length`` characters of source.

    Raises:
        YAMLError: the value is refused.
    """
    known: dict[int, tuple[int, int] | None] = {}
    weight, _ = _measured(value, 0, length + FREE_TEXT, known)
    if weight > length + FREE_TEXT:
        raise yaml.YAMLError(_ALIASES)


def _measured(value: Any, depth: int, limit: int, known: dict[int, tuple[int, int] | None]) -> tuple[int, int]:
    """Return the number of characters and values in ``value``, and its depth; ``known`` has None for its ancestors."""
    if isinstance(value, str | bytes):
        return 1 + len(value), 0
    if not isinstance(value, dict | list | tuple | set):
        return 1, 0
    if id(value) in known:
        found = known[id(value)]
        if found is None:
            raise yaml.YAMLError("a value that holds itself: write it without the alias")
    else:
        if depth > MAX_DEPTH:
            raise yaml.YAMLError(_DEEP)
        known[id(value)] = None
        items = [*value, *value.values()] if isinstance(value, dict) else value
        weight, height = 1, 0
        for item in items:
            own, levels = _measured(item, depth + 1, limit, known)
            weight, height = weight + own, max(height, levels + 1)
            if weight > limit:
                raise yaml.YAMLError(_ALIASES)
        found = known[id(value)] = (weight, height)
    if depth + found[1] > MAX_DEPTH:
        raise yaml.YAMLError(_DEEP)
    return found
