"""Options that several commands share, and their checks."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from mendbench.errors import BadInput


class Format(StrEnum):
    """The format of the output."""

    text = "text"
    json = "json"


def at_least(least: int) -> Callable[[str | int], int]:
    """Return a parser of integers that are not below ``least``."""

    def whole_number(given: str | int) -> int:
        number = int(given) if str(given).removeprefix("-").isdecimal() else None
        if number is None or number < least:
            raise typer.BadParameter(f"{str(given)!r} is not an integer of at least {least}")
        return number

    return whole_number


def workers(given: str | int) -> int:
    """Return the number of worker processes; ``auto`` is 0, which means one for each core."""
    return 0 if given == "auto" else at_least(0)(given)


Cases: TypeAlias = Annotated[
    Path | None, typer.Option("--cases", metavar="DIR", help="Folder of the cases; default: the configured one.")
]
Cassettes: TypeAlias = Annotated[
    Path | None,
    typer.Option("--cassettes", metavar="DIR", help="Folder of the recordings; default: the configured one."),
]
Output: TypeAlias = Annotated[Format, typer.Option("--format", metavar="text|json", help="Format of the output.")]
Names: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CASE", show_default=False, help="Ids, families or patterns of cases ('slack/*'); default: all."
    ),
]
PartOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--part",
        metavar="PART",
        help="Only cases of this part: train, test, half, an edition, or its part (second-test).",
    ),
]
Strategies: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--strategy", metavar="NAME", help="A strategy, or a template file (my.md.j2). Repeatable."),
]
FrameName: TypeAlias = Annotated[
    str | None,
    typer.Option("--frame", metavar="NAME", help="The frame of all strategies that do not name their own (mend@v2)."),
]
Policies: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--policy", metavar="NAME", help="Decides when repair stops; NAME~SIGNATURE uses another signature. Repeatable."
    ),
]
Detector: TypeAlias = Annotated[
    str | None, typer.Option("--detector", metavar="NAME", help="Replaces the policies' detector.")
]
Models: TypeAlias = Annotated[
    list[str] | None, typer.Option("--model", metavar="NAME", help="A model of the repairer chat. Repeatable.")
]
Samples: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--samples",
        metavar="N",
        parser=at_least(1),
        help="Number of samples per trial from a model, program or function.",
    ),
]
_RECORD: Any = typer.Option(
    "--record",
    metavar="MODE",
    help="none: replay only. new_episodes: record what is missing. all: record everything again.",
    show_default="none",
)
Record: TypeAlias = Annotated[str, _RECORD]
RunRecord: TypeAlias = Annotated[str | None, _RECORD]
Concurrency: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        metavar="N",
        parser=at_least(1),
        help="Maximum number of concurrent requests to a model while recording; default: as configured, or 1.",
    ),
]
DryRun: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Send and write nothing; print the requests, time and cost of a recording.",
    ),
]
Details: TypeAlias = Annotated[bool, typer.Option("--details", help="Print all policies and parts, one line for each.")]
AllowShell: TypeAlias = Annotated[
    bool, typer.Option("--allow-shell", help="Run shell nodes while recording, in a sandbox without network.")
]
AllowWrites: TypeAlias = Annotated[
    bool, typer.Option("--allow-writes", help="Send write requests to live APIs while recording; each is listed first.")
]
RunShell: TypeAlias = Annotated[
    bool, typer.Option("--allow-shell", help="Run shell nodes, in a sandbox without network.")
]
Sandbox: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--files", metavar="DIR", show_default=False,
        help="Folder that file nodes can read and write; default: .mendbench/sandbox.",
    ),
]  # fmt: skip
Workers: TypeAlias = Annotated[
    int,
    typer.Option(
        "--workers", metavar="N", parser=workers, help="Number of worker processes; 0 or auto: one for each core."
    ),
]

Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Run on the workers of this dask scheduler; `local`: a scheduler on this machine.",
    ),
]


ShardOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--shard", metavar="K/N", help="Run only part K of N; `mendbench merge` merges the parts."),
]
TraceFile: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--trace", metavar="FILE", help="Trace file; default: .mendbench/last-trace.json.", show_default=False
    ),
]


def run_folder(out: Path | None, resume: Path | None) -> Path | None:
    """Return the folder that ``--out`` or ``--resume`` names.

    Raises:
        BadInput: they name two folders, or a folder that cannot be replaced as a whole.
    """
    if out is not None and resume is not None and out.absolute() != resume.absolute():
        raise BadInput(f"--out {out}", f"another folder than --resume {resume}", "omit --out to resume")
    folder = resume or out
    if folder is not None and folder.name in {"", ".."}:
        raise BadInput(f"--out {folder}", "a folder without a name of its own", "name a new folder, such as my-run")
    return folder
