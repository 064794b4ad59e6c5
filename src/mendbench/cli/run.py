"""``mendbench run`` and ``mendbench report``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mendbench.cli import exports
from mendbench.cli.exits import again
from mendbench.cli.options import (
    AllowShell,
    AllowWrites,
    Cases,
    Cassettes,
    Cluster,
    Concurrency,
    Detector,
    DryRun,
    Format,
    Models,
    Names,
    Output,
    PartOption,
    Policies,
    Record,
    Samples,
    ShardOption,
    Strategies,
    Workers,
    existing_cassettes,
    run_folder,
)

if TYPE_CHECKING:
    from mendbench.api import RunOptions
    from mendbench.bench.results import StoredRun


def run(
    names: Names = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    part: PartOption = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Folder to write the run to; a complete run there is replaced."),
    ] = None,
    engines: Annotated[
        list[str] | None,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="What executes the workflows: mendbench, a name of [engines], or 'cmd: PROGRAM'. Repeatable.",
        ),
    ] = None,
    strategies: Strategies = None,
    policies: Policies = None,
    detector: Detector = None,
    repairers: Annotated[
        list[str] | None, typer.Option("--repairer", metavar="NAME", help="What answers the prompts. Repeatable.")
    ] = None,
    models: Models = None,
    samples: Samples = None,
    record: Record = "none",
    concurrency: Concurrency = None,
    dry_run: DryRun = False,
    allow_shell: AllowShell = False,
    allow_writes: AllowWrites = False,
    workers: Workers = 0,
    cluster: Cluster = None,
    shard: ShardOption = None,
    resume: Annotated[
        Path | None,
        typer.Option("--resume", metavar="RUN_DIR", help="Finish the interrupted run of that folder."),
    ] = None,
    output: Output = Format.text,
) -> int:
    """Replay the corpus through repair, and judge every trial.

    Without options it runs the matrix of mendbench.toml. What is not recorded leaves a trial unjudged; the exit code is
    then 3.
    """
    folder = run_folder(out, resume)
    recordings = existing_cassettes(cassettes, "new_episodes" if dry_run else record)

    from mendbench import api
    from mendbench.bench.shards import read_shard
    from mendbench.cli import screen

    options = api.RunOptions(
        names=tuple(names or ()), part=part, cases=cases, cassettes=recordings, out=folder, engines=tuple(engines or ()),
        strategies=tuple(strategies or ()), policies=tuple(policies or ()), detector=detector,
        repairers=tuple(repairers or ()), models=tuple(models or ()), samples=samples, record=record,
        concurrency=concurrency, allow_shell=allow_shell, allow_writes=allow_writes, workers=workers, cluster=cluster,
        resume=resume is not None, shard=read_shard(shard) if shard else None,
    )  # fmt: skip
    if dry_run:
        return _estimate(options, output)
    with screen.progress() as progress:
        try:
            done = api.run(options, progress)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_how_to_go_on(folder, recording=record != "none")) from None
    return screen.show_run(done, output, _how_to_record(resume) if record == "none" else None)


def _how_to_record(resumed: Path | None) -> str:
    own_out = {"--out": str(resumed)} if resumed else {}
    return again({"--record": "new_episodes", **own_out}, without=("--resume",))


def _estimate(options: RunOptions, output: Format) -> int:
    from mendbench.api.estimating import estimate_recording
    from mendbench.cli import screen
    from mendbench.cli.estimate_screen import show_estimate

    with screen.progress() as progress:
        found = estimate_recording(options, progress)
    return show_estimate(found, output)


def _how_to_go_on(folder: Path | None, *, recording: bool) -> str:
    from mendbench.bench.config import load_config

    place = folder or Path(load_config(Path.cwd()).config.paths.out)
    if not (place.with_name(f".{place.name}.partial") / "plan.json").is_file():
        return "interrupted before the first trial; nothing was written"
    kept = "; every answer that came is kept" if recording else ""
    return f"interrupted{kept}; finish it with: {again({'--resume': str(place)}, without=('--out',))}"


def report(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")] = Path("reports/latest"),
    rescore: Annotated[
        bool,
        typer.Option(
            "--rescore", help="First judge its trials anew, by the scorer and the prices of today, without a replay."
        ),
    ] = False,
    forensics: Annotated[
        bool,
        typer.Option(
            "--forensics", help="Print where attempts went and what wrong warnings cost, in place of the table."
        ),
    ] = False,
    part: Annotated[
        str | None, typer.Option("--part", metavar="PART", help="Print that part of the corpus: test or train.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Print every policy and part, a line each.")] = False,
    junit: exports.Junit = None,
    markdown: exports.MarkdownFile = None,
    csv: exports.CsvFolder = None,
    parquet: exports.ParquetFolder = None,
    github_summary: exports.GithubSummary = False,
    annotations: exports.Annotations = False,
    against: exports.Against = None,
    output: Output = Format.text,
) -> int:
    """Write the report of a run again, print its table, and write it for others too.

    With --rescore the verdicts, outcomes, labels and costs are those that today's scorer and prices give to what the run's folder
    says of each trial. So two runs that different scorers judged can be compared.
    """
    from mendbench import api
    from mendbench.cli import screen

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
    anew = api.rescore(folder) if rescore else None
    other = against if against is not None and against.is_dir() else None
    stored = api.report(folder, other) if anew is None or other is not None else anew.run
    code = (
        _show_forensics(stored, output)
        if forensics
        else screen.show_run(stored, output, None, part=part, everything=everything)
    )
    if anew is not None:
        from mendbench.cli.rescore_screen import say_rescored

        say_rescored(anew)
    exports.write_outputs(stored, wanted)
    return code


def _show_forensics(stored: StoredRun, output: Format) -> int:
    from mendbench import api
    from mendbench.cli.exits import Exit
    from mendbench.cli.forensics_screen import show_forensics
    from mendbench.cli.output import write_json

    found = api.forensics(stored)
    if output is Format.json:
        write_json({"forensics": found.attempts, "warnings": found.warnings})
    else:
        show_forensics(found.attempts, found.warnings)
    return Exit.INCOMPLETE if stored.run["bounds"]["unjudged"] else Exit.DONE
