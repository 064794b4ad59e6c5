"""Resolves an edit's node and path to one path from the document's root."""

from __future__ import annotations

from mendbench.model.json import JsonObject
from mendbench.repair.paths import EditError, Path, is_index, parse_path
from mendbench.values.json_patch import APPEND, node_ids, node_index, nodes_of

NODE_KEYS = frozenset({"id", "type", "purpose", "params", "batch"})
"""Keys of a node in the workflow's schema."""

ROOT_KEYS = frozenset(
    {"ir_version", "nodes", "edges", "start_node", "inputs", "outputs", "mappings"}
    | {"enable_namespacing", "template_resolution_mode"}
)
"""Keys of a document in the workflow's schema."""


def address(document: JsonObject, edit: JsonObject) -> Path:
    """Return an edit's path from the document's root, with the node as an index.

    Raises:
        EditError: the path cannot be parsed, or leads to nothing that a workflow can contain.
        PatchError: it names an unknown node.
    """
    path = parse_path(edit["path"])
    if edit.get("node") is not None:
        return _in_node(document, node_index(document, edit["node"]), path)
    first = path.tokens[0]
    if first == "nodes" and path.without(1).tokens:
        return _in_nodes(document, path)
    if first in ROOT_KEYS or first in document or (path.dotted and str(path) in document):
        return path
    if first in node_ids(document) and path.without(1).tokens:
        return _in_node(document, node_index(document, first), path)
    raise EditError(
        f"it names no node, and the document has no {first!r}; the nodes are {', '.join(node_ids(document))}"
    )


def nearest(document: JsonObject, path: Path) -> tuple[JsonObject, Path]:
    """Return the node that ``path`` leads into and the path inside it, so that messages match the edit."""
    root, *tokens = path.tokens
    inside = path.without(2)
    if root == "nodes" and inside.tokens:
        node = nodes_of(document)[int(tokens[0])]
        if isinstance(node, dict):
            return node, inside
    return document, path


def node_at(document: JsonObject, path: Path) -> str | None:
    """Return the id of the node at ``path``, if there is one and its id is unique."""
    root, *tokens = path.tokens
    nodes = nodes_of(document)
    if root != "nodes" or len(tokens) != 1 or int(tokens[0]) not in range(len(nodes)):
        return None
    node = nodes[int(tokens[0])]
    node_id = node.get("id") if isinstance(node, dict) else None
    return node_id if isinstance(node_id, str) and node_ids(document).count(node_id) == 1 else None


def _in_nodes(document: JsonObject, path: Path) -> Path:
    """Return a path that begins with ``nodes``, with the node as an index."""
    step, rest = path.tokens[1], path.without(2)
    nodes = nodes_of(document)
    if step != APPEND and not is_index(step):
        return rest.under("nodes", node_index(document, step))
    index = len(nodes) if step == APPEND else int(step)
    if rest.tokens and index not in range(len(nodes)):
        raise EditError(f"there is no node {index}; the workflow has {len(nodes)}")
    return rest.under("nodes", index)


def _in_node(document: JsonObject, index: int, path: Path) -> Path:
    """Return the path from the root to ``path`` of a node, with the leniency of :mod:`mendbench.repair.edits`."""
    node = nodes_of(document)[index]
    node_id, params = node["id"], node.get("params")
    first, second = path.tokens[0], path.tokens[1] if path.without(1).tokens else None
    known = {*(params if isinstance(params, dict) else {}), *node}
    if first in NODE_KEYS or first in node:
        return path.under("nodes", index)
    if first == "nodes" and first not in known and second is not None:
        if second not in (node_id, index, str(index)) or not path.without(2).tokens:
            raise EditError(f"its path {str(path)!r} and its node {node_id!r} name different places")
        return _in_node(document, index, path.without(2))
    if first == node_id and second in NODE_KEYS and first not in known:
        return path.without(1).under("nodes", index)
    if first == "parameters" and first not in known:
        return path.without(1).under("nodes", index, "params")
    return path.under("nodes", index, "params")
