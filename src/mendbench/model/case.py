"""A case: one failing workflow, the request it was written for, the world it ran in, and the truth about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from mendbench.model.execution import NodeState, State
from mendbench.model.failure import Category
from mendbench.model.json import Json, JsonObject

Kind: TypeAlias = Literal["repairable", "needs_user", "transient", "control", "mixed"]
Difficulty: TypeAlias = Literal["easy", "middle", "hard"]
Api: TypeAlias = Literal["well-known", "private"]
Who: TypeAlias = Literal["edit", "user", "retry"]
Provenance: TypeAlias = Literal["simulator", "real", "live"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong, labelled by a reader and never derived."""

    id: str
    cause: tuple[str, ...]
    """Nodes that a right edit must touch."""
    surfaces: str
    """The node where it shows."""
    state: Literal["error", "warning"]
    who: Who
    """Who can help: an edit of the workflow, the user, or another try."""
    category: Category
    says: str | None = None
    """For a warning: a regular expression that what is said to the user must match."""
    facts: tuple[str, ...] = ()
    """Regular expressions of what one has to be told to find the fix. None of them occurs in the frame."""
    evidence: str = ""
    """Why this is so, from what the API and the request mean."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How often something has to be accepted."""

    least: int = 1
    most: int | None = 1
    """None for no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCheck:
    """Requests that match must have been accepted ``times`` times.

    ``json`` is a subset for objects and exact for lists; ``headers`` are a subset; ``text`` is a regular expression over the
    raw body; ``url`` compares normalised. The request matches as it was sent, or as its service means it.
    """

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    json: Json = None
    only: bool = False
    """Whether the body may hold nothing beside ``json``: every object in it has just these keys.

    A field that makes no difference to the service is allowed: the request matches as the service means it, without that field.
    """
    text: str | None = None
    times: Times = Times()
    kind: Literal["request"] = "request"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRequestCheck:
    """No request that matches may ever be sent in the trial, accepted or not."""

    method: str | None = None
    url: str | None = None
    """A regular expression over the whole normalised URL."""
    json: Json = None
    kind: Literal["no_request"] = "no_request"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputCheck:
    """A declared output, or a field of a node's outputs, must equal a value or match a regular expression."""

    output: str | None = None
    node: str | None = None
    path: str | None = None
    """Path in the node's outputs, in template syntax: ``response.items[0].id``."""
    equals: Json = None
    matches: str | None = None
    kind: Literal["output"] = "output"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCheck:
    """These nodes must still be there and must have run to success."""

    nodes: tuple[str, ...]
    kind: Literal["kept"] = "kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnchangedCheck:
    """A parameter that no repair may touch must be what it was."""

    node: str
    path: str
    """JSON pointer inside the node: ``/params/url``."""
    kind: Literal["unchanged"] = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class WarningCheck:
    """A warning must be said at that node."""

    node: str
    says: str
    """A regular expression over the warning's message."""
    kind: Literal["warning"] = "warning"


Check: TypeAlias = RequestCheck | NoRequestCheck | OutputCheck | KeptCheck | UnchangedCheck | WarningCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """Other inputs or other run data, on which the repaired workflow must work too."""

    name: str
    inputs: JsonObject
    """Laid over the case's inputs."""
    state: dict[str, JsonObject]
    """Service name to a JSON merge patch (RFC 7396) over the case's state of that service."""
    checks: tuple[Check, ...]
    final: State = "success"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A change of the workflow as a JSON Patch (RFC 6902).

    In a path, the token after ``/nodes`` is an index or a node's id.
    """

    patch: tuple[JsonObject, ...]
    why: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One failing workflow and the truth about it."""

    family: str
    name: str
    folder: Path
    title: str
    group: str
    """Service x scenario: the unit of resampling and of the split."""
    request: str
    """What the user asked the workflow to do, in the user's words."""
    workflow: JsonObject
    """The broken document."""
    recorded_from: dict[str, Provenance]
    """Every service that the case declares, and where its responses come from. Any other host does not exist.

    Shell and files are there undeclared too: see :func:`mendbench.trial.scope.services_of`.
    """
    difficulty: Difficulty
    api: Api
    """Whether an engineer who knows the public API could name the fix's keys and values without seeing the error (well-known), or
    not (private)."""
    inputs: JsonObject
    state: dict[str, JsonObject]
    """Service name to a JSON merge patch over the service's seed data."""
    faults: tuple[Fault, ...]
    first: dict[str, NodeState]
    """Node states of the first execution. ``not_run`` is never scored."""
    after_fix: dict[str, NodeState]
    final: State
    checks: tuple[Check, ...]
    variants: tuple[Variant, ...]
    fix: Fix | None
    """None where no edit is right."""
    accepts: tuple[Fix, ...]
    wrong_fixes: tuple[Fix, ...]
    adversarial_to: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    source: str = ""
    secrets: dict[str, str] = field(default_factory=dict)
    """Names of secrets to the environment variables that hold their real values while a live world is recorded."""
    digest: str = ""
    """Over all files of the case that bear on truth or behaviour."""

    @property
    def id(self) -> str:
        """``family/name``."""
        return f"{self.family}/{self.name}"

    @property
    def kind(self) -> Kind:
        """What sort of case it is, derived from who can help with its faults."""
        who = {fault.who for fault in self.faults}
        if not who:
            return "control"
        if "edit" in who:
            return "repairable" if who == {"edit"} else "mixed"
        return "needs_user" if "user" in who else "transient"
