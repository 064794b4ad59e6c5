"""A workflow document as far as it can be read, and what the names in it can refer to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mendbench.model.json import JsonObject
from mendbench.model.workflow import Node, Workflow
from mendbench.runtime.graph import Order, order_of
from mendbench.runtime.mcp_node_types import MCP, tool_in
from mendbench.runtime.parse import salvaged
from mendbench.runtime.suggest import Guesses

BATCH_OUTPUTS = frozenset({"results", "count", "success_count", "error_count", "errors", "batch_metadata", "error"})
"""The outputs of every batch node, whatever its type; ``error`` where the batch failed."""

BATCH_INDEX = "__index__"
"""What the templates of a batch node call an item's place, from 0."""

MAX_SHOWN = 20
"""How many names a hint lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeSpec:
    """What is known of a node type before it runs."""

    params: frozenset[str] | None
    """All parameters that it takes; None if it takes any."""
    required: frozenset[str]
    """Those that it cannot do without."""
    outputs: frozenset[str] | None
    """The keys that it may write, failures included; None if they are not known (those of an MCP tool)."""


ANY_TOOL = NodeSpec(params=None, required=frozenset(), outputs=None)
"""What is known of a type that names an MCP tool: its parameters are whatever arguments the tool takes."""


def spec_of(types: Mapping[str, NodeSpec], node_type: str) -> NodeSpec | None:
    """Return what is known of a type by its name, or by the MCP tool that it names; None if there is no such type."""
    known = types.get(node_type)
    return ANY_TOOL if known is None and MCP in types and tool_in(node_type) else known


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A document as far as it can be read, and what its names can refer to."""

    workflow: Workflow
    nodes: dict[str, Node]
    inputs: frozenset[str]
    """Names of inputs that are declared or given."""
    types: Mapping[str, NodeSpec]
    order: Order
    guesses: Guesses = field(default_factory=Guesses)
    """What its wrong names were meant to be."""

    def outputs_of(self, node_id: str) -> frozenset[str] | None:
        """Return the keys that a node may write; None if they are not known."""
        if self.nodes[node_id].batch is not None:
            return BATCH_OUTPUTS
        spec = spec_of(self.types, self.nodes[node_id].type)
        return spec.outputs if spec else None


def scene_of(document: JsonObject, inputs: JsonObject, node_types: Mapping[str, NodeSpec]) -> Scene:
    """Return what can be read of ``document``. Never raises."""
    workflow = salvaged(document)
    nodes: dict[str, Node] = {}
    for node in workflow.nodes:
        nodes.setdefault(node.id, node)
    return Scene(
        workflow=workflow,
        nodes=nodes,
        inputs=frozenset({one.name for one in workflow.inputs} | set(inputs)),
        types=node_types,
        order=order_of(workflow),
    )


def own_names(node: Node) -> frozenset[str]:
    """Return what only this node's templates can name: the item of its batch, and the item's place."""
    return frozenset() if node.batch is None else frozenset({node.batch.name, BATCH_INDEX})


def pointer(*steps: str | int) -> str:
    """Return a JSON pointer (RFC 6901) of ``steps``."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def listed(names: Iterable[str]) -> str:
    """Return the first names in one line, and how many more there are."""
    every = list(names)
    more = f" and {len(every) - MAX_SHOWN} more" if len(every) > MAX_SHOWN else ""
    return ", ".join(every[:MAX_SHOWN]) + more
