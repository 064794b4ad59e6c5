"""The workflow: the JSON document that a user wrote, and its parsed form.

Repair edits the *document* (a plain ``dict``), because a broken document may not parse; engines run the
parsed :class:`Workflow`. ``Workflow.source`` leads back from one to the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mendbench.model.json import Json, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A node that runs once for each item of a list."""

    items: Json
    """The list, or a template of one."""
    name: str = "item"
    """What templates in the node's params call the item; ``__index__`` is its place, from 0."""
    goes_on: bool = False
    """Whether the other items run after one that failed (``error_handling: continue``)."""
    tries: int = 1
    """How often a failing item is run at most."""
    wait_s: float = 0.0
    """Seconds between the tries."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One step of a workflow."""

    id: str
    """Its name, unique in the workflow; its outputs live under it."""
    type: str
    """Which kind of node runs: ``http``, ``mcp`` (or ``mcp-<server>-<tool>``), ``shell``, ``llm``, ``transform``…"""
    params: JsonObject
    """What the node is told, templates (``${…}``) not yet resolved."""
    purpose: str | None = None
    """What the author wrote that it is for."""
    batch: Batch | None = None
    """Over what it runs more than once; None where it runs once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """Which node runs after which, and on what action."""

    source: str
    target: str
    action: str = "default"
    """The action of the source on which this edge is taken: ``default``, ``error``, ``warning`` or a node's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A declared input of a workflow."""

    name: str
    type: str = "string"
    """string, number, boolean, object or array."""
    required: bool = True
    default: Json = None
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A declared output of a workflow."""

    name: str
    source: str
    """A template, such as ``${node.key}``."""
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow:
    """A workflow that has the right structure. Whether its templates can resolve is another question."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    start_node: str | None = None
    ir_version: str = "0.1.0"
    source: JsonObject = field(default_factory=dict, compare=False, repr=False)
    """The document that it was parsed from."""

    def node(self, node_id: str) -> Node | None:
        """Return the node of that id, or None."""
        return next((n for n in self.nodes if n.id == node_id), None)
