"""The positions of values in a JSON or YAML text, from its parser."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TypeAlias

import yaml

from mendbench.io.yaml_documents import Loader
from mendbench.secrets.undeclared import without_shapes

Way: TypeAlias = tuple[str | int, ...]
"""The path of keys and indexes to a value. Credentials in keys are masked."""

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"|[{}\[\],:\n]|[^\s{}\[\],:"]++')


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The start of a value."""

    at: int
    """Its offset in the text."""
    line: int
    """The line on which its own text starts, from 0."""
    in_lines: bool = False
    """Whether each line of the value is a line of the file, as in a literal block of YAML."""


@dataclass(frozen=True, slots=True)
class Places:
    """The positions of the keys and values of one document."""

    keys: dict[Way, Place] = field(default_factory=dict)
    values: dict[Way, Place] = field(default_factory=dict)

    def of(self, way: Way, *, in_key: bool = False) -> tuple[Place, Way]:
        """Return the position of a value or of its key. For a value inside a text, return the text's position and the rest of the path."""
        if in_key and way in self.keys:
            return self.keys[way], ()
        depth = next(depth for depth in range(len(way), -1, -1) if way[:depth] in self.values)
        return self.values[way[:depth]], way[depth:]


def json_places(text: str) -> Places:
    """Return the positions of the values of a JSON text, which must be valid."""
    places = Places()
    way: list[str | int] = []
    keys_due: list[bool] = []
    """Whether a key comes next, for each open object or array."""
    line = 0
    for token in _TOKEN.finditer(text):
        lexeme = token.group()
        if lexeme == "\n":
            line += 1
        elif lexeme == ",":
            if isinstance(way[-1], int):
                way[-1] += 1
            else:
                keys_due[-1] = True
        elif lexeme in "}]":
            way.pop()
            keys_due.pop()
        elif lexeme != ":":
            place = Place(at=token.start(), line=line)
            if keys_due and keys_due[-1]:
                way[-1] = without_shapes(json.loads(lexeme))
                places.keys[tuple(way)] = place
                keys_due[-1] = False
                continue
            places.values[tuple(way)] = place
            if lexeme in "{[":
                way.append("" if lexeme == "{" else 0)
                keys_due.append(lexeme == "{")
    return places


class YamlPlaces:
    """Return the positions of the values of all documents of a YAML text, which must be valid."""

    def __init__(self, text: str) -> None:
        self._ends = [found.end() for found in re.finditer("\n", text)]
        self._loader = Loader(text.encode("utf-8", "replace"))
        self._scalars: list[tuple[int, int]] = []
        self.documents: list[Places] = []
        while self._loader.check_node():
            self.documents.append(Places())
            self._walk(self._loader.get_node(), ())
        self._scalars.sort()

    def in_scalar(self, at: int) -> bool:
        """Return whether an offset is within a scalar, so that ``#`` does not start a comment there."""
        before = bisect_right(self._scalars, at, key=lambda span: span[0]) - 1
        return before >= 0 and at < self._scalars[before][1]

    def _walk(self, node: yaml.Node, way: Way) -> None:
        places = self.documents[-1]
        places.values[way] = self._place(node)
        if isinstance(node, yaml.ScalarNode):
            self._scalars.append((node.start_mark.index, node.end_mark.index))
        elif isinstance(node, yaml.SequenceNode):
            for number, item in enumerate(node.value):
                self._walk(item, (*way, number))
        elif isinstance(node, yaml.MappingNode):
            self._loader.flatten_mapping(node)
            for key, item in node.value:
                named = (*way, without_shapes(str(self._loader.construct_object(key, deep=True))))
                places.keys[named] = self._place(key)
                self._walk(item, named)

    def _place(self, node: yaml.Node) -> Place:
        at, style = node.start_mark.index, getattr(node, "style", None)
        line = bisect_right(self._ends, at)
        return Place(at=at, line=line + 1 if style in {"|", ">"} else line, in_lines=style == "|")
