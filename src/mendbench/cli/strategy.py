"""``mendbench strategy``."""

from __future__ import annotations

from typing import Annotated

import typer

from mendbench.cli.options import Cases, Cassettes, Format, Output

app = typer.Typer(help="Look at strategies, and at the prompts that they make.", no_args_is_help=True)


@app.command("list")
def list_(output: Output = Format.text) -> int:
    """List the strategies."""
    from mendbench import api
    from mendbench.cli import screen

    return screen.show_strategies(api.list_strategies(), output)


@app.command("render")
def render(
    strategy: Annotated[str, typer.Argument(help="A strategy's name, or a template file.")],
    case: Annotated[str, typer.Argument(help="A case's id.")],
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """Show the prompt that a strategy makes of a case's first execution, and which facts it tells. No model is asked."""
    from mendbench import api
    from mendbench.cli import screen

    return screen.show_rendering(api.render_strategy(strategy, case, cases, cassettes), output)
