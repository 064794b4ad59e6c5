"""Discovers the node types: modules of this package with a ``NODE``, and entry points of ``mendbench.nodes``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

from mendbench.errors import BadInput
from mendbench.plugins import entry_points_of, load_member, loaded, module_names
from mendbench.runtime.nodes.interface import NodeType
from mendbench.runtime.outline import NodeSpec

ENTRY_POINT_GROUP = "mendbench.nodes"

_PACKAGE = __name__.rpartition(".")[0]


@lru_cache(maxsize=1)
def node_types() -> Mapping[str, NodeType]:
    """Return every node type by its name.

    Raises:
        BadInput: an installed entry point does not load, is not a :class:`NodeType`, or uses a name that is taken.
    """
    found: dict[str, NodeType] = {}
    for name in module_names(_PACKAGE):
        node = load_member(_PACKAGE, name, "NODE")
        if isinstance(node, NodeType):
            found[node.type] = node
    for entry in entry_points_of(ENTRY_POINT_GROUP):
        node = loaded(entry)
        if not isinstance(node, NodeType):
            raise BadInput(f"entry point {entry.value}", "it is no NodeType", f"see {NodeType.__module__}")
        if node.type in found:
            raise BadInput(f"entry point {entry.value}", f"node type {node.type!r} is taken", "give it another name")
        found[node.type] = node
    return MappingProxyType(dict(sorted(found.items())))


def node_specs() -> Mapping[str, NodeSpec]:
    """Return the spec of every node type by its name."""
    return {name: node.spec for name, node in node_types().items()}
