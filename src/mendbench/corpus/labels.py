"""Labels that are still missing in a new case. One word marks each of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import yaml

from mendbench.errors import BadInput
from mendbench.io.json_documents import parse_json
from mendbench.io.reading import MAX_DOCUMENT, read_text
from mendbench.io.yaml_documents import Loader

MARK = "LABEL-ME"
"""Marks in a new case where a person has to decide. The text after it describes the expected value."""

_KEY = "[key]"
"""The last step to a key."""

_UNLABELLED = " is not labelled"


def is_missing_label(problem: BadInput) -> bool:
    """Return whether a problem is one of :func:`missing_labels`."""
    return problem.found.endswith(_UNLABELLED)


def mark(wanted: str) -> str:
    """Return the placeholder for a missing label."""
    return f"{MARK} {wanted}"


def missing_labels(folder: Path) -> tuple[BadInput, ...]:
    """Return one line for each missing label in a case's two files, with its place; none for a broken file."""
    found: list[BadInput] = []
    for name in ("case.yaml", "workflow.json"):
        path = folder / name
        try:
            text = read_text(path, MAX_DOCUMENT, "")
        except BadInput:
            continue
        if MARK in text:
            found += _in_yaml(path, text) if path.suffix == ".yaml" else _in_json(path, text)
    return tuple(found)


def _in_yaml(path: Path, text: str) -> list[BadInput]:
    try:
        node = Loader(text).get_single_node()
    except (yaml.YAMLError, ValueError):
        return []
    return [
        _missing(path, one.start_mark.line + 1, one.start_mark.column + 1, place, str(one.value))
        for place, one in _scalars(node, (), set())
        if MARK in str(one.value)
    ]


def _in_json(path: Path, text: str) -> list[BadInput]:
    try:
        values = [(place, value) for place, value in _texts(parse_json(text), ()) if MARK in value]
    except ValueError:
        return []
    found, at = [], 0
    for place, value in values:
        at = text.index(MARK, at) + 1
        found.append(_missing(path, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at) - 1, place, value))
    return found


def _missing(path: Path, line: int, column: int, place: tuple[str, ...], value: str) -> BadInput:
    wanted = value.partition(MARK)[2].strip()
    return BadInput(f"{path}:{line}:{column}", f"{_shown(place)}{_UNLABELLED}", wanted or "fill it in")


def _shown(place: tuple[str, ...]) -> str:
    """Return a place as a path. A key that is a placeholder itself has no name yet, so its parent is named."""
    known = ".".join(takewhile(lambda step: step != _KEY and MARK not in step, place))
    if place[-1:] == (_KEY,):
        return f"a key of {known}" if known else "a key"
    return known if all(MARK not in step for step in place) else f"the value of that key of {known}"


def _scalars(node: Any, place: tuple[str, ...], seen: set[int]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the scalars of a YAML document, including keys, with their places, except those in ``seen``."""
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.ScalarNode):
        yield place, node
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield from _scalars(key, (*place, _KEY), seen)
            yield from _scalars(value, (*place, str(key.value)[:60]), seen)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield from _scalars(item, (*place, str(index)), seen)


def _texts(value: Any, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the texts of a JSON document in order, with their places. A text with several marks counts once for each."""
    if isinstance(value, str):
        yield from ((place, value) for _ in range(max(1, value.count(MARK))))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(str(key), (*place, _KEY))
            yield from _texts(item, (*place, str(key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*place, str(index)))
