"""Where repair stopped, for each strategy of the headline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mendbench.report.selection import Selection
from mendbench.report.views import Group
from mendbench.scoring.funnel import STAGES, Funnel, Stage, funnel

SAYS: dict[Stage, str] = {
    "not asked": "never asked for a repair",
    "no usable response": "without a usable response",
    "unchanged": "left unchanged",
    "invalid": "not a valid workflow",
    "edited elsewhere": "edited in the wrong place",
    "cause edited": "edited in the right place, still failing",
    "green but wrong": "ran green, does the wrong thing",
    "right": "right",
    "open": "without a verdict",
}
"""Where a trial stopped, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunnelLine:
    """The funnel of one strategy."""

    strategy: str
    group: Group
    funnel: Funnel


def funnel_lines(selection: Selection) -> tuple[FunnelLine, ...]:
    """Return the funnels of the strategies with trials of edit-fault cases, under the headline's policy."""
    found = ((column, funnel(selection.of(column))) for column in selection.strategies())
    return tuple(
        FunnelLine(strategy=column.name, group=column.group, funnel=one) for column, one in found if one.trials
    )


def reached(lines: Sequence[FunnelLine]) -> tuple[Stage, ...]:
    """Return the stages at which a trial of any of these strategies stopped; ``right`` is always included."""
    return tuple(
        stage
        for stage in STAGES
        if stage == "right" or any(line.funnel.first[stage] or line.funnel.final[stage] for line in lines)
    )
