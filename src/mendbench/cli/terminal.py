"""What the terminal shows: tables on standard output, words and progress on standard error.

Only terminals get colours and bars.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from mendbench.cli.crash_view import say_crashed, unmeasured
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, say, write, write_json
from mendbench.cli.summary_view import show_summary
from mendbench.model.trial import JsonRow
from mendbench.report.words import stale_sentences
from mendbench.results.store import StoredRun
from mendbench.trial.row import whole

SHOWN = 3
"""Trials without a verdict that are named one by one; the report names them all."""

_BESIDE_THE_NAME = 60
"""Columns that the progress line takes without the name of what was done last."""


@contextlib.contextmanager
def progress() -> Iterator[_Progress]:
    """Yield something to be told how far the work is; it draws a bar if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield _Progress(None)
        return
    columns = (
        TextColumn("{task.percentage:>3.0f} %"), BarColumn(bar_width=24), MofNCompleteColumn(), TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Progress(bar)


class _Progress:
    """Draws how far the work is."""

    def __init__(self, bar: Progress | None) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None) if bar else None

    def __call__(self, done: int, total: int, last: str) -> None:
        """Show that ``done`` of ``total`` are done, ``last`` the newest."""
        if self._bar is not None and self._task is not None:
            room = max(0, self._bar.console.width - _BESIDE_THE_NAME)
            name = plain(last).split(" | ")[0]
            self._bar.update(self._task, completed=done, total=total, description=name[:room])


def show_run(
    stored: StoredRun, output: Format, record: str | None, *, part: str | None = None, everything: bool = False
) -> int:
    """Print a run in short and return :func:`code_of` it. ``record`` is the command that records what is missing.

    ``part`` and ``everything`` are of :func:`mendbench.cli.summary_view.show_summary`.
    """
    if output is Format.json:
        write_json(stored.run)
    else:
        trials = stored.run["trials"]
        show_summary(stored, part, everything=everything)
        write(f"\n{trials} {'trial' if trials == 1 else 'trials'}; report: {stored.folder / 'index.html'}\n")
    _say_unjudged(stored, record)
    say_crashed(stored)
    _say_left_out(stored)
    _say_stale(stored)
    return code_of(stored)


def code_of(stored: StoredRun) -> int:
    """Return the exit code of a run: 3 where a recording is missing, or where nothing was measured of an engine or a repairer."""
    open_ = stored.run["bounds"]["unjudged"] or unmeasured(stored.records)
    return Exit.INCOMPLETE if open_ else Exit.DONE


def _say_unjudged(stored: StoredRun, record: str | None) -> None:
    """Say which trials miss a recording, and what would record it."""
    count, problems = 0, dict[str, tuple[str, str]]()
    for place in stored.records.where("verdict", "unjudged".__eq__).places():
        row = stored.rows[place]
        if row["problem"] is not None:
            count += 1
            what, said = _problem(row, stored)
            problems.setdefault(what, (str(row["key"]), said))
    if not count:
        return
    hint = f"; record what is missing with: {record}" if record else ""
    say(f"unjudged: {count} of {len(stored.rows)} trials miss a recording{hint}")
    for key, said in sorted(problems.values())[:SHOWN]:
        say(f"unjudged: {key}: {said}")
    if len(problems) > SHOWN:
        say(f"unjudged: {len(problems) - SHOWN} more; all stand in {stored.folder / 'index.html'}")


def _say_left_out(stored: StoredRun) -> None:
    """Say which cases an engine cannot express: they are in no denominator."""
    by_engine: dict[str, list[str]] = {}
    for one in stored.run.get("left_out") or ():
        by_engine.setdefault(one["engine"], []).append(one["case"])
    for engine, cases in by_engine.items():
        shown = ", ".join(cases[:SHOWN]) + (f" and {len(cases) - SHOWN} more" if len(cases) > SHOWN else "")
        say(f"left out: {engine} cannot express {len(cases)} case{'' if len(cases) == 1 else 's'}: {shown}")


def _say_stale(stored: StoredRun) -> None:
    """Say how many recorded responses nothing asks for any more, and of how many that is not known."""
    for line in stale_sentences(stored.run.get("stale") or {}):
        say(f"stale: {line}")


def _problem(row: JsonRow, stored: StoredRun) -> tuple[str, str]:
    """Return what keeps a trial from a verdict, by which several trials that miss the same are one; and the words for it."""
    problem = whole(row["problem"], stored.texts)
    return f"{row['case']} {(problem.get('detail') or {}).get('request') or problem['message']}", problem["message"]
