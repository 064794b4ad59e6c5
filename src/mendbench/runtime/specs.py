"""The specs of all node types, as validation expects them."""

from __future__ import annotations

from collections.abc import Mapping

from mendbench.runtime.nodes.registry import node_types
from mendbench.runtime.validate import NodeSpec


def node_specs() -> Mapping[str, NodeSpec]:
    """Return the spec of every node type by its name."""
    return {name: node.spec for name, node in node_types().items()}
