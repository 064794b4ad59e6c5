"""Rows of answers as the world gives them, run through a real node, noticed, and judged: the whole way of a state.

A row is a mapping: ``id``, ``node`` (http, mcp, shell or read-file), what came (``status``, ``headers``, ``body`` or ``text``;
``fault``; ``result`` or ``rpc_error``; ``command``, ``exit_code``, ``stdout``, ``stderr``), ``label`` and ``why``. The label
``ambiguous`` marks a row whose payload alone does not decide; it is not scored.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from mendbench.io.virtual_clock import VirtualClock
from mendbench.model.exchange import Request, Response
from mendbench.model.execution import Observation
from mendbench.model.workflow import Node
from mendbench.ports.engine import Detector
from mendbench.runtime.nodes.registry import node_types
from mendbench.runtime.observation import observe, run_node

Entry = dict[str, Any]


def rows_of(name: str) -> list[Entry]:
    """Return the scored rows of a file beside this one."""
    rows: list[Entry] = yaml.load((Path(__file__).parent / name).read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return [row for row in rows if row["label"] != "ambiguous"]


def observation_of(row: Entry) -> Observation | None:
    """Return what is noticed of a row's answer, or None."""
    response, params = _response(row), _PARAMS[row["node"]]
    if row["node"] == "shell":
        params = {**params, "command": row["command"]}

    def send(request: Request) -> Response:
        del request
        return response

    visit = run_node(node_types()[row["node"]], params, send, VirtualClock())
    return observe(Node(id="call", type=row["node"], params=params), visit, lambda value: value)


def state_of(row: Entry, detector: Detector) -> str:
    """Return the state that the engine gives a node with this answer."""
    observation = observation_of(row)
    return "success" if observation is None else detector.judge(observation).state


def confusion(rows: list[Entry], detector: Detector) -> Counter[tuple[str, str]]:
    """Return how often each label got each state."""
    return Counter((row["label"], state_of(row, detector)) for row in rows)


def right(counts: Counter[tuple[str, str]]) -> float:
    """Return the share of rows whose state is their label."""
    return sum(n for (label, state), n in counts.items() if label == state) / sum(counts.values())


_PARAMS: dict[str, Entry] = {
    "http": {"url": "https://api.example/v1/things", "method": "POST", "body": {"name": "x"}},
    "mcp": {"server": "tools", "tool": "act", "arguments": {"name": "x"}},
    "shell": {},
    "read-file": {"file_path": "notes/a.txt"},
}


def _response(row: Entry) -> Response:
    if "fault" in row:
        return Response(status=0, fault=row["fault"])
    if row["node"] == "shell":
        body: Any = {"stdout": row.get("stdout", ""), "stderr": row.get("stderr", ""), "exit_code": row["exit_code"]}
    elif "rpc_error" in row:
        body = {"jsonrpc": "2.0", "id": 1, "error": row["rpc_error"]}
    elif "result" in row:
        body = {"jsonrpc": "2.0", "id": 1, "result": row["result"]}
    else:
        body = row.get("body")
    raw = row["text"].encode() if "text" in row else json.dumps(body).encode()
    headers = tuple((name, str(value)) for name, value in row.get("headers", {}).items())
    return Response(status=row.get("status", 200), headers=headers, body=raw)
