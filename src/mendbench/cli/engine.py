"""``mendbench engine``: engines that are not ours."""

from __future__ import annotations

from typing import Annotated

import typer

from mendbench.cli.exits import coded
from mendbench.cli.group import Commands
from mendbench.cli.options import Format, Output

app = typer.Typer(cls=Commands, help="Put an engine that is not ours to the test.")


@app.command("check")
@coded
def check(
    engine: Annotated[
        str, typer.Argument(metavar="ENGINE", help="A name of [engines], or 'cmd: PROGRAM', as for --engine.")
    ],
    output: Output = Format.text,
) -> int:
    """Run an engine through ten small workflows, and say in words what its adapter gets wrong.

    Exits 1 if it gets anything wrong. docs/engines.md is the contract that it is held to.
    """
    from mendbench import api
    from mendbench.cli import engine_view, terminal

    with terminal.progress() as progress:
        found = api.check_engine(engine, on_progress=progress)
    return engine_view.show_check(found, output)
