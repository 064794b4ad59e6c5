"""What the terminal shows: tables on standard output, progress on standard error. Only terminals get colours and bars."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import sys
from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from mendbench.api import Rendering
from mendbench.bench.proof import Proof
from mendbench.bench.results import StoredRun
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.model.case import Case
from mendbench.model.json import Json, JsonObject
from mendbench.strategies import StrategyInfo

WIDE = 160
"""Columns of a table that is not shown on a terminal."""


@contextlib.contextmanager
def progress() -> Iterator[_Progress]:
    """Yield something to be told how far the work is; it draws a bar if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield _Progress(None)
        return
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
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
            self._bar.update(self._task, completed=done, total=total, description=last[:60])


def show_run(stored: StoredRun, output: Format) -> int:
    """Print a run's totals; exit 3 if any trial has no verdict."""
    if output is Format.json:
        _json(stored.run)
    else:
        _console().print(_totals_table(stored.run))
        _say_open(stored)
        place = stored.folder / "index.html"
        sys.stdout.write(f"{stored.run['trials']} trials; report: {place}\n")
    return Exit.INCOMPLETE if stored.run["bounds"]["unjudged"] else Exit.DONE


def _totals_table(run: JsonObject) -> Table:
    table = Table(
        title="Repair success: cases right within three attempts, of the cases with an edit fault", title_justify="left"
    )
    for name in ("repairer", "strategy", "policy"):
        table.add_column(name)
    for name in (
        "right",
        "95 % interval",
        "first attempt",
        "plausible",
        "harmful",
        "wasted",
        "context tokens",
        "facts told",
    ):
        table.add_column(name, justify="right")
    for total in run["totals"]:
        low_high = total["interval"]
        bounds = total["bounds"]
        right = (
            _number(total["right"])
            if bounds["lower"] == bounds["upper"]
            else f"{_number(bounds['lower'])}–{_number(bounds['upper'])}"
        )
        table.add_row(
            total["model"] or total["repairer"], total["strategy"], total["policy"], f"{right}/{total['cases']}",
            f"{low_high['low']:.2f}–{low_high['high']:.2f}" if low_high else "-", str(total["first_attempt"]),
            str(total["outcomes"].get("plausible", 0)), str(total["outcomes"].get("harmful", 0)),
            str(total["wasted_attempts"]), _number(total["context_tokens"]), _number(total["context_recall"]),
        )  # fmt: skip
    return table


def _say_open(stored: StoredRun) -> None:
    """Say on standard error which trials have no verdict, and what would give them one."""
    seen: set[str] = set()
    for row in stored.rows:
        problem = row["problem"]
        if problem is None:
            continue
        message = problem["message"]
        text = stored.texts[message["$text"]] if isinstance(message, dict) else message
        if text not in seen:
            seen.add(text)
            sys.stderr.write(f"mendbench: {row['verdict']}: {row['key']}: {text}\n")


def show_cases(cases: Sequence[Case], output: Format) -> int:
    """Print cases."""
    rows: list[JsonObject] = [
        {
            "case": case.id, "group": case.group, "family": case.family, "kind": case.kind, "title": case.title,
            "difficulty": case.difficulty, "recorded_from": case.recorded_from, "tags": list(case.tags),
            "variants": len(case.variants), "nodes": len(case.workflow.get("nodes", [])),
        }
        for case in cases
    ]  # fmt: skip
    if output is Format.json:
        _json(rows)
        return Exit.DONE
    table = Table()
    for name in ("case", "kind", "difficulty", "recorded from", "title"):
        table.add_column(name)
    for row in rows:
        sources = ", ".join(sorted(set(row["recorded_from"].values())))
        table.add_row(row["case"], row["kind"], row["difficulty"], sources, row["title"])
    _console().print(table)
    return Exit.DONE


def show_proofs(proofs: Sequence[Proof], output: Format) -> int:
    """Print proofs; exit 1 if one does not hold."""
    failed = [proof for proof in proofs if not proof.held]
    if output is Format.json:
        _json([{**dataclasses.asdict(proof), "held": proof.held, "strength": proof.strength} for proof in proofs])
        return Exit.FAILED if failed else Exit.DONE
    table = Table(title="Proof of the corpus", title_justify="left")
    for name in ("case", "kind", "holds"):
        table.add_column(name)
    for name in ("killed", "survived", "invalid", "missed", "seconds"):
        table.add_column(name, justify="right")
    for proof in proofs:
        fates = [mutant.fate for mutant in proof.mutants]
        counts = [str(fates.count(fate)) for fate in ("killed", "survived", "invalid", "missed")]
        table.add_row(proof.case, proof.kind, "yes" if proof.held else "NO", *counts, f"{proof.seconds:.1f}")
    _console().print(table)
    for proof in proofs:
        for finding in proof.findings:
            if not finding.held:
                sys.stderr.write(f"mendbench: {proof.case}: {finding.what}: does not hold; {finding.why}\n")
        for mutant in proof.mutants:
            if mutant.fate == "survived":
                sys.stderr.write(f"mendbench: {proof.case}: mutant survives: {mutant.what}\n")
    fates = [mutant.fate for proof in proofs for mutant in proof.mutants]
    killed, judged = fates.count("killed"), fates.count("killed") + fates.count("survived")
    strength = f"{killed}/{judged} mutants killed" if judged else "no mutants"
    sys.stdout.write(f"{len(proofs) - len(failed)} of {len(proofs)} cases proved; {strength}\n")
    return Exit.FAILED if failed else Exit.DONE


def show_strategies(found: Sequence[StrategyInfo], output: Format) -> int:
    """Print strategies."""
    if output is Format.json:
        _json([dataclasses.asdict(info) for info in found])
        return Exit.DONE
    table = Table()
    for name in ("strategy", "title", "source"):
        table.add_column(name)
    for info in found:
        table.add_row(info.strategy, info.title, info.source)
    _console().print(table)
    return Exit.DONE


def show_rendering(rendering: Rendering, output: Format) -> int:
    """Print a prompt and what it tells."""
    prompt, recall = rendering.prompt, rendering.recall
    if output is Format.json:
        _json({
            "case": rendering.case, "strategy": prompt.context.strategy, "system": prompt.system, "user": prompt.user,
            "sections": [dataclasses.asdict(section) for section in prompt.context.sections],
            "context_tokens": prompt.context.tokens, "truncated": prompt.context.truncated,
            "facts": dataclasses.asdict(recall), "holds_fix": rendering.holds_fix,
        })  # fmt: skip
        return Exit.DONE
    sys.stdout.write(f"{prompt.system}\n\n{prompt.user}\n")
    sys.stderr.write(
        f"context: about {prompt.context.tokens} tokens{', cut' if prompt.context.truncated else ''}; "
        f"facts told: {', '.join(recall.found) or 'none'}; missing: {', '.join(recall.missing) or 'none'}; "
        f"the fix's new value: {rendering.holds_fix or 'no fix'}\n"
    )
    return Exit.DONE


def _console() -> Console:
    return Console(width=None if sys.stdout.isatty() else WIDE, no_color="NO_COLOR" in os.environ or None)


def _json(value: Json) -> None:
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False, default=str) + "\n")


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return str(int(value)) if float(value).is_integer() else f"{value:.2f}"
