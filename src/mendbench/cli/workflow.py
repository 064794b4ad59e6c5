"""``mendbench workflow``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from mendbench.cli.exits import Exit
from mendbench.cli.group import App
from mendbench.cli.options import Format, RunShell, Sandbox, TraceFile

app = App("Run, validate and debug workflows outside the benchmark, on live services.")

File: TypeAlias = Annotated[Path, typer.Argument(metavar="FILE", help="A workflow's JSON file.")]
Inputs: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--input", metavar="NAME=VALUE", help="An input. Repeatable.", show_default=False),
]
Shape: TypeAlias = Annotated[
    Format,
    typer.Option("--output-format", "--format", metavar="text|json", help="Text, or the error format for agents."),
]


@app.command("run")
def run(
    file: File,
    inputs: Inputs = None,
    secrets: Annotated[
        list[str] | None,
        typer.Option(
            "--secret", metavar="NAME=ENVVAR", show_default=False,
            help="An input whose value comes from an environment variable and is never shown. Repeatable.",
        ),
    ] = None,
    auto_repair: Annotated[
        bool, typer.Option("--auto-repair/--no-repair", help="Let a repairer edit the workflow if it fails.")
    ] = False,
    output: Shape = Format.text,
    strategy: Annotated[str, typer.Option("--strategy", help="Strategy that describes failures in prompts.")] = "full-context",
    repairer: Annotated[str, typer.Option("--repairer", help="Repairer that edits the workflow.")] = "chat",
    model: Annotated[
        str | None, typer.Option("--model", help="A configured chat model; default: the first one.")
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            help="Decides what is a warning and when repair stops; default: two-layer, or ask-first if it repairs without prompts.",
        ),
    ] = None,
    detector: Annotated[
        str | None, typer.Option("--detector", metavar="NAME", help="Replaces the policy's detector.")
    ] = None,
    request: Annotated[
        str | None, typer.Option("--request", help="The purpose of the workflow, for the repairer.")
    ] = None,
    trace: TraceFile = None,
    save: Annotated[
        Path | None, typer.Option("--save-repaired", metavar="FILE", help="File for the repaired workflow.")
    ] = None,
    allow_shell: RunShell = False,
    files: Sandbox = None,
    no_prompt: Annotated[
        bool, typer.Option("--no-prompt", help="Never ask what to do if a warning stops the run.")
    ] = False,
) -> int:  # fmt: skip
    """Run a workflow on live services. Exit 1 if it ends in an error, or if a warning stops it.

    If a warning stops the run at a terminal, the command asks what to do: create what is missing, use another value, skip the
    step, or stop.
    """
    from mendbench import workflow_app
    from mendbench.cli import choice_view, workflow_view

    options = workflow_app.RunOptions(
        inputs=workflow_app.read_inputs(inputs or ()), secrets=workflow_app.read_inputs(secrets or (), "--secret"),
        auto_repair=auto_repair, strategy=strategy, repairer=repairer, model=model, request=request,
        policy=policy or workflow_app.default_policy(auto_repair=auto_repair, attended=not no_prompt),
        detector=detector, trace=trace, allow_shell=allow_shell, files=files,
    )  # fmt: skip
    document = workflow_app.read_workflow(file)
    listener = workflow_view.event_printer() if output is Format.text else None
    choose = choice_view.asker() if output is Format.text and not no_prompt else None
    ended = workflow_app.run_workflow(document, options, file=str(file), on_event=listener, choose=choose)
    workflow_view.show_run(ended, output, trace)
    if save is not None and ended.repaired is not None:
        workflow_app.save_workflow(ended.repaired, save)
    if ended.untraced is not None:
        raise ended.untraced
    return Exit.DONE if ended.success else Exit.FAILED


@app.command("validate")
def validate(file: File, inputs: Inputs = None, output: Shape = Format.text) -> int:
    """Report all problems of a workflow without running it. Exit 1 if it cannot run."""
    from mendbench import workflow_app
    from mendbench.cli import workflow_view

    given = workflow_app.read_inputs(inputs or ())
    checked = workflow_app.check_workflow(workflow_app.read_workflow(file), given or None)
    workflow_view.show_checked(checked, output)
    return Exit.DONE if checked.valid else Exit.FAILED


@app.command("inspect")
def inspect(file: File, output: Shape = Format.text) -> int:
    """Show the parts of a workflow: nodes in the order of execution, edges, inputs and outputs."""
    from mendbench import workflow_app
    from mendbench.cli import workflow_view

    return workflow_view.show_parts(workflow_app.inspect_workflow(workflow_app.read_workflow(file)), output)


@app.command("debug")
def debug(trace: TraceFile = None) -> int:
    """Explore a trace at a prompt. Needs a terminal."""
    import sys

    from mendbench.cli.explorer import explore
    from mendbench.cli.trace_text import opened
    from mendbench.errors import BadInput

    found = opened(trace)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        hint = "use `mendbench errors list`, `errors show`, `node inspect` and `debug node-io`"
        raise BadInput("standard input", "not a terminal", hint)
    return explore(found, input)
