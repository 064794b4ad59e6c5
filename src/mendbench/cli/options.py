"""Options that several commands share, declared once, and what they are checked for before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from mendbench.errors import BadInput


class Format(StrEnum):
    """How a table is printed."""

    text = "text"
    json = "json"


def at_least(least: int) -> Callable[[str | int], int]:
    """Return what reads a whole number that is not below ``least``."""

    def whole_number(given: str | int) -> int:
        number = int(given) if str(given).removeprefix("-").isdecimal() else None
        if number is None or number < least:
            raise typer.BadParameter(f"{str(given)!r} is no whole number from {least} on")
        return number

    return whole_number


def workers(given: str | int) -> int:
    """Return how many worker processes are meant: ``auto`` is 0, which stands for one on each core."""
    return 0 if given == "auto" else at_least(0)(given)


Cases: TypeAlias = Annotated[
    Path | None, typer.Option("--cases", metavar="DIR", help="Folder of the cases; else the configured one.")
]
Cassettes: TypeAlias = Annotated[
    Path | None, typer.Option("--cassettes", metavar="DIR", help="Folder of the recordings; else the configured one.")
]
Output: TypeAlias = Annotated[Format, typer.Option("--format", metavar="text|json", help="How the table is printed.")]
Names: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CASE", show_default=False, help="Cases: ids, families or patterns ('slack/*'); all if none is given."
    ),
]
PartOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--part", metavar="PART", help="Only cases of that part of the split: train, test or half."),
]
Strategies: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--strategy", metavar="NAME", help="Strategy, or a template file (my.md.j2). Repeatable."),
]
Policies: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--policy", metavar="NAME", help="When repairing stops; NAME~SIGNATURE, with another signature. Repeatable."
    ),
]
Detector: TypeAlias = Annotated[
    str | None, typer.Option("--detector", metavar="NAME", help="Takes the place of the policies' detector.")
]
Models: TypeAlias = Annotated[
    list[str] | None, typer.Option("--model", metavar="NAME", help="Model of the repairer chat. Repeatable.")
]
Samples: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--samples",
        metavar="N",
        parser=at_least(1),
        help="How often a model, program or function is asked again, per trial.",
    ),
]
_RECORD: Any = typer.Option(
    "--record",
    metavar="MODE",
    help="none: replay only. new_episodes: record what is missing. all: record everything anew.",
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
        help="Model requests of a model that are under way at once while recording; else as configured, or 1.",
    ),
]
DryRun: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        help="Ask and write nothing: print what recording would ask, what it would take, and what it would cost.",
    ),
]
AllowShell: TypeAlias = Annotated[
    bool, typer.Option("--allow-shell", help="Let shell nodes run while recording, in a sandbox without network.")
]
AllowWrites: TypeAlias = Annotated[
    bool, typer.Option("--allow-writes", help="Send writes to live APIs while recording; each is listed first.")
]
RunShell: TypeAlias = Annotated[
    bool, typer.Option("--allow-shell", help="Let shell nodes run, in a sandbox without network.")
]
Sandbox: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--files", metavar="DIR", show_default=False,
        help="The folder that file nodes read and write below; else .mendbench/sandbox.",
    ),
]  # fmt: skip
Workers: TypeAlias = Annotated[
    int,
    typer.Option("--workers", metavar="N", parser=workers, help="Worker processes; 0 or auto for one on each core."),
]

Cluster: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Run on the workers of that dask scheduler; `local` for one of this machine.",
    ),
]


ShardOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--shard", metavar="K/N", help="Run only part K of N; `mendbench merge` puts them together."),
]


def run_folder(out: Path | None, resume: Path | None) -> Path | None:
    """Return the folder that ``--out`` or ``--resume`` names.

    Raises:
        BadInput: they name two folders, or one that cannot be swapped for another whole.
    """
    if out is not None and resume is not None and out.absolute() != resume.absolute():
        raise BadInput(f"--out {out}", f"another folder than --resume {resume}", "leave --out away to resume")
    folder = resume or out
    if folder is not None and folder.name in {"", ".."}:
        raise BadInput(f"--out {folder}", "a folder without a name of its own", "name a new folder, such as my-run")
    return folder
