"""``mendbench run`` and ``mendbench report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mendbench.cli.options import Cases, Cassettes, Format, Names, Output, Strategies

Many = Annotated[list[str] | None, typer.Option()]


def run(
    names: Names = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder of the run.")] = None,
    engines: Annotated[list[str] | None, typer.Option("--engine", help="Engine. Repeatable.")] = None,
    strategies: Strategies = None,
    policies: Annotated[list[str] | None, typer.Option("--policy", help="Policy. Repeatable.")] = None,
    detector: Annotated[str | None, typer.Option("--detector", help="Replaces the policies' detector.")] = None,
    repairers: Annotated[list[str] | None, typer.Option("--repairer", help="Repairer. Repeatable.")] = None,
    models: Annotated[list[str] | None, typer.Option("--model", help="Chat model, as configured. Repeatable.")] = None,
    samples: Annotated[int | None, typer.Option("--samples", min=1, help="Samples of each trial.")] = None,
    record: Annotated[str, typer.Option("--record", help="Record mode: none, new_episodes or all.")] = "none",
    allow_shell: Annotated[
        bool, typer.Option("--allow-shell", help="Let shell nodes run, sandboxed, while recording.")
    ] = False,
    workers: Annotated[int, typer.Option("--workers", min=0, help="Processes; 0 for one a core.")] = 0,
    resume: Annotated[
        Path | None, typer.Option("--resume", metavar="RUN_DIR", help="Finish an interrupted run.")
    ] = None,
    output: Output = Format.text,
) -> int:
    """Replay the corpus through runtime and repair, and judge every trial. Without options: the matrix of mendbench.toml."""
    from mendbench import api
    from mendbench.cli import screen

    options = api.RunOptions(
        names=tuple(names or ()), cases=cases, cassettes=cassettes, out=resume or out, engines=tuple(engines or ()),
        strategies=tuple(strategies or ()), policies=tuple(policies or ()), detector=detector,
        repairers=tuple(repairers or ()), models=tuple(models or ()), samples=samples, record=record,
        allow_shell=allow_shell, workers=workers, resume=resume is not None,
    )  # fmt: skip
    with screen.progress() as progress:
        try:
            done = api.run(options, progress)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"interrupted; finish it with: {api.resume_command(options)}") from None
    return screen.show_run(done, output)


def report(
    folder: Annotated[Path, typer.Argument(metavar="[RUN]", help="Folder of a run.")] = Path("reports/latest"),
    output: Output = Format.text,
) -> int:
    """Write the report of a run again, and print its table."""
    from mendbench import api
    from mendbench.cli import screen

    return screen.show_run(api.report(folder), output)
