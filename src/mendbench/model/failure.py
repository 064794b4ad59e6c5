"""A failure: one structured error of an execution, with all context from the run.

The first fields are the agent error format's core; the rest is context, each part None if the node's type has no such data. The fields from
``message`` to ``available_fields`` keep the meaning that the specification gives them; enrichment lives in the fields after those, so that
a strategy can choose what it shows.
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
    """An API's complaint about one field of the request."""

    field: str
    """The position as the API names it: ``title``, ``blocks/0/text``, ``labels``."""
    problem: Literal["missing", "invalid", "unknown"]
    says: str
    """The API's own message, or its code if it gave no message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamSource:
    """The data source of one parameter of the failed node."""

    param: str
    """Path inside the node's params: ``body.title``."""
    template: str
    """The template as written: ``${issue.response.title}``."""
    resolved: bool
    value: Json = None
    """The resolved value, if any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentRequest:
    """The request that failed, redacted."""

    method: str
    url: str
    headers: JsonObject
    body: Json
    """Parsed if it was JSON or a form, else text, else None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierFailure:
    """A failure of an earlier node that was handled or ignored."""

    node_id: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One failure of one execution."""

    source: Source
    category: Category
    message: str
    """The baseline's own message, such as ``HTTP 422``: never enriched."""
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
    """The addition of the baseline's validator to its message."""
    # enrichment
    node_type: str | None = None
    request_sent: SentRequest | None = None
    problems: tuple[FieldProblem, ...] = ()
    """The API's complaints by field, from any body of a known form."""
    upstream: tuple[UpstreamSource, ...] = ()
    upstream_data: JsonObject | None = None
    """The outputs of the nodes that this node's templates name, by node id."""
    suggestion: str | None = None
    """Our own diagnosis: the closest available path. Derived, never from the API."""
    earlier: tuple[EarlierFailure, ...] = ()
    """Earlier failures, in the order of the run. They may explain missing data."""
    batch_item: JsonObject | None = None
    """Of a batch node: the item that failed, as ``{"index", "count", "item"}``."""
