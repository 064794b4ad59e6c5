"""``mendbench compare``."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from mendbench import api
from mendbench.cli.options import Format, Output, at_least

_HELP = "Folder of a run; FOLDER:strategy=mend,policy=two-layer selects a part of it."

Before: TypeAlias = Annotated[
    str | None, typer.Argument(metavar="A", show_default=False, help=f"{_HELP} Default: the configured run.")
]
After: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="B", help="Run to compare with A, or a part of the same run. Default: print A's primary contrasts."
    ),
]


def compare(
    a: Before = None,
    b: After = None,
    part: Annotated[
        str | None,
        typer.Option(
            "--part",
            metavar="PART",
            help="Part of the corpus: test, train, none or all; default: the first part that both runs have.",
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option(
            "--score", metavar="NAME", help="Score to compare, or 'all'; default: the main scores. Repeatable."
        ),
    ] = None,
    trials: Annotated[
        int,
        typer.Option(
            "--trials", metavar="N", parser=at_least(0), help="Maximum number of changed trials that are listed."
        ),
    ] = 8,
    output: Output = Format.text,
) -> int:
    """Compare two runs, or two parts of a run, trial by trial.

    The output begins with the newly failing and newly passing trials. The differences in the scores and their uncertainty follow. A and B
    can be narrowed by engine, repairer, model, strategy, policy, detector, part, kind and family. The exit code is 3 if the two
    cannot be compared. For a single run, the primary contrasts of the corpus's protocol are printed.
    """
    from mendbench.cli import compare_view

    if a is None or b is None:
        return compare_view.show_primary(api.primary_contrasts(a), output)
    return compare_view.show(api.compare(a, b, part=part, scores=tuple(scores or ())), output, trials)
