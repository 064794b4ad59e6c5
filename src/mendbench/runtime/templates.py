"""Templates: ``${name.field[0].id}`` in a workflow's parameters, and their resolution.

A template is ``${`` name, any number of ``.name``, ``}``. Each name may have one index: ``[0]``, or the value of another
template, ``[${i}]``. Everything else that starts with ``${`` (``${x``, ``${}``, ``${a[-1]}``, ``${x|f}``, and ``$${x}``: there
is no escape) stays unchanged and is reported as malformed. Keys of objects are never resolved.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from mendbench.model.json import Json, JsonObject
from mendbench.runtime.json_texts import JsonTexts, TooLarge
from mendbench.values.sizes import size_of

Place: TypeAlias = tuple[str | int, ...]
"""The path to a value inside a JSON document: keys and indexes."""

MAX_DEPTH = 100
"""Maximum depth at which objects and lists are resolved. Deeper values stay unchanged."""

MAX_SIZE = 10_000_000
"""Maximum characters in resolved values, 8 for each value that is not a string (:func:`.size_of`): nested doubling by
templates would exhaust memory."""

MAX_LEVELS = 150
"""Maximum nesting of resolved values: a response of the world nests at most 120 deep, and a document 100."""

_MAX_FRAGMENT = 60
"""Characters of a malformed template in messages."""

_NAME = r"[A-Za-z_][\w-]*"
_PLAIN = rf"{_NAME}(?:\[[0-9]{{1,18}}\])?(?:\.{_NAME}(?:\[[0-9]{{1,18}}\])?)*"
_INDEX = rf"\[(?:[0-9]{{1,18}}|\$\{{{_PLAIN}\}})\]"
_PATH = rf"{_NAME}(?:{_INDEX})?(?:\.{_NAME}(?:{_INDEX})?)*"

_TEMPLATE = re.compile(rf"\$\{{{_PATH}\}}")
_TOKEN = re.compile(rf"(?P<good>(?<!\$)\$\{{{_PATH}\}})|(?P<bad>(?<!\$)\$+\{{[^{{}}$\n]*\}}?)")
_STEP = re.compile(rf"(?P<inner>\$\{{{_PLAIN}\}})|(?P<number>[0-9]+)(?=\])|(?P<name>{_NAME})")
_ADDRESSABLE = re.compile(_NAME)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """One template as the author wrote it."""

    text: str
    """The whole template, including ``${`` and ``}``."""
    root: str
    """The node or the input that it names."""
    path: tuple[str | int, ...] = ()
    """The path from the root: keys, and indexes as integers. An index from another template is that template's text."""

    @property
    def key(self) -> str | None:
        """The first key after the root (of a node: the output), or None if there is none."""
        first = self.path[0] if self.path else None
        return first if isinstance(first, str) and not first.startswith("$") else None

    @property
    def inner(self) -> tuple[Template, ...]:
        """The templates in its indexes."""
        return tuple(_template(step) for step in self.path if isinstance(step, str) and step.startswith("$"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A value with its templates replaced by data."""

    value: Json
    """The value; unresolved templates remain in it as written."""
    unresolved: tuple[Template, ...] = ()
    """Templates that name nothing in the data."""
    malformed: tuple[str, ...] = ()
    """Malformed templates. In strict mode they stop a node just as unresolved ones do."""
    size: int = 0
    """The size, see :func:`.size_of`. If it exceeds the limit, ``value`` is None."""
    too_large: bool = False

    @property
    def complete(self) -> bool:
        """Whether every template was resolved and the value is within the size limit."""
        return not self.unresolved and not self.malformed and not self.too_large


@dataclass(frozen=True, slots=True, kw_only=True)
class ParamProblem:
    """A parameter that could not be resolved."""

    param: str
    """Dotted path inside the params: ``body.title``, ``headers.X-Id``, ``items[0]``."""
    templates: tuple[str, ...]
    """The templates left in it, as written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedParams:
    """A node's parameters with their templates replaced by data."""

    params: JsonObject
    problems: tuple[ParamProblem, ...] = ()
    size: int = 0
    """The size, see :func:`.size_of`."""
    too_large: bool = False
    """Whether they exceed the size limit; ``params`` is empty then."""


def templates_in(value: Json) -> tuple[Template, ...]:
    """Return the templates anywhere in ``value``, each once, in the order of first occurrence.

    A template inside another one's index follows the outer one.
    """
    found: dict[str, Template] = {}
    for _, text in texts_in(value):
        for match in _TOKEN.finditer(text):
            if match["good"]:
                template = _template(match["good"])
                found |= {each.text: each for each in (template, *template.inner)}
    return tuple(found.values())


def texts_in(value: Json, place: Place = ()) -> Iterator[tuple[Place, str]]:
    """Yield every text in ``value`` that contains ``${``, with its place, which begins with ``place``."""
    if isinstance(value, str):
        if "${" in value:
            yield place, value
    elif len(place) < MAX_DEPTH:
        for inner, item in _items(value, place):
            yield from texts_in(item, inner)


def dotted(place: Place) -> str:
    """Return a place in message form: ``body.items[0].title``."""
    text = ""
    for step in place:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def pointer(*steps: str | int) -> str:
    """Return a JSON pointer (RFC 6901) of ``steps``."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def malformed(text: str) -> tuple[str, ...]:
    """Return the malformed templates in ``text``: ``${x``, ``${}``, ``${a[-1]}``, ``$${x}``."""
    if "${" not in text:
        return ()
    return tuple(match["bad"][:_MAX_FRAGMENT] for match in _TOKEN.finditer(text) if match["bad"])


def resolve(value: Json, data: Mapping[str, Json], most: int = MAX_SIZE, texts: JsonTexts | None = None) -> Resolved:
    """Return ``value`` with every template replaced from ``data`` (node ids to their outputs, input names to values).

    A text that is exactly one template becomes the value itself, of any type. Inside an object or a list, a value that is
    the text of a JSON object or array is parsed. In any other text None becomes empty, True ``True``, objects and lists JSON.
    Data is inserted unchanged: a ``${…}`` in it is neither resolved nor reported. Never raises or modifies its arguments. A result
    larger than ``most`` is not resolved. ``texts`` caches the texts that the same execution has parsed.
    """
    resolver = _Resolver(data, most, texts)
    result, size = _measured(lambda: resolver.resolve(value, ()), most)
    unresolved = {text: template for (_, text), template in resolver.leftovers.items() if template is not None}
    broken = dict.fromkeys(text for (_, text), template in resolver.leftovers.items() if template is None)
    return Resolved(
        value=result, unresolved=tuple(unresolved.values()), malformed=tuple(broken), size=size, too_large=size > most
    )


def resolve_params(
    params: JsonObject, data: Mapping[str, Json], most: int = MAX_SIZE, texts: JsonTexts | None = None
) -> ResolvedParams:
    """Return ``params`` resolved, and a problem for each unresolved place; no parameters if they exceed ``most``.

    ``texts`` caches the texts that the same execution has parsed.
    """
    resolver = _Resolver(data, most, texts)
    resolved, size = _measured(lambda: {name: resolver.resolve(value, (name,)) for name, value in params.items()}, most)
    left: dict[Place, list[str]] = {}
    for place, text in resolver.leftovers:
        left.setdefault(place, []).append(text)
    problems = tuple(ParamProblem(param=dotted(place), templates=tuple(texts)) for place, texts in left.items())
    return ResolvedParams(params=resolved or {}, problems=problems, size=size, too_large=size > most)


def _measured(made: Callable[[], Json], most: int) -> tuple[Json, int]:
    """Return a value and its size; None and more than ``most`` if it is too large or too deep."""
    try:
        value = made()
    except TooLarge:
        return None, most + 1
    size = size_of(value, most, MAX_LEVELS)
    return (value, size) if size <= most else (None, size)


def lookup(data: Mapping[str, Json], template: Template, texts: JsonTexts | None = None) -> tuple[bool, Json]:
    """Return whether ``template`` names something in ``data``, and its value.

    A text on the path that is a JSON object or array is parsed and followed. None at the end is a value; None earlier ends the path.
    ``texts`` caches the parsed texts; beyond its limit no further text is parsed.
    """
    try:
        return _lookup(data, template, texts or JsonTexts())
    except TooLarge:
        return False, None


def field_paths(
    value: Json, prefix: str = "", depth: int = 5, limit: int | None = None, texts: JsonTexts | None = None
) -> tuple[str, ...]:
    """Return the paths inside ``value`` in template syntax (``response.items[0].id``), parents first.

    Of a list only the first item is included. Texts that are JSON objects or arrays are followed, as in templates. Keys that no
    template can name are omitted. ``prefix`` is put before each path, ``depth`` limits the steps, ``limit`` cuts the list.
    ``texts`` caches the parsed texts; beyond its limit no further text is parsed.
    """
    return tuple(islice(_field_paths(value, prefix, depth, texts or JsonTexts()), limit))


def _lookup(data: Mapping[str, Json], template: Template, texts: JsonTexts) -> tuple[bool, Json]:
    if template.root not in data:
        return False, None
    value = data[template.root]
    for step in template.path:
        found, value = _step(value, step, data, texts)
        if not found:
            return False, None
    return True, value


def _template(text: str) -> Template:
    steps: list[str | int] = [
        int(match["number"]) if match["number"] else match["inner"] or match["name"]
        for match in _STEP.finditer(text, 2, len(text) - 1)
    ]
    return Template(text=text, root=str(steps[0]), path=tuple(steps[1:]))


def _items(value: Json, place: Place) -> Iterator[tuple[Place, Json]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*place, key), item
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield (*place, index), item


class _Resolver:
    """Replaces templates, and collects those that it cannot replace."""

    def __init__(self, data: Mapping[str, Json], room: int, texts: JsonTexts | None) -> None:
        self._data, self._room, self._texts = data, room, texts or JsonTexts()
        self.leftovers: dict[tuple[Place, str], Template | None] = {}
        """What remains at a place: the text of a template that names nothing, or of a malformed one (None)."""

    def resolve(self, value: Json, place: Place, *, nested: bool = False) -> Json:
        """Return ``value`` with its templates replaced. ``nested`` values are parsed if they are JSON.

        Raises:
            TooLarge: the values written into texts or parsed exceed the size limit.
        """
        if isinstance(value, str):
            return self._text(value, place, nested=nested) if "${" in value else value
        if not isinstance(value, dict | list) or len(place) >= MAX_DEPTH:
            return value
        items = [self.resolve(item, inner, nested=True) for inner, item in _items(value, place)]
        return dict(zip(value, items, strict=True)) if isinstance(value, dict) else items

    def _text(self, text: str, place: Place, *, nested: bool) -> Json:
        if not _TEMPLATE.fullmatch(text):
            return _TOKEN.sub(lambda match: self._replacement(match, place), text)
        template = _template(text)
        found, value = _lookup(self._data, template, self._texts)
        if not found:
            return self._unresolved(template, place)
        if nested and isinstance(value, str):
            value = self._texts.container(value)
            self._count(value)
        return value

    def _replacement(self, match: re.Match[str], place: Place) -> str:
        if match["bad"]:
            self.leftovers.setdefault((place, match["bad"][:_MAX_FRAGMENT]))
            return match["bad"]
        template = _template(match["good"])
        found, value = _lookup(self._data, template, self._texts)
        if found:
            self._count(value)
        written = _written(value) if found else None
        return self._unresolved(template, place) if written is None else written

    def _unresolved(self, template: Template, place: Place) -> str:
        self.leftovers.setdefault((place, template.text), template)
        for inner in template.inner:
            if not _lookup(self._data, inner, self._texts)[0]:
                self.leftovers.setdefault((place, inner.text), inner)
        return template.text

    def _count(self, value: Json) -> None:
        self._room -= size_of(value, self._room)
        if self._room < 0:
            raise TooLarge


def _step(value: Json, step: str | int, data: Mapping[str, Json], texts: JsonTexts) -> tuple[bool, Json]:
    if isinstance(step, str) and step.startswith("$"):
        found, index = _lookup(data, _template(step), texts)
        if not found or not isinstance(index, int) or isinstance(index, bool):
            return False, None
        step = index
    if isinstance(value, str):
        value = texts.container(value)
    if isinstance(step, int):
        return (True, value[step]) if isinstance(value, list) and 0 <= step < len(value) else (False, None)
    return (True, value[step]) if isinstance(value, dict) and step in value else (False, None)


def _written(value: Json) -> str | None:
    """Return ``value`` as written inside a longer text, or None if it is too deep or contains too long a number."""
    if value is None:
        return ""
    try:
        return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)
    except (ValueError, RecursionError):
        return None


def _field_paths(value: Json, place: str, depth: int, texts: JsonTexts) -> Iterator[str]:
    if depth <= 0:
        return
    if isinstance(value, str):
        with suppress(TooLarge):
            value = texts.container(value)
    if isinstance(value, dict):
        for key, item in value.items():
            if isinstance(key, str) and _ADDRESSABLE.fullmatch(key):
                path = f"{place}.{key}" if place else key
                yield path
                yield from _field_paths(item, path, depth - 1, texts)
    elif isinstance(value, list) and value and place and not place.endswith("]"):
        yield f"{place}[0]"
        yield from _field_paths(value[0], f"{place}[0]", depth, texts)
