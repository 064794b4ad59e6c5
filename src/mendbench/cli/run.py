"""``mendbench run``, ``mendbench report`` and ``mendbench merge``."""

from __future__ import annotations

import shlex
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mendbench import api
from mendbench.cli import exports
from mendbench.cli.corpus import use_corpus
from mendbench.cli.options import (
    AllowShell,
    AllowWrites,
    Cases,
    Cassettes,
    Cluster,
    Concurrency,
    Details,
    Detector,
    DryRun,
    Format,
    FrameName,
    Models,
    Names,
    Output,
    PartOption,
    Policies,
    RunRecord,
    Samples,
    ShardOption,
    Strategies,
    Workers,
    run_folder,
)

if TYPE_CHECKING:
    from mendbench.api import RunOptions
    from mendbench.results.store import StoredRun


def run(
    names: Names = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    part: PartOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder for the run; a complete run there is replaced."),
    ] = None,
    engines: Annotated[
        list[str] | None,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="Engine that executes the workflows: mendbench, a name from [engines], or 'cmd: PROGRAM'. Repeatable.",
        ),
    ] = None,
    strategies: Strategies = None,
    frame: FrameName = None,
    policies: Policies = None,
    detector: Detector = None,
    repairers: Annotated[
        list[str] | None,
        typer.Option("--repairer", metavar="NAME", help="Repairer that responds to the prompts. Repeatable."),
    ] = None,
    models: Models = None,
    samples: Samples = None,
    record: RunRecord = None,
    concurrency: Concurrency = None,
    dry_run: DryRun = False,
    allow_shell: AllowShell = False,
    allow_writes: AllowWrites = False,
    workers: Workers = 0,
    cluster: Cluster = None,
    shard: ShardOption = None,
    all_sweeps: Annotated[
        bool, typer.Option("--all", help="Run the sweeps that are configured only_with_all too.")
    ] = False,
    gated: Annotated[
        bool, typer.Option("--gated", help="Run only the trials of the gate's baseline; CASE and --part narrow them.")
    ] = False,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh", help="Execute every trial, also those whose inputs did not change since an earlier run."
        ),
    ] = False,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            metavar="RUN_DIR",
            help="Finish the interrupted run in this folder, with its original options.",
        ),
    ] = None,
    details: Details = False,
    output: Output = Format.text,
) -> int:
    """Replay the corpus through repair, and judge each trial.

    Without options it runs the matrix of mendbench.toml. A trial with a missing recording stays unjudged, and the exit code
    is then 3. It is also 3 if all trials of an engine or a repairer crashed.
    """
    folder = run_folder(out, resume)

    from mendbench.api.resuming import resumed
    from mendbench.cli import terminal
    from mendbench.cli.output import say
    from mendbench.runs.shards import read_shard

    options = api.RunOptions(
        names=tuple(names or ()), part=part, cases=cases, cassettes=cassettes, out=folder, engines=tuple(engines or ()),
        strategies=tuple(strategies or ()), frame=frame, policies=tuple(policies or ()), detector=detector,
        repairers=tuple(repairers or ()), models=tuple(models or ()), samples=samples, record=record or "none",
        concurrency=concurrency, allow_shell=allow_shell, allow_writes=allow_writes, workers=workers, cluster=cluster,
        all=all_sweeps, gated=gated, fresh=fresh, resume=resume is not None, shard=read_shard(shard) if shard else None,
    )  # fmt: skip
    if resume is not None:
        options = resumed(options, resume, given=() if record is None else ("record",))
    use_corpus(options.cases, options.cassettes, "new_episodes" if dry_run else options.record)
    if dry_run:
        return _estimate(options, output)
    with terminal.progress() as progress:
        try:
            done = api.run(options, progress, say)
        except KeyboardInterrupt as error:
            raise type(error)(_how_to_go_on(options)) from None
    hint = _how_to_record(options) if options.record == "none" else None
    code = terminal.show_run(done, output, hint, details=details)
    if terminal.is_smoke_test(done):
        terminal.say_agreement(api.rule_book_agreement(done, options))
    return code


def _how_to_record(options: RunOptions) -> str:
    from mendbench.api.resuming import words

    recording = replace(options, record="new_episodes", resume=False)
    return shlex.join(["mendbench", "run", *words(recording, [field.name for field in fields(recording)])])


def _estimate(options: RunOptions, output: Format) -> int:
    from mendbench.api.estimating import estimate_recording
    from mendbench.cli import terminal
    from mendbench.cli.estimate_view import show_estimate

    with terminal.progress() as progress:
        found = estimate_recording(options, progress)
    return show_estimate(found, output)


def _how_to_go_on(options: RunOptions) -> str:
    """Return how to finish the run. The command repeats the run's permissions, although its plan stores them too."""
    from mendbench.api.resuming import FREE, words
    from mendbench.config.config_file import load_config
    from mendbench.results.store import interrupted_plan

    place = options.out or load_config().out
    if interrupted_plan(place) is None:
        return "no trial was done, and nothing was written"
    kept = "" if options.record == "none" else "every response that came is kept; "
    permissions = [field.name for field in fields(options) if field.name.startswith("allow_")]
    shown = [name for name in ("record", *permissions, *FREE) if name not in {"out", "resume"}]
    return f"{kept}finish it with: {shlex.join(['mendbench', 'run', '--resume', str(place), *words(options, shown)])}"


def report(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="RUN", show_default=False, help="Folder of a run; default: the configured one."),
    ] = None,
    rescore: Annotated[
        bool,
        typer.Option(
            "--rescore", help="First judge its trials again with the current scorer and prices, without a replay."
        ),
    ] = False,
    forensics: Annotated[
        bool,
        typer.Option(
            "--forensics", help="Print the use of attempts and the cost of wrong warnings instead of the summary."
        ),
    ] = False,
    part: Annotated[
        str | None, typer.Option("--part", metavar="PART", help="Print this part of the corpus: test or train.")
    ] = None,
    details: Details = False,
    junit: exports.Junit = None,
    markdown: exports.MarkdownFile = None,
    csv: exports.CsvFolder = None,
    parquet: exports.ParquetFolder = None,
    github_summary: exports.GithubSummary = False,
    annotations: exports.Annotations = False,
    against: exports.Against = None,
    output: Output = Format.text,
) -> int:
    """Write the report of a run again, print its summary, and export it to other formats.

    With --rescore the verdicts, outcomes, labels and costs are computed again from the run's folder, with the current scorer and
    prices. Two runs that were judged by different scorers can then be compared.
    """
    from mendbench.cli import terminal
    from mendbench.cli.summary_view import shown_part
    from mendbench.config.config_file import load_config

    wanted = exports.Outputs(
        junit=junit,
        markdown=markdown,
        csv=csv,
        parquet=parquet,
        summary=github_summary,
        annotations=annotations,
        against=against,
    )
    exports.refuse_useless(wanted)
    place = folder or load_config().out
    fresh = api.rescore(place) if rescore else None
    other = against if against is not None and against.is_dir() else None
    stored = api.report(place, other) if fresh is None or other is not None else fresh.run
    shown_part(stored, part)  # refuses a wrong name before anything is written
    exports.write_outputs(stored, wanted)
    code = (
        _show_forensics(stored, output)
        if forensics
        else terminal.show_run(stored, output, None, part=part, details=details)
    )
    if fresh is not None:
        terminal.say_rescored(fresh)
    return code


def _show_forensics(stored: StoredRun, output: Format) -> int:
    from mendbench.cli.forensics_view import show_forensics
    from mendbench.cli.output import write_json
    from mendbench.cli.terminal import code_of

    found = api.forensics(stored)
    if output is Format.json:
        write_json({"forensics": found.attempts, "warnings": found.warnings})
    else:
        show_forensics(found.attempts, found.warnings)
    return code_of(stored)


def merge(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN", help="Folders of all shards of a run.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the merged run.")],
    output: Output = Format.text,
) -> int:
    """Merge the shards of a run (`mendbench run --shard K/N`) into one run."""
    run_folder(out, None)

    from mendbench.cli import terminal

    return terminal.show_run(api.merge(folders, out), output, None)
