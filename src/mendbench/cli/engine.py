"""``mendbench engine``."""

from __future__ import annotations

from typing import Annotated

import typer

from mendbench import api
from mendbench.cli.group import App
from mendbench.cli.options import Format, Output

app = App("Check an external engine.")


@app.command("check")
def check(
    engine: Annotated[
        str, typer.Argument(metavar="ENGINE", help="A name from [engines], or 'cmd: PROGRAM', as for --engine.")
    ],
    output: Output = Format.text,
) -> int:
    """Run ten small workflows on an engine, and report what its adapter does wrong.

    Exit 1 if it does anything wrong. docs/engines.md is the contract that is checked.
    """
    from mendbench.cli import engine_view, terminal

    with terminal.progress() as progress:
        found = api.check_engine(engine, on_progress=progress)
    return engine_view.show_check(found, output)
