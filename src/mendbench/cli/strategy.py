"""``mendbench strategy``."""

from __future__ import annotations

from typing import Annotated

import typer

from mendbench.cli.exits import coded
from mendbench.cli.group import Commands
from mendbench.cli.options import Cases, Cassettes, Format, Output, existing_cassettes

app = typer.Typer(cls=Commands, help="Look at strategies, and at the prompts that they make.")


def list_(output: Output = Format.text) -> int:
    """List the strategies."""
    from mendbench import api
    from mendbench.cli import screen

    return screen.show_strategies(api.list_strategies(), output)


def render(
    strategy: Annotated[
        str, typer.Argument(metavar="STRATEGY", help="A strategy's name, or a template file (my.md.j2).")
    ],
    case: Annotated[str, typer.Argument(metavar="CASE", help="A case's id.")],
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """Show the prompt that a strategy makes of a case.

    It is that of the case's first execution. Beside it stands which of the facts it tells. No model is asked.
    """
    recordings = existing_cassettes(cassettes, "none")

    from mendbench import api
    from mendbench.cli import screen

    return screen.show_rendering(api.render_strategy(strategy, case, cases, recordings), output)


app.command("list")(coded(list_))
app.command("render")(coded(render))
