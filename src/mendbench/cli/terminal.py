"""Prints a run: tables on standard output, messages and progress on standard error.

Only terminals get colours and progress bars.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mendbench.cli.crash_view import say_crashed, unmeasured
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, say, write, write_json
from mendbench.cli.summary_view import show_summary
from mendbench.cli.words import counted
from mendbench.report.views import BOUND_REPAIRERS, RULE_BOOK
from mendbench.report.words import listing, stale_sentences
from mendbench.results.store import StoredRun
from mendbench.trial.long_texts import whole
from mendbench.values.name_lists import few

if TYPE_CHECKING:
    from rich.progress import Progress

    from mendbench.api.rescoring import Rescored
    from mendbench.api.rule_book import Agreement

SHOWN = 3
"""Trials without a verdict that are listed; the report has all."""

_BESIDE_THE_NAME = 60
"""Width of the progress line without the name of the last case."""


@contextlib.contextmanager
def progress() -> Iterator[_Progress]:
    """Yield a callback for progress. It draws a bar if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield _Progress(None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.percentage:>3.0f} %"), BarColumn(bar_width=24), MofNCompleteColumn(), TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )  # fmt: skip
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Progress(bar)


class _Progress:
    """Draws the progress."""

    def __init__(self, bar: Progress | None) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None) if bar else None

    def __call__(self, done: int, total: int, last: str) -> None:
        """Show that ``done`` of ``total`` are done; ``last`` names the latest."""
        if self._bar is not None and self._task is not None:
            room = max(0, self._bar.console.width - _BESIDE_THE_NAME)
            name = plain(last).split(" | ")[0]
            self._bar.update(self._task, completed=done, total=total, description=name[:room])


def show_run(
    stored: StoredRun, output: Format, record: str | None, *, part: str | None = None, details: bool = False
) -> int:
    """Print a summary of a run, and return its exit code (:func:`code_of`). ``record`` is the command that records what is missing.

    For ``part`` and ``details`` see :func:`mendbench.cli.summary_view.show_summary`.
    """
    if output is Format.json:
        write_json(stored.run)
    else:
        show_summary(stored, part, details=details)
        write(f"\n{counted(stored.run['trials'], 'trial')}; report: {stored.folder / 'index.html'}\n")
    _say_unjudged(stored, record)
    say_crashed(stored)
    _say_left_out(stored)
    for line in stale_sentences(stored.run.get("stale") or {}):
        say(f"stale: {line}")
    return code_of(stored)


def code_of(stored: StoredRun) -> int:
    """Return the exit code of a run: 3 if a recording is missing, or if all trials of an engine or a repairer crashed."""
    unjudged = stored.records.where("verdict", "unjudged".__eq__)
    open_ = any(one.repairer != RULE_BOOK for one in unjudged.values("treatment")) or unmeasured(stored.records)
    return Exit.INCOMPLETE if open_ else Exit.DONE


def is_smoke_test(stored: StoredRun) -> bool:
    """Return whether the rule book alone responded in a run."""
    return all(one.repairer in {RULE_BOOK, *BOUND_REPAIRERS} for one in stored.records.values("treatment"))


def say_agreement(found: Agreement | None) -> None:
    """Report how far the rule book agrees with the recorded main model."""
    if found is not None:
        say(
            f"the rule book and {found.model} agree on {found.agree} of {counted(found.pairs, 'first response')} to the same strategies: "
            f"right are {found.rules_right} of its and {found.model_right} of the model's"
        )


def _say_unjudged(stored: StoredRun, record: str | None) -> None:
    """Report the trials with a missing recording, and how to record it."""
    count, unreachable, problems = 0, set[str](), dict[str, tuple[str, str]]()
    for place in stored.records.where("verdict", "unjudged".__eq__).places():
        row = stored.rows[place]
        if row["repairer"] == RULE_BOOK:
            unreachable.add(row["case"])
        elif row["problem"] is not None:
            count += 1
            problem = whole(row["problem"], stored.texts)
            request = (problem.get("detail") or {}).get("request") or problem["message"]
            problems.setdefault(f"{row['case']} {request}", (str(row["key"]), problem["message"]))
    if unreachable:
        names = few(sorted(unreachable), most=SHOWN)
        say(f"left out: the rule book's edits of {counted(len(unreachable), 'case')} need a live world: {names}")
    if not count:
        return
    hint = f"; record what is missing with: {record}" if record else ""
    say(f"unjudged: {count} of {len(stored.rows)} trials miss a recording{hint}")
    for key, message in sorted(problems.values())[:SHOWN]:
        say(f"unjudged: {key}: {message}")
    if len(problems) > SHOWN:
        say(f"unjudged: {len(problems) - SHOWN} more; all stand in {stored.folder / 'index.html'}")


def _say_left_out(stored: StoredRun) -> None:
    """Report the cases that an engine cannot express: they are in no denominator."""
    by_engine: dict[str, list[str]] = {}
    for omitted in stored.run.get("left_out") or ():
        by_engine.setdefault(omitted["engine"], []).append(omitted["case"])
    for engine, cases in by_engine.items():
        say(f"left out: {engine} cannot express {counted(len(cases), 'case')}: {few(cases, most=SHOWN)}")


def say_rescored(rescored: Rescored) -> None:
    """Report the scorer that judged a run again, what that changed, and the prices of its costs."""
    was = "" if rescored.before == rescored.scorer else f", and no longer by {rescored.before}"
    counts = {
        "verdict": rescored.verdicts, "outcome": rescored.outcomes, "label": rescored.labels,
        "progress level": rescored.levels, "cost": rescored.costs,
    }  # fmt: skip
    changed = listing([counted(count, noun) for noun, count in counts.items()])
    prices = ", ".join(f"{name} ({source})" for name, source in rescored.prices.items())
    today = f"; prices of today: {prices}" if prices else ""
    trials = counted(len(rescored.run.rows), "trial")
    say(f"rescored: {trials} by scorer {rescored.scorer}{was}: {changed} changed{today}")
