"""``mendbench init`` and ``mendbench doctor``."""

from __future__ import annotations

from typing import Annotated

import typer

from mendbench import api
from mendbench.cli.exits import coded
from mendbench.cli.options import Format, Output


@coded
def init(
    example: Annotated[
        str | None,
        typer.Option(
            "--example", metavar="NAME", show_default=False,
            help="Kind of the example case: http, mcp or slack; default: http, if there is no case yet.",
        ),
    ] = None,
    ci: Annotated[
        str | None,
        typer.Option("--ci", metavar="NAME", help="CI service: github, gitlab or none; default: detected.", show_default=False),
    ] = None,
    output: Output = Format.text,
) -> int:  # fmt: skip
    """Start a repository: configuration, an example case, CI and pre-commit files.

    Existing files are never overwritten. The example is recorded and proved; that needs no network.
    """
    from mendbench.cli import project_view

    return project_view.show_initialised(api.init_project(example, ci), output)


@coded
def doctor(output: Output = Format.text) -> int:
    """Show what is configured, missing, stale or broken in this repository.

    Nothing is executed, and no server is asked. Exit 1 if something is broken.
    """
    from mendbench.cli import project_view

    return project_view.show_health(api.examine_project(), output)
