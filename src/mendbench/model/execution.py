"""An execution: one run of a workflow, its three-state outcome, and the checkpoint to resume from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from mendbench.model.failure import Failure
from mendbench.model.json import Json, JsonObject

State: TypeAlias = Literal["success", "warning", "error"]
"""Success: the node's own effect happened. Error: an edit of the workflow would help. Warning: no edit would help."""

Severity: TypeAlias = Literal["critical", "info", "retry"]
"""The severity of a warning. Critical: it stops the run. Info: it is reported, and the run continues. Retry: the node is retried first."""

NodeState: TypeAlias = Literal["success", "warning", "error", "not_run"]

ObservationKind: TypeAlias = Literal[
    "http", "transport", "envelope", "mcp", "shell", "file", "llm", "template", "exception"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A failure that was noticed in a node's output, before a detector judges whose fault it is.

    All policies notice the same; a detector then turns an observation into a state.
    """

    kind: ObservationKind
    """How it was noticed: an HTTP status, a transport fault, a failure inside a 2xx body, and so on."""
    message: str
    node_id: str
    node_type: str
    status: int | None = None
    headers: JsonObject = field(default_factory=dict)
    """Lower-case names."""
    body: Json = None
    """The response: parsed JSON, or text."""
    outputs: JsonObject = field(default_factory=dict)
    """The node's outputs as later nodes see them."""
    method: str = ""
    """The request's HTTP method, if a detector asked for it; empty otherwise."""
    other_identifier: str | None = None
    """Another identifier, in the run's data, of a record that the request identified; None if there is none or no detector asked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedEvidence:
    """One piece of evidence that a detector weighed."""

    path: str
    """Where it is: a path in the body, ``status``, ``header NAME`` or ``text``."""
    found: str
    weight: float
    """Log odds. Of an observation: that the request failed. Of a judgement: that an edit could help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """A detector's judgement of an observation."""

    state: State
    message: str
    """For a warning: the message to the user, such as ``API error: channel_not_found``."""
    severity: Severity = "critical"
    """For a warning: its severity."""
    confidence: float | None = None
    """How probable the state is, from 0.5 to 1. None: the detector does not say."""
    evidence: tuple[WeighedEvidence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeRecord:
    """The result of one node in one execution."""

    node_id: str
    node_type: str
    state: NodeState
    action: str | None = None
    cached: bool = False
    """Taken from the checkpoint and not run again."""
    modified: bool = False
    """Executed again although it had completed before, because its dependencies changed."""
    message: str | None = None
    duration_ms: int = 0
    outputs: JsonObject = field(default_factory=dict)
    observation: Observation | None = None
    """What was noticed, if anything, regardless of the judgement."""
    severity: Severity = "critical"
    """The severity of its warning, if it has one: ``critical`` or ``info``."""
    tries: int = 1
    """How often it was executed, including the retries that its warnings requested."""
    confidence: float | None = None
    """The detector's confidence in the state of a node that failed; None if it has none, or the node was reused."""
    evidence: tuple[WeighedEvidence, ...] = ()
    """What the detector weighed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Warned:
    """One warning of an execution."""

    node_id: str
    message: str
    severity: Severity = "critical"
    """``critical`` or ``info``: a retry ends in one of the two, or in success."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completed:
    """The data that a checkpoint keeps of a node that need not run again."""

    action: str
    """The node's own action. Its state also decides which edge is taken."""
    digest: str
    """A digest over the node's type, its *resolved* parameters and the action of the edge that led to it."""
    outputs: JsonObject
    shown_digest: str = ""
    """The same digest over redacted parameters, which may be shown. Empty if it was not computed."""
    state: State = "success"
    message: str | None = None
    severity: Severity = "critical"
    noticed: str | None = None
    """What had been noticed at the node, regardless of the detector's judgement."""
    sent_by: int = 0
    """The number of exchanges in the world when the node finished."""
    changed_at: int | None = None
    """The position, in the world's traffic, of the last exchange by which it changed the world; None if it changed nothing."""
    only_read: bool = False
    """Whether it read from the world without changing it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """The state from which an execution can resume without repeating its effects."""

    completed: dict[str, Completed] = field(default_factory=dict)
    items: dict[str, tuple[Completed, ...]] = field(default_factory=dict)
    """The finished items of each batch node."""
    failed_node: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One run of a workflow, from its first node to its end."""

    outcome: State
    nodes: tuple[NodeRecord, ...]
    """One for every node of the workflow, in workflow order; ``not_run`` for a node that was not reached."""
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
