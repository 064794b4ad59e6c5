"""One execution of n8n as data: its nodes, their connections, and what each run of a node took and gave.

The shape is that of ``IRunExecutionData`` in n8n's package ``workflow``, under ``data``, beside ``workflowData``. The database stores
``data`` as text in the format of the package ``flatted``: an array whose first element is the value, in which each text, object and list
is replaced by its index, written as text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.io.json_documents import parse_json
from mendbench.io.reading import MAX_DEPTH, MAX_RECORDING
from mendbench.model.json import Json, JsonObject
from mendbench.values.sizes import size_of

HTTP = "n8n-nodes-base.httpRequest"
STICKY_NOTE = "n8n-nodes-base.stickyNote"
PASSING = frozenset(
    f"n8n-nodes-base.{name}" for name in ("if", "switch", "filter", "noOp", "wait", "limit", "splitInBatches")
)
"""Types of nodes whose output items are input items."""

_TRIGGERS = ("n8n-nodes-base.webhook", "n8n-nodes-base.start")
_HINT = "export the execution with its data: GET /api/v1/executions/ID?includeData=true"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where the items of a node's run came from."""

    node: str
    run: int = 0
    output: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One execution."""

    nodes: dict[str, JsonObject]
    """The nodes of the workflow by name."""
    connections: JsonObject
    runs: dict[str, list[JsonObject]]
    """The runs of each node (``ITaskData``)."""
    pinned: frozenset[str]
    """Nodes whose output was pinned by the author: they sent nothing."""
    error: JsonObject
    """The error that ended the execution; empty if none did."""

    def type_of(self, name: str) -> str:
        """Return a node's type; empty if it is unknown."""
        return str(self.nodes.get(name, {}).get("type", ""))

    def is_trigger(self, name: str) -> bool:
        """Return whether a node starts executions."""
        kind = self.type_of(name)
        return kind in _TRIGGERS or "trigger" in kind.lower()

    def items(self, origin: Origin) -> list[JsonObject]:
        """Return the items that a node's run gave at one output."""
        runs = self.runs.get(origin.node, [])
        outputs = dict_at(runs[origin.run], "data").get("main") if origin.run < len(runs) else None
        given = outputs[origin.output] if isinstance(outputs, list) and origin.output < len(outputs) else None
        return [item for item in given if isinstance(item, dict)] if isinstance(given, list) else []

    def origin(self, name: str, run: int = 0) -> Origin | None:
        """Return where the input items of a run came from; of a node that did not run, the first connection to it.

        Nodes that only pass items on are skipped. None if nothing leads to the node.
        """
        seen: set[tuple[str, int]] = set()
        while (name, run) not in seen:
            seen.add((name, run))
            found = self._before(name, run)
            if found is None or not self._passes(found.node):
                return found
            name, run = found.node, found.run
        return None

    def passed(self, origin: Origin) -> Origin:
        """Return the node whose items an output holds: another one if the node only passes items on."""
        return (self.origin(origin.node, origin.run) or origin) if self._passes(origin.node) else origin

    def received(self, name: str, run: int) -> list[JsonObject]:
        """Return the items that a run of a node took."""
        before = self._before(name, run)
        return self.items(before) if before is not None else []

    def following(self, name: str) -> Iterator[str]:
        """Yield the nodes that a node's outputs lead to."""
        for _, end in self._ends(name):
            yield str(end["node"])

    def _passes(self, name: str) -> bool:
        return self.type_of(name) in PASSING or self.nodes.get(name, {}).get("disabled") is True

    def _before(self, name: str, run: int) -> Origin | None:
        runs = self.runs.get(name, [])
        sources = runs[run].get("source") if run < len(runs) else None
        first = sources[0] if isinstance(sources, list) and sources else None
        if isinstance(first, dict) and isinstance(first.get("previousNode"), str):
            return Origin(
                node=first["previousNode"],
                run=_index(first.get("previousNodeRun")),
                output=_index(first.get("previousNodeOutput")),
            )
        for other in self.connections:
            for output, end in self._ends(other):
                if end["node"] == name:
                    return Origin(node=other, output=output)
        return None

    def _ends(self, name: str) -> Iterator[tuple[int, JsonObject]]:
        outputs = dict_at(self.connections, name).get("main")
        for output, ends in enumerate(outputs if isinstance(outputs, list) else []):
            for end in ends if isinstance(ends, list) else []:
                if isinstance(end, dict) and "node" in end:
                    yield output, end


def is_execution(document: JsonObject) -> bool:
    """Return whether a document is an execution of n8n, with or without the envelope of n8n's API."""
    inner = _unwrapped(document)
    data = inner.get("data")
    return ("workflowData" in inner and "data" in inner) or (isinstance(data, dict) and "resultData" in data)


def execution_of(document: JsonObject, path: Path) -> Execution:
    """Return the execution in a document.

    Raises:
        BadInput: its data or its workflow is missing or invalid.
    """
    inner = _unwrapped(document)
    data = inner.get("data")
    if isinstance(data, str):
        try:
            data = unflatted(data)
        except ValueError as error:
            raise BadInput(f"{path}: data", f"no flatted JSON ({error})", _HINT) from None
    result = dict_at(data, "resultData")
    runs = result.get("runData")
    if not isinstance(runs, dict):
        raise BadInput(f"{path}: data.resultData.runData", "no object", _HINT)
    workflow = dict_at(inner, "workflowData")
    nodes = workflow.get("nodes")
    if not isinstance(nodes, list) or not nodes:
        raise BadInput(f"{path}: workflowData.nodes", "no nodes", _HINT)
    return Execution(
        nodes={str(node["name"]): node for node in nodes if isinstance(node, dict) and "name" in node},
        connections=dict_at(workflow, "connections"),
        runs={
            str(name): [run for run in given if isinstance(run, dict)]
            for name, given in runs.items()
            if isinstance(given, list)
        },
        pinned=frozenset({*dict_at(result, "pinData"), *dict_at(workflow, "pinData")}),
        error=dict_at(result, "error"),
    )


def unflatted(text: str) -> Json:
    """Return the value of a text in the format of ``flatted``. A reference to an enclosing value becomes None.

    Raises:
        ValueError: it is not in that format, or its value is too large or too deep.
    """
    table = parse_json(text)
    if not isinstance(table, list) or not table:
        raise ValueError("no array")
    made: dict[int, Json] = {}

    def value(held: Json, depth: int) -> Json:
        if not isinstance(held, str):
            return held
        index = int(held)
        if not 0 <= index < len(table) or depth > MAX_DEPTH:
            raise ValueError(f"index {held[:20]} is outside the array, or nested too deeply")
        if index not in made:
            made[index] = None
            made[index] = opened(table[index], depth + 1)
        return made[index]

    def opened(entry: Json, depth: int) -> Json:
        if isinstance(entry, dict):
            return {key: value(held, depth) for key, held in entry.items()}
        return [value(held, depth) for held in entry] if isinstance(entry, list) else entry

    whole = value("0", 0)
    if size_of(whole, MAX_RECORDING) > MAX_RECORDING:
        raise ValueError("larger than a recording may be")
    return whole


def dict_at(value: Json, key: str) -> JsonObject:
    """Return the object under a key; an empty one if there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def _unwrapped(document: JsonObject) -> JsonObject:
    """Return the execution in the envelope of an API, or in a list of one."""
    for key in ("data", "lines"):
        inner = document.get(key)
        inner = inner[0] if isinstance(inner, list) and len(inner) == 1 else inner
        if isinstance(inner, dict) and "workflowData" in inner:
            return inner
    return document


def _index(value: Json) -> int:
    return value if isinstance(value, int) and value >= 0 else 0
