"""JSON Patch (RFC 6902) of a workflow document, whose nodes go by their places or by their ids.

The one reading of a fix: who proves a case, who scores a trial and who repairs a workflow all apply it here. No
function changes what it is given. Whatever does not apply is a :class:`PatchError` whose message is one sentence.

In ``path``, and in the ``from`` of ``move`` and ``copy``, the token after ``/nodes`` is

- a place in the list, if it is of digits or ``-``, as RFC 6901 has it, whatever the nodes are called;
- otherwise the id of the one node that has it, when the operation begins;
- for ``add`` at ``/nodes/ID``, where no node has that id and the value has, the place after the last node.

``add`` at the id of a node that is there inserts before it, as ``add`` at its index does.
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
"""The step that means the place after a list's last item (RFC 6901)."""

MAX_DEPTH = 100
"""How deep a document may nest: as deep as the runtime resolves templates."""

MAX_WRITTEN = 2_000_000
"""Characters that operations may add and copy together, 8 for each value that is no text: copies of copies grow beyond any memory."""

MAX_CHANGES = 200
"""Changes that are applied at once."""

OPERATIONS = frozenset({"add", "remove", "replace", "move", "copy", "test"})
"""The operations of RFC 6902, section 4."""

_POINTERS = {"move": ("path", "from"), "copy": ("path", "from")}
"""The members that hold pointers, where that is not ``path`` alone."""

_LIBRARY_ERRORS = (
    jsonpatch.JsonPatchException,
    jsonpointer.JsonPointerException,
    TypeError,
    ValueError,
    LookupError,
    AttributeError,
)
"""What the two libraries raise for operations that do not apply; odd shapes get past their own checks."""


class PatchError(ValueError):
    """A change that cannot be applied to a document. The message is one sentence that its author can act on."""


def apply_patch(document: JsonObject, patch: Sequence[Json]) -> JsonObject:
    """Return ``document`` after the operations of ``patch``, one after the other.

    Raises:
        PatchError: an operation is malformed or does not apply. The message says which one.
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
    """A copy of a document, changed in place by one operation after the other. After one that failed it is worth nothing."""

    __slots__ = ("_room", "document")

    def __init__(self, document: JsonObject, changes: Sequence[Json]) -> None:
        """Copy ``document``, to apply ``changes`` to.

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
            PatchError: it is malformed, it does not apply, it leaves no workflow, puts something too deep, or writes too much.
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
        """Refuse what an operation puts somewhere if that is too deep or too much: what it changes is not gone through."""
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
    """Refuse what no recursive reader could go through.

    Raises:
        PatchError: ``value`` has more than ``limit`` levels.
    """
    if nests_deeper(value, limit):
        raise PatchError(f"it nests deeper than {MAX_DEPTH} levels")


def is_place(token: str) -> bool:
    """Return whether a pointer's token after ``/nodes`` is a place in the list, and so never a node's id."""
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
    """Return where the node of that id stands.

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
    """Return a pointer of the operation with a node's id after ``/nodes`` replaced by the node's place."""
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
