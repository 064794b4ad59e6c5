"""A user's choices at a warning that stopped a run: create what is missing, use another value, skip the step.

Everything here is pure. The state of a run and the choice determine what runs next, from a checkpoint in
which completed work counts as done. Of the completed nodes, only the warned one can run again; if it is
a batch, its completed items do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeAlias

from mendbench.model.execution import Checkpoint, Execution
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.parse import salvaged
from mendbench.runtime.templates import Place, resolve_params
from mendbench.values.json_patch import PatchError, node_index
from mendbench.workflow_app.checkpoint_migration import Setting, carried, data_of, to_be_tried
from mendbench.workflow_app.param_values import Leaf, Unreadable, leaves_of, read_input, read_value, shown_under

MAX_CHOICES = 10
"""Maximum number of choices in a run."""

CREATE_FIRST = "The user wants what is missing to be created first, by a step of the workflow."
"""The text that the user's decision adds to the repairer's request."""

ChoiceName: TypeAlias = Literal["create", "value", "skip", "stop"]
"""create: what is missing is created, and the step is retried. value: the step gets another value. skip: continue after the step."""

Validate: TypeAlias = Callable[[JsonObject, JsonObject], tuple[str, ...]]
"""Returns the errors that keep a document from running with these inputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunState:
    """The state of a run."""

    document: JsonObject
    inputs: JsonObject
    execution: Execution
    """The last execution, of this document with these inputs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """A warning that stopped a run, in displayable form, and the values that could be changed."""

    node_id: str
    message: str
    leaves: tuple[Leaf, ...]
    repairer: bool
    """Whether a repairer creates what is missing; otherwise the user does."""
    problem: str | None = None
    """Why the last choice was impossible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The user's choice."""

    name: ChoiceName
    leaf: Leaf | None = None
    """For ``value``: the parameter value to change."""
    value: str | None = None
    """For ``value``: the new value, as typed."""


STOP = Choice(name="stop")


class Choose(Protocol):
    """Asks the user."""

    def __call__(self, stopped: Stopped, /) -> Choice:
        """Return the user's choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    """What to run next, and from which checkpoint."""

    document: JsonObject
    inputs: JsonObject
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The run is over, with this result."""

    execution: Execution


@dataclass(frozen=True, slots=True, kw_only=True)
class Impossible:
    """The choice is impossible; nothing changes."""

    problem: str


def stopped_at(execution: Execution) -> str | None:
    """Return the node whose warning stopped the execution, or None."""
    if execution.outcome != "warning" or not execution.failures:
        return None
    return execution.failures[0].node_id


def stopped(
    standing: RunState,
    *,
    secrets: Mapping[str, str],
    redact: Callable[[Json], Json],
    repairer: bool,
    problem: str | None = None,
) -> Stopped | None:
    """Return the warning that stopped the run, or None if none did.

    ``secrets`` are the secret inputs, each with the environment variable that contains it.
    """
    execution, node_id = standing.execution, stopped_at(standing.execution)
    if node_id is None:
        return None
    return Stopped(
        node_id=node_id,
        message=execution.failures[0].message,
        leaves=leaves_of(standing.document, standing.inputs, execution.checkpoint, node_id, secrets, redact),
        repairer=repairer,
        problem=problem,
    )


def after(standing: RunState, choice: Choice, validate: Validate) -> Resume | Ended | Impossible:
    """Return the result of a choice that needs no repairer. The arguments are not modified."""
    node_id = stopped_at(standing.execution)
    if node_id is None or choice.name == "stop":
        return Ended(execution=standing.execution)
    if choice.name == "create":
        return _again(standing, node_id)
    if choice.name == "skip":
        return _skipped(standing, node_id)
    if choice.leaf is None or choice.value is None:
        return Impossible(problem="no value was given")
    return _changed(standing, node_id, choice.leaf, choice.value, validate)


def recorded(node_id: str, choice: Choice, redact: Callable[[Json], Json]) -> JsonObject:
    """Return a choice in the form for traces and results."""
    document: JsonObject = {"node_id": node_id, "choice": choice.name}
    leaf = choice.leaf
    if leaf is None or choice.value is None:
        return document
    name = leaf.source if leaf.origin == "input" else None
    return {**document, "param": leaf.param, "value": shown_under(leaf.place, name, choice.value, redact)}


def _again(standing: RunState, node_id: str) -> Resume:
    """Return the same run, in which only the warned node runs again: of a batch, only the items that are not done."""
    kept = to_be_tried(standing.execution.checkpoint, node_id)
    rest = {name: done for name, done in kept.completed.items() if name != node_id}
    return Resume(
        document=standing.document, inputs=standing.inputs, checkpoint=replace(kept, completed=rest, failed_node=None)
    )


def _skipped(standing: RunState, node_id: str) -> Resume | Ended:
    """Return the run that continues after the warned node as if its warning had an edge; without a next node it is over."""
    edges = salvaged(standing.document).edges
    target = {(edge.source, edge.action): edge.target for edge in edges}.get((node_id, "default"))
    if target is None:
        kept = replace(standing.execution.checkpoint, failed_node=None)
        return Ended(execution=replace(standing.execution, failures=(), checkpoint=kept))
    edge = {"from": node_id, "to": target, "action": "warning"}
    document = {**standing.document, "edges": [*standing.document["edges"], edge]}
    now = Setting(workflow=salvaged(document), inputs=standing.inputs, arriving={target: "warning"})
    checkpoint = carried(standing.execution.checkpoint, _setting(standing), now, warned=node_id).checkpoint
    return Resume(document=document, inputs=standing.inputs, checkpoint=checkpoint)


def _changed(standing: RunState, node_id: str, leaf: Leaf, text: str, validate: Validate) -> Resume | Impossible:
    """Return the run with another value in a parameter of the warned node."""
    if leaf.origin == "secret":
        return Impossible(problem=f"{leaf.param} holds a secret: set {leaf.source} in the environment, and run again")
    made = _with_value(standing, node_id, leaf, text)
    if isinstance(made, Impossible):
        return made
    document, inputs = made
    if _params(standing.document, standing.inputs, standing, node_id) == _params(document, inputs, standing, node_id):
        return Impossible(problem=f"that is what {leaf.param} is already")
    if problems := validate(document, inputs):
        return Impossible(problem=problems[0])
    kept = to_be_tried(standing.execution.checkpoint, node_id)
    now = Setting(workflow=salvaged(document), inputs=inputs)
    done = carried(kept, _setting(standing), now, warned=node_id, source=leaf.source)
    if done.lost:
        lost = ", ".join(done.lost)
        return Impossible(
            problem=f"{lost} would run again with it: run the workflow again from its start with that value"
        )
    return Resume(document=document, inputs=inputs, checkpoint=done.checkpoint)


def _setting(standing: RunState) -> Setting:
    return Setting(workflow=salvaged(standing.document), inputs=standing.inputs)


def _with_value(standing: RunState, node_id: str, leaf: Leaf, text: str) -> tuple[JsonObject, JsonObject] | Impossible:
    if leaf.origin == "input" and leaf.source is not None:
        value = read_input(text, leaf.source, salvaged(standing.document), standing.inputs)
        if isinstance(value, Unreadable):
            return Impossible(problem=value.problem)
        return standing.document, {**standing.inputs, leaf.source: value}
    value = read_value(text, leaf.kind, leaf.param)
    if isinstance(value, Unreadable):
        return Impossible(problem=value.problem)
    try:
        index = node_index(standing.document, node_id)
    except PatchError as error:
        return Impossible(problem=str(error))
    key = "params" if "params" in standing.document["nodes"][index] else "parameters"
    return _put(standing.document, ("nodes", index, key, *leaf.place), value), standing.inputs


def _put(inside: Json, place: Place, value: Json) -> Json:
    """Return ``inside`` with another value at an existing place."""
    if not place:
        return value
    step, *rest = place
    if isinstance(inside, list):
        return [_put(item, tuple(rest), value) if at == step else item for at, item in enumerate(inside)]
    return {key: _put(item, tuple(rest), value) if key == step else item for key, item in inside.items()}


def _params(document: JsonObject, inputs: JsonObject, standing: RunState, node_id: str) -> Json:
    """Return the resolved parameters of a node."""
    workflow = salvaged(document)
    node = workflow.node(node_id)
    data = data_of(workflow, inputs, standing.execution.checkpoint, node_id)
    return None if node is None else resolve_params(node.params, data).params
