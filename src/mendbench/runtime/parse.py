"""Parses a workflow document to a :class:`.Workflow`, or reports all errors in its structure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import chain, islice
from operator import getitem
from typing import Final, Literal

from mendbench.model.json import Json, JsonObject
from mendbench.model.workflow import Batch, Edge, Input, Node, Output, Workflow
from mendbench.runtime.schema import (
    DATA_TYPES,
    MAX_TRIES,
    MAX_WAIT_S,
    TYPE_ALIASES,
    WORKFLOW_SCHEMA,
    Pointer,
    Violation,
    shown,
    violations,
)
from mendbench.runtime.suggest import Guesses
from mendbench.runtime.templates import dotted, pointer

IR_VERSION = "0.1.0"
"""The default format version of a document."""

MAX_PROBLEMS = 100
"""Maximum number of reported problems per document: each may list all possible names."""

_MEANT: Final[dict[str, dict[str, str]]] = {
    "edges": {"source": "from", "target": "to", "from_node": "from", "to_node": "to"},
    "outputs": {"value": "source", "from": "source"},
    "nodes": {"name": "id", "parameters": "params", "node_type": "type"},
}
"""Common wrong names that similarity does not catch: part of the document, wrong name, right name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowProblem:
    """One problem of a workflow, found before it runs."""

    message: str
    """One sentence in the baseline's wording."""
    node_id: str | None = None
    hint: str | None = None
    """What the baseline adds to such a message: what to do, or the available choices."""
    category: Literal["static_validation"] = "static_validation"
    where: str = ""
    """JSON pointer (RFC 6901) into the document; the token after ``/nodes`` is the node's id if that is unique."""
    severity: Literal["error", "note"] = "error"
    """Only errors prevent a workflow from running."""
    suggestion: str | None = None
    """Our own diagnosis: the replacement for the wrong name or template."""
    param: str | None = None
    """The parameter, as a dotted path inside the node's params."""
    template: str | None = None
    """The wrong template, as written."""
    available: tuple[str, ...] = ()
    """The available names."""

    @property
    def text(self) -> str:
        """The problem in one line: message, hint and suggestion."""
        parts = [self.message, self.hint or ""]
        if self.suggestion and f"'{self.suggestion}'" not in "".join(parts):
            parts.append(f"did you mean '{self.suggestion}'?")
        return "; ".join(" ".join(part.split()) for part in parts if part)


def parse_workflow(document: JsonObject) -> tuple[Workflow | None, tuple[WorkflowProblem, ...]]:
    """Return the workflow, or None and the structure errors of ``document``. Never raises for any JSON.

    Returns at most the first :data:`MAX_PROBLEMS` errors.

    A missing ``ir_version`` or ``edges`` is added, and a node's ``parameters`` are read as ``params``. The workflow's ``source``
    is the original document. An input with a default counts as not required.
    """
    whole = _normalised(document)
    guesses = Guesses()
    violated = (_violated(violation, whole, guesses) for violation in violations(whole, WORKFLOW_SCHEMA))
    problems = tuple(islice(chain(violated, _duplicate_ids(whole), _dangling(whole, guesses)), MAX_PROBLEMS))
    return (None, problems) if problems else (salvaged(document), ())


def _normalised(document: Json) -> Json:
    """Return a copy of ``document`` with commonly omitted fields added."""
    if not isinstance(document, dict):
        return document
    whole: JsonObject = {"ir_version": IR_VERSION, **document}
    whole.setdefault("edges", [])
    if isinstance(whole.get("nodes"), list):
        whole["nodes"] = [_with_params(node) for node in whole["nodes"]]
    return whole


def salvaged(document: Json) -> Workflow:
    """Return the readable parts of ``document``: all of it if its structure is valid.

    Use this to inspect a broken document, never to run it. Never raises.
    """
    whole = _normalised(document)
    if not isinstance(whole, dict):
        return Workflow(nodes=())
    start, version = whole.get("start_node"), whole.get("ir_version")
    return Workflow(
        nodes=tuple(_node(node) for _, node in _usable_nodes(whole)),
        edges=tuple(
            Edge(source=edge["from"], target=edge["to"], action=_text(edge, "action") or "default")
            for edge in list_in(whole, "edges")
            if isinstance(edge, dict) and isinstance(edge.get("from"), str) and isinstance(edge.get("to"), str)
        ),
        inputs=tuple(_input(name, spec) for name, spec in object_in(whole, "inputs").items() if isinstance(spec, dict)),
        outputs=tuple(
            Output(name=name, source=spec["source"], description=_text(spec, "description"))
            for name, spec in object_in(whole, "outputs").items()
            if isinstance(spec, dict) and isinstance(spec.get("source"), str)
        ),
        start_node=start if isinstance(start, str) else None,
        ir_version=version if isinstance(version, str) else IR_VERSION,
        source=document,
    )


def _place(path: Pointer, document: Json) -> str:
    """Return ``path`` as a JSON pointer, with a node's index replaced by its id if the id is unique."""
    if len(path) > 1 and path[0] == "nodes":
        node_id = _id_at(document, path[1])
        if [node["id"] for _, node in _usable_nodes(document)].count(node_id) == 1:
            path = ("nodes", node_id or path[1], *path[2:])
    return pointer(*path)


def _violated(violation: Violation, document: Json, guesses: Guesses) -> WorkflowProblem:
    path = violation.path
    hint, suggestion = _advice(violation, document, guesses)
    return WorkflowProblem(
        message=f"Structure: Validation error at {_dotted(path)}: {violation.message}",
        node_id=_id_at(document, path[1]) if len(path) > 1 and path[0] == "nodes" else None,
        hint=hint,
        where=_place(path, document),
        suggestion=suggestion,
        available=violation.allowed if violation.keyword in ("additionalProperties", "enum") else (),
    )


def _advice(violation: Violation, document: Json, guesses: Guesses) -> tuple[str | None, str | None]:
    """Return the baseline's hint and our suggestion."""
    hint: str | None = None
    suggestion: str | None = None
    match violation.keyword:
        case "required":
            hint = f"Add the required field '{violation.found}'"
        case "type":
            hint = f"Change type from '{type(violation.found).__name__}' to '{violation.allowed[0]}'"
        case "additionalProperties":
            hint, suggestion = _misnamed(violation, document, guesses)
        case "pattern" if violation.path == ("ir_version",):
            hint = f"Use semantic versioning format, e.g., '{IR_VERSION}'"
        case "minItems" if violation.path == ("nodes",):
            hint = "Add at least one node to the workflow"
        case "enum":
            hint = f"Type must be one of: {', '.join(DATA_TYPES)}" if violation.path[-1] == "type" else None
            suggestion = guesses.closest(str(violation.found), violation.allowed)
    return hint, suggestion


def _misnamed(violation: Violation, document: Json, guesses: Guesses) -> tuple[str, str | None]:
    name, area = str(violation.found), str(violation.path[0]) if violation.path else ""
    meant = _MEANT.get(area, {}).get(name) or guesses.closest(name, violation.allowed)
    if meant is not None and meant in reduce(getitem, violation.path, document):
        meant = None
    if area == "outputs":
        tail = f" Did you mean '{meant}' instead of '{name}'?" if meant else ""
        return f"Output definitions can only have: description, type, source.{tail}", meant
    return "Remove unknown properties or check field names", meant


def _duplicate_ids(document: Json) -> Iterator[WorkflowProblem]:
    seen: set[str] = set()
    for index, node in _usable_nodes(document):
        node_id = node["id"]
        if node_id in seen:
            yield WorkflowProblem(
                message=f"Structure: Validation error at nodes[{index}].id: Duplicate node ID {shown(node_id)}",
                node_id=node_id,
                hint="Use unique IDs for each node",
                where=_place(("nodes", index, "id"), document),
            )
        seen.add(node_id)


def _dangling(document: Json, guesses: Guesses) -> Iterator[WorkflowProblem]:
    """Yield a problem for each edge end or start node that names an unknown node."""
    known = {node["id"] for _, node in _usable_nodes(document)}
    ids = sorted(known)
    for index, edge in enumerate(list_in(document, "edges")):
        for end in ("from", "to"):
            name = edge.get(end) if isinstance(edge, dict) else None
            if isinstance(name, str) and name not in known:
                yield _names_no_node(
                    ("edges", index, end), f"Edge references non-existent node {shown(name)}", name, ids, guesses
                )
    start = document.get("start_node") if isinstance(document, dict) else None
    if isinstance(start, str) and start not in known:
        yield _names_no_node(("start_node",), f"Start node {shown(start)} does not exist", start, ids, guesses)


def _names_no_node(path: Pointer, message: str, name: str, ids: list[str], guesses: Guesses) -> WorkflowProblem:
    return WorkflowProblem(
        message=f"Structure: Validation error at {_dotted(path)}: {message}",
        hint=f"Change to one of: {ids}",
        where=_place(path, {}),
        suggestion=guesses.closest(name, ids),
        available=tuple(ids),
    )


def _dotted(path: Pointer) -> str:
    """Return ``nodes[1].type``; ``root`` for the whole document."""
    return " ".join(dotted(path).split()) or "root"


def _with_params(node: Json) -> Json:
    if isinstance(node, dict) and "parameters" in node and "params" not in node:
        return {"params" if key == "parameters" else key: value for key, value in node.items()}
    return node


def _usable_nodes(document: Json) -> Iterator[tuple[int, JsonObject]]:
    for index, node in enumerate(list_in(document, "nodes")):
        if isinstance(node, dict) and isinstance(node.get("id"), str):
            yield index, node


def _node(node: JsonObject) -> Node:
    return Node(
        id=node["id"],
        type=_text(node, "type") or "",
        params=object_in(node, "params"),
        purpose=_text(node, "purpose"),
        batch=_batch(object_in(node, "batch")) if "batch" in node else None,
    )


def _batch(batch: JsonObject) -> Batch:
    tries, wait = batch.get("max_retries"), batch.get("retry_wait")
    return Batch(
        items=batch.get("items"),
        name=_text(batch, "as") or "item",
        goes_on=batch.get("error_handling") == "continue",
        tries=int(tries) if isinstance(tries, int | float) and 1 <= tries <= MAX_TRIES else 1,
        wait_s=float(wait) if isinstance(wait, int | float) and 0 <= wait <= MAX_WAIT_S else 0.0,
    )


def _input(name: str, spec: JsonObject) -> Input:
    kind = _text(spec, "type") or "string"
    return Input(
        name=name,
        type=TYPE_ALIASES.get(kind, kind),
        required=spec.get("required") is not False and "default" not in spec,
        default=spec.get("default"),
        description=_text(spec, "description"),
    )


def _id_at(document: Json, index: str | int) -> str | None:
    node = document["nodes"][index]
    return _text(node, "id") if isinstance(node, dict) else None


def _text(value: JsonObject, key: str) -> str | None:
    text = value.get(key)
    return text if isinstance(text, str) else None


def list_in(value: Json, key: str) -> list[Json]:
    """Return the list under ``key``; an empty one if ``value`` is not an object or has no list there."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def object_in(value: Json, key: str) -> JsonObject:
    """Return the object under ``key``; an empty one if ``value`` is not an object or has no object there."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}
