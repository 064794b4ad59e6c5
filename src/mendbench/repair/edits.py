"""Changes of a workflow document: JSON Patch, and edits that address a node by its id.

No function here changes what it is given. Whatever does not apply is an :class:`EditError` whose
message is one sentence.

An edit is one of::

    {"node": id, "path": "params.body.text", "value": any}     sets; makes missing parents
    {"node": id, "path": "params.body.text", "remove": true}
    {"node": id, "remove": true}                               the same as remove_node
    {"path": "outputs.greeting.source", "value": any}          without a node: the document's root
    {"add_node": {...}, "after": id}                           "after" is optional
    {"remove_node": id}
    {"add_edge": {"from": id, "to": id, "action": name}}       "action" is optional
    {"remove_edge": {"from": id, "to": id, "action": name}}    without an action: every edge between the two
    {"op": ..., "path": "/nodes/…", ...}                       an operation of JSON Patch

What is understood beyond that, because it can mean only one thing: a path whose first step is no key of a node is
looked for under ``params``; ``parameters`` is ``params`` where there is no such key; a path may repeat the node's own
id, or ``nodes`` and the id, at its front; ``op`` with a node says set (``add``, ``replace``) or ``remove``; keys that
are not ours (``reason``, ``why``) are ignored. A text that looks like JSON stays a text.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

import jsonpatch
from jsonpointer import JsonPointerException  # type: ignore[attr-defined, unused-ignore]

from mendbench.model.json import Json, JsonObject
from mendbench.repair.addresses import address, nearest, node_at
from mendbench.repair.graph import add_edge, add_node, node_index, remove_edge, remove_node
from mendbench.repair.paths import APPEND, EditError, drop, is_index, put

__all__ = ["EditError", "apply_edits", "apply_patch", "is_edit", "is_operation"]

MAX_DEPTH = 100
"""How deep a document may nest: as deep as the runtime resolves templates."""

_VERBS: dict[str, Callable[[JsonObject, JsonObject], None]] = {
    "add_node": lambda document, edit: add_node(document, edit["add_node"], edit.get("after")),
    "remove_node": lambda document, edit: remove_node(document, edit["remove_node"]),
    "add_edge": lambda document, edit: add_edge(document, edit["add_edge"]),
    "remove_edge": lambda document, edit: remove_edge(document, edit["remove_edge"]),
}
_OPERATIONS = frozenset({"add", "remove", "replace", "move", "copy", "test"})
_SETS = ("add", "replace", "set")
_LIBRARY_ERRORS = (
    jsonpatch.JsonPatchException,
    JsonPointerException,
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
)
"""What the two libraries raise for operations that do not apply; odd shapes get past their own checks."""


def apply_patch(document: JsonObject, patch: Sequence[Json]) -> JsonObject:
    """Return ``document`` after a JSON Patch (RFC 6902) in which the token after ``/nodes`` is an index or a node's id.

    A token of digits is always an index, as the RFC has it.

    Raises:
        EditError: an operation is malformed or does not apply.
    """
    changed = _own_copy(document, patch)
    for number, operation in enumerate(patch, start=1):
        changed = _numbered("operation", number, changed, operation, _operate)
    _check_depth(changed)
    return changed


def apply_edits(document: JsonObject, edits: Sequence[Json]) -> JsonObject:
    """Return ``document`` after ``edits``, applied one after the other.

    Raises:
        EditError: an edit is malformed, names what is not there, or does not apply. The message says which edit.
    """
    changed = _own_copy(document, edits)
    for number, edit in enumerate(edits, start=1):
        changed = _numbered("edit", number, changed, edit, _edit)
    _check_depth(changed)
    return changed


def is_operation(value: Json) -> bool:
    """Return whether ``value`` is meant as an operation of JSON Patch."""
    if not isinstance(value, dict) or "node" in value or "path" not in value:
        return False
    return isinstance(value.get("op"), str) and value["op"] in _OPERATIONS


def is_edit(value: Json) -> bool:
    """Return whether ``value`` is meant as an edit, right or wrong."""
    if not isinstance(value, dict):
        return False
    return (
        bool(_VERBS.keys() & value.keys())
        or ("path" in value and bool({"node", "value", "remove"} & value.keys()))
        or is_operation(value)
    )


def _own_copy(document: JsonObject, changes: Sequence[Json]) -> JsonObject:
    if isinstance(changes, str | bytes | dict) or not isinstance(changes, Sequence):
        raise EditError("the changes are not a list")
    _check_depth([document, list(changes)], MAX_DEPTH + 2)
    return copy.deepcopy(document)


def _numbered(
    kind: str, number: int, document: JsonObject, change: Json, apply: Callable[[JsonObject, JsonObject], JsonObject]
) -> JsonObject:
    if not isinstance(change, dict):
        raise EditError(f"{kind} {number} is not an object")
    try:
        return apply(document, copy.deepcopy(change))
    except EditError as error:
        raise EditError(f"{kind} {number}: {error}") from error


def _operate(document: JsonObject, operation: JsonObject) -> JsonObject:
    name = operation.get("op")
    if not isinstance(name, str) or name not in _OPERATIONS:
        raise EditError(f"{name!r} is no operation of JSON Patch")
    pinned: JsonObject = {k: _pinned(document, v) if k in ("path", "from") else v for k, v in operation.items()}
    try:
        changed = jsonpatch.JsonPatch([pinned]).apply(document, in_place=True)
    except _LIBRARY_ERRORS as error:
        raise EditError(f"{name} {operation.get('path')!r} does not apply: {error}") from error
    if not isinstance(changed, dict):
        raise EditError(f"{name} {operation.get('path')!r} leaves no workflow")
    return changed


def _pinned(document: JsonObject, pointer: Json) -> Json:
    """Return ``pointer`` with a node's id after ``/nodes`` replaced by the node's index."""
    if not isinstance(pointer, str) or not pointer.startswith("/nodes/"):
        return pointer
    step, slash, rest = pointer.removeprefix("/nodes/").partition("/")
    name = step.replace("~1", "/").replace("~0", "~")
    if step == APPEND or is_index(step):
        return pointer
    return f"/nodes/{node_index(document, name)}{slash}{rest}"


def _edit(document: JsonObject, edit: JsonObject) -> JsonObject:
    if is_operation(edit) and not _VERBS.keys() & edit.keys() and str(edit["path"]).startswith("/"):
        return _operate(document, edit)
    verbs = sorted(_VERBS.keys() & edit.keys())
    if len(verbs) > 1 or (verbs and "path" in edit):
        raise EditError(
            f"it says several things at once ({', '.join([*verbs, *(['path'] if 'path' in edit else [])])})"
        )
    if verbs:
        _VERBS[verbs[0]](document, edit)
    elif "node" in edit and "path" not in edit and _removes(edit):
        remove_node(document, edit["node"])
    elif "path" in edit:
        _set_or_remove(document, edit)
    else:
        raise EditError(f"it has no 'path'; its keys are {', '.join(sorted(map(str, edit)))[:100] or 'none'}")
    return document


def _set_or_remove(document: JsonObject, edit: JsonObject) -> None:
    path = address(document, edit)
    if _removes(edit):
        node_id = node_at(document, path)
        if node_id is None:
            drop(*nearest(document, path))
        else:
            remove_node(document, node_id)
    elif "value" in edit:
        put(*nearest(document, path), edit["value"])
    else:
        raise EditError("it has neither a 'value' nor \"remove\": true")


def _removes(edit: JsonObject) -> bool:
    remove, operation = edit.get("remove", False), edit.get("op")
    if not isinstance(remove, bool):
        raise EditError("'remove' is neither true nor false")
    if operation not in (None, "remove", *_SETS):
        raise EditError(f"{operation!r} is not understood together with a node")
    removes = remove or operation == "remove"
    if removes and edit.get("value") is not None:
        raise EditError("it has both a 'value' and a removal")
    return removes


def _check_depth(value: Json, limit: int = MAX_DEPTH) -> None:
    layer = [value]
    for _ in range(limit + 1):
        layer = [
            item
            for outer in layer
            if isinstance(outer, dict | list)
            for item in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not layer:
            return
    raise EditError(f"it nests deeper than {MAX_DEPTH} levels")
