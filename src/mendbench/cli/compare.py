"""``mendbench compare``."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from mendbench.cli.options import Format, Output, at_least

_HELP = "Folder of a run; FOLDER:strategy=mend,policy=two-layer takes a part of it."

Before: TypeAlias = Annotated[
    str | None, typer.Argument(metavar="A", show_default=False, help=f"{_HELP} Left out: the configured run.")
]
After: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="B", help="What is held against A; may be of the same run. Left out: A's primary contrasts."
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
            help="Part of the corpus: test, train, none or all; else the first that both have.",
        ),
    ] = None,
    scores: Annotated[
        list[str] | None,
        typer.Option("--score", metavar="NAME", help="What is compared, or 'all'; else the main ones. Repeatable."),
    ] = None,
    trials: Annotated[
        int,
        typer.Option("--trials", metavar="N", parser=at_least(0), help="How many of the changed trials are listed."),
    ] = 8,
    output: Output = Format.text,
) -> int:
    """Compare two runs, or two parts of one, trial by trial.

    Newly failing and newly passing trials come first, then how the scores differ and how sure that is. A and B are narrowed by engine,
    repairer, model, strategy, policy, detector, part, kind and family. Exits 3 where the two may not be compared. A run alone is
    compared as the corpus's protocol says: the contrasts that were written down beforehand.
    """
    from mendbench import api
    from mendbench.cli import compare_view

    if a is None or b is None:
        return compare_view.show_primary(api.primary_contrasts(a), output)
    return compare_view.show(api.compare(a, b, part=part, scores=tuple(scores or ())), output, trials)
