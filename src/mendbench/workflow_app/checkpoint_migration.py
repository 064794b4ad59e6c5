"""Migrates a checkpoint, so that completed work still counts as done after a choice.

A completed node, and each completed item of a batch node, is identified by its resolved parameters and the action
of the edge that led to it. Another input, value or edge changes these for work that is already done.
Such work gets its new digest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from mendbench.model.execution import Checkpoint, Completed
from mendbench.model.json import Json, JsonObject
from mendbench.model.workflow import Node, Workflow
from mendbench.runtime.batch import BatchPlan
from mendbench.runtime.inputs import starting_data
from mendbench.runtime.outline import BATCH_INDEX
from mendbench.runtime.stepping import unit_of
from mendbench.runtime.templates import resolve, templates_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The data that node parameters depend on."""

    workflow: Workflow
    inputs: JsonObject
    arriving: Mapping[str, str] = field(default_factory=dict)
    """The actions that now lead to some nodes, regardless of earlier ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """A migrated checkpoint."""

    checkpoint: Checkpoint
    lost: tuple[str, ...] = ()
    """Descriptions of work that would still be repeated: nodes, and items of nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """Digests of a node's work; an empty one if it is unknown."""

    digest: str
    values: Json = None
    """For a batch node: the list that it iterates over."""
    items: tuple[str, ...] = ()
    """For a batch node: the digest of each item's work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """One action that can have led to a node, and the node's work in that case: before and after the choice."""

    was: _Work
    now: _Work

    def item(self, place: int) -> str:
        """Return the new digest of an item of the old list; empty if it is unknown."""
        if self.was.values == self.now.values:
            return self.now.items[place]
        return self.was.items[place] if self.was.items[place] in self.now.items else ""


def data_of(workflow: Workflow, inputs: JsonObject, checkpoint: Checkpoint, but: str) -> JsonObject:
    """Return the data that the node ``but`` sees: inputs, and the outputs of completed nodes."""
    outputs = {name: done.outputs for name, done in checkpoint.completed.items() if workflow.node(name) is not None}
    return {**starting_data(workflow, inputs), **{name: value for name, value in outputs.items() if name != but}}


def is_done(item: Completed) -> bool:
    """Return whether an item of a batch need not be retried: it succeeded, or its warning does not stop the run."""
    return item.state == "success" or (item.state == "warning" and item.severity == "info")


def names_input(node: Node, source: str | None) -> bool:
    """Return whether a node's parameters, or the list that it iterates over, name the input ``source``."""
    written = [node.params, None if node.batch is None else node.batch.items]
    return any(template.root == source for template in templates_in(written))


def to_be_tried(kept: Checkpoint, node_id: str) -> Checkpoint:
    """Return the checkpoint without the items of a batch node that have to be retried."""
    if node_id not in kept.items:
        return kept
    return replace(kept, items={**kept.items, node_id: tuple(item for item in kept.items[node_id] if is_done(item))})


def carried(kept: Checkpoint, was: Setting, now: Setting, *, warned: str, source: str | None = None) -> Carried:
    """Return the checkpoint in which work done under ``was`` counts as done under ``now``.

    The ``warned`` node is unchanged, except for its completed items. A completed node that cannot be
    identified again is lost if it uses the input ``source``.
    """
    completed, items, lost = dict(kept.completed), dict(kept.items), []
    for name in dict.fromkeys((*kept.completed, *kept.items)):
        node = was.workflow.node(name)
        if node is None or now.workflow.node(name) is None:
            continue
        ways = tuple(_ways(kept, was, now, name))
        items_again, some_lost = _items_again(kept.items.get(name, ()), ways)
        again = _known_again(completed[name], ways) if name in completed and name != warned else None
        if name in items:
            items[name] = items_again
        if again is not None:
            completed[name] = again
        elif name in completed and name != warned and names_input(node, source):
            lost.append(name)
        elif some_lost:
            lost.append(f"items of {name}")
    return Carried(checkpoint=replace(kept, completed=completed, items=items), lost=tuple(lost))


def _ways(kept: Checkpoint, was: Setting, now: Setting, name: str) -> Iterator[_Way]:
    for action in dict.fromkeys(("default", *(edge.action for edge in was.workflow.edges if edge.target == name))):
        again = now.arriving.get(name, action)
        yield _Way(was=_work(kept, was, name, action), now=_work(kept, now, name, again))


def _work(kept: Checkpoint, setting: Setting, name: str, arrived: str) -> _Work:
    node = setting.workflow.node(name)
    if node is None:
        return _Work(digest="")
    data = data_of(setting.workflow, setting.inputs, kept, name)
    if node.batch is None:
        return _Work(digest=unit_of(node, data, arrived).digest)
    found = resolve(node.batch.items, data)
    if not found.complete or not isinstance(found.value, list):
        return _Work(digest="")
    named = ({**data, node.batch.name: item, BATCH_INDEX: index} for index, item in enumerate(found.value))
    units = tuple(unit_of(node, one, arrived) for one in named)
    plan = BatchPlan(batch=node.batch, values=tuple(found.value), units=units)
    return _Work(digest=plan.digest, values=found.value, items=tuple(unit.digest for unit in units))


def _known_again(done: Completed, ways: tuple[_Way, ...]) -> Completed | None:
    way = next((way for way in ways if way.was.digest and way.was.digest == done.digest), None)
    return replace(done, digest=way.now.digest) if way is not None and way.now.digest else None


def _items_again(done: tuple[Completed, ...], ways: tuple[_Way, ...]) -> tuple[tuple[Completed, ...], bool]:
    """Return the items, with new digests where possible, and whether one that counted as done no longer does."""
    ahead: dict[str, list[str]] = {}
    for way in ways:
        for place, digest in enumerate(way.was.items):
            ahead.setdefault(digest, []).append(way.item(place))
    digests = [ahead[item.digest].pop(0) if item.digest and ahead.get(item.digest) else item.digest for item in done]
    again = tuple(replace(item, digest=now or item.digest) for item, now in zip(done, digests, strict=True))
    return again, any(item.digest and not now for item, now in zip(done, digests, strict=True))
