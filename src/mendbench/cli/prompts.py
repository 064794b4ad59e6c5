"""``mendbench prompts``: responses made elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mendbench.cli.corpus import use_corpus
from mendbench.cli.exits import coded
from mendbench.cli.group import Commands
from mendbench.cli.options import (
    Cases,
    Cassettes,
    Detector,
    Format,
    Models,
    Names,
    Output,
    PartOption,
    Policies,
    Samples,
    Strategies,
    Workers,
)

app = typer.Typer(cls=Commands, help="Have prompts answered elsewhere: by batch APIs, other machines, people.")


def export(
    names: Names = None,
    part: PartOption = None,
    out: Annotated[
        str,
        typer.Option("--out", metavar="FILE", help="File to write; - for standard output. A file there is replaced."),
    ] = "-",
    strategies: Strategies = None,
    policies: Policies = None,
    detector: Detector = None,
    models: Models = None,
    samples: Samples = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    workers: Workers = 0,
) -> int:
    """Write the prompts that have no response yet, one a line, as OpenAI's batch API takes them.

    They are those of the same trials that run would replay with these options, as far as recordings lead: second
    attempts come once the first ones are answered.
    """
    recordings = use_corpus(cases, cassettes)

    from mendbench import api
    from mendbench.cli import prompts_view, terminal

    options = api.RunOptions(
        names=tuple(names or ()), part=part, cases=cases, cassettes=recordings, strategies=tuple(strategies or ()),
        policies=tuple(policies or ()), detector=detector, models=tuple(models or ()), samples=samples, workers=workers,
    )  # fmt: skip
    with terminal.progress() as progress:
        exported = api.export_prompts(options, progress)
    return prompts_view.show_exported(exported, None if out == "-" else Path(out))


def import_(
    responses: Annotated[Path, typer.Argument(metavar="ANSWERS", help="File of responses: JSONL or CSV.")],
    prompts: Annotated[Path, typer.Option("--prompts", metavar="FILE", help="The file that was exported.")],
    provenance: Annotated[
        str | None,
        typer.Option("--provenance", metavar="TEXT", help="Where the responses come from; stands beside each of them."),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything and write nothing.")] = False,
    replacing: Annotated[bool, typer.Option("--replace", help="Replace recorded responses that differ.")] = False,
    skip_broken: Annotated[
        bool, typer.Option("--skip-broken", help="Leave out lines that cannot be read, and import the others.")
    ] = False,
    batches: Annotated[
        Path | None,
        typer.Option(
            "--batches", metavar="FILE", help="Which prompts were answered together; stored with each response."
        ),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model", metavar="NAME", help="The model that answered; requests to others are refused. Repeatable."
        ),
    ] = None,
    strategies: Annotated[
        list[str] | None,
        typer.Option("--strategy", metavar="FILE", help="Template file that prompts were made by. Repeatable."),
    ] = None,
    detector: Annotated[
        str | None, typer.Option("--detector", metavar="NAME", help="Detector that was given to the export.")
    ] = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    workers: Workers = 0,
    output: Output = Format.text,
) -> int:
    """Record responses that were made elsewhere.

    Lines are OpenAI batch output, Anthropic batch results, or custom_id with content; CSV has the latter as columns.
    The cases that ask for a response are found out anew. Nothing is written if a line cannot be read, or contradicts
    another one or what is recorded.
    """
    recordings = use_corpus(cases, cassettes)

    from mendbench import api
    from mendbench.cli import prompts_view, terminal

    options = api.RunOptions(
        cases=cases, cassettes=recordings, strategies=tuple(strategies or ()), detector=detector, workers=workers,
        models=tuple(models or ()),
    )  # fmt: skip
    with terminal.progress() as progress:
        imported = api.import_responses(
            responses, prompts, options, progress,
            provenance=provenance, dry_run=dry_run, replacing=replacing, skip_broken=skip_broken, batches=batches,
        )  # fmt: skip
    return prompts_view.show_imported(imported, output)


def diff(
    names: Names = None,
    part: PartOption = None,
    full: Annotated[bool, typer.Option("--full", help="Show what became of every prompt, not of a few.")] = False,
    strategies: Strategies = None,
    policies: Policies = None,
    detector: Detector = None,
    models: Models = None,
    samples: Samples = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    workers: Workers = 0,
    output: Output = Format.text,
) -> int:
    """Show which prompts have no response (any more), each beside the recorded one that is most like it.

    So it shows what an edited template would leave behind. No model is asked. The exit code is 3 if a response is missing.
    """
    recordings = use_corpus(cases, cassettes)

    from mendbench import api
    from mendbench.cli import prompts_view, terminal

    options = api.RunOptions(
        names=tuple(names or ()), part=part, cases=cases, cassettes=recordings, strategies=tuple(strategies or ()),
        policies=tuple(policies or ()), detector=detector, models=tuple(models or ()), samples=samples, workers=workers,
    )  # fmt: skip
    with terminal.progress() as progress:
        found = api.diff_prompts(options, progress, **({"shown": None} if full else {}))
    return prompts_view.show_diff(found, output)


def repeatability(
    names: Names = None,
    part: PartOption = None,
    models: Models = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """Show how often a model that was asked a prompt again, where nothing is drawn, gave the same response.

    Only recordings are read. A table of the model with `recording = 1` asks every prompt again; what that does to verdicts and
    scores, `mendbench compare` tells of a run with both tables.
    """
    recordings = use_corpus(cases, cassettes)

    from mendbench import api
    from mendbench.cli import prompts_view

    options = api.RunOptions(
        names=tuple(names or ()), part=part, cases=cases, cassettes=recordings, models=tuple(models or ())
    )
    return prompts_view.show_repeatability(api.recorded_repeatability(options), output)


def prune(
    delete: Annotated[bool, typer.Option("--delete", help="Delete them. Without it they are only listed.")] = False,
    cases: Cases = None,
    cassettes: Cassettes = None,
    workers: Workers = 0,
    output: Output = Format.text,
) -> int:
    """List the recorded responses that nothing asks for any more, and delete them if told so.

    All that is configured is replayed first, to see what is asked for. What edits led to in the world is pruned too, where
    no response leads there any more.
    """
    recordings = use_corpus(cases, cassettes)

    from mendbench import api
    from mendbench.cli import prompts_view, terminal

    options = api.RunOptions(cases=cases, cassettes=recordings, workers=workers)
    with terminal.progress() as progress:
        found = api.prune_responses(options, progress, delete=delete)
    return prompts_view.show_pruned(found, output, deleted=delete)


app.command("export")(coded(export))
app.command("import")(coded(import_))
app.command("diff")(coded(diff))
app.command("repeatability")(coded(repeatability))
app.command("prune")(coded(prune))
