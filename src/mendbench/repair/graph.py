"""Adds and removes nodes and edges of a workflow document, in place.

A missing node raises a :class:`~mendbench.values.json_patch.PatchError`, any other edit that does not apply an
:class:`EditError`.
The document may be broken: a value that is not a list of objects is read as empty, and left unchanged.
"""

from __future__ import annotations

from mendbench.model.json import Json, JsonObject
from mendbench.repair.paths import EditError
from mendbench.values.json_patch import node_ids, node_index, nodes_of

DEFAULT_ACTION = "default"
"""The action of an edge without one."""


def add_node(document: JsonObject, node: Json, after: Json = None) -> None:
    """Add a node: at the end, or after another one, whose default edges then start from the new node.

    Edges with another action (``error``, ``warning``, …) are unchanged.
    """
    if not isinstance(node, dict) or not isinstance(node.get("id"), str) or not node["id"]:
        raise EditError("'add_node' is not an object with an 'id'")
    if node["id"] in node_ids(document):
        raise EditError(f"there is a node {node['id']!r} already")
    if after is None:
        _list_of(document, "nodes").append(node)
        return
    at = node_index(document, after)
    nodes_of(document).insert(at + 1, node)
    for edge in _edges_of(document):
        if edge.get("from") == after and _action(edge) == DEFAULT_ACTION:
            edge["from"] = node["id"]
    _list_of(document, "edges").append({"from": after, "to": node["id"]})


def remove_node(document: JsonObject, node_id: Json) -> None:
    """Remove a node and its edges; each edge that led to it then leads to its default successor.

    ``start_node`` moves in the same way. Templates that name the node are unchanged.
    """
    at = node_index(document, node_id)
    del nodes_of(document)[at]
    edges = _edges_of(document)
    successor = next((e.get("to") for e in edges if e.get("from") == node_id and _action(e) == DEFAULT_ACTION), None)
    if successor == node_id:
        successor = None
    if edges:
        document["edges"] = _rejoined(document["edges"], node_id, successor)
    if document.get("start_node") == node_id:
        document["start_node"] = successor
        if successor is None:
            del document["start_node"]


def add_edge(document: JsonObject, edge: Json) -> None:
    """Add an edge, unless an identical one exists."""
    source, target, action = _ends(edge, "add_edge")
    same = (source, target, action or DEFAULT_ACTION)
    if any((e.get("from"), e.get("to"), _action(e)) == same for e in _edges_of(document)):
        return
    added = {"from": source, "to": target}
    _list_of(document, "edges").append({**added, "action": action} if action else added)


def remove_edge(document: JsonObject, edge: Json) -> None:
    """Remove the edges between two nodes: the one with the given action, or all."""
    source, target, action = _ends(edge, "remove_edge")

    def matches(edge: Json) -> bool:
        if not isinstance(edge, dict) or (edge.get("from"), edge.get("to")) != (source, target):
            return False
        return action is None or _action(edge) == action

    if not any(map(matches, _edges_of(document))):
        raise EditError(f"there is no edge from {source!r} to {target!r}" + (f" on {action!r}" if action else ""))
    document["edges"] = [edge for edge in document["edges"] if not matches(edge)]


def _rejoined(edges: list[Json], node_id: Json, successor: Json) -> list[Json]:
    joined: list[Json] = []
    for edge in edges:
        kept = edge
        if isinstance(edge, dict) and node_id in (edge.get("from"), edge.get("to")):
            if edge.get("from") in (node_id, successor) or successor is None:
                continue
            kept = {**edge, "to": successor}
        if kept not in joined:
            joined.append(kept)
    return joined


def _edges_of(document: JsonObject) -> list[JsonObject]:
    edges = document.get("edges")
    return [edge for edge in edges if isinstance(edge, dict)] if isinstance(edges, list) else []


def _list_of(document: JsonObject, key: str) -> list[Json]:
    """Return the document's list of that name; create it if missing."""
    if document.get(key) is None:
        document[key] = []
    if not isinstance(document[key], list):
        raise EditError(f"{key!r} of the document is not a list")
    return document[key]  # type: ignore[no-any-return]


def _action(edge: JsonObject) -> Json:
    return edge.get("action") or DEFAULT_ACTION


def _ends(edge: Json, verb: str) -> tuple[str, str, str | None]:
    if not isinstance(edge, dict):
        raise EditError(f"{verb!r} is not an object with 'from' and 'to'")
    source, target, action = edge.get("from"), edge.get("to"), edge.get("action")
    if not isinstance(source, str) or not isinstance(target, str):
        raise EditError(f"{verb!r} needs 'from' and 'to', each the id of a node")
    if action is not None and not isinstance(action, str):
        raise EditError(f"the 'action' of {verb!r} is not a text")
    return source, target, action
