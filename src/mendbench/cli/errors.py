"""``mendbench errors``: what failed in a run."""

from __future__ import annotations

from typing import Annotated

import typer

from mendbench.cli.exits import coded
from mendbench.cli.group import Commands
from mendbench.cli.options import Format, Output
from mendbench.cli.workflow import TraceFile

app = typer.Typer(cls=Commands, help="Look at what failed in a run of a workflow.")


@app.command("list")
@coded
def list_(trace: TraceFile = None, output: Output = Format.text) -> int:
    """List every failure of a run, those that a repair mended too."""
    from mendbench.cli import trace_text
    from mendbench.cli.traces import opened
    from mendbench.workflow_app import tracing

    return trace_text.show(tracing.errors_list(opened(trace)), trace_text.errors, output)


@app.command("show")
@coded
def show(
    node: Annotated[str, typer.Argument(metavar="NODE", help="A node's id.")],
    trace: TraceFile = None,
    output: Output = Format.text,
) -> int:
    """Show everything that is known of a node's last failure."""
    from mendbench.cli import trace_text
    from mendbench.cli.traces import opened
    from mendbench.workflow_app import tracing

    return trace_text.show(tracing.error_of_node(opened(trace), node), trace_text.error, output)
