"""Prints the result of ``mendbench tools probe``."""

from __future__ import annotations

from collections.abc import Mapping

from mendbench.api.probing import Emitted
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, say, write, write_json
from mendbench.cli.tables import show_tables
from mendbench.cli.words import counted
from mendbench.probing.findings import Verdict
from mendbench.probing.result import BrokenCall, Probe
from mendbench.report.table_model import Column, Table

_WIDTHS = {"tool": 18, "fault": 24, "verdict": 8, "missing": 20}
_WIDTH = 100
"""Columns of a row: it fits a terminal and a page of documentation."""


def show_probe(found: Probe, output: Format, emitted: Emitted | None = None) -> int:
    """Print the broken calls, worst first, and one line for each tool and for the server."""
    for left in emitted.left if emitted is not None else ():
        say(f"{left.what}: {left.why}")
    if emitted is not None:
        say(f"{counted(len(emitted.cases), 'case')} in {emitted.cases_dir}; prove them again with: {emitted.check}")
    if output is Format.json:
        write_json(found.document())
        return Exit.DONE
    rows = [_row(one) for one in found.broken if one.findings.verdict != "helps"]
    if rows:
        columns = tuple(
            Column(heading) for heading in ("tool", "fault", "verdict", "what is missing", "first line of the message")
        )
        show_tables([Table(columns=columns, rows=rows)])
        write("\n")
    for tool in found.tools:
        if counts := found.counts(tool.name):
            write(f"{plain(tool.name)}: {_counted(counts)}\n")
    name = " ".join(filter(None, (found.info.name, found.info.version))) or found.server
    write(f"\n{plain(name)}: {counted(len(found.broken), 'broken call')}: {_counted(found.counts()) or 'none'}\n")
    for wrong in found.wrong:
        say(f"not right: {wrong.call.place}: {wrong.call.tool}: {wrong.answer.first_line}")
    for left in found.not_run:
        say(f"not run: {left.what}: {left.why}")
    return Exit.DONE


def _row(one: BrokenCall) -> tuple[str, ...]:
    missing = " and ".join(one.findings.missing)
    cells = (one.call.tool, one.fault.what, one.findings.verdict, missing)
    cut = [_cut(cell, width) for cell, width in zip(cells, _WIDTHS.values(), strict=True)]
    return (*cut, _cut(one.answer.first_line, _WIDTH - sum(_WIDTHS.values()) - 2 * len(_WIDTHS)))


def _cut(text: str, width: int) -> str:
    line = plain(text)
    return line if len(line) <= width else f"{line[: width - 1]}…"


def _counted(counts: Mapping[Verdict, int]) -> str:
    return ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
