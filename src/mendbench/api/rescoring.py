"""Old runs judged by the scorer of today, from their folders alone."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mendbench.bench.config import load_config
from mendbench.bench.parts import Setting
from mendbench.bench.prices import Price
from mendbench.bench.repricing import prices_today, repriced
from mendbench.bench.results import RUN, TRIALS, StoredRun, read_run
from mendbench.bench.rewriting import rewrite_run
from mendbench.bench.run_document import told_by_rows
from mendbench.errors import BadInput
from mendbench.model.json import JsonObject
from mendbench.model.trial import JsonRow
from mendbench.report.html import render_html
from mendbench.scoring.judging.evidence import AGAIN, held
from mendbench.scoring.judging.rescoring import rescored
from mendbench.scoring.judging.version import FACTS, SCORER, facts_version


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescored:
    """A run that was judged anew, and how many of its trials' (for labels, rungs and costs: attempts') judgements are other ones."""

    run: StoredRun
    before: str
    """The scorer that had judged it."""
    scorer: str
    verdicts: int
    outcomes: int
    labels: int
    rungs: int
    costs: int
    prices: Mapping[str, str]
    """Where the price of each model, program or function comes from by which the costs are now; ``unknown`` where nobody knows it."""


def rescore(folder: Path) -> Rescored:
    """Judge a complete run by the scorer and the prices of today, write its folder again, and return what changed.

    Nothing is replayed: neither cases nor recordings are read. A run that today's scorer and prices made stays the same, byte by byte.

    Raises:
        BadInput: there is no run, it is of another format, or its facts are missing, broken or of another version.
    """
    stored, setting = read_run(folder), _setting()
    with _told_with(folder / RUN):
        digests = held(stored.run, "digests", dict)
        before, told = held(digests, "scorer", str, "digests"), held(digests, "prices", dict, "digests")
        if facts_version(before) != FACTS:
            found = f"its facts were gathered as of {facts_version(before)}, and today's are as of {FACTS}"
            raise BadInput("digests.scorer", found, AGAIN)
        prices = prices_today(stored.rows, told, setting)
    rows = tuple(_anew(folder, number, row, prices, stored.texts) for number, row in enumerate(stored.rows, start=1))
    described = {**told, **{name: price.described() for name, price in prices.items()}}
    run: JsonObject = {
        **stored.run,
        "digests": {**digests, "scorer": SCORER, "prices": described},
        **told_by_rows(rows),
    }
    done = replace(stored, run=run, rows=rows)
    rewrite_run(done, {"index.html": render_html(done)})
    return _compared(stored, done, before)


def _setting() -> Setting:
    """Return what today's prices are looked up by. No case and no recording of it is ever read."""
    loaded = load_config(Path.cwd())
    return Setting(
        cases_dir=loaded.root / loaded.config.paths.cases,
        cassettes_dir=loaded.root / loaded.config.paths.cassettes,
        models=dict(loaded.config.models),
        repairers=dict(loaded.config.repairers),
    )


def _anew(folder: Path, number: int, row: JsonRow, prices: Mapping[str, Price], texts: Mapping[str, str]) -> JsonRow:
    with _told_with(f"{folder / TRIALS}:{number}"):
        return repriced(rescored(row), prices, texts)


@contextlib.contextmanager
def _told_with(place: Path | str) -> Iterator[None]:
    """Say of bad input inside a file in which one it is."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{place}: {error.place}", error.found, error.mend) from None


def _compared(before: StoredRun, after: StoredRun, scorer: str) -> Rescored:
    trials = list(zip(before.rows, after.rows, strict=True))
    attempts = [pair for one, other in trials for pair in zip(one["attempts"], other["attempts"], strict=True)]
    prices = after.run["digests"]["prices"]
    return Rescored(
        run=after,
        before=scorer,
        scorer=SCORER,
        verdicts=_changed(trials, "verdict"),
        outcomes=_changed(trials, "outcome"),
        labels=_changed(attempts, "label"),
        rungs=_changed(attempts, "ladder"),
        costs=_changed(attempts, "cost_usd"),
        prices={name: str(prices[name]["source"]) for name in sorted(prices)},
    )


def _changed(pairs: Iterable[tuple[JsonObject, JsonObject]], field: str) -> int:
    return sum(one.get(field) != other.get(field) for one, other in pairs)
