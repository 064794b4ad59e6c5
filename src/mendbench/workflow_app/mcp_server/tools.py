"""The server's tools as plain functions: each returns a JSON document as text, and whether it is a failure."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, ParamSpec, TypeAlias, cast

from mendbench import workflow_app
from mendbench.errors import BadInput, MendbenchError
from mendbench.io.json_documents import load_json
from mendbench.model.json import Json, JsonObject
from mendbench.runtime import trace_views
from mendbench.runtime.trace_file import LAST, read_trace
from mendbench.secrets.undeclared import sanitise

P = ParamSpec("P")

What: TypeAlias = Literal["errors", "error", "node", "io", "diff"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """The operator's settings for agents."""

    secrets: Mapping[str, str] = field(default_factory=dict)
    """Inputs for every run: name, and the environment variable with the value."""
    trace: Path | None = None
    """Trace file of runs; None for the last trace of the current folder."""
    allow_shell: bool = False
    files: Path | None = None
    """The folder for file nodes; None for the default one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of a tool."""

    text: str
    failed: bool
    error: str | None = None
    """The first error of a failure as one message, if there is one."""


def _reported(tool: Callable[P, Result]) -> Callable[P, Result]:
    """Return ``tool`` with a mendbench error as a result, with the line that the command line would print."""

    @functools.wraps(tool)
    def reported(*args: P.args, **kwargs: P.kwargs) -> Result:
        try:
            return tool(*args, **kwargs)
        except MendbenchError as error:
            message = str(sanitise(str(error)))
            document: JsonObject = {"success": False, "status": "error", "error": message}
            return Result(text=workflow_app.as_text(document), failed=True, error=message)

    return reported


@_reported
def run_workflow(
    serving: Serving,
    workflow: JsonObject | str,
    *,
    inputs: JsonObject,
    auto_repair: bool,
    request: str | None,
    chosen: Mapping[str, str],
) -> Result:
    """Run a workflow, given as an object, JSON text, or a file path. ``chosen``: strategy, repairer, model, policy, detector."""
    options = workflow_app.RunOptions(
        inputs=inputs, secrets=serving.secrets, auto_repair=auto_repair, request=request, trace=serving.trace,
        allow_shell=serving.allow_shell, files=serving.files, **chosen,
    )  # fmt: skip
    file = workflow if isinstance(workflow, str) and not _is_json(workflow) else None
    ended = workflow_app.run_workflow(_document(workflow), options, file=file)
    return Result(text=workflow_app.as_text(ended.document), failed=not ended.success, error=ended.document["error"])


@_reported
def validate_workflow(workflow: JsonObject | str, inputs: Mapping[str, Json]) -> Result:
    """Return the errors in a workflow, given as an object, JSON text, or a file path."""
    checked = workflow_app.check_workflow(_document(workflow), inputs or None)
    return Result(text=workflow_app.as_text(checked.document), failed=not checked.valid)


@_reported
def inspect_workflow(workflow: JsonObject | str) -> Result:
    """Return the structure of a workflow, given as an object, JSON text, or a file path."""
    return Result(text=workflow_app.as_text(workflow_app.inspect_workflow(_document(workflow))), failed=False)


@_reported
def inspect_trace(serving: Serving, what: What, node: str | None, trace: str | None) -> Result:
    """Return one view of a trace."""
    opened = read_trace(Path(trace) if trace else serving.trace or LAST)
    return Result(text=workflow_app.as_text(_view(opened, what, node)), failed=False)


def _view(trace: JsonObject, what: What, node: str | None) -> JsonObject:
    if what == "errors":
        return trace_views.errors_list(trace) if node is None else trace_views.errors_of_node(trace, node)
    if node is None:
        raise BadInput(
            "inspect_trace", f"no node for {what!r}", f"name one of: {', '.join(trace_views.node_ids(trace))}"
        )
    if what == "error":
        return trace_views.error_of_node(trace, node)
    if what == "node":
        return trace_views.node_view(trace, node, full=True)
    if what == "io":
        return trace_views.node_io(trace, node, request=True, response=True)
    return trace_views.validation_diff(trace, node)


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{")


def _document(workflow: JsonObject | str) -> JsonObject:
    if isinstance(workflow, dict):
        return workflow
    if _is_json(workflow):
        return cast("JsonObject", load_json(workflow, "workflow"))
    return workflow_app.read_workflow(Path(workflow))
