"""``mendbench prompts``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mendbench import api
from mendbench.cli.corpus import use_corpus
from mendbench.cli.group import App
from mendbench.cli.options import (
    Cases,
    Cassettes,
    Detector,
    Format,
    FrameName,
    Models,
    Names,
    Output,
    PartOption,
    Policies,
    Samples,
    Strategies,
    Workers,
)
from mendbench.errors import BadInput

Labelled = Annotated[
    Path | None,
    typer.Option(
        "--labelled",
        metavar="FILE",
        help="Ask for the labels of the API responses in this file, instead of for repairs; see `mendbench detectors evaluate`.",
    ),
]

app = App("Export prompts and import responses: from batch APIs, other machines or people.")


@app.command("export")
def export(
    names: Names = None,
    part: PartOption = None,
    out: Annotated[
        str,
        typer.Option("--out", metavar="FILE", help="Output file, replaced if it exists; - for standard output."),
    ] = "-",
    strategies: Strategies = None,
    frame: FrameName = None,
    policies: Policies = None,
    detector: Detector = None,
    models: Models = None,
    samples: Samples = None,
    labelled: Labelled = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    workers: Workers = 0,
) -> int:
    """Write the prompts without a response, one per line, in the input format of OpenAI's batch API.

    They are the prompts of the trials that `mendbench run` would replay with these options, as far as recordings reach. The prompt of
    a second attempt is known only after the first response is recorded.
    """
    from mendbench.cli import prompts_view, terminal

    target = None if out == "-" else Path(out)
    if labelled is not None:
        if names or part or strategies or frame or policies or detector or samples is not None:
            raise BadInput("--labelled", "options that choose trials", "use it with --model and --out only")
        return prompts_view.show_exported(api.export_label_prompts(labelled, tuple(models or ())), target)
    recordings = use_corpus(cases, cassettes)
    options = api.RunOptions(
        names=tuple(names or ()), part=part, cases=cases, cassettes=recordings, strategies=tuple(strategies or ()), frame=frame,
        policies=tuple(policies or ()), detector=detector, models=tuple(models or ()), samples=samples, workers=workers,
    )  # fmt: skip
    with terminal.progress() as progress:
        exported = api.export_prompts(options, progress)
    return prompts_view.show_exported(exported, target)


@app.command("import")
def import_(
    responses: Annotated[Path, typer.Argument(metavar="ANSWERS", help="File of responses: JSONL or CSV.")],
    prompts: Annotated[Path, typer.Option("--prompts", metavar="FILE", help="The exported file.")],
    provenance: Annotated[
        str | None,
        typer.Option("--provenance", metavar="TEXT", help="Source of the responses; stored with each of them."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything and write nothing.")] = False,
    replacing: Annotated[bool, typer.Option("--replace", help="Replace recorded responses that differ.")] = False,
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Skip lines that cannot be read, and import the others.")
    ] = False,
    batches: Annotated[
        Path | None,
        typer.Option(
            "--batches",
            metavar="FILE",
            help="File of the batches in which the prompts were processed; stored with each response.",
        ),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="The model that responded; prompts for other models are refused. Repeatable.",
        ),
    ] = None,
    strategies: Annotated[
        list[str] | None,
        typer.Option(
            "--strategy", metavar="NAME", help="Strategy of exported prompts that is not configured. Repeatable."
        ),
    ] = None,
    detector: Annotated[
        str | None, typer.Option("--detector", metavar="NAME", help="The detector that was given to the export.")
    ] = None,
    labelled: Labelled = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    workers: Workers = 0,
    output: Output = Format.text,
) -> int:
    """Record responses from a file.

    The lines are OpenAI batch output, Anthropic batch results, or custom_id with content; a CSV file has the latter as columns.
    Trials are replayed to find the cases that use a response; with --labelled, the responses are written beside that file. Nothing is
    written if a line cannot be read, or contradicts another line or a recording.
    """
    from mendbench.cli import prompts_view, terminal

    recordings = use_corpus(cases, cassettes) if labelled is None else None
    options = api.RunOptions(
        cases=cases, cassettes=recordings, strategies=tuple(strategies or ()), detector=detector, workers=workers,
        models=tuple(models or ()),
    )  # fmt: skip
    with terminal.progress() as progress:
        imported = api.import_responses(
            responses, prompts, options, progress,
            provenance=provenance, dry_run=dry_run, replacing=replacing, skip_broken=skip_broken, batches=batches, labelled=labelled,
        )  # fmt: skip
    return prompts_view.show_imported(imported, output)


@app.command("diff")
def diff(
    names: Names = None,
    part: PartOption = None,
    full: Annotated[bool, typer.Option("--full", help="Show all prompts instead of the first few.")] = False,
    strategies: Strategies = None,
    frame: FrameName = None,
    policies: Policies = None,
    detector: Detector = None,
    models: Models = None,
    samples: Samples = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    workers: Workers = 0,
    output: Output = Format.text,
) -> int:
    """Show the prompts without a response, each with the most similar recorded prompt.

    Use it to see which responses an edited template makes obsolete. No request is sent to a model. The exit code is 3 if a response
    is missing.
    """
    from mendbench.cli import prompts_view, terminal

    recordings = use_corpus(cases, cassettes)
    options = api.RunOptions(
        names=tuple(names or ()), part=part, cases=cases, cassettes=recordings, strategies=tuple(strategies or ()), frame=frame,
        policies=tuple(policies or ()), detector=detector, models=tuple(models or ()), samples=samples, workers=workers,
    )  # fmt: skip
    with terminal.progress() as progress:
        found = api.diff_prompts(options, progress, **({"shown": None} if full else {}))
    return prompts_view.show_diff(found, output)


@app.command("repeatability")
def repeatability(
    names: Names = None,
    part: PartOption = None,
    models: Models = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """Show how often a model gave the same response to a repeated prompt without sampling.

    Only recordings are read. A table of the model with `recording = 1` repeats each prompt. To see the effect on verdicts and
    scores, use `mendbench compare` on a run with both tables.
    """
    from mendbench.cli import prompts_view

    recordings = use_corpus(cases, cassettes)
    options = api.RunOptions(
        names=tuple(names or ()), part=part, cases=cases, cassettes=recordings, models=tuple(models or ())
    )
    return prompts_view.show_repeatability(api.recorded_repeatability(options), output)


@app.command("prune")
def prune(
    delete: Annotated[
        bool, typer.Option("--delete", help="Delete the responses instead of only listing them.")
    ] = False,
    cases: Cases = None,
    cassettes: Cassettes = None,
    workers: Workers = 0,
    output: Output = Format.text,
) -> int:
    """List the recorded responses that no trial uses any more; with --delete, delete them.

    All configured trials are replayed first, to find the responses in use. Exchanges that edits led to are pruned too, if no
    response leads to them any more.
    """
    from mendbench.cli import prompts_view, terminal

    recordings = use_corpus(cases, cassettes)
    options = api.RunOptions(cases=cases, cassettes=recordings, workers=workers)
    with terminal.progress() as progress:
        found = api.prune_responses(options, progress, delete=delete)
    return prompts_view.show_pruned(found, output, deleted=delete)
