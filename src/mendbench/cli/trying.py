"""``mendbench try``."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from mendbench import api
from mendbench.cli.corpus import use_corpus
from mendbench.cli.options import AllowShell, AllowWrites, Cases, Cassettes, Format, Names, Output, PartOption


def try_(
    strategy: Annotated[str, typer.Argument(metavar="FILE", help="A template file (my.md.j2), or a strategy's name.")],
    names: Names = None,
    against: Annotated[str, typer.Option("--against", metavar="NAME", help="The strategy to beat.")] = "summary",
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="The model to ask; without one, only the prompts are compared."),
    ] = None,
    budget: Annotated[
        str, typer.Option("--budget", metavar="AMOUNT", help="What to spend at most: 5min, 2usd or 200prompts.")
    ] = "5min",
    part: PartOption = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    allow_shell: AllowShell = False,
    allow_writes: AllowWrites = False,
    output: Output = Format.text,
) -> int:
    """Try a strategy against another one, until the difference is clear or the budget is spent.

    Uses one case of each group of the training part, in random order. Responses go to the private layer, not into the corpus. Without
    --model it compares only what the prompts contain. Ctrl-C ends a try; what was seen until then counts.
    """
    from mendbench.cli import strategy_view, try_view

    recordings = use_corpus(cases, cassettes, "none" if model is None else "new_episodes")
    options = api.RunOptions(
        names=tuple(names or ()),
        part=part,
        cases=cases,
        cassettes=recordings,
        allow_shell=allow_shell,
        allow_writes=allow_writes,
    )
    spend = api.read_budget(budget)
    if model is None:
        code = strategy_view.show_diffs(api.compare_prompts(strategy, against, options), output)
        if output is Format.text:
            try_view.say_no_verdict(shlex.join(["mendbench", "try", strategy, "--against", against]))
        return code
    standings = api.try_strategy(strategy, against, model, spend, options)
    return try_view.show_try(standings, output)
