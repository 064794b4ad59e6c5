"""A case: one failing workflow, the request it was written for, the world it ran in, and the truth about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from mendbench.model.execution import NodeState, State
from mendbench.model.failure import Category
from mendbench.model.json import Json, JsonObject

Kind: TypeAlias = Literal["repairable", "needs_user", "transient", "control", "mixed"]
Level: TypeAlias = Literal[0, 1, 2, 3, 4, 5]
"""How far a case's fix is from what its first execution shows: see :mod:`mendbench.scoring.judging.level`."""
CasePart: TypeAlias = Literal["train", "test"]
Api: TypeAlias = Literal["well-known", "private"]
Who: TypeAlias = Literal["edit", "user", "retry"]
Provenance: TypeAlias = Literal["simulator", "real", "live"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One defect of the workflow, labelled by a person and never derived."""

    id: str
    cause: tuple[str, ...]
    """Nodes that a correct edit must change."""
    surfaces: str
    """The node where it becomes visible."""
    state: Literal["error", "warning"]
    who: Who
    """What can help: an edit of the workflow, the user, or a retry."""
    category: Category
    says: str | None = None
    """For a warning: a regular expression that the message to the user must match."""
    facts: tuple[str, ...] = ()
    """Regular expressions for the information that the fix requires. None of them matches the frame."""
    fact_texts: tuple[str, ...] = ()
    """The same facts as plain texts, each matched by its expression."""
    evidence: str = ""
    """The reason, based on the meaning of the API and the request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How often a request must be accepted."""

    least: int = 1
    most: int | None = 1
    """None for no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCheck:
    """Matching requests must have been accepted ``times`` times.

    ``json`` is a subset for objects and exact for lists; ``headers`` are a subset; ``text`` is a regular expression over the
    raw body; ``url`` compares normalised. The request matches as sent, or as normalised by its service.
    """

    method: str
    url: str
    headers: dict[str, str] = field(default_factory=dict)
    json: Json = None
    only: bool = False
    """Whether the body must contain only ``json``: every object in it has exactly these keys.

    A field that has no effect on the service is allowed, because the service's normalised request leaves it out.
    """
    text: str | None = None
    times: Times = Times()
    kind: Literal["request"] = "request"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoRequestCheck:
    """No matching request may be sent in the trial, accepted or not."""

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
    """These nodes must still exist and must have succeeded."""

    nodes: tuple[str, ...]
    kind: Literal["kept"] = "kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class UnchangedCheck:
    """A parameter that no repair may change must be unchanged."""

    node: str
    path: str
    """JSON pointer inside the node: ``/params/url``."""
    kind: Literal["unchanged"] = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class WarningCheck:
    """That node must report a warning."""

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
    """Merged over the case's inputs."""
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
    """Service and scenario: the unit of resampling and of the split."""
    request: str
    """What the workflow should do, in the user's words."""
    workflow: JsonObject
    """The broken workflow document."""
    recorded_from: dict[str, Provenance]
    """Every service that the case declares, and where its responses come from. Any other host does not exist.

    Shell and files exist without a declaration, see :func:`mendbench.trial.scope.services_of`.
    """
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
    """None if no edit is correct."""
    accepts: tuple[Fix, ...]
    wrong_fixes: tuple[Fix, ...]
    adversarial_to: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    source: str = ""
    secrets: dict[str, str] = field(default_factory=dict)
    """Names of secrets to the environment variables that hold their real values during recording of a live world."""
    digest: str = ""
    """A digest over all files of the case that affect its truth or behaviour."""

    @property
    def id(self) -> str:
        """``family/name``."""
        return f"{self.family}/{self.name}"

    @property
    def kind(self) -> Kind:
        """The kind of case, derived from what can help with its faults."""
        who = {fault.who for fault in self.faults}
        if not who:
            return "control"
        if "edit" in who:
            return "repairable" if who == {"edit"} else "mixed"
        return "needs_user" if "user" in who else "transient"
