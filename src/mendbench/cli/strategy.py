"""``mendbench strategy``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from mendbench import api
from mendbench.cli.corpus import use_corpus
from mendbench.cli.group import App
from mendbench.cli.options import (
    AllowShell,
    AllowWrites,
    Cases,
    Cassettes,
    Concurrency,
    DryRun,
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

app = App("List, show and compare strategies and their prompts.")

Strategy: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="STRATEGY", help="A strategy, or a template file (my.md.j2); NAME~SECTION omits a section."),
]
Other: TypeAlias = Annotated[str, typer.Argument(metavar="OTHER", help="The strategy to compare it with.")]


@app.command("list")
def list_(output: Output = Format.text) -> int:
    """List the strategies, and what can be written behind a strategy's name: additions and frames."""
    from mendbench.cli import strategy_view

    return strategy_view.show_strategies(api.list_strategies(), output)


@app.command("show")
def show(strategy: Strategy, output: Output = Format.text) -> int:
    """Show a strategy: its sections with label and rank, its template and its digest."""
    from mendbench.cli import strategy_view

    return strategy_view.show_strategy(api.show_strategy(strategy), output)


@app.command("render")
def render(
    strategy: Strategy,
    names: Names = None,
    attempt: Annotated[
        int,
        typer.Option(
            "--attempt", metavar="N", parser=at_least(1), help="The prompt of this attempt of the recorded trial."
        ),
    ] = 1,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="Model whose recorded responses led to the attempt; default: the first configured one.",
        ),
    ] = None,
    part: PartOption = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """Show a strategy's prompt for a case, or a table of what its prompts contain for many cases.

    The id of one case shows its prompt. A family, a pattern, several cases or no name show a table. The prompts are those of the
    first execution, with the facts that they contain. No request is sent to a model.
    """
    from mendbench.cli import strategy_view

    recordings = use_corpus(cases, cassettes)
    if (case := _only_case(names)) is not None:
        return strategy_view.show_rendering(
            api.render_strategy(strategy, case, cases, recordings, attempt, model), output
        )
    if attempt != 1:
        raise BadInput(f"--attempt {attempt}", "no single case", "name one case by its id")
    (survey,) = api.survey_strategies((strategy,), names or (), part or "all", cases, recordings)
    return strategy_view.show_survey(survey, output)


@app.command("diff")
def diff(
    strategy: Strategy,
    other: Other,
    names: Names = None,
    part: PartOption = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """Compare two strategies: their contexts for one case, or a table of what they contain for many cases.

    No request is sent to a model.
    """
    from mendbench.cli import strategy_view

    recordings = use_corpus(cases, cassettes)
    if (case := _only_case(names)) is not None:
        pair = tuple(api.render_strategy(one, case, cases, recordings) for one in (strategy, other))
        return strategy_view.show_diff((pair[0], pair[1]), (strategy, other), output)
    one, two = api.survey_strategies((strategy, other), names or (), part or "all", cases, recordings)
    return strategy_view.show_diffs((one, two), output)


@app.command("watch")
def watch(
    strategy: Annotated[str, typer.Argument(metavar="FILE", help="A template file (my.md.j2).")],
    names: Names = None,
    against: Annotated[
        str, typer.Option("--against", metavar="NAME", help="The strategy to compare it with.")
    ] = "summary",
    once: Annotated[bool, typer.Option("--once", help="Show it once and end.")] = False,
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """Render a template again on every save, and show what changed. Ctrl-C ends.

    Shows which prompts changed, their tokens, the facts that they state compared with another strategy, how many responses of the main
    model are recorded for them, and how many cases the rule book repairs with them. The cases are those of the training part unless you
    name others. Nothing is recorded.
    """
    from mendbench.cli import watch_view

    watching = api.watch_strategy(
        strategy, tuple(names or ()), against=against, cases=cases, cassettes=use_corpus(cases, cassettes)
    )
    if once:
        return watch_view.show_snapshot(watching.snapshot(), output)
    if output is Format.json:
        raise BadInput("--format json", "a watch does not end", "add --once")
    from watchfiles import watch as changes

    path = Path(strategy)
    for snapshot in api.snapshots(
        watching, (each for each in changes(path.parent) if any(Path(name).name == path.name for _kind, name in each))
    ):
        watch_view.show_watched(snapshot)
    return 0


@app.command("ablate")
def ablate(
    strategy: Strategy,
    names: Names = None,
    part: PartOption = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="Model whose recorded responses are used; default: the first configured one.",
        ),
    ] = None,
    prompts_only: Annotated[
        bool, typer.Option("--prompts-only", help="Compare only the prompts, not the responses.")
    ] = False,
    cases: Cases = None,
    cassettes: Cassettes = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Folder for the trials; default: 'ablation' beside the runs' folder."
        ),
    ] = None,
    record: Record = "none",
    concurrency: Concurrency = None,
    dry_run: DryRun = False,
    allow_shell: AllowShell = False,
    allow_writes: AllowWrites = False,
    workers: Workers = 0,
    output: Output = Format.text,
) -> int:
    """Omit one section of a strategy at a time, and show what changes.

    If the corpus is split, the default is the training part. Trials run under the policy naive. A trial with a missing recording
    stays unjudged, and the exit code is then 3. After an interrupt, run the same command again to continue.
    """
    from mendbench.cli import strategy_view, terminal
    from mendbench.cli.estimate_view import show_estimate
    from mendbench.cli.output import say

    folder, recordings = run_folder(out, None), use_corpus(cases, cassettes, record)
    options = api.RunOptions(
        names=tuple(names or ()), part=part, cases=cases, cassettes=recordings, out=folder,
        models=(model,) if model else (), record=record, concurrency=concurrency, allow_shell=allow_shell, allow_writes=allow_writes,
        workers=workers,
    )  # fmt: skip
    if dry_run:
        with terminal.progress() as progress:
            estimate = api.estimate_ablation(strategy, options, progress)
        return show_estimate(estimate, output)
    with terminal.progress() as progress:
        try:
            found = api.ablate_strategy(strategy, options, progress, say, prompts_only=prompts_only)
        except KeyboardInterrupt as error:
            raise type(error)("run the same command again to continue") from None
    return strategy_view.show_ablation(found, output)


def _only_case(names: list[str] | None) -> str | None:
    """Return the id of the only case; None if there are several cases, a family or a pattern."""
    if names is None or len(names) != 1:
        return None
    return names[0] if "/" in names[0] and not set("*?[") & set(names[0]) else None
