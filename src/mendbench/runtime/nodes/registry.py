"""Finds the node types: modules of this package that have a ``NODE``, and entry points of ``mendbench.nodes``."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import lru_cache
from importlib.metadata import entry_points
from types import MappingProxyType

from mendbench.errors import BadInput
from mendbench.runtime.nodes.interface import NodeType

ENTRY_POINT_GROUP = "mendbench.nodes"


@lru_cache(maxsize=1)
def node_types() -> Mapping[str, NodeType]:
    """Return every node type by its name.

    Raises:
        BadInput: an installed entry point is no :class:`NodeType`, or takes a name that is taken.
    """
    package = importlib.import_module("mendbench.runtime.nodes")
    found: dict[str, NodeType] = {}
    for module in pkgutil.iter_modules(package.__path__):
        node = getattr(importlib.import_module(f"{package.__name__}.{module.name}"), "NODE", None)
        if isinstance(node, NodeType):
            found[node.type] = node
    for entry in entry_points(group=ENTRY_POINT_GROUP):
        node = entry.load()
        if not isinstance(node, NodeType):
            raise BadInput(f"entry point {entry.value}", "it is no NodeType", f"see {NodeType.__module__}")
        if node.type in found:
            raise BadInput(f"entry point {entry.value}", f"node type {node.type!r} is taken", "give it another name")
        found[node.type] = node
    return MappingProxyType(dict(sorted(found.items())))
