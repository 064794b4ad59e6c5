"""``mendbench workflow``: run a workflow outside the benchmark, check it, look at it, explore what failed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from mendbench.cli.exits import Exit, coded
from mendbench.cli.group import Commands
from mendbench.cli.options import Format, RunShell, Sandbox

app = typer.Typer(
    cls=Commands, help="Run workflows for real, outside the benchmark; check them, and look at what failed."
)

File: TypeAlias = Annotated[Path, typer.Argument(metavar="FILE", help="A workflow's JSON file.")]
Inputs: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--input", metavar="NAME=VALUE", help="An input. Repeatable.", show_default=False),
]
Shape: TypeAlias = Annotated[
    Format,
    typer.Option("--output-format", "--format", metavar="text|json", help="Words, or the agent error format."),
]
TraceFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--trace", metavar="FILE", help="The trace; else .mendbench/last-trace.json.", show_default=False),
]


@app.command("run")
@coded
def run(
    file: File,
    inputs: Inputs = None,
    secrets: Annotated[
        list[str] | None,
        typer.Option(
            "--secret", metavar="NAME=ENVVAR", show_default=False,
            help="An input whose value is taken from an environment variable and shown nowhere. Repeatable.",
        ),
    ] = None,
    auto_repair: Annotated[
        bool, typer.Option("--auto-repair/--no-repair", help="Have a repairer edit the workflow where it fails.")
    ] = False,
    output: Shape = Format.text,
    strategy: Annotated[str, typer.Option("--strategy", help="How failures are told.")] = "full-context",
    repairer: Annotated[str, typer.Option("--repairer", help="Who repairs.")] = "chat",
    model: Annotated[
        str | None, typer.Option("--model", help="Chat model, as configured; else the configuration's first.")
    ] = None,
    policy: Annotated[str, typer.Option("--policy", help="What is a warning, and when repair stops.")] = "two-layer",
    detector: Annotated[
        str | None, typer.Option("--detector", metavar="NAME", help="Takes the place of the policy's detector.")
    ] = None,
    request: Annotated[
        str | None, typer.Option("--request", help="What the workflow was written for, in words, for the repairer.")
    ] = None,
    trace: TraceFile = None,
    save: Annotated[
        Path | None, typer.Option("--save-repaired", metavar="FILE", help="Where a repaired workflow is written to.")
    ] = None,
    allow_shell: RunShell = False,
    files: Sandbox = None,
    no_prompt: Annotated[
        bool, typer.Option("--no-prompt", help="Never ask what to do about a warning that stops the run.")
    ] = False,
) -> int:  # fmt: skip
    """Run a workflow for real. Exit 1 if it ends in an error, or at a warning that stops it.

    At a terminal, a warning that stops the run is asked about: create what is missing, use another value, skip the
    step, or stop.
    """
    from mendbench import workflow_app
    from mendbench.cli import choice_view
    from mendbench.cli import workflow_view as screen

    options = workflow_app.RunOptions(
        inputs=workflow_app.read_inputs(inputs or ()), secrets=workflow_app.read_inputs(secrets or (), "--secret"),
        auto_repair=auto_repair, strategy=strategy, repairer=repairer, model=model, policy=policy, request=request,
        detector=detector, trace=trace, allow_shell=allow_shell, files=files,
    )  # fmt: skip
    document = workflow_app.read_workflow(file)
    told = screen.teller() if output is Format.text else None
    asked = choice_view.asker() if output is Format.text and not no_prompt else None
    ended = workflow_app.run_workflow(document, options, file=str(file), on_event=told, choose=asked)
    screen.show_run(ended, output, trace)
    if save is not None and ended.repaired is not None:
        workflow_app.save_workflow(ended.repaired, save)
    if ended.untraced is not None:
        raise ended.untraced
    return Exit.DONE if ended.success else Exit.FAILED


@app.command("validate")
@coded
def validate(file: File, inputs: Inputs = None, output: Shape = Format.text) -> int:
    """Say everything that is wrong with a workflow, without running it. Exit 1 if something keeps it from running."""
    from mendbench import workflow_app
    from mendbench.cli import workflow_view as screen

    given = workflow_app.read_inputs(inputs or ())
    checked = workflow_app.check_workflow(workflow_app.read_workflow(file), given or None)
    screen.show_checked(checked, output)
    return Exit.DONE if checked.valid else Exit.FAILED


@app.command("inspect")
@coded
def inspect(file: File, output: Shape = Format.text) -> int:
    """Show what a workflow is made of: nodes in the order of their run, edges, inputs, outputs."""
    from mendbench import workflow_app
    from mendbench.cli import workflow_view as screen

    return screen.show_parts(workflow_app.inspect_workflow(workflow_app.read_workflow(file)), output)


@app.command("debug")
@coded
def debug(trace: TraceFile = None) -> int:
    """Explore a trace at a prompt. Needs a terminal."""
    import sys

    from mendbench.cli.explorer import explore
    from mendbench.cli.traces import opened
    from mendbench.errors import BadInput

    found = opened(trace)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        hint = "use `mendbench errors list`, `errors show`, `node inspect` and `debug node-io`"
        raise BadInput("standard input", "no terminal to explore from", hint)
    return explore(found, input)
