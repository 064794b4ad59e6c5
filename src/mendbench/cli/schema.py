"""``mendbench schema``."""

from __future__ import annotations

from typing import Annotated

import typer

from mendbench import api
from mendbench.cli.output import write_json


def schema(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="case, workflow, strategy, config or trial.")],
) -> int:
    """Print a JSON Schema, for editors and other tools."""
    write_json(api.schema(what))
    return 0
