"""``mendbench schema``."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def schema(what: Annotated[str, typer.Argument(help="case, workflow, strategy, config or trial.")]) -> int:
    """Print a JSON Schema, for editors and for other tools."""
    from mendbench import api

    typer.echo(json.dumps(api.schema(what), indent=2, ensure_ascii=False))
    return 0
