"""Success where the first prompt contains the fix's value, or all facts, and where it does not."""

from __future__ import annotations

from dataclasses import dataclass

from mendbench.report.selection import Selection
from mendbench.report.words import counted, signed
from mendbench.scoring.strata import STRATA, ConditionSplit, Within, splits, within_cases


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptSplits:
    """The strategies of the headline, split by the contents of their first prompts."""

    names: tuple[str, ...]
    """What a prompt contains or lacks."""
    lines: tuple[tuple[str, tuple[ConditionSplit | None, ...]], ...]
    """Each strategy with a split for each of :attr:`names`; None if no prompt can be classified."""
    within: tuple[str, ...]
    """The differences within cases, in words."""


def splits_of(selection: Selection) -> PromptSplits | None:
    """Return the splits under the headline's policy; None if no strategy has one."""
    columns = selection.strategies()
    names = {column.name for column in columns}
    records = selection.under(selection.policy).where("treatment", lambda treatment: treatment.strategy in names)
    found = {name: {split.strategy: split for split in splits(records, holds)} for name, holds in STRATA.items()}
    lines = [(column.name, tuple(own.get(column.name) for own in found.values())) for column in columns]
    shown = tuple(line for line in lines if any(line[1]))
    if not shown:
        return None
    within = tuple(_within(name, within_cases(records, holds)) for name, holds in STRATA.items())
    return PromptSplits(names=tuple(found), lines=shown, within=within)


def _within(name: str, split: Within) -> str:
    if split.difference is None:
        return f"{name.capitalize()}: no case has trials of both sorts."
    cases = counted(split.cases, "case")
    interval = split.interval
    sure = f", 95 % interval {signed(100 * interval.low, 0)} to {signed(100 * interval.high, 0)}" if interval else ""
    points = f"{signed(100 * split.difference, 0)} points{sure}"
    return f"{name.capitalize()}: {points}, over {cases} with trials of both sorts."
