"""A failure: one structured error of an execution, with everything that the run knows about it.

The first fields are the agent error format's core; the rest is context, each part None where the node's type has no such
thing. The fields from ``message`` to ``available_fields`` keep the meaning that the specification gives them; enrichment
lives in the fields after those, so that a strategy can choose what it shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from mendbench.model.json import Json, JsonObject

Source: TypeAlias = Literal["runtime", "validation", "api"]
Category: TypeAlias = Literal[
    "api_validation", "template_error", "execution_failure", "exception", "static_validation", "non_repairable"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldProblem:
    """What an API said about one field of the request."""

    field: str
    """Where it is, as the API names it: ``title``, ``blocks/0/text``, ``labels``."""
    problem: Literal["missing", "invalid", "unknown"]
    says: str
    """The API's own words, or its code where it gave no words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamSource:
    """Where one parameter of the failed node gets its data from."""

    param: str
    """Path inside the node's params: ``body.title``."""
    template: str
    """The template as written: ``${issue.response.title}``."""
    resolved: bool
    value: Json = None
    """What it resolved to, if it did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequest:
    """The request that failed, redacted."""

    method: str
    url: str
    headers: JsonObject
    body: Json
    """Parsed where it was JSON or a form, else text, else None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierFailure:
    """What had been noticed at a node before the one that failed, and was handled or passed over."""

    node_id: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One failure of one execution."""

    source: Source
    category: Category
    message: str
    """The baseline's own words, such as ``HTTP 422``: never enriched."""
    node_id: str | None
    fixable: bool = True
    action: str = "error"
    # HTTP
    status_code: int | None = None
    raw_response: Json = None
    """The response's body: parsed JSON, or text."""
    response_headers: JsonObject | None = None
    response_time: float | None = None
    """Seconds."""
    # MCP
    mcp_error_details: JsonObject | None = None
    mcp_error: Json = None
    # shell
    shell_command: str | None = None
    shell_exit_code: int | None = None
    shell_stdout: str | None = None
    shell_stderr: str | None = None
    # templates
    available_fields: tuple[str, ...] | None = None
    """Paths of the *referenced* node's data, at most 20."""
    available_fields_total: int | None = None
    available_fields_truncated: bool = False
    unresolved: tuple[str, ...] = ()
    """The templates that could not be resolved, such as ``${fetch.response.username}``."""
    exception_type: str | None = None
    hint: str | None = None
    """What the baseline's validator adds to its message."""
    # enrichment
    node_type: str | None = None
    request_sent: SentRequest | None = None
    problems: tuple[FieldProblem, ...] = ()
    """What the API said, field by field, from any body that we know how to read."""
    upstream: tuple[UpstreamSource, ...] = ()
    upstream_data: JsonObject | None = None
    """The outputs of the nodes that this node's templates name, by node id."""
    suggestion: str | None = None
    """Our own diagnosis: the closest available path. Derived, never the API's word."""
    earlier: tuple[EarlierFailure, ...] = ()
    """What had failed before, in the order of the run: later data may be missing for it."""
    batch_item: JsonObject | None = None
    """Of a batch node: the item that failed, as ``{"index", "count", "item"}``."""
