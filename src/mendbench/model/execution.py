"""An execution: one run of a workflow, its three-state outcome, and the checkpoint to resume from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from mendbench.model.failure import Failure
from mendbench.model.json import Json, JsonObject

State: TypeAlias = Literal["success", "warning", "error"]
"""Success: the node's own effect happened. Error: an edit of the workflow would help. Warning: none would."""

Severity: TypeAlias = Literal["critical", "info", "retry"]
"""Of a warning. Critical: it stops the run. Info: it is said, and the run goes on. Retry: the node is tried again first."""

NodeState: TypeAlias = Literal["success", "warning", "error", "not_run"]

SightingKind: TypeAlias = Literal[
    "http", "transport", "envelope", "mcp", "shell", "file", "llm", "template", "exception"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A failure that was noticed in a node's output, before anything judges whose fault it is.

    All policies notice the same; a detector then turns a sighting into a state.
    """

    kind: SightingKind
    """How it showed: an HTTP status, a transport fault, a failure inside a 2xx body, and so on."""
    message: str
    node_id: str
    node_type: str
    status: int | None = None
    headers: JsonObject = field(default_factory=dict)
    """Lower-case names."""
    body: Json = None
    """The response: parsed JSON, or text."""
    outputs: JsonObject = field(default_factory=dict)
    """The node's outputs as later nodes would see them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a detector made of a sighting."""

    state: State
    message: str
    """For a warning: what the user is told, such as ``API error: channel_not_found``."""
    severity: Severity = "critical"
    """For a warning: how grave it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRecord:
    """What became of one node in one execution."""

    node_id: str
    node_type: str
    state: NodeState
    action: str | None = None
    cached: bool = False
    """Taken from the checkpoint and not run again."""
    modified: bool = False
    """Run again although it had completed before, because what it depends on was changed."""
    message: str | None = None
    duration_ms: int = 0
    outputs: JsonObject = field(default_factory=dict)
    sighting: Observation | None = None
    """What was noticed, if anything, whatever it was then judged to be."""
    severity: Severity = "critical"
    """Of its warning, if it has one: ``critical`` or ``info``."""
    tries: int = 1
    """How often it was run, because its warnings said to try again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """One warning of an execution."""

    node_id: str
    message: str
    severity: Severity = "critical"
    """``critical`` or ``info``: a retry ends in one of the two, or in success."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """What a checkpoint keeps of a node that need not run again."""

    action: str
    """The node's own: which edge is taken, its state decides too."""
    digest: str
    """Over the node's type, its *resolved* parameters and the action of the edge that led to it."""
    outputs: JsonObject
    shown_digest: str = ""
    """The same over redacted parameters: the one that may be shown. Empty if it was not made."""
    state: State = "success"
    message: str | None = None
    severity: Severity = "critical"
    noticed: str | None = None
    """What had been noticed at it, whatever a detector then made of it."""
    sent_by: int = 0
    """How many exchanges the world had seen when it was done."""
    changed_at: int | None = None
    """The place, in the world's traffic, of the last exchange with which it changed the world; None if it changed nothing."""
    only_read: bool = False
    """Whether it asked the world, and changed nothing in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """Where an execution can be resumed without repeating what it did."""

    completed: dict[str, Completed] = field(default_factory=dict)
    items: dict[str, tuple[Completed, ...]] = field(default_factory=dict)
    """Of each batch node: the items that are done."""
    failed_node: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One run of a workflow, from its first node to where it ended."""

    outcome: State
    nodes: tuple[NodeRecord, ...]
    """One for every node of the workflow, in workflow order; ``not_run`` where it was not reached."""
    failures: tuple[Failure, ...] = ()
    """Empty unless the outcome is ``error``, or a warning stopped the run (then ``fixable`` is false)."""
    warnings: tuple[Warned, ...] = ()
    outputs: JsonObject = field(default_factory=dict)
    """The declared outputs that could be resolved."""
    checkpoint: Checkpoint = field(default_factory=Checkpoint)
    duration_ms: int = 0
    """On the virtual clock."""

    def states(self) -> dict[str, NodeState]:
        """Return the state of every node by its id."""
        return {record.node_id: record.state for record in self.nodes}
