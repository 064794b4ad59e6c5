"""Prints the result of ``mendbench tools probe``."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, say, write, write_json
from mendbench.cli.probe_table import probe_table
from mendbench.cli.tables import show_tables
from mendbench.cli.words import counted
from mendbench.errors import UnknownName
from mendbench.probing.findings import VERDICTS, Verdict
from mendbench.probing.hints import network_hint
from mendbench.probing.result import NotRun, Probe
from mendbench.values.name_lists import few

if TYPE_CHECKING:
    from pathlib import Path

    from mendbench.api.probe_output import Emitted

_NAMED = 6
"""Tools or calls that a line about what was not run names."""


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
    if emitted is not None:
        _say_written(emitted)
    _say_left_out(found)
    if output is Format.json:
        write_json(found.document())
        return code
    table = probe_table(found.broken)
    if table.rows:
        show_tables([table])
        write("\n")
    for tool in found.tools:
        if counts := found.counts(tool.name):
            write(f"{plain(tool.name)}: {_counted(counts)}\n")
    name = " ".join(filter(None, (found.info.name, found.info.version))) or found.server
    write(f"\n{plain(name)}: {counted(len(found.broken), 'broken call')}: {_counted(found.counts()) or 'none'}\n")
    return code


def _say_written(emitted: Emitted) -> None:
    _say_by_reason(emitted.left)
    if emitted.cases:
        say(f"{counted(len(emitted.cases), 'case')} in {emitted.cases_dir}; prove them again with: {emitted.check}")
    else:
        say(f"no case is written to {emitted.cases_dir}")


def _say_left_out(found: Probe) -> None:
    for wrong in found.wrong:
        hint = f"; {why}" if (why := network_hint(wrong.answer.text, sandboxed=found.sandbox)) else ""
        say(f"not right: {wrong.call.place}: {wrong.call.tool}: {wrong.answer.first_line}{hint}")
    _say_by_reason(found.not_run, "not counted: ")


def _say_by_reason(left: Sequence[NotRun], prefix: str = "") -> None:
    for why in dict.fromkeys(one.why for one in left):
        say(f"{prefix}{few([one.what for one in left if one.why == why], most=_NAMED)}: {why}")


def _counted(counts: Mapping[Verdict, int]) -> str:
    return ", ".join(f"{number} {verdict}" for verdict, number in counts.items())
