"""``mendbench gate``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from mendbench import api
from mendbench.cli.corpus import use_corpus
from mendbench.cli.options import Cases, Cassettes, Format, Output, Workers, at_least
from mendbench.errors import BadInput


def gate(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="RUN", show_default=False, help="Folder of a run; default: the configured one."),
    ] = None,
    baseline: Annotated[
        Path | None,
        typer.Option(
            "--baseline",
            metavar="FILE",
            help="Baseline to compare the run with; default: gate.baseline of the configuration.",
        ),
    ] = None,
    update: Annotated[bool, typer.Option("--update", help="Accept the run as the new baseline.")] = False,
    partial: Annotated[
        bool,
        typer.Option(
            "--partial", help="With --update: keep the lines of trials that are not in the run or have no verdict."
        ),
    ] = False,
    new: Annotated[bool, typer.Option("--new", help="Also gate trials that are not in the baseline.")] = False,
    self_test: Annotated[
        int | None,
        typer.Option(
            "--self-test",
            metavar="N",
            parser=at_least(1),
            help="Replay the run's trials and gate them N times; each alarm is a false one.",
        ),
    ] = None,
    reuse: Annotated[
        bool, typer.Option("--reuse", help="In CI, accept a run that took trials from earlier runs.")
    ] = False,
    cases: Cases = None,
    cassettes: Cassettes = None,
    workers: Workers = 0,
    output: Output = Format.text,
) -> int:
    """Fail if repair is worse than in the last accepted run.

    Exit code 0: it is not worse. 1: it is worse, or a limit is broken. 3: undecided, because a recording is missing or changed,
    something cannot be compared, or the change may be noise. If CI is set in the environment, a run with trials that an earlier
    run executed is refused.
    """
    if partial and not update:
        raise BadInput("--partial", "nothing to accept", "give it together with --update")
    if self_test is not None and (update or new or baseline is not None):
        raise BadInput("--self-test", "it makes its own baseline", "give it without --baseline, --update and --new")

    from mendbench.cli import gate_view, terminal

    if update:
        return gate_view.show_update(api.accept_run(folder, baseline=baseline, partial=partial), output)
    if self_test is not None:
        recordings = use_corpus(cases, cassettes)
        with terminal.progress() as progress:
            tested = api.self_test(folder, self_test, progress, cases=cases, cassettes=recordings, workers=workers)
        return gate_view.show_self_test(tested, output)
    executed = bool(os.environ.get("CI")) and not reuse
    return gate_view.show_gate(api.gate(folder, baseline=baseline, new=new, executed=executed), output)
