"""The workflow: the JSON document that a user wrote, and its parsed form.

Repair edits the *document* (a plain ``dict``), because a broken document may not parse; engines run the
parsed :class:`Workflow`. ``Workflow.source`` is the document of a parsed workflow.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from mendbench.model.json import Json, JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A node that runs once for each item of a list."""

    items: Json
    """The list, or a template for one."""
    name: str = "item"
    """The item's name in the templates of the node's params; ``__index__`` is its index, from 0."""
    goes_on: bool = False
    """Whether the remaining items run after a failed one (``error_handling: continue``)."""
    tries: int = 1
    """The maximum number of attempts for a failing item."""
    wait_s: float = 0.0
    """Seconds between the attempts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One step of a workflow."""

    id: str
    """Its name, unique in the workflow. Templates refer to its outputs by this name."""
    type: str
    """The kind of node: ``http``, ``mcp`` (or ``mcp-<server>-<tool>``), ``shell``, ``llm``, ``transform``…"""
    params: JsonObject
    """The node's parameters, with unresolved templates (``${…}``)."""
    purpose: str | None = None
    """The author's description of its purpose."""
    batch: Batch | None = None
    """The items over which it runs; None if it runs once."""


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
    """A workflow with a valid structure. Its templates may still be unresolvable."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...] = ()
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    start_node: str | None = None
    ir_version: str = "0.1.0"
    source: JsonObject = field(default_factory=dict, compare=False, repr=False)
    """Its source document."""

    def node(self, node_id: str) -> Node | None:
        """Return the node with that id, or None."""
        return next((n for n in self.nodes if n.id == node_id), None)
