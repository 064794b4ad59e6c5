"""Reads hand-written YAML and JSON documents strictly, and reports errors in one line with their place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from mendbench.corpus.plain_words import in_plain_words
from mendbench.errors import BadInput, UnknownName
from mendbench.io.json_documents import load_json, refuse_repeated_keys
from mendbench.io.merge_conflicts import refuse_conflict
from mendbench.io.reading import MAX_DOCUMENT, read_text
from mendbench.io.yaml_documents import Loader, described_error, refuse_swollen, refuse_tab
from mendbench.services.shape import MISFIT
from mendbench.values.schema import shown

_JSON = frozenset({"str", "int", "float", "bool", "null", "map", "seq"})
_KEYS = frozenset({"str"})
"""The allowed types of keys. ``no``, ``on`` and similar words are booleans in YAML 1.1 if they are unquoted."""
_BOOLEANS = frozenset({"true", "false"})
_AFFIRMED = frozenset({"yes", "on"})
"""Words that YAML 1.1 reads as true. It reads ``no`` and ``off`` as false: a country's code, or the state of a switch."""
_WORDS = {"timestamp": "a date", "binary": "binary data"}
_TAG = "tag:yaml.org,2002:"
_MERGE = f"{_TAG}merge"
_QUOTE = "put it in quotes"
_KEY = "[key]"
"""The last part of the place of an error in a key, as pydantic writes it."""
Place: TypeAlias = tuple[int | str, ...]
"""Keys and indexes that lead to a value in a document."""


def read_yaml(path: Path, no_file: str) -> Any:
    """Return the value of a YAML document that could also be JSON. ``no_file`` is the hint if the file does not exist.

    Raises:
        BadInput: it cannot be read or is not YAML, a key is repeated or not a text, or a value is not a JSON value.
    """
    text = read_text(path, MAX_DOCUMENT, no_file)
    try:
        loader = Loader(text)
        node = loader.get_single_node()
        _refuse_strange(path, node, {})
        value = None if node is None else loader.construct_document(node)
        if "&" in text:
            refuse_swollen(value, loader.length)
    except yaml.YAMLError as error:
        refuse_conflict(text, str(path))
        refuse_tab(error, text, str(path))
        raise described_error(error, str(path), "mend the YAML there") from None
    except ValueError as error:
        raise BadInput(str(path), f"a value that cannot be read ({error})", _QUOTE) from None
    except RecursionError:
        raise BadInput(str(path), "nested too deeply", "write it flatter") from None
    return value


def read_json(path: Path, no_file: str, limit: int = MAX_DOCUMENT) -> Any:
    """Return the value of a JSON document. ``no_file`` is the hint if the file does not exist.

    Raises:
        BadInput: it cannot be read, is larger than ``limit`` bytes, is not JSON, or an object has a key twice.
    """
    text = read_text(path, limit, no_file)
    value = load_json(text, str(path))
    refuse_repeated_keys(text, str(path))
    return value


def refused(path: Path, error: ValidationError, model: type[BaseModel], command: str | None = None) -> BadInput:
    """Return the first error in a document, with the closest known key for an unknown one.

    ``command`` is the command that prints the schema of ``model``, if there is one.
    """
    first = _most_specific(error.errors(include_url=False))
    unknown, end = first["type"] == "extra_forbidden", len(first["loc"]) - 1
    tokens = enumerate(first["loc"])  # some name the attempted type; an unknown key may look like one
    loc = tuple(one for at, one in tokens if not _is_type(one) or (unknown and at == end))
    if f"{loc[-1] if loc else ''}_type" == first["type"]:
        loc = loc[:-1]  # not a key: the attempted type
    return _bad_input(_where(path, _composed(path), [_way(loc, first)]), loc, first, model, command)


def all_refused(path: Path, error: ValidationError, model: type[BaseModel], command: str) -> BadInput:
    """Return the first error in a document as :func:`refused` does, with the places of the others."""
    first = refused(path, error, model, command)
    places = [
        ".".join(str(one) for one in each["loc"] if not _is_type(one)) for each in error.errors(include_url=False)
    ]
    others = [place for place in dict.fromkeys(places) if not first.place.endswith(f": {place}")]
    return BadInput(first.place, first.found, f"{first.hint}; also wrong: {', '.join(others)}") if others else first


def located(path: Path, *way: int | str) -> str:
    """Return a place in a YAML document for an error: file, line, column, and the keys and indexes of ``way``.

    The position is that of the longest part of ``way`` that exists.
    """
    return _where(path, _composed(path), [way])


def misfits(
    path: Path, error: ValidationError, model: type[BaseModel], command: str, places: Sequence[Place]
) -> tuple[BadInput, ...]:
    """Return all errors in a part of a YAML document, each with its line and column.

    The part may be at several ``places``, whose values are merged. An error is reported at the first place that contains
    the longest part of its path.
    """
    node, errors = _composed(path), error.errors(include_url=False)
    misspelt = [one["loc"] for one in errors if one["type"] == "extra_forbidden"]
    found = []
    for one in errors:
        loc = tuple(token for token in one["loc"] if token != _KEY)
        near = [str(each[-1]) for each in misspelt if each[:-1] == loc[:-1]]
        if one["type"] != "missing" or not difflib.get_close_matches(str(loc[-1]), near, n=1):
            where = _where(path, node, [(*place, *_way(loc, one)) for place in places])
            found.append(_bad_input(where, loc, one, model, command))
    return tuple(found)


def _bad_input(where: str, loc: Place, error: ErrorDetails, model: type[BaseModel], command: str | None) -> BadInput:
    kind, given = error["type"], error.get("input")
    shape = f"`{command}` has all keys and values" if command else f"its keys are {', '.join(_keys_at(model, ()))}"
    if kind == MISFIT:
        return BadInput(where, error["ctx"]["found"], error["ctx"]["hint"])
    if kind == "extra_forbidden":
        key, known = str(loc[-1]), _keys_at(model, loc[:-1])
        close = difflib.get_close_matches(key, known, n=1)
        listed = f"known: {', '.join(known)}" if known else "no key is known here"
        return BadInput(where, f"unknown key {key!r}", f"did you mean {close[0]!r}?" if close else listed)
    if kind == "missing":
        return BadInput(where, "nothing is there", f"add {loc[-1]!r}; {shape}")
    if given is None and not loc:
        return BadInput(where, "the file is empty", shape)
    if kind == "literal_error" and isinstance(given, str):
        return UnknownName("value", given, re.findall(r"'([^']*)'", error["ctx"]["expected"]), where)
    message = in_plain_words(error)
    found = message if isinstance(given, dict | list | BaseModel) else f"{message} (found {shown(given)})"
    unquoted = kind == "string_type" and isinstance(given, bool | int | float)
    return BadInput(where, found, _QUOTE if unquoted else shape)


def _way(loc: Place, error: ErrorDetails) -> Place:
    """Return the path to an error: a validator's own error may be deeper inside than its value."""
    return (*loc, *error["ctx"]["below"]) if error["type"] == MISFIT else loc


def _composed(path: Path) -> Any:
    """Return the nodes of a YAML document, with their positions; None for any other file."""
    if path.suffix != ".yaml":
        return None
    try:
        return Loader(read_text(path, MAX_DOCUMENT, "")).get_single_node()
    except (BadInput, yaml.YAMLError, ValueError):
        return None


def _where(path: Path, node: Any, ways: Sequence[Place]) -> str:
    """Return file, line, column and keys of the first path of which the longest part exists in a document.

    Of a path of which nothing exists, there is no position: the document's start says nothing about what it lacks.
    """
    marks = [list(_marks(node, way)) for way in ways]
    best = min(range(len(ways)), key=lambda at: len(ways[at]) - len(marks[at]))
    mark = marks[best][-1] if marks[best] else None if ways[best] else getattr(node, "start_mark", None)
    file, keys = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path), ".".join(map(str, ways[best]))
    return f"{file}: {keys}" if keys else file


def _marks(node: Any, way: Place) -> Iterator[Any]:
    """Yield the position of each token of a path, as far as the path exists."""
    for token in way:
        if isinstance(node, yaml.MappingNode):
            found = next((pair for pair in _pairs(node) if pair[0].value == token), None)
            if found is None:
                return
            mark, node = found[0].start_mark, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(token, int) and token < len(node.value):
            node = node.value[token]
            mark = node.start_mark
        else:
            return
        yield mark


def _pairs(node: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the keys and values of a mapping, its own before those of its merge keys."""
    yield from (pair for pair in node.value if pair[0].tag != _MERGE)
    for key, value in node.value:
        if key.tag == _MERGE:
            for part in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                yield from _pairs(part)


def _is_type(token: int | str) -> bool:
    return isinstance(token, str) and token.startswith(("_", "["))


def _most_specific(errors: list[ErrorDetails]) -> ErrorDetails:
    """Return the first error; for an object that could also be a plain value, the error inside the object.

    If a key is missing because it is misspelt, return the error for the misspelt key.
    """
    first, stem = errors[0], errors[0]["loc"][:-1]
    if first["type"] == "missing":
        unknown = [one for one in errors if one["type"] == "extra_forbidden" and one["loc"][:-1] == stem]
        close = difflib.get_close_matches(str(first["loc"][-1]), [str(one["loc"][-1]) for one in unknown], n=1)
        return next((one for one in unknown if [one["loc"][-1]] == close), first)
    inside = [one for one in errors if one["loc"][: len(stem)] == stem and len(one["loc"]) > len(stem) + 1]
    tried = [one for one in inside if str(one["loc"][len(stem)]).startswith("_")]
    return tried[0] if tried and isinstance(first["input"], dict) else first


def _refuse_strange(path: Path, node: Any, seen: dict[int, bool]) -> None:
    """Refuse YAML values that JSON lacks, and repeated keys, of which the loader would keep the last one.

    ``seen`` maps each visited node to whether it contains this one.
    """
    if seen.get(id(node)):
        raise BadInput(_at(path, node.start_mark), "a value that holds itself", "write it without the alias")
    if node is None or id(node) in seen:
        return
    seen[id(node)] = True
    kind = str(node.tag).removeprefix(_TAG)
    if kind not in _JSON:
        held = f", {node.value!r}," if isinstance(node, yaml.ScalarNode) else ""
        raise BadInput(_at(path, node.start_mark), f"{_WORDS.get(kind, kind)}{held} where JSON has none", _QUOTE)
    if kind == "bool" and node.value.lower() not in _BOOLEANS:
        read = "true" if node.value.lower() in _AFFIRMED else "false"
        hint = f"put it in quotes if it is a text, else write {read}"
        raise BadInput(_at(path, node.start_mark), f"YAML reads {node.value} as {read}", hint)
    if isinstance(node, yaml.MappingNode):
        keys: set[str] = set()
        for key, value in node.value:
            _refuse_key(path, key, keys)
            _refuse_strange(path, value, seen)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_strange(path, item, seen)
    seen[id(node)] = False


def _refuse_key(path: Path, key: Any, keys: set[str]) -> None:
    kind = str(key.tag).removeprefix(_TAG)
    if key.tag == _MERGE:
        return
    if kind not in _KEYS:
        raise BadInput(_at(path, key.start_mark), f"the key {key.value!r} is no text", _QUOTE)
    if key.value in keys:
        raise BadInput(_at(path, key.start_mark), f"the key {key.value!r} stands twice", "keep one of the two")
    keys.add(key.value)


def _at(path: Path, mark: Any) -> str:
    return f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else str(path)


def _keys_at(model: type[BaseModel], loc: tuple[int | str, ...]) -> list[str]:
    """Return the keys that a schema defines at a place."""
    schema: Any = model.model_json_schema()
    node, defs = schema, schema.get("$defs", {})
    for token in loc:
        node = _deref(node, defs)
        further = node.get("additionalProperties")
        inside = further if isinstance(further, dict) else {}
        node = node.get("items", {}) if isinstance(token, int) else node.get("properties", {}).get(token, inside)
    return sorted(_deref(node, defs).get("properties", {}))


def _deref(node: Any, defs: dict[str, Any]) -> Any:
    for option in node.get("anyOf", ()):
        if "$ref" in option or option.get("type") in {"array", "object"}:
            node = option
            break
    return defs.get(node["$ref"].rsplit("/", 1)[-1], {}) if "$ref" in node else node
