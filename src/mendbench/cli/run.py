"""``mendbench run`` and ``mendbench report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mendbench.cli.exits import again
from mendbench.cli.options import (
    AllowShell,
    Cases,
    Cassettes,
    Format,
    Names,
    Output,
    PartOption,
    Record,
    Workers,
    at_least,
    existing_cassettes,
    run_folder,
)


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
        list[str] | None, typer.Option("--engine", metavar="NAME", help="What executes the workflows. Repeatable.")
    ] = None,
    strategies: Annotated[
        list[str] | None,
        typer.Option("--strategy", metavar="NAME", help="Strategy, or a template file (my.md.j2). Repeatable."),
    ] = None,
    policies: Annotated[
        list[str] | None, typer.Option("--policy", metavar="NAME", help="When repairing stops. Repeatable.")
    ] = None,
    detector: Annotated[
        str | None, typer.Option("--detector", metavar="NAME", help="Takes the place of the policies' detector.")
    ] = None,
    repairers: Annotated[
        list[str] | None, typer.Option("--repairer", metavar="NAME", help="What answers the prompts. Repeatable.")
    ] = None,
    models: Annotated[
        list[str] | None, typer.Option("--model", metavar="NAME", help="Model of the repairer chat. Repeatable.")
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option("--samples", metavar="N", parser=at_least(1), help="How often a model is asked anew, per trial."),
    ] = None,
    record: Record = "none",
    allow_shell: AllowShell = False,
    workers: Workers = 0,
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
    folder, recordings = run_folder(out, resume), existing_cassettes(cassettes, record)

    from mendbench import api
    from mendbench.cli import screen

    options = api.RunOptions(
        names=tuple(names or ()), part=part, cases=cases, cassettes=recordings, out=folder, engines=tuple(engines or ()),
        strategies=tuple(strategies or ()), policies=tuple(policies or ()), detector=detector,
        repairers=tuple(repairers or ()), models=tuple(models or ()), samples=samples, record=record,
        allow_shell=allow_shell, workers=workers, resume=resume is not None,
    )  # fmt: skip
    with screen.progress() as progress:
        try:
            done = api.run(options, progress)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_how_to_go_on(folder)) from None
    return screen.show_run(done, output, _how_to_record(resume) if record == "none" else None)


def _how_to_record(resumed: Path | None) -> str:
    own_out = {"--out": str(resumed)} if resumed else {}
    return again({"--record": "new_episodes", **own_out}, without=("--resume",))


def _how_to_go_on(folder: Path | None) -> str:
    from mendbench.bench.config import load_config

    place = folder or Path(load_config(Path.cwd()).config.paths.out)
    if not (place.with_name(f".{place.name}.partial") / "plan.json").is_file():
        return "interrupted before the first trial; nothing was written"
    return f"interrupted; finish it with: {again({'--resume': str(place)}, without=('--out',))}"


def report(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")] = Path("reports/latest"),
    output: Output = Format.text,
) -> int:
    """Write the report of a run again, and print its table."""
    from mendbench import api
    from mendbench.cli import screen

    return screen.show_run(api.report(folder), output, None)
