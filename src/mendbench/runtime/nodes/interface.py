"""What a node type is: data about it, and one function that runs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from mendbench.io.canonical_json import canonical_json
from mendbench.model.exchange import Request, Response
from mendbench.model.execution import ObservationKind
from mendbench.model.json import Json, JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.outline import NodeSpec

Send: TypeAlias = Callable[[Request], Response]
"""The only way for a node to reach the world."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The world's response to the node, as a detector and a failure see it."""

    body: Json
    """Parsed JSON, or text. For MCP the whole JSON-RPC object."""
    status: int | None = None
    headers: JsonObject = field(default_factory=dict)
    """Lower-case names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A failure that the node's protocol reports: a status, a fault, an exit code, ``isError``."""

    kind: ObservationKind
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeOutput:
    """The result of a node: the data for later nodes, and what the engine needs to know about the response."""

    outputs: JsonObject
    action: str = "default"
    """The action of the edge to take if nothing failed."""
    noticed: Observed | None = None
    answered: Answered | None = None
    """None if the node sent no request, or if no API returned the response (a shell command's output, a model's text)."""


def failed_output(kind: ObservationKind, outputs: JsonObject, answered: Answered | None = None) -> NodeOutput:
    """Return the output of a failed node, whose ``outputs`` hold the message under ``error``."""
    return NodeOutput(outputs=outputs, noticed=Observed(kind=kind, message=outputs["error"]), answered=answered)


def json_request(url: str, value: Json, timeout_s: float | None = None) -> Request:
    """Return a POST request with ``value`` as its JSON body."""
    headers = (("Content-Type", "application/json"),)
    body = canonical_json(value).encode("utf-8", "backslashreplace")
    return Request(method="POST", url=url, headers=headers, body=body, timeout_s=timeout_s)


Run: TypeAlias = Callable[[JsonObject, Send, Clock], NodeOutput]
"""Runs a node on its resolved parameters.

Raises ``TypeError`` or ``ValueError`` for an invalid parameter; the engine turns that into a failure.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeType:
    """One kind of node.

    A module of this package registers one under the name ``NODE``; an entry point of the group ``mendbench.nodes`` does
    too.
    """

    type: str
    spec: NodeSpec
    run: Run
