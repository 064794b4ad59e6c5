"""Differences between two workflow documents, addressed by the ids of nodes and the ends of edges."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import jsonpointer

from mendbench.model.json import Json, JsonObject
from mendbench.runtime.templates import templates_in
from mendbench.scoring.judging.matching import same
from mendbench.values.json_patch import is_place


@dataclass(frozen=True, slots=True)
class Missing:
    """Marker for an absent value, as opposed to null."""


MISSING = Missing()


def diff_paths(before: JsonObject, after: JsonObject) -> frozenset[str]:
    """Return JSON pointers to the smallest parts in which two workflows differ.

    The token after ``/nodes`` is a node's id, the one after ``/edges`` is ``from->to`` or ``from-action->to``. The order
    of edges is ignored. A different order of the common nodes is ``/nodes``. Added or removed parts have their own path,
    lists of different lengths the path of the list.
    """
    found: set[str] = set()
    before, after = {**before}, {**after}
    for key, name_of in (("nodes", _node_name), ("edges", _edge_name)):
        old, new = before.setdefault(key, []), after.setdefault(key, [])
        left, right = _by_name(old, name_of), _by_name(new, name_of)
        if left is None or right is None:
            continue
        before[key], after[key] = left, right
        if key == "nodes" and [name for name in left if name in right] != [name for name in right if name in left]:
            found.add("/nodes")
    return frozenset(found.union(_diff(before, after, "")))


def touched_nodes(before: JsonObject, after: JsonObject) -> frozenset[str]:
    """Return the ids of the nodes that an edit touched.

    These are nodes that differ, that have a different edge, that use a different input, or that are a start node that
    moved.
    """
    touched: set[str] = set()
    edges = {**_edges_by_name(before), **_edges_by_name(after)}
    for path in diff_paths(before, after):
        kind, *rest = (unescape(token) for token in path.split("/")[1:])
        if kind == "nodes" and rest:
            touched.add(rest[0])
        elif kind == "edges" and rest and rest[0] in edges:
            touched.update(str(edges[rest[0]].get(end)) for end in ("from", "to"))
        elif kind == "inputs":
            touched.update(_users_of(rest[0] if rest else None, before), _users_of(rest[0] if rest else None, after))
        elif kind == "start_node":
            touched.update(str(workflow["start_node"]) for workflow in (before, after) if "start_node" in workflow)
    return frozenset(touched)


def value_at(workflow: JsonObject, path: str) -> Json | Missing:
    """Return the value at a JSON pointer (RFC 6901); the token after ``/nodes`` is an index or a node's id."""
    value: Json = workflow
    for depth, token in enumerate(path.split("/")[1:]):
        name = unescape(token)
        if depth == 1 and path.startswith("/nodes/") and not is_place(name):
            named = [entry for entry in _list(value) if isinstance(entry, dict) and entry.get("id") == name]
            value = named[0] if named else MISSING
        elif isinstance(value, dict):
            value = value.get(name, MISSING)
        elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            return MISSING
    return value


def escape(token: str) -> str:
    """Return ``token`` escaped for a JSON pointer."""
    return str(jsonpointer.escape(token))


def unescape(token: str) -> str:
    """Return a token of a JSON pointer without escapes."""
    return str(jsonpointer.unescape(token))


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _diff(before: Json, after: Json, at: str) -> Iterator[str]:
    if repr(before) == repr(after):  # most parts are equal, and this comparison is not in Python
        return
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            place = f"{at}/{escape(key)}"
            if key in before and key in after:
                yield from _diff(before[key], after[key], place)
            else:
                yield place
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (left, right) in enumerate(zip(before, after, strict=True)):
            yield from _diff(left, right, f"{at}/{index}")
    elif not same(before, after):
        yield at


def _by_name(items: Json, name_of: Callable[[JsonObject], str | None]) -> dict[str, JsonObject] | None:
    """Return the items by name; None unless each has a unique name."""
    if not isinstance(items, list):
        return None
    named: dict[str, JsonObject] = {}
    for item in items:
        name = name_of(item) if isinstance(item, dict) else None
        if name is None or name in named:
            return None
        named[name] = item if name_of is _node_name else {"action": "default", **item}
    return named


def _node_name(node: JsonObject) -> str | None:
    name = node.get("id")
    return name if isinstance(name, str) else None


def _edge_name(edge: JsonObject) -> str | None:
    if "from" not in edge or "to" not in edge:
        return None
    action = edge.get("action", "default")
    return f"{edge['from']}->{edge['to']}" if action == "default" else f"{edge['from']}-{action}->{edge['to']}"


def _edges_by_name(workflow: JsonObject) -> dict[str, JsonObject]:
    return _by_name(workflow.get("edges", []), _edge_name) or {}


def _users_of(name: str | None, workflow: JsonObject) -> set[str]:
    """Return the nodes whose parameters refer to that input (any input if None)."""
    inputs = workflow.get("inputs")
    wanted = {name} if name is not None else set(inputs) if isinstance(inputs, dict) else set()
    return {
        str(node.get("id"))
        for node in _list(workflow.get("nodes"))
        if isinstance(node, dict) and any(template.root in wanted for template in templates_in(node.get("params")))
    }
