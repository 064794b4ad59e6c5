"""Options that several commands share, declared once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer


class Format(StrEnum):
    """How a table is printed."""

    text = "text"
    json = "json"


Cases: TypeAlias = Annotated[Path | None, typer.Option("--cases", help="Folder of the cases.")]
Cassettes: TypeAlias = Annotated[Path | None, typer.Option("--cassettes", help="Folder of the recordings.")]
Output: TypeAlias = Annotated[Format, typer.Option("--format", help="How the table is printed.")]
Names: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(metavar="[CASE]...", help="Cases: ids, families or patterns; all if none is given."),
]
Strategies: TypeAlias = Annotated[
    list[str] | None, typer.Option("--strategy", help="Strategy: a name, or a template file (NAME.md.j2). Repeatable.")
]
