"""``mendbench node``: one node of a run."""

from __future__ import annotations

from typing import Annotated

import typer

from mendbench.cli.exits import coded
from mendbench.cli.group import Commands
from mendbench.cli.options import Format, Output
from mendbench.cli.workflow import TraceFile

app = typer.Typer(cls=Commands, help="Look at one node of a run.")


@app.command("inspect")
@coded
def inspect(
    node: Annotated[str, typer.Argument(metavar="NODE", help="A node's id.")],
    full: Annotated[bool, typer.Option("--full", help="Whole values, and all that it sent and was answered.")] = False,
    trace: TraceFile = None,
    output: Output = Format.text,
) -> int:
    """Show a node's parameters, as written and as resolved, its outputs and how it ended."""
    from mendbench.cli import trace_text
    from mendbench.cli.traces import opened
    from mendbench.workflow_app import tracing

    return trace_text.show(tracing.node_view(opened(trace), node, full=full), trace_text.fields, output)
