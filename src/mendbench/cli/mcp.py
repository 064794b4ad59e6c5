"""``mendbench mcp``."""

from __future__ import annotations

import signal
from typing import Annotated

import typer

from mendbench.cli.exits import Exit, coded
from mendbench.cli.group import Commands
from mendbench.cli.options import RunShell, Sandbox
from mendbench.cli.workflow import TraceFile

app = typer.Typer(cls=Commands, help="Serve workflows to agents.")


@app.callback()
def _root() -> None:
    pass


@app.command("serve")
@coded
def serve(
    secrets: Annotated[
        list[str] | None,
        typer.Option(
            "--secret", metavar="NAME=ENVVAR", show_default=False,
            help="An input that every run gets from an environment variable, and that no agent sees. Repeatable.",
        ),
    ] = None,
    trace: TraceFile = None,
    allow_shell: RunShell = False,
    files: Sandbox = None,
) -> int:  # fmt: skip
    """Serve run_workflow, validate_workflow and inspect_trace to agents (Model Context Protocol, over stdio)."""
    from mendbench import workflow_app
    from mendbench.workflow_app.mcp_server import Serving, serve_stdio

    # A server that waits for standard input could not end on an exception.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    given = workflow_app.read_inputs(secrets or (), "--secret")
    serve_stdio(Serving(secrets=given, trace=trace, allow_shell=allow_shell, files=files))
    return Exit.DONE
