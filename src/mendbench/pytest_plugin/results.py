"""The implementation of the fixtures, and their results."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import chdir
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, cast

import pytest

from mendbench import api
from mendbench.api.trials import Bench, RanTrial
from mendbench.model.case import Case
from mendbench.model.trial import TrialRow
from mendbench.pytest_plugin.failing import headline, story
from mendbench.results.store import StoredRun
from mendbench.scoring.records import TrialRecord
from mendbench.trial.long_texts import whole

_SHOWN = 5
"""Maximum number of trials without a verdict in an error."""


class NoVerdict(Exception):
    """A trial has no verdict, but the test needs one: a recording is missing, or foreign code crashed."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Trial(RanTrial):
    """A trial that a test ran: ``assert trial.right, trial.story``."""

    command: tuple[str, ...]
    """The words of the command that runs this trial alone."""

    @property
    def headline(self) -> str:
        """The result in one line."""
        return headline(self)

    @property
    def story(self) -> str:
        """What happened: outcome, attempts, failed checks, and changes to the workflow; or what is missing."""
        return story(self, self.command)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class CasesRun:
    """A run that a test made."""

    stored: StoredRun
    """The run as stored in :attr:`folder`."""

    @property
    def folder(self) -> Path:
        """The folder of the run: ``trials.jsonl``, ``run.json``, ``index.html``."""
        return self.stored.folder

    @property
    def rows(self) -> tuple[TrialRow, ...]:
        """All trials, with their texts inserted."""
        return tuple(cast("TrialRow", whole(row, self.stored.texts)) for row in self.stored.rows)

    @property
    def records(self) -> tuple[TrialRecord, ...]:
        """The records from which scores are computed."""
        return tuple(self.stored.records)

    @property
    def totals(self) -> tuple[dict[str, Any], ...]:
        """The totals of each treatment in ``run.json``, such as ``{"strategy": …, "policy": …, "right": …, "cases": …}``."""
        return tuple(self.stored.run["totals"])

    @property
    def right(self) -> tuple[str, ...]:
        """The keys of all trials that are right."""
        return tuple(str(row["key"]) for row in self.stored.rows if row["verdict"] == "correct")

    @property
    def wrong(self) -> tuple[str, ...]:
        """The keys of all trials that are not right."""
        return tuple(str(row["key"]) for row in self.stored.rows if row["verdict"] == "incorrect")

    def __repr__(self) -> str:
        """Return a summary in one line."""
        return f"<run of {len(self.stored.rows)} trials in {self.folder}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialRunner:
    """The fixture ``mendbench_trial``: see :class:`~mendbench.pytest_plugin.interface.RunTrial`."""

    bench: Bench

    def __call__(
        self,
        case: str | Case,
        *,
        strategy: str | None = None,
        policy: str | None = None,
        repairer: str | None = None,
        model: str | None = None,
        detector: str | None = None,
        sample: int = 0,
        unjudged_ok: bool = False,
    ) -> Trial:
        """Run one trial."""
        __tracebackhide__ = True
        case_id = case if isinstance(case, str) else case.id
        key = self.bench.key(
            case_id, strategy=strategy, policy=policy, repairer=repairer, model=model, detector=detector, sample=sample
        )
        trial = trial_of(self.bench.run(key), self.bench)
        if not trial.judged and not unjudged_ok:
            raise NoVerdict(trial.story)
        return trial


@dataclass(frozen=True, slots=True, kw_only=True)
class CasesRunner:
    """The fixture ``mendbench_run``: see :class:`~mendbench.pytest_plugin.interface.RunCases`."""

    bench: Bench
    folders: pytest.TempPathFactory

    def __call__(
        self,
        *patterns: str,
        strategies: Sequence[str] = (),
        policies: Sequence[str] = (),
        repairers: Sequence[str] = (),
        models: Sequence[str] = (),
        detector: str | None = None,
        samples: int | None = None,
        part: str | None = None,
        workers: int = 1,
        unjudged_ok: bool = False,
    ) -> CasesRun:
        """Run a matrix."""
        __tracebackhide__ = True
        own = self.bench.options
        wanted = replace(
            own, names=patterns, out=self.folders.mktemp("mendbench") / "run", workers=workers,
            strategies=tuple(strategies) or own.strategies, policies=tuple(policies) or own.policies,
            repairers=tuple(repairers) or own.repairers, models=tuple(models) or own.models,
            detector=detector or own.detector, samples=samples or own.samples, part=part or own.part,
        )  # fmt: skip
        with chdir(self.bench.start):
            stored = api.run(wanted, lambda *_progress: None)
        lost = [row for row in stored.rows if row["verdict"] not in {"correct", "incorrect"}]
        if lost and not unjudged_ok:
            raise NoVerdict(_without_verdict(lost))
        return CasesRun(stored=stored)


def trial_of(ran: RanTrial, bench: Bench) -> Trial:
    """Return a trial that can describe what happened."""
    values = {one.name: getattr(ran, one.name) for one in fields(ran)}
    return Trial(**values, command=bench.command(ran.key))


def _without_verdict(rows: Sequence[TrialRow]) -> str:
    lines = [f"{len(rows)} trials have no verdict:"]
    lines += [f"  {row['key']}: {row['problem'] and row['problem']['message']}" for row in rows[:_SHOWN]]
    return "\n".join([*lines, *(["  …"] if len(rows) > _SHOWN else [])])
