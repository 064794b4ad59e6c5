"""The readable parts of a workflow document, and what the names in it can refer to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mendbench.model.json import JsonObject
from mendbench.model.workflow import Node, Workflow
from mendbench.runtime.graph import Order, order_of
from mendbench.runtime.parse import salvaged
from mendbench.runtime.suggest import Guesses

BATCH_OUTPUTS = frozenset({"results", "count", "success_count", "error_count", "errors", "batch_metadata", "error"})
"""The outputs of every batch node of any type; ``error`` if the batch failed."""

BATCH_INDEX = "__index__"
"""The template name of an item's index in a batch node, from 0."""

MCP = "mcp"
"""The node type that calls a tool of an MCP server."""

MAX_SHOWN = 20
"""Maximum number of names in a hint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSpec:
    """What is known about a node type before it runs."""

    params: frozenset[str] | None
    """All accepted parameters; None if it accepts any."""
    required: frozenset[str]
    """The required parameters."""
    outputs: frozenset[str] | None
    """The keys that it may write, including those for failures; None if unknown (for an MCP tool)."""


ANY_TOOL = NodeSpec(params=None, required=frozenset(), outputs=None)
"""The spec of a type that names an MCP tool: it accepts any parameters."""


def tool_in(node_type: str) -> tuple[str, str] | None:
    """Return the server and the tool that a type ``mcp-<server>-<tool>`` names, or None if it does not name them.

    The server name ends at the first hyphen, because tool names may contain hyphens. Call a server with a hyphen in its
    name through the type ``mcp``.
    """
    base, _, rest = node_type.partition("-")
    server, _, tool = rest.partition("-")
    return (server, tool) if base == MCP and server and tool else None


def spec_of(types: Mapping[str, NodeSpec], node_type: str) -> NodeSpec | None:
    """Return the spec of a type by its name, or :data:`ANY_TOOL` for an MCP tool; None if there is no such type."""
    known = types.get(node_type)
    return ANY_TOOL if known is None and MCP in types and tool_in(node_type) else known


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The readable parts of a document, and what its names can refer to."""

    workflow: Workflow
    nodes: dict[str, Node]
    inputs: frozenset[str]
    """Names of declared or given inputs."""
    types: Mapping[str, NodeSpec]
    order: Order
    guesses: Guesses = field(default_factory=Guesses)
    """Suggestions for its wrong names."""

    def outputs_of(self, node_id: str) -> frozenset[str] | None:
        """Return the keys that a node may write; None if unknown."""
        if self.nodes[node_id].batch is not None:
            return BATCH_OUTPUTS
        spec = spec_of(self.types, self.nodes[node_id].type)
        return spec.outputs if spec else None


def outline_of(document: JsonObject, inputs: JsonObject, node_types: Mapping[str, NodeSpec]) -> Outline:
    """Return the readable parts of ``document``. Never raises."""
    workflow = salvaged(document)
    nodes: dict[str, Node] = {}
    for node in workflow.nodes:
        nodes.setdefault(node.id, node)
    return Outline(
        workflow=workflow,
        nodes=nodes,
        inputs=frozenset({*inputs, *(declared.name for declared in workflow.inputs)}),
        types=node_types,
        order=order_of(workflow),
    )


def own_names(node: Node) -> frozenset[str]:
    """Return the names that only this node's templates can use: the batch item and its index."""
    return frozenset() if node.batch is None else frozenset({node.batch.name, BATCH_INDEX})


def listed(names: Iterable[str]) -> str:
    """Return the first names in one line, and the number of further names."""
    names = list(names)
    more = f" and {len(names) - MAX_SHOWN} more" if len(names) > MAX_SHOWN else ""
    return ", ".join(names[:MAX_SHOWN]) + more
