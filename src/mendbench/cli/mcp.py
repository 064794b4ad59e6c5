"""``mendbench mcp``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mendbench.cli.exits import Exit, coded
from mendbench.cli.group import Commands
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
    allow_shell: Annotated[
        bool, typer.Option("--allow-shell", help="Let shell nodes run, in a sandbox without network.")
    ] = False,
    files: Annotated[
        Path | None,
        typer.Option(
            "--files", metavar="DIR", show_default=False,
            help="The folder that file nodes read and write below; else .mendbench/sandbox.",
        ),
    ] = None,
) -> int:  # fmt: skip
    """Serve run_workflow, validate_workflow and inspect_trace to agents (Model Context Protocol, over stdio)."""
    from mendbench import workflows
    from mendbench.mcp_server import Serving, serve_stdio

    given = workflows.read_inputs(secrets or (), "--secret")
    serve_stdio(Serving(secrets=given, trace=trace, allow_shell=allow_shell, files=files))
    return Exit.DONE
