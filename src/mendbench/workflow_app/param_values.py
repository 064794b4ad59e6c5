"""The individual parameter values of a node: their kind, their origin, and how to parse new ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mendbench.model.execution import Checkpoint
from mendbench.model.json import Json, JsonObject
from mendbench.model.workflow import Node, Workflow
from mendbench.runtime.inputs import coerced
from mendbench.runtime.outline import own_names
from mendbench.runtime.parse import salvaged
from mendbench.runtime.templates import MAX_DEPTH, Place, Template, dotted, resolve, templates_in
from mendbench.runtime.trace import shown_document
from mendbench.secrets.redaction import sanitise, sanitise_key
from mendbench.workflow_app.checkpoint_migration import data_of, is_done, names_input

Origin: TypeAlias = Literal["fixed", "input", "secret", "template"]
"""fixed: literal in the workflow. input: exactly one input. secret: contains a secret. template: made from templates."""

Kind: TypeAlias = Literal["string", "number", "boolean", "object", "array", "null"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One value of a node's parameters. It contains no secrets."""

    place: Place
    """Its path inside the parameters."""
    origin: Origin
    kind: Kind
    """Its current kind."""
    shown: Json
    """Its current value, redacted."""
    template: str | None = None
    """Its text in the workflow if it contains templates: redacted, with the templates kept."""
    source: str | None = None
    """The input that it comes from; for a secret, the environment variable that contains it."""
    within: bool = False
    """Whether the input is only a part of the text."""
    note: str | None = None
    """Further consequences of another value."""

    @property
    def param(self) -> str:
        """Its place in the form for messages: ``body.items[0].title``."""
        return dotted(self.place)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A text that cannot be parsed as the wanted value."""

    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scene:
    workflow: Workflow
    node: Node
    data: JsonObject
    inputs: JsonObject
    done: frozenset[str]
    items_done: bool
    """Whether the node is a batch with completed items."""
    secrets: Mapping[str, str]
    redact: Callable[[Json], Json]


def leaves_of(
    document: JsonObject,
    inputs: JsonObject,
    checkpoint: Checkpoint,
    node_id: str,
    secrets: Mapping[str, str],
    redact: Callable[[Json], Json],
) -> tuple[Leaf, ...]:
    """Return the values of a node's parameters, including the inputs inside longer texts.

    Values from the item of a batch node are left out: another value would apply to all items. ``secrets`` are the
    secret inputs, each with the environment variable that contains it.
    """
    workflow = salvaged(document)
    node = workflow.node(node_id)
    if node is None:
        return ()
    scene = _Scene(
        workflow=workflow,
        node=node,
        data=data_of(workflow, inputs, checkpoint, node_id),
        inputs=inputs,
        done=frozenset(checkpoint.completed),
        items_done=node.batch is not None and any(is_done(item) for item in checkpoint.items.get(node_id, ())),
        secrets=secrets,
        redact=redact,
    )
    return tuple(leaf for place, value in _values(node.params, ()) for leaf in _leaves(scene, place, value))


def read_value(text: str, kind: Kind, name: str) -> Json | Unreadable:
    """Return the value that a user typed to replace one of that kind: text unchanged, anything else parsed as JSON."""
    if kind == "string":
        return text
    try:
        value = json.loads(text, parse_constant=_refused)
    except (ValueError, RecursionError):
        return text if kind == "null" else _no(kind, name, text)
    return value if kind in ("null", kind_of(value)) else _no(kind, name, text)


def read_input(text: str, name: str, workflow: Workflow, given: JsonObject) -> Json | Unreadable:
    """Return the input value that a user typed, in the declared type or else the type of the previous value."""
    declared = next((declared for declared in workflow.inputs if declared.name == name), None)
    if declared is None:
        return read_value(text, kind_of(given.get(name)), name)
    value = coerced(text, declared.type)
    kind = kind_of(value)
    return value if kind == declared.type else _no(declared.type, name, text)


def kind_of(value: Json) -> Kind:
    """Return the JSON type of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return "object" if isinstance(value, dict) else "array" if isinstance(value, list) else "string"


def shown_under(place: Place, source: str | None, value: Json, redact: Callable[[Json], Json]) -> Json:
    """Return a displayable value: without credentials, which a key on its path, its input's name or its shape reveals."""
    shown = redact(value)
    for way in (place, () if source is None else (source,)):
        shown = _at(way, sanitise(_only(way, shown)))
    return shown


def _only(place: Place, value: Json) -> Json:
    """Return the smallest document with the value at a place; in lists, at index 0."""
    for step in reversed(place):
        value = {step: value} if isinstance(step, str) else [value]
    return value


def _at(place: Place, document: Json) -> Json:
    for step in place:
        document = document[sanitise_key(step) if isinstance(step, str) else 0]
    return document


def _no(kind: str, name: str, text: str) -> Unreadable:
    return Unreadable(problem=f"{name} has to be of type {kind}, and {text!r} is not")


def _refused(word: str) -> Json:
    raise ValueError(word)


def _values(value: Json, place: Place) -> Iterator[tuple[Place, Json]]:
    if isinstance(value, dict | list) and value and len(place) < MAX_DEPTH:
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for step, item in items:
            yield from _values(item, (*place, step))
    else:
        yield place, value


def _leaves(scene: _Scene, place: Place, value: Json) -> Iterator[Leaf]:
    if not place:
        return
    templates = templates_in(value) if isinstance(value, str) else ()
    own = own_names(scene.node)
    used = [template.root for template in templates]
    secret = next((name for name in used if name in scene.secrets and not _is_hidden(scene, name)), None)
    if secret is not None:
        yield _leaf(scene, place, value, "secret", source=scene.secrets[secret])
        return
    if not templates:
        yield _leaf(scene, place, value, "fixed", note=_already_run(scene, None))
        return
    whole = templates[0]
    if whole.text == value and _is_input(scene, whole):
        yield _leaf(scene, place, value, "input", source=whole.root, note=_already_run(scene, whole.root))
        return
    if own.isdisjoint(used):
        fixed = f"it becomes fixed in the workflow, and no longer comes from {', '.join(template.text for template in templates)}"
        notes = [note for note in (fixed, _already_run(scene, None)) if note is not None]
        yield _leaf(scene, place, value, "template", note="; ".join(notes))
    for template in templates:
        if _is_input(scene, template):
            note = _already_run(scene, template.root)
            yield _leaf(scene, place, template.text, "input", source=template.root, within=True, note=note)


def _leaf(
    scene: _Scene,
    place: Place,
    written: Json,
    origin: Origin,
    *,
    source: str | None = None,
    within: bool = False,
    note: str | None = None,
) -> Leaf:
    value = resolve(written, scene.data).value
    return Leaf(
        place=place,
        origin=origin,
        kind=kind_of(value),
        shown=shown_under(place, source, value, scene.redact),
        template=_shown_template(scene, place, written),
        source=source,
        within=within,
        note=note,
    )


def _shown_template(scene: _Scene, place: Place, written: Json) -> str | None:
    if not isinstance(written, str) or "${" not in written:
        return None
    return str(_at(place, shown_document(_only(place, scene.redact(written)))))


def _is_hidden(scene: _Scene, name: str) -> bool:
    """Return whether a node, or the item of a batch, hides an input of that name."""
    return scene.workflow.node(name) is not None or name in own_names(scene.node)


def _is_input(scene: _Scene, template: Template) -> bool:
    """Return whether a template is exactly one input. A node of the same name hides it, as does the item of a batch."""
    known = template.root in scene.inputs or any(declared.name == template.root for declared in scene.workflow.inputs)
    return known and not template.path and not _is_hidden(scene, template.root)


def _already_run(scene: _Scene, name: str | None) -> str | None:
    """Return a note on completed work with the old value: nodes that used the input, and items of the batch."""
    done = [
        node.id
        for node in scene.workflow.nodes
        if node.id in scene.done and node.id != scene.node.id and names_input(node, name)
    ]
    done += [f"the items of {scene.node.id} that are done"] if scene.items_done else []
    return f"what has run with the old value is not run again: {', '.join(done)}" if done else None
