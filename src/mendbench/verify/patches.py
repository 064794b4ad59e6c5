"""The JSON Patch between two workflows, in the form in which a case holds fixes."""

from __future__ import annotations

from collections.abc import Iterator

from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import Json, JsonObject
from mendbench.scoring.judging.diffs import escape
from mendbench.scoring.judging.matching import same
from mendbench.values.json_patch import PatchError, apply_patch, is_place, node_ids, nodes_of


def patch_between(before: JsonObject, after: JsonObject) -> tuple[JsonObject, ...]:
    """Return the operations that turn ``before`` into ``after``. Nodes are named by their ids where that is possible."""
    patch = (*_nodes(before, after), *_inside(_but_nodes(before), _but_nodes(after), ""))
    try:
        if canonical_json(apply_patch(before, patch)) == canonical_json(after):
            return patch
    except PatchError:
        pass
    return tuple(_inside(before, after, ""))


def _nodes(before: JsonObject, after: JsonObject) -> Iterator[JsonObject]:
    """Yield the changes of nodes by id. They are not complete for other orders, repeated ids, or ids that look like an index."""
    old, new = _by_id(before), _by_id(after)
    for name, node in old.items():
        at = f"/nodes/{escape(name)}"
        if name not in new:
            yield {"op": "remove", "path": at}
        elif not is_place(name):
            yield from _inside(node, new[name], at)
    order = node_ids(after)
    for name in (one for one in order if one not in old):
        place = order.index(name)
        yield {"op": "add", "path": f"/nodes/{place if place < len(order) - 1 else '-'}", "value": new[name]}


def _inside(old: Json, new: Json, at: str) -> Iterator[JsonObject]:
    """Yield the operations for two values at one place. A list is replaced as a whole."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        if not same(old, new):
            yield {"op": "replace", "path": at, "value": new}
        return
    for key in {**old, **new}:
        place = f"{at}/{escape(key)}"
        if key not in new:
            yield {"op": "remove", "path": place}
        elif key not in old:
            yield {"op": "add", "path": place, "value": new[key]}
        else:
            yield from _inside(old[key], new[key], place)


def _but_nodes(workflow: JsonObject) -> JsonObject:
    return {key: value for key, value in workflow.items() if key != "nodes"}


def _by_id(workflow: JsonObject) -> dict[str, JsonObject]:
    nodes = (node for node in nodes_of(workflow) if isinstance(node, dict))
    return {node["id"]: node for node in nodes if isinstance(node.get("id"), str)}
