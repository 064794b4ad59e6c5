"""``mendbench merge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mendbench.cli.options import Format, Output, run_folder


def merge(
    folders: Annotated[list[Path], typer.Argument(metavar="RUN", help="Folders of all shards of one run.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write the whole run to.")],
    output: Output = Format.text,
) -> int:
    """Put the shards of a run together (`mendbench run --shard K/N`): what the undivided run would have written."""
    run_folder(out, None)

    from mendbench import api
    from mendbench.cli import terminal

    return terminal.show_run(api.merge(folders, out), output, None)
