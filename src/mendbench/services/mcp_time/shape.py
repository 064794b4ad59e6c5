"""The shape of the clock: see :mod:`mendbench.services.mcp_time.world`."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator

from mendbench.services.shape import Shape, misfit
from mendbench.values.schema import shown


def _moment(text: str) -> str:
    try:
        zone = datetime.fromisoformat(text).tzinfo
    except ValueError:
        zone = None
    if zone is None:
        raise misfit(f"{shown(text)} is no time with a zone", "write 2026-07-01T12:00:00Z")
    return text


class State(Shape):
    """The time of the fixed clock."""

    now: Annotated[str, AfterValidator(_moment)] | None = None
