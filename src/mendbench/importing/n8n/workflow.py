"""The workflow of ours that an execution of n8n ran: its HTTP Request nodes, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from mendbench.importing.interface import Dropped
from mendbench.importing.n8n.document import HTTP, PASSING, STICKY_NOTE, Execution, dict_at
from mendbench.importing.n8n.expressions import NotSimple
from mendbench.importing.n8n.parameters import http_params, version_of
from mendbench.importing.n8n.requests import SentValues
from mendbench.importing.n8n.templates import Inputs, Templates, slug, unique
from mendbench.model.exchange import Response
from mendbench.model.json import Json, JsonObject
from mendbench.runtime.nodes.responses import body_of, headers_of
from mendbench.runtime.templates import templates_in

_KNOWN = (3, 5)
"""The first known version of the HTTP Request node, and the first unknown one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A workflow of ours, and what could not be taken over."""

    workflow: JsonObject | None
    """None if no node could."""
    inputs: JsonObject
    dropped: tuple[Dropped, ...]


def http_nodes(execution: Execution) -> tuple[str, ...]:
    """Return the HTTP Request nodes that can be read: those that ran in their order, then those after the failure."""
    ran = sorted(
        (name for name in execution.nodes if execution.runs.get(name)),
        key=lambda name: _began(execution.runs[name][0]),
    )
    left = list(_unreached(execution, ran))
    return tuple(name for name in (*ran, *left) if _unread(execution, name) is None)


def ids_of(names: tuple[str, ...]) -> dict[str, str]:
    """Return our ids of nodes by their names."""
    ids: dict[str, str] = {}
    for name in names:
        ids[name] = unique(slug(name), ids.values())
    return ids


def rewritten(
    execution: Execution, ids: Mapping[str, str], firsts: Mapping[str, Response], stored: Mapping[str, JsonObject]
) -> Rewritten:
    """Return the workflow. ``firsts`` has the first response to each node, ``stored`` the requests stored with errors."""
    dropped = [Dropped(what=_shown(execution, name), why=why) for name, why in _left_out(execution, ids)]
    inputs = Inputs(execution=execution, reserved=ids.values())
    outputs = {ids[name]: _outputs(response) for name, response in firsts.items() if response.fault is None}
    nodes: list[JsonObject] = []
    for name, node_id in ids.items():
        sent = SentValues(execution=execution, name=name, stored=stored.get(name, {}))
        reader = Templates(sent=sent, ids=ids, outputs=outputs, inputs=inputs, dropped=dropped)
        try:
            params = http_params(execution.nodes[name], reader)
        except NotSimple as error:
            dropped.append(Dropped(what=_shown(execution, name), why=f"{error}: write this node"))
            continue
        nodes.append({"id": node_id, "type": "http", "params": params})
        dropped += _hints(execution, name)
    if not nodes:
        return Rewritten(workflow=None, inputs={}, dropped=tuple(dropped))
    used = {template.root for template in templates_in(nodes)}
    order = [str(node["id"]) for node in nodes]
    workflow: JsonObject = {
        "ir_version": "0.1.0",
        "inputs": {name: declared for name, declared in inputs.declared.items() if name in used},
        "nodes": nodes,
        "edges": [{"from": one, "to": other} for one, other in pairwise(order)],
    }
    values = {name: value for name, value in inputs.values.items() if name in used}
    return Rewritten(workflow=workflow, inputs=values, dropped=tuple(dropped))


def _unreached(execution: Execution, ran: list[str]) -> Iterator[str]:
    """Yield the nodes that would have run after a failed one, in the order of their connections."""
    queue = [name for name in ran if any(dict_at(run, "error") for run in execution.runs[name])]
    seen = set(ran)
    while queue:
        for name in execution.following(queue.pop(0)):
            if name not in seen and name in execution.nodes:
                seen.add(name)
                queue.append(name)
                yield name


def _began(run: JsonObject) -> tuple[float, float]:
    began, index = run.get("startTime"), run.get("executionIndex")
    return tuple(value if isinstance(value, int | float) else 0 for value in (index, began))  # type: ignore[return-value]


def _unread(execution: Execution, name: str) -> str | None:
    """Return why a node cannot be read; None if it can."""
    node = execution.nodes[name]
    if node.get("type") != HTTP:
        return "mendbench has no node of this type"
    if node.get("disabled") is True:
        return "it is disabled"
    if not _KNOWN[0] <= version_of(node) < _KNOWN[1]:
        return f"version {version_of(node):g} of the node: known are 3 and 4"
    return "its output was pinned: it sent nothing" if name in execution.pinned else None


def _left_out(execution: Execution, ids: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in execution.nodes:
        kind = execution.type_of(name)
        if name in ids or kind == STICKY_NOTE:
            continue
        if execution.is_trigger(name):
            yield name, "a trigger: those of its fields that the workflow uses are inputs"
        elif kind in PASSING:
            yield name, "it only passes items on: the workflow goes the way that the execution went"
        else:
            yield name, _unread(execution, name) or "it did not run"


def _hints(execution: Execution, name: str) -> Iterator[Dropped]:
    """Yield what the node of ours lacks."""
    shown = _shown(execution, name)
    runs = execution.runs.get(name, [])
    if len(runs) > 1:
        yield Dropped(what=shown, why=f"it ran {len(runs)} times: the workflow runs it once, as the first time")
    if runs and len(execution.received(name, 0)) > 1 and execution.nodes[name].get("executeOnce") is not True:
        why = "it ran for several items: the workflow runs it for the first one; make it a batch node"
        yield Dropped(what=shown, why=why)
    if dict_at(execution.nodes[name].get("parameters"), "options").get("proxy"):
        yield Dropped(what=f"{shown} proxy", why="our nodes use none")
    if str(dict_at(execution.nodes[name], "parameters").get("authentication", "none")) != "none":
        yield Dropped(what=f"{shown} credential", why="n8n does not store it: give the node auth_token or headers")


def _shown(execution: Execution, name: str) -> str:
    return f"node {name} ({execution.type_of(name)})"


def _outputs(response: Response) -> Json:
    return {
        "response": body_of(response),
        "status_code": response.status,
        "response_headers": headers_of(response),
    }
