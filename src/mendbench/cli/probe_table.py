"""The table of broken calls: one row for each finding, whether one tool leads to it or several."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence

from mendbench.cli.output import plain
from mendbench.probing.result import BrokenCall
from mendbench.report.table_model import Column, Table

_HEADINGS = ("tool", "fault", "verdict", "missing", "message")
_LEAST = (20, 24, 8, 22, 16)
"""Widths that the columns have at least, if their cells are that long."""
_FIRST = (3, 1, 0, 4)
"""The columns that get what is left, in this order."""
_WIDTH = 100
"""Columns of a row outside a wider terminal: it fits a page of documentation."""
_GAP = 2
"""Columns after a cell."""


def probe_table(broken: Sequence[BrokenCall]) -> Table:
    """Return the broken calls whose messages do not help, in their order. Several tools with the same finding share a row."""
    groups: dict[tuple[str, ...], list[BrokenCall]] = {}
    for one in broken:
        if one.findings.verdict != "helps":
            groups.setdefault(_finding(one), []).append(one)
    rows = [_row(group, broken) for group in groups.values()]
    return Table(columns=tuple(map(Column, _HEADINGS)), rows=_fitted(rows))


def _finding(one: BrokenCall) -> tuple[str, ...]:
    missing = ", ".join(one.findings.missing)
    if one.findings.heed in {"ignored", "accepted"}:
        missing += f" ({one.findings.heed})"
    return one.fault.what, one.findings.verdict, missing


def _row(group: Sequence[BrokenCall], broken: Iterable[BrokenCall]) -> tuple[str, ...]:
    """Return the cells of a group; its message is that of the first."""
    first = group[0]
    tools = {one.call.tool for one in group}
    asked = {one.call.tool for one in broken if one.fault.what == first.fault.what}
    tool = f"{len(tools)} of {len(asked)} tools" if len(tools) > 1 else first.call.tool
    _, prefix, rest = first.answer.first_line.partition(f"{first.call.tool}: ")
    message = f"…{rest}" if prefix and rest else first.answer.first_line
    return tool, *_finding(first), message


def _fitted(rows: Sequence[tuple[str, ...]]) -> list[list[str]]:
    """Return the rows with their cells cut, so that each fits the width."""
    longest = [max(map(len, column)) for column in zip(_HEADINGS, *rows, strict=True)]
    widths = [min(found, least) for found, least in zip(longest, _LEAST, strict=True)]
    spare = _room() - sum(widths) - _GAP * len(widths)
    for column in _FIRST:
        more = min(longest[column] - widths[column], spare)
        widths[column] += more
        spare -= more
    return [[_cut(cell, width) for cell, width in zip(row, widths, strict=True)] for row in rows]


def _room() -> int:
    terminal = sys.stdout is not None and sys.stdout.isatty()
    return max(_WIDTH, shutil.get_terminal_size().columns if terminal else 0)


def _cut(text: str, width: int) -> str:
    line = plain(text)
    return line if len(line) <= width else f"{line[: width - 1]}…"
