"""Edits of a workflow document, which address a node by its id.

Functions here do not modify their arguments. An edit that does not apply raises an :class:`EditError` whose
message is one sentence.

An edit is one of::

    {"node": id, "path": "params.body.text", "value": any}     sets; creates missing parents
    {"node": id, "path": "params.body.text", "remove": true}
    {"node": id, "remove": true}                               the same as remove_node
    {"path": "outputs.greeting.source", "value": any}          without a node: the document's root
    {"add_node": {...}, "after": id}                           "after" is optional
    {"remove_node": id}
    {"add_edge": {"from": id, "to": id, "action": name}}       "action" is optional
    {"remove_edge": {"from": id, "to": id, "action": name}}    without an action: every edge between the two
    {"op": ..., "path": "/nodes/…", ...}                       as in :mod:`mendbench.values.json_patch`

Unambiguous variants are also accepted. A path whose first step is not a key of a node is looked up under ``params``.
``parameters`` means ``params`` if there is no such key. A path may start with the node's own id, or ``nodes`` and the
id. ``op`` with a node means set (``add``, ``replace``) or ``remove``. Unknown keys (``reason``, ``why``) are ignored. A
text that looks like JSON stays a text.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence

from mendbench.model.json import Json, JsonObject
from mendbench.repair.addresses import address, nearest, node_at
from mendbench.repair.graph import add_edge, add_node, remove_edge, remove_node
from mendbench.repair.paths import EditError, drop, put
from mendbench.values.json_patch import OPERATIONS, Draft, PatchError, check_depth

_VERBS: dict[str, Callable[[JsonObject, JsonObject], None]] = {
    "add_node": lambda document, edit: add_node(document, edit["add_node"], edit.get("after")),
    "remove_node": lambda document, edit: remove_node(document, edit["remove_node"]),
    "add_edge": lambda document, edit: add_edge(document, edit["add_edge"]),
    "remove_edge": lambda document, edit: remove_edge(document, edit["remove_edge"]),
}
_SETS = ("add", "replace", "set")


def apply_edits(document: JsonObject, edits: Sequence[Json]) -> JsonObject:
    """Return ``document`` after ``edits``, applied in order.

    Raises:
        EditError: an edit is malformed, names something unknown, or does not apply. The message names the edit.
    """
    try:
        draft = Draft(document, edits)
        for number, edit in enumerate(edits, start=1):
            if not isinstance(edit, dict):
                raise EditError(f"edit {number} is not an object")
            try:
                _edit(draft, copy.deepcopy(edit))
            except (EditError, PatchError) as error:
                raise EditError(f"edit {number}: {error}") from error
        check_depth(draft.document)
    except PatchError as error:
        raise EditError(str(error)) from error
    return draft.document


def is_edit(value: Json) -> bool:
    """Return whether ``value`` is meant as an edit, right or wrong."""
    if not isinstance(value, dict):
        return False
    return (
        bool(_VERBS.keys() & value.keys())
        or ("path" in value and bool({"node", "value", "remove"} & value.keys()))
        or _is_operation(value)
    )


def _is_operation(value: JsonObject) -> bool:
    """Return whether ``value`` is meant as an operation of JSON Patch."""
    operation = value.get("op")
    return "node" not in value and "path" in value and isinstance(operation, str) and operation in OPERATIONS


def _edit(draft: Draft, edit: JsonObject) -> None:
    if _is_operation(edit) and not _VERBS.keys() & edit.keys() and str(edit["path"]).startswith("/"):
        draft.apply(edit)
        return
    verbs = sorted(_VERBS.keys() & edit.keys())
    if len(verbs) > 1 or (verbs and "path" in edit):
        raise EditError(
            f"it says several things at once ({', '.join([*verbs, *(['path'] if 'path' in edit else [])])})"
        )
    if verbs:
        _VERBS[verbs[0]](draft.document, edit)
    elif "node" in edit and "path" not in edit and _removes(edit):
        remove_node(draft.document, edit["node"])
    elif "path" in edit:
        _set_or_remove(draft.document, edit)
    else:
        raise EditError(f"it has no 'path'; its keys are {', '.join(sorted(map(str, edit)))[:100] or 'none'}")


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
