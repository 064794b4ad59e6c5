"""n8n's simple expressions as templates of a workflow of ours."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote_plus

from mendbench.importing.interface import Dropped
from mendbench.importing.n8n.document import Execution, Origin
from mendbench.importing.n8n.expressions import (
    Missing,
    NotSimple,
    Part,
    Path,
    Reference,
    followed,
    in_text,
    is_expression,
    parts_of,
    sole,
)
from mendbench.importing.n8n.parameters import OMITTED, option
from mendbench.importing.n8n.requests import SentValues
from mendbench.io.canonical_json import canonical_json
from mendbench.io.json_documents import parse_json
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.nodes.params import kind_of
from mendbench.runtime.templates import resolve, templates_in
from mendbench.secrets.redaction import sanitise

_FULL: Mapping[str, str] = {"body": "response", "statusCode": "status_code", "headers": "response_headers"}
"""Fields of the output of a node that includes the whole response, and outputs of our ``http`` node."""

_QUOTE = re.compile(r'(?<!\\)"')
_SHOWN = 80
"""Characters of an expression in a reason."""


@dataclass(slots=True, kw_only=True)
class Inputs:
    """The inputs of a workflow: the fields of triggers that it uses."""

    execution: Execution
    reserved: Collection[str]
    """Names that nodes have."""
    declared: JsonObject = field(default_factory=dict)
    values: JsonObject = field(default_factory=dict)
    _names: dict[tuple[str, Path], str] = field(default_factory=dict)

    def name_of(self, origin: Origin, path: Path) -> str | None:
        """Return the input for a field of a trigger; None if the trigger did not give it, or it has no name."""
        keys = [step for step in path if isinstance(step, str)]
        items = self.execution.items(origin)
        if not keys or len(items) != 1:
            return None
        known = self._names.get((origin.node, path))
        if known is not None:
            return known
        try:
            value = followed(items[0].get("json"), path)
        except NotSimple:
            return None
        name = unique(slug(keys[-1], "_"), {*self.declared, *self.reserved}, "_")
        self._names[origin.node, path] = name
        kind = "string" if value is None else kind_of(value)
        self.declared[name] = {"type": kind, "description": f"{'.'.join(map(str, path))} of {origin.node}"}
        self.values[name] = value
        return name


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """Reads a node's parameters as those of our workflow.

    A template that would not give the value that was sent is replaced by that value.
    """

    sent: SentValues
    ids: Mapping[str, str]
    """Our ids of the nodes that became nodes of ours."""
    outputs: JsonObject
    """What those nodes gave in the execution, as outputs of our ``http`` node."""
    inputs: Inputs
    dropped: list[Dropped]

    def value(self, raw: Json, place: Path) -> Json:
        """Return a template or a value; never fails."""
        if not is_expression(raw):
            return raw
        parts = parts_of(raw)
        alone = sole(parts)
        made = self._reference(alone) if alone is not None else self._joined(parts)
        return self._settled(raw, place, made, self.sent.value)

    def json_text(self, raw: Json, place: Path) -> Json:
        """Return a JSON value with templates in it.

        Raises:
            NotSimple: it is no JSON, and what was sent is not known.
        """
        if not is_expression(raw):
            return self.sent.json_text(raw, place)
        parts = parts_of(raw)
        alone = sole(parts)
        made = self._reference(alone) if alone is not None else self._json(parts)
        return self._settled(raw, place, made, self.sent.json_text)

    def form_text(self, raw: Json, place: Path) -> str:
        """Return a value for a form: a template only if its value needs no encoding.

        Raises:
            NotSimple: it is neither a text nor a number.
        """
        found = self.value(raw, place)
        if not is_expression(raw) or not (isinstance(found, str) and templates_in(found)):
            return quote_plus(in_text(found))
        try:
            value = in_text(self.sent.value(raw, place))
        except NotSimple:
            return found
        if quote_plus(value) == value:
            return found
        self._drop(place, raw, "its value needs encoding in a form: the value that was sent stands for it")
        return quote_plus(value)

    def _settled(self, raw: str, place: Path, made: Json, read: Callable[[Json, Path], Json]) -> Json:
        """Return the template if it gives what was sent or if that is not known, else what was sent."""
        if not self.sent.execution.runs.get(self.sent.name):
            if made is None:
                self._drop(place, raw, "no template can say it, and the node did not run: write what belongs there")
            return raw if made is None else made
        try:
            value = read(raw, place)
        except Missing as error:
            if made is None and (sole(parts_of(raw)) is None or len(place) == 1):
                self._drop(place, raw, f"{error}: write what belongs there")
                return raw
            value = OMITTED
        except NotSimple as error:
            tail = "write what belongs there" if made is None else f"check that {made!r} says it"
            self._drop(place, raw, f"{error}, and what it sent is not stored: {tail}")
            return raw if made is None else made
        if made is None:
            self._drop(place, raw, "no template can say it: the value that was sent stands for it")
            return value
        if value is OMITTED:
            self._drop(place, raw, "it names nothing in the data: n8n left it out, and our node fails there")
            return made
        resolved = resolve(made, {**self.inputs.values, **self.outputs})
        if resolved.complete and canonical_json(resolved.value) == canonical_json(value):
            return made
        self._drop(place, raw, f"{made!r} would give another value: the value that was sent stands for it")
        return value

    def _drop(self, place: Path, raw: str, why: str) -> None:
        where = ".".join(str(step) for step in place)
        what = f"{self.sent.name}.{where} {str(sanitise(raw))[:_SHOWN]}"
        self.dropped.append(Dropped(what=what, why=str(sanitise(why))))

    def _joined(self, parts: list[Part]) -> str | None:
        texts = [self._text(part) for part in parts]
        return "".join(text or "" for text in texts) if None not in texts else None

    def _text(self, part: Part) -> str | None:
        return self._reference(part) if isinstance(part, Reference) else part

    def _json(self, parts: list[Part]) -> Json:
        """Return a JSON text as a value. An expression that is not inside a JSON string becomes a string of its own."""
        text = ""
        for part in parts:
            if isinstance(part, str):
                text += part
                continue
            template = self._text(part)
            if template is None:
                return None
            text += template if len(_QUOTE.findall(text)) % 2 else json.dumps(template)
        try:
            return parse_json(text)
        except ValueError:
            return None

    def _reference(self, reference: Reference) -> str | None:
        """Return the template for a simple expression; None if there is none."""
        execution = self.sent.execution
        if reference.node is None:
            origin = execution.origin(self.sent.name, self.sent.run)
        else:
            origin = execution.passed(Origin(node=reference.node))
        if origin is None:
            return None
        if execution.is_trigger(origin.node):
            name = self.inputs.name_of(origin, reference.path)
            return f"${{{name}}}" if name else None
        if origin.node not in self.ids:
            return None
        steps = self._output(origin.node, reference.path)
        if steps is None:
            return None
        text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
        template = f"${{{self.ids[origin.node]}{text}}}"
        return template if [found.text for found in templates_in(template)] == [template] else None

    def _output(self, name: str, path: Path) -> Path | None:
        """Return the path from our node to a field of the output item of n8n's."""
        node = self.sent.execution.nodes[name]
        text = option(node, "response", "response", "outputPropertyName") or "data"
        form = option(node, "response", "response", "responseFormat")
        if option(node, "response", "response", "fullResponse"):
            names = {**_FULL, text: "response"} if form == "text" else _FULL
            return (names[str(path[0])], *path[1:]) if path and path[0] in names else None
        if form == "text":
            return ("response", *path[1:]) if path[:1] == (text,) else None
        response = self.outputs.get(self.ids[name], {}).get("response")
        return ("response", 0, *path) if isinstance(response, list) else ("response", *path)


def slug(text: str, joint: str = "-") -> str:
    """Return a name that templates can use."""
    found = re.sub(r"[^a-z0-9]+", joint, re.sub(r"(?<=[a-z])(?=[A-Z])", joint, text).lower()).strip(joint)
    return found if found[:1].isalpha() else f"n{joint}{found}".rstrip(joint)


def unique(name: str, taken: Collection[str], joint: str = "-") -> str:
    """Return the name, with a number if it is taken."""
    number, found = 2, name
    while found in taken:
        found, number = f"{name}{joint}{number}", number + 1
    return found
