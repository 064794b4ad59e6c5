"""Prints the result of ``mendbench tools probe``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, say, write, write_json
from mendbench.cli.tables import show_tables
from mendbench.cli.words import counted
from mendbench.errors import UnknownName
from mendbench.probing.findings import VERDICTS, Verdict
from mendbench.probing.hints import network_hint
from mendbench.probing.result import BrokenCall, Probe
from mendbench.report.table_model import Column, Table
from mendbench.values.words import few

if TYPE_CHECKING:
    from pathlib import Path

    from mendbench.api.probe_output import Emitted

_HEADINGS = ("tool", "fault", "verdict", "missing", "message")
_MOST = (20, 24, 8, 22)
"""Widths of the first four columns, if their cells are that long; the message gets the rest."""
_WIDTH = 100
"""Columns of a row: it fits a terminal and a page of documentation."""
_NAMED = 6
"""Tools or calls that a line about what was not run names."""
_GAP = 2
"""Columns after a cell."""


def verdicts(given: str | None) -> frozenset[str]:
    """Return the verdicts in a list with commas.

    Raises:
        UnknownName: one is no verdict.
    """
    names = [name.strip() for name in given.split(",")] if given is not None else []
    for name in names:
        if name not in VERDICTS:
            raise UnknownName("verdict", name, VERDICTS, "--fail-on")
    return frozenset(names)


def show_draft(path: Path) -> int:
    """Print what to do with a draft of calls."""
    say(f"{path}: a draft of a call for each tool: fill in its values and requests, and give it: --calls {path}")
    return Exit.DONE


def show_probe(found: Probe, output: Format, failing: Collection[str] = (), emitted: Emitted | None = None) -> int:
    """Print the broken calls, worst first, and one line for each tool and for the server.

    Exit 1 if a broken call has one of the ``failing`` verdicts.
    """
    code = Exit.FAILED if any(one.findings.verdict in failing for one in found.broken) else Exit.DONE
    for why in dict.fromkeys(left.why for left in emitted.left) if emitted is not None else ():
        say(f"{few([left.what for left in emitted.left if left.why == why], most=_NAMED)}: {why}")
    if emitted is not None:
        say(_written(emitted))
    _say_left_out(found)
    if output is Format.json:
        write_json(found.document())
        return code
    rows = [_row(one) for one in found.broken if one.findings.verdict != "helps"]
    if rows:
        show_tables([Table(columns=tuple(map(Column, _HEADINGS)), rows=_fitted(rows))])
        write("\n")
    for tool in found.tools:
        if counts := found.counts(tool.name):
            write(f"{plain(tool.name)}: {_counted(counts)}\n")
    name = " ".join(filter(None, (found.info.name, found.info.version))) or found.server
    write(f"\n{plain(name)}: {counted(len(found.broken), 'broken call')}: {_counted(found.counts()) or 'none'}\n")
    return code


def _written(emitted: Emitted) -> str:
    if not emitted.cases:
        return f"no case is written to {emitted.cases_dir}"
    return f"{counted(len(emitted.cases), 'case')} in {emitted.cases_dir}; prove them again with: {emitted.check}"


def _say_left_out(found: Probe) -> None:
    for wrong in found.wrong:
        hint = f"; {why}" if (why := network_hint(wrong.answer.text, sandboxed=found.sandbox)) else ""
        say(f"not right: {wrong.call.place}: {wrong.call.tool}: {wrong.answer.first_line}{hint}")
    for why in dict.fromkeys(left.why for left in found.not_run):
        say(f"not counted: {few([left.what for left in found.not_run if left.why == why], most=_NAMED)}: {why}")


def _row(one: BrokenCall) -> tuple[str, ...]:
    missing = ", ".join(one.findings.missing)
    if one.findings.heed in {"ignored", "accepted"}:
        missing += f" ({one.findings.heed})"
    _, prefix, rest = one.answer.first_line.partition(f"{one.call.tool}: ")
    message = f"…{rest}" if prefix and rest else one.answer.first_line
    return one.call.tool, one.fault.what, one.findings.verdict, missing, message


def _fitted(rows: Sequence[tuple[str, ...]]) -> list[list[str]]:
    """Return the rows with their cells cut, so that each fits the width."""
    longest = [max(map(len, column)) for column in zip(_HEADINGS, *rows, strict=True)]
    widths = [min(found, most) for found, most in zip(longest, _MOST, strict=False)]
    widths.append(_WIDTH - sum(widths) - _GAP * (len(widths) + 1))
    return [[_cut(cell, width) for cell, width in zip(row, widths, strict=True)] for row in rows]


def _cut(text: str, width: int) -> str:
    line = plain(text)
    return line if len(line) <= width else f"{line[: width - 1]}…"


def _counted(counts: Mapping[Verdict, int]) -> str:
    return ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
