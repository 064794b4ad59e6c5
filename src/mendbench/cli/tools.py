"""``mendbench tools``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mendbench import api
from mendbench.cli.group import App
from mendbench.cli.options import Format, Output, at_least

app = App("Examine the error messages of an MCP server.")


@app.callback()
def _group() -> None:
    pass


@app.command("probe")
def probe(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="COMMAND", show_default=False, help="After --: the command that starts the server over stdio."),
    ] = None,
    url: Annotated[
        str | None, typer.Option("--url", metavar="URL", help="The server's streamable HTTP endpoint, instead of a command.")
    ] = None,
    calls: Annotated[
        Path | None,
        typer.Option(
            "--calls", metavar="FILE", show_default=False,
            help='Right calls, one JSON object a line: {"tool", "arguments", "request"}. {folder} is the server\'s folder.',
        ),
    ] = None,
    write_calls: Annotated[
        Path | None,
        typer.Option(
            "--write-calls", metavar="FILE", show_default=False,
            help="Write a draft for --calls, with a line for each tool to fill in, and run no call.",
        ),
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option("--log", metavar="FILE", show_default=False, help="A log of JSON-RPC messages with right calls."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder", metavar="DIR", show_default=False,
            help="Files that the server works on. It gets a fresh copy for each call that may write.",
        ),
    ] = None,
    env: Annotated[
        list[str] | None,
        typer.Option("--env", metavar="NAME", show_default=False, help="An environment variable that the server gets. Repeatable."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit", metavar="N", parser=at_least(1), show_default=False,
            help="Number of broken calls; default: as many as ten seconds allow.",
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="ID", show_default=False, help="Only this broken call, by its id in the JSON. Repeatable."),
    ] = None,
    allow_writes: Annotated[
        bool,
        typer.Option("--allow-writes", help="Call destructive tools too, and tools of a remote server that may write."),
    ] = False,
    no_sandbox: Annotated[
        bool, typer.Option("--no-sandbox", help="Run the command with the network and with all your files.")
    ] = False,
    emit: Annotated[
        Path | None,
        typer.Option(
            "--emit-cases", metavar="DIR", show_default=False,
            help="Write a proved case for each refused call; recordings go into the folder cassettes beside it.",
        ),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", show_default=False, help="Write the result as one HTML page too."),
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            "--fail-on", metavar="VERDICTS", show_default=False,
            help="Exit 1 if a broken call has one of these verdicts, such as silent,hidden.",
        ),
    ] = None,
    output: Output = Format.text,
) -> int:  # fmt: skip
    """Break right tool calls one argument at a time, and report which error messages leave a model guessing."""
    from mendbench.api.probing import ProbeOptions
    from mendbench.cli import terminal, tools_view
    from mendbench.cli.output import write
    from mendbench.probing.drafts import NoCalls

    options = ProbeOptions(
        command=tuple(command or ()), url=url, calls=calls, log=log, folder=folder, variables=tuple(env or ()),
        limit=limit, only=tuple(only or ()), allow_writes=allow_writes, sandbox=not no_sandbox,
    )  # fmt: skip
    failing = tools_view.verdicts(fail_on)
    api.refuse_outputs(emit, page)
    if write_calls is not None:
        api.write_draft_calls(options, write_calls)
        return tools_view.show_draft(write_calls)
    try:
        with terminal.progress() as progress:
            found = api.probe_server(options, on_progress=progress)
    except NoCalls as error:
        write(error.draft)
        raise
    emitted = None
    if emit is not None:
        with terminal.progress() as progress:
            emitted = api.emit_cases(found, emit, on_progress=progress)
    if page is not None:
        api.write_probe_page(found, page)
    return tools_view.show_probe(found, output, failing, emitted)
