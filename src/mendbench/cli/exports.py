"""Exports of ``mendbench report``: the options, and the writing."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from mendbench.cli.output import say
from mendbench.errors import BadInput

if TYPE_CHECKING:
    from mendbench.results.store import StoredRun

Junit: TypeAlias = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML with a test case for each trial.")
]
MarkdownFile: TypeAlias = Annotated[
    Path | None, typer.Option("--markdown", metavar="FILE", help="Write Markdown for a comment on a pull request.")
]
CsvFolder: TypeAlias = Annotated[
    Path | None, typer.Option("--csv", metavar="DIR", help="Write trials, attempts, nodes and scores as CSV.")
]
ParquetFolder: TypeAlias = Annotated[
    Path | None, typer.Option("--parquet", metavar="DIR", help="Write the same tables as Parquet (extra: parquet).")
]
GithubSummary: TypeAlias = Annotated[
    bool, typer.Option("--github-summary", help="Append Markdown to the summary of the current GitHub step.")
]
Annotations: TypeAlias = Annotated[
    bool, typer.Option("--annotations", help="Write annotations of case files for GitHub to standard error.")
]
Against: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--against",
        metavar="PATH",
        help="A baseline or the folder of another run; the exports show what is worse than there. With a folder, so does the report.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outputs:
    """The requested exports of a run."""

    junit: Path | None = None
    markdown: Path | None = None
    csv: Path | None = None
    parquet: Path | None = None
    summary: bool = False
    annotations: bool = False
    against: Path | None = None

    @property
    def any(self) -> bool:
        """Whether there is any."""
        files = (self.junit, self.markdown, self.csv, self.parquet)
        return self.summary or self.annotations or any(file is not None for file in files)


def refuse_useless(wanted: Outputs) -> None:
    """Refuse an ``--against`` without effect, before anything is written.

    Raises:
        BadInput: it is not a folder of a run, and no export is requested.
    """
    if wanted.against is not None and not wanted.any and not wanted.against.is_dir():
        hint = "give --junit, --markdown, --github-summary or --annotations too, or a run's folder"
        raise BadInput("--against", "nothing to write it to", hint)


def write_outputs(run: StoredRun, wanted: Outputs) -> None:
    """Write the requested exports of a run, and report the files.

    Raises:
        BadInput: something cannot be written.
    """
    if not wanted.any:
        return

    from mendbench import api

    judgement = api.judged(run, wanted.against)
    files = api.export(
        run, junit=wanted.junit, markdown=wanted.markdown, csv=wanted.csv, parquet=wanted.parquet, github=wanted.summary,
        against=judgement,
    )  # fmt: skip
    for file in files:
        say(f"wrote {file}")
    if wanted.annotations:
        for line in api.annotate(run, against=judgement):
            sys.stderr.write(f"{line}\n")
