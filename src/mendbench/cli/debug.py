"""``mendbench debug``: what a node sent, what it was answered, and what was expected of it."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from mendbench.cli.exits import coded
from mendbench.cli.group import Commands
from mendbench.cli.options import Format, Output
from mendbench.cli.workflow import TraceFile

app = typer.Typer(cls=Commands, help="Look closely at a node that failed.")

NodeName: TypeAlias = Annotated[str, typer.Option("--node", metavar="NODE", help="A node's id.")]


@app.command("node-io")
@coded
def node_io(
    node: NodeName,
    request: Annotated[bool, typer.Option("--show-request", help="Show what it sent.")] = False,
    response: Annotated[bool, typer.Option("--show-response", help="Show what it was answered.")] = False,
    trace: TraceFile = None,
    output: Output = Format.text,
) -> int:
    """Show what a node sent and what it was answered; both where neither is named."""
    from mendbench.cli import trace_text
    from mendbench.cli.traces import opened
    from mendbench.workflow_app import tracing

    both = request == response
    view = tracing.node_io(opened(trace), node, request=both or request, response=both or response)
    return trace_text.show(view, trace_text.node_io, output)


@app.command("errors")
@coded
def errors(
    node: Annotated[str | None, typer.Option("--node", metavar="NODE", help="A node's id; else all.")] = None,
    trace: TraceFile = None,
    output: Output = Format.text,
) -> int:
    """Show everything that is known of each failure, execution by execution."""
    from mendbench.cli import trace_text
    from mendbench.cli.traces import opened
    from mendbench.workflow_app import tracing

    return trace_text.show(tracing.errors_of_node(opened(trace), node), trace_text.all_errors, output)


@app.command("validation-diff")
@coded
def validation_diff(node: NodeName, trace: TraceFile = None, output: Output = Format.text) -> int:
    """Show what was expected against what was there, field by field."""
    from mendbench.cli import trace_text
    from mendbench.cli.traces import opened
    from mendbench.workflow_app import tracing

    return trace_text.show(tracing.validation_diff(opened(trace), node), trace_text.difference, output)
