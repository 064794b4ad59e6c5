"""JSON Patch (RFC 6902) of a workflow document, with nodes addressed by index or by id.

Proofs of cases, scoring and repair all apply fixes with this module. No function changes its arguments. A change that does not apply raises
a :class:`PatchError` whose message is one sentence.

In ``path``, and in the ``from`` of ``move`` and ``copy``, the token after ``/nodes`` is

- an index in the list, if it consists of digits or is ``-`` (RFC 6901), regardless of the nodes' ids;
- otherwise the id of exactly one node at the start of the operation;
- for ``add`` at ``/nodes/ID``, if only the value has that id, the position after the last node.

``add`` at the id of an existing node inserts before it, as ``add`` at its index does.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import jsonpatch
import jsonpointer

from mendbench.io.json_documents import nests_deeper
from mendbench.model.json import Json, JsonObject
from mendbench.values.sizes import size_of

APPEND = "-"
"""The token for the position after a list's last item (RFC 6901)."""

MAX_DEPTH = 100
"""The maximum depth of a document: the depth to which the runtime resolves templates."""

MAX_WRITTEN = 2_000_000
"""The total size that operations may add and copy, in characters, with 8 for each other value: copies of copies grow exponentially."""

MAX_CHANGES = 200
"""The maximum number of changes in one patch."""

OPERATIONS = frozenset({"add", "remove", "replace", "move", "copy", "test"})
"""The operations of RFC 6902, section 4."""

_POINTERS = {"move": ("path", "from"), "copy": ("path", "from")}
"""The members with pointers, for operations with more than ``path``."""

_LIBRARY_ERRORS = (
    jsonpatch.JsonPatchException,
    jsonpointer.JsonPointerException,
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
)
"""Exceptions of the two libraries for operations that do not apply. Malformed operations can pass their own checks."""


class PatchError(ValueError):
    """A change that cannot be applied to a document. The message is one sentence that its author can act on."""


def apply_patch(document: JsonObject, patch: Sequence[Json]) -> JsonObject:
    """Return ``document`` after the operations of ``patch`` in order.

    Raises:
        PatchError: an operation is malformed or does not apply. The message states which one.
    """
    draft = Draft(document, patch)
    for number, operation in enumerate(patch, start=1):
        if not isinstance(operation, dict):
            raise PatchError(f"operation {number} is not an object")
        try:
            draft.apply(operation)
        except PatchError as error:
            raise PatchError(f"operation {number}: {error}") from error
    check_depth(draft.document)
    return draft.document


class Draft:
    """A copy of a document that operations change in place. After a failed operation it is unusable."""

    __slots__ = ("_room", "document")

    def __init__(self, document: JsonObject, changes: Sequence[Json]) -> None:
        """Copy ``document``, to apply ``changes`` to the copy.

        Raises:
            PatchError: the changes are not a list or too many, or one of the two nests too deep.
        """
        if isinstance(changes, str | bytes | dict) or not isinstance(changes, Sequence):
            raise PatchError("the changes are not a list")
        if len(changes) > MAX_CHANGES:
            raise PatchError(f"there are {len(changes):,} changes, and at most {MAX_CHANGES} can be made at once")
        check_depth([document, list(changes)], MAX_DEPTH + 2)
        self.document = copy.deepcopy(document)
        self._room = MAX_WRITTEN

    def apply(self, operation: JsonObject) -> None:
        """Change the document by one operation.

        Raises:
            PatchError: it is malformed, does not apply, leaves no workflow, nests too deep, or writes too much.
        """
        name = operation.get("op")
        if not isinstance(name, str) or name not in OPERATIONS:
            raise PatchError(f"{name!r} is no operation of JSON Patch")
        pinned = copy.deepcopy(operation)
        for member in _POINTERS.get(name, ("path",)):
            if member in operation:
                pinned[member] = _pinned(self.document, operation, member)
        try:
            self._weigh(name, pinned)
            changed = jsonpatch.JsonPatch([pinned]).apply(self.document, in_place=True)
        except PatchError:
            raise
        except _LIBRARY_ERRORS as error:
            raise PatchError(f"{name} {operation.get('path')!r} does not apply: {error}") from error
        if not isinstance(changed, dict):
            raise PatchError(f"{name} {operation.get('path')!r} leaves no workflow")
        self.document = changed

    def _weigh(self, name: str, operation: JsonObject) -> None:
        """Refuse an operation whose value is too deep or too large. Only the new value is measured."""
        if name in {"move", "copy"}:
            value = jsonpointer.resolve_pointer(self.document, operation["from"])
        elif name in {"add", "replace"}:
            value = operation.get("value")
        else:
            return
        check_depth(value, MAX_DEPTH - str(operation.get("path")).count("/"))
        if name != "move":
            self._room -= size_of(value, MAX_WRITTEN)
        if self._room < 0:
            raise PatchError(f"the operations write more than {MAX_WRITTEN:,} characters")


def check_depth(value: Json, limit: int = MAX_DEPTH) -> None:
    """Refuse a value that is too deep for recursive code.

    Raises:
        PatchError: ``value`` has more than ``limit`` levels.
    """
    if nests_deeper(value, limit):
        raise PatchError(f"it nests deeper than {MAX_DEPTH} levels")


def is_place(token: str) -> bool:
    """Return whether a pointer's token after ``/nodes`` is an index, and so never a node's id."""
    return token == APPEND or (token.isascii() and token.isdigit())


def nodes_of(document: JsonObject) -> list[JsonObject]:
    """Return the document's list of nodes itself, whose entries may be malformed; an empty one if it has none."""
    nodes = document.get("nodes")
    return nodes if isinstance(nodes, list) else []


def node_ids(document: JsonObject) -> tuple[str, ...]:
    """Return the ids of all nodes that have one, in the document's order."""
    ids = (node.get("id") for node in nodes_of(document) if isinstance(node, dict))
    return tuple(name for name in ids if isinstance(name, str))


def node_index(document: JsonObject, node_id: Json) -> int:
    """Return the index of the node with that id.

    Raises:
        PatchError: no node has it, or several have.
    """
    if not isinstance(node_id, str):
        raise PatchError("a node is named by its id, which is a text")
    found = [at for at, node in enumerate(nodes_of(document)) if isinstance(node, dict) and node.get("id") == node_id]
    if not found:
        raise PatchError(f"there is no node {node_id[:60]!r}; the nodes are {', '.join(node_ids(document)) or 'none'}")
    if len(found) > 1:
        places = ", ".join(f"nodes[{at}]" for at in found)
        raise PatchError(f"{len(found)} nodes have the id {node_id!r} ({places}); name the one by its place in 'path'")
    return found[0]


def _pinned(document: JsonObject, operation: JsonObject, member: str) -> Json:
    """Return a pointer of the operation with a node's id after ``/nodes`` replaced by the node's index."""
    pointer = operation[member]
    if not isinstance(pointer, str) or not pointer.startswith("/nodes/"):
        return pointer
    step, slash, rest = pointer.removeprefix("/nodes/").partition("/")
    if is_place(step):
        return pointer
    name = str(jsonpointer.unescape(step))
    if operation["op"] == "add" and not slash and _is_new(document, name, operation.get("value")):
        return f"/nodes/{APPEND}"
    return f"/nodes/{node_index(document, name)}{slash}{rest}"


def _is_new(document: JsonObject, name: str, value: Json) -> bool:
    return bool(name) and isinstance(value, dict) and value.get("id") == name and name not in node_ids(document)
