"""``mendbench mcp``."""

from __future__ import annotations

import signal
from typing import Annotated

import typer

from mendbench.cli.exits import Exit
from mendbench.cli.group import App
from mendbench.cli.options import RunShell, Sandbox, TraceFile

app = App("Serve workflows to agents.")


@app.command("serve")
def serve(
    secrets: Annotated[
        list[str] | None,
        typer.Option(
            "--secret", metavar="NAME=ENVVAR", show_default=False,
            help="An input of all runs whose value comes from an environment variable and is never shown to an agent. Repeatable.",
        ),
    ] = None,
    trace: TraceFile = None,
    allow_shell: RunShell = False,
    files: Sandbox = None,
) -> int:  # fmt: skip
    """Serve run_workflow, validate_workflow and inspect_trace to agents (Model Context Protocol, over stdio)."""
    from mendbench import workflow_app
    from mendbench.workflow_app.mcp_server import Serving, serve_stdio

    # An exception would not end a server that waits for standard input.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    given = workflow_app.read_inputs(secrets or (), "--secret")
    serve_stdio(Serving(secrets=given, trace=trace, allow_shell=allow_shell, files=files))
    return Exit.DONE
