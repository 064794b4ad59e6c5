"""The ``mendbench`` command."""

from __future__ import annotations

import sys

import typer

from mendbench import __version__
from mendbench.cli import case, run, schema, strategy
from mendbench.cli.exits import guarded

app = typer.Typer(
    name="mendbench",
    help="Measure how well a self-repairing workflow engine repairs: recorded failures, real repairs, labelled truth.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("run")(run.run)
app.command("report")(run.report)
app.add_typer(case.app, name="case")
app.add_typer(strategy.app, name="strategy")
app.command("schema")(schema.schema)


def _version(value: bool) -> None:  # noqa: FBT001 - the framework's signature
    if value:
        typer.echo(f"mendbench {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Say the version."),  # noqa: FBT001, FBT003
) -> None:
    pass


def main() -> None:
    """Run the command line and leave with its exit code."""
    command = typer.main.get_command(app)
    sys.exit(guarded(lambda: command.main(prog_name="mendbench", standalone_mode=False)))
