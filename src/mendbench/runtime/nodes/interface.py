"""What a node type is: data about it, and one function that runs it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from mendbench.model.exchange import Request, Response
from mendbench.model.execution import SightingKind
from mendbench.model.json import Json, JsonObject
from mendbench.ports.clock import Clock
from mendbench.runtime.validate import NodeSpec

Send: TypeAlias = Callable[[Request], Response]
"""The one way on which a node reaches the world."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What the world answered the node, as a detector and a failure will see it."""

    body: Json
    """Parsed JSON, or text. For MCP the whole JSON-RPC object."""
    status: int | None = None
    headers: JsonObject = field(default_factory=dict)
    """Lower-case names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A failure that the node's protocol itself declares: a status, a fault, an exit code, ``isError``."""

    kind: SightingKind
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeOutput:
    """What a node gives back: what later nodes may use, and what the engine has to know about the response."""

    outputs: JsonObject
    action: str = "default"
    """The edge to take where nothing failed."""
    noticed: Observed | None = None
    answered: Answered | None = None
    """None where the node asked nobody, or where the response is no API's (a shell command's output, a model's text)."""


Run: TypeAlias = Callable[[JsonObject, Send, Clock], NodeOutput]
"""Runs a node on its resolved parameters.

Raises ``TypeError`` or ``ValueError`` where a parameter cannot be used; the engine makes that a failure.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeType:
    """One kind of node.

    A module of this package that holds one under the name ``NODE`` adds it; so does an entry point of the group
    ``mendbench.nodes``.
    """

    type: str
    spec: NodeSpec
    run: Run
