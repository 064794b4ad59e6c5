"""``mendbench strategy``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from mendbench.cli.corpus import use_corpus
from mendbench.cli.exits import coded
from mendbench.cli.group import Commands
from mendbench.cli.options import (
    AllowShell,
    AllowWrites,
    Cases,
    Cassettes,
    Format,
    Names,
    Output,
    PartOption,
    Record,
    Workers,
    at_least,
    run_folder,
)
from mendbench.errors import BadInput

app = typer.Typer(cls=Commands, help="Look at strategies, and at the prompts that they make.")

Strategy: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="STRATEGY", help="A strategy's name, or a template file (my.md.j2); NAME~SECTION leaves a section out."
    ),
]
Other: TypeAlias = Annotated[str, typer.Argument(metavar="OTHER", help="The strategy to hold against it.")]


def list_(output: Output = Format.text) -> int:
    """List the strategies."""
    from mendbench import api
    from mendbench.cli import strategy_view

    return strategy_view.show_strategies(api.list_strategies(), output)


def show(strategy: Strategy, output: Output = Format.text) -> int:
    """Show what a strategy is: its sections with label and rank, its template, its digest."""
    from mendbench import api
    from mendbench.cli import strategy_view

    return strategy_view.show_strategy(api.show_strategy(strategy), output)


def render(
    strategy: Strategy,
    names: Names = None,
    attempt: Annotated[
        int,
        typer.Option(
            "--attempt", metavar="N", parser=at_least(1), help="The prompt of that attempt of the recorded trial."
        ),
    ] = 1,
    part: PartOption = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """Show the prompt that a strategy makes of a case, or what its prompts tell over many.

    One case's id shows the prompt; a family, a pattern, several cases or none show a table. Prompts are those of a case's first
    execution. Beside them stands which of the facts they tell. No model is asked.
    """
    recordings = use_corpus(cases, cassettes)

    from mendbench import api
    from mendbench.cli import strategy_view

    if (case := _only_case(names)) is not None:
        return strategy_view.show_rendering(api.render_strategy(strategy, case, cases, recordings, attempt), output)
    if attempt != 1:
        raise BadInput(f"--attempt {attempt}", "no single case", "name one case by its id")
    (survey,) = api.survey_strategies((strategy,), names or (), part or "all", cases, recordings)
    return strategy_view.show_survey(survey, output)


def diff(
    strategy: Strategy,
    other: Other,
    names: Names = None,
    part: PartOption = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """Show how two strategies differ: their contexts on one case, or what they tell over many.

    No model is asked.
    """
    recordings = use_corpus(cases, cassettes)

    from mendbench import api
    from mendbench.cli import strategy_view

    if (case := _only_case(names)) is not None:
        pair = tuple(api.render_strategy(one, case, cases, recordings) for one in (strategy, other))
        return strategy_view.show_diff((pair[0], pair[1]), (strategy, other), output)
    one, two = api.survey_strategies((strategy, other), names or (), part or "all", cases, recordings)
    return strategy_view.show_diffs((one, two), output)


def ablate(
    strategy: Strategy,
    names: Names = None,
    part: PartOption = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="NAME", help="Whose recorded responses count; else the first configured one's."
        ),
    ] = None,
    prompts_only: Annotated[
        bool, typer.Option("--prompts-only", help="Look at the prompts alone, at no responses.")
    ] = False,
    cases: Cases = None,
    cassettes: Cassettes = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Folder for the trials behind it; else 'ablation' beside the runs' folder."
        ),
    ] = None,
    record: Record = "none",
    allow_shell: AllowShell = False,
    allow_writes: AllowWrites = False,
    workers: Workers = 0,
    output: Output = Format.text,
) -> int:
    """Leave out one section of a strategy at a time, and say what changes.

    Over the training part, where the corpus is split and nothing else is said. Trials run under the policy naive; what is not
    recorded leaves a trial unjudged, and the exit code is then 3. After an interrupt the same command goes on.
    """
    folder, recordings = run_folder(out, None), use_corpus(cases, cassettes, record)

    from mendbench import api
    from mendbench.cli import strategy_view, terminal
    from mendbench.cli.output import say

    options = api.RunOptions(
        names=tuple(names or ()), part=part, cases=cases, cassettes=recordings, out=folder,
        models=(model,) if model else (), record=record, allow_shell=allow_shell, allow_writes=allow_writes, workers=workers,
    )  # fmt: skip
    with terminal.progress() as progress:
        try:
            found = api.ablate_strategy(strategy, options, progress, say, prompts_only=prompts_only)
        except KeyboardInterrupt as error:
            raise type(error)("the same command goes on from here") from None
    return strategy_view.show_ablation(found, output)


def _only_case(names: list[str] | None) -> str | None:
    """Return the one case that is named by its id, None if there are several, a family or a pattern."""
    if names is None or len(names) != 1:
        return None
    return names[0] if "/" in names[0] and not set("*?[") & set(names[0]) else None


app.command("list")(coded(list_))
app.command("show")(coded(show))
app.command("render")(coded(render))
app.command("diff")(coded(diff))
app.command("ablate")(coded(ablate))
