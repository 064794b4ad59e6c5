"""Judges old runs with the current scorer, from their folders alone."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mendbench.config.config_file import load_config
from mendbench.config.prices import Price
from mendbench.errors import BadInput
from mendbench.io.temporary_folders import reported_folder_errors, scratch
from mendbench.model.json import JsonObject
from mendbench.report.html import html_parts
from mendbench.results.repricing import prices_today, repriced
from mendbench.results.rewriting import rewrite_run, seen_in
from mendbench.results.run_document import totals_of_trials
from mendbench.results.run_lines import TRIALS
from mendbench.results.store import RUN, StoredRun, line_of, read_run
from mendbench.results.stored_rows import GrowingFile, Lines, StoredRows
from mendbench.scoring.judging.evidence import AGAIN, held, rescored
from mendbench.scoring.judging.version import EVIDENCE, SCORER, evidence_version
from mendbench.trial.components import BenchContext


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """A rescored run, with the number of changed judgements: of trials, or of attempts for labels, progress levels and costs."""

    run: StoredRun
    before: str
    """The previous scorer."""
    scorer: str
    verdicts: int
    outcomes: int
    labels: int
    levels: int
    costs: int
    prices: Mapping[str, str]
    """The source of the price of each model, program or function that the new costs use; ``unknown`` if it is not known."""


def rescore(folder: Path) -> Rescored:
    """Judge a complete run with the current scorer and prices, write its folder again, and return what changed.

    Nothing is replayed: neither cases nor recordings are read. A run by the current scorer and prices stays the same, byte by byte.

    Raises:
        BadInput: there is no run, it is of another format, or its facts are missing, broken or of another version.
    """
    seen = seen_in(folder)
    stored, context = read_run(folder), _context()
    with _reported_at(folder / RUN):
        digests = held(stored.run, "digests", dict)
        before, old_prices = held(digests, "scorer", str, "digests"), held(digests, "prices", dict, "digests")
        if evidence_version(before) != EVIDENCE:
            found = f"its evidence has version {evidence_version(before)}, not {EVIDENCE}"
            raise BadInput("digests.scorer", found, AGAIN)
        prices = prices_today(stored.records, old_prices, context)
    changed = Counter[str]()
    with scratch("rescore") as beside:
        rows = StoredRows(_written(beside / TRIALS, _rewritten_lines(stored, prices, changed)))
        described = {**old_prices, **{name: price.described() for name, price in prices.items()}}
        run: JsonObject = {
            **stored.run,
            "digests": {**digests, "scorer": SCORER, "prices": described},
            **totals_of_trials(rows.records()),
        }
        done = replace(stored, run=run, rows=rows)
        rewrite_run(done, {"index.html": html_parts(done)}, seen)
    return Rescored(
        run=done,
        before=before,
        scorer=SCORER,
        verdicts=changed["verdict"],
        outcomes=changed["outcome"],
        labels=changed["label"],
        levels=changed["progress"],
        costs=changed["cost_usd"],
        prices={name: str(price["source"]) for name, price in sorted(described.items())},
    )


def _context() -> BenchContext:
    """Return the context for looking up current prices. Its cases and recordings are never read."""
    loaded = load_config()
    return BenchContext(
        cases_dir=loaded.cases_dir,
        cassettes_dir=loaded.cassettes_dir,
        models=dict(loaded.config.models),
        repairers=dict(loaded.config.repairers),
    )


def _written(path: Path, lines: Iterator[bytes]) -> Lines:
    with reported_folder_errors():
        file = GrowingFile(path, lines)
    file.close()
    return file.lines()


def _rewritten_lines(stored: StoredRun, prices: Mapping[str, Price], changed: Counter[str]) -> Iterator[bytes]:
    """Yield the line of each row, judged again, and count in ``changed`` the changed judgements by field."""
    for number, row in enumerate(stored.rows, start=1):
        with _reported_at(f"{stored.folder / TRIALS}:{number}"):
            rescored_row = repriced(rescored(row), prices, stored.texts)
        changed.update(name for name in ("verdict", "outcome") if row.get(name) != rescored_row.get(name))
        for one, other in zip(row["attempts"], rescored_row["attempts"], strict=True):
            changed.update(name for name in ("label", "progress", "cost_usd") if one.get(name) != other.get(name))
        yield line_of(rescored_row)


@contextlib.contextmanager
def _reported_at(place: Path | str) -> Iterator[None]:
    """Add the file's name to errors about bad input inside the file."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{place}: {error.place}", error.found, error.hint) from None
