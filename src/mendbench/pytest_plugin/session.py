"""The plugin's state in one process: the options, and one bench for each folder of cases."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from mendbench.api import RunOptions
from mendbench.api.trials import Bench, open_bench, shown
from mendbench.config.config_file import load_config
from mendbench.errors import BadInput
from mendbench.model.trial import TrialKey, TrialRow
from mendbench.ports.engine import VERSION as ENGINE_PORT
from mendbench.pytest_plugin import options
from mendbench.results.baseline import digests_of, entry_of
from mendbench.scoring.gating.gate import change_of, differences
from mendbench.scoring.gating.result import Baseline, BaselineEntry
from mendbench.scoring.judging.version import SCORER
from mendbench.trial.components import prices_of

_BENCHES = pytest.StashKey["Benches"]()

RECORD_MODES = {"new_episodes": "new_episodes", "all": "all", "rewrite": "all"}
"""How to interpret the ``--record-mode`` of pytest-recording. ``none`` and ``once`` replay: a case's recordings exist before
its tests, so ``once`` has nothing to record."""


class Benches:
    """The benches of one process, each opened once."""

    def __init__(self, config: pytest.Config) -> None:
        self.start = _start(config)
        loaded = load_config(self.start)
        self.own_configuration = not loaded.packaged
        """Whether the project has a configuration, so that its cases need not be named."""
        self.cases_dir = loaded.cases_dir
        self._open: dict[RunOptions, Bench] = {}
        config.add_cleanup(self._close)

    def of(self, wanted: RunOptions) -> Bench:
        """Return the bench of these options.

        Raises:
            MendbenchError: they, or the configuration, cannot be used.
        """
        if wanted not in self._open:
            self._open[wanted] = open_bench(wanted, self.start)
        return self._open[wanted]

    def _close(self) -> None:
        for bench in self._open.values():
            bench.close()


def benches_of(config: pytest.Config) -> Benches:
    """Return the benches of this process.

    Raises:
        BadInput: the configuration is broken.
    """
    if _BENCHES not in config.stash:
        config.stash[_BENCHES] = Benches(config)
    return config.stash[_BENCHES]


def options_of(config: pytest.Config) -> RunOptions:
    """Return the options as ``mendbench run`` takes them.

    Raises:
        UsageError: the options request recording in several processes.
    """
    record = _record_mode(config)
    if record != "none" and _is_distributed(config):
        raise pytest.UsageError(
            "mendbench: recording asks servers one thing at a time; leave -n away, or --record-mode"
        )
    return RunOptions(
        part=options.name(config, "part"),
        cases=options.place(config, "cases"),
        cassettes=options.place(config, "cassettes"),
        strategies=options.names(config, "strategy"),
        policies=options.names(config, "policy"),
        detector=options.name(config, "detector"),
        repairers=options.names(config, "repairer"),
        models=options.names(config, "model"),
        samples=options.number(config, "samples"),
        record=record,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A trial that was accepted as wrong."""

    entry: BaselineEntry
    place: str
    """The baseline's file."""

    def reason(self) -> str:
        """Return why the trial is expected to fail."""
        return f"{self.entry.outcome} in {self.place}"

    def worse(self, row: TrialRow) -> str | None:
        """Return in one line how a trial is worse than before, by the gate's rules; None if it is not."""
        now = entry_of(row)
        if change_of(self.entry, now) not in {"lost", "worse"}:
            return None
        return f"worse than in {self.place}: {self.entry.described()} -> {now.described()}"


def accepted_failures(baseline: Baseline) -> dict[str, Accepted]:
    """Return the trials that a baseline accepts as wrong, by key."""
    place = shown(Path(baseline.place))
    return {entry.key: Accepted(entry=entry, place=place) for entry in baseline.entries if entry.verdict == "incorrect"}


def refuse_other_digests(baseline: Baseline, bench: Bench | None) -> None:
    """Refuse a baseline of another engine, scorer or price: its verdicts are not comparable with this run's.

    Raises:
        BadInput: one of them differs; the message names it. Prices are compared only with a ``bench``.
    """
    keys: Collection[TrialKey] = () if bench is None else [key for own in bench.planned.values() for key in own]
    prices = prices_of(keys, bench.context) if bench is not None else {}
    own = {"engine": f"port {ENGINE_PORT}", "scorer": SCORER, "prices": prices}
    found = differences(baseline.digests, digests_of({"digests": own}))
    if found:
        what = " and ".join(f"another {digest.what} ({digest.before}, here {digest.after})" for digest in found)
        raise BadInput(shown(Path(baseline.place)), what, found[0].hint)


def options_for(cases_dir: Path, own: RunOptions) -> RunOptions:
    """Return the options for cases that are not the configured ones; the recordings next to them are used, if any."""
    beside = cases_dir.parent / "cassettes"
    return replace(own, cases=cases_dir, cassettes=own.cassettes or (beside if beside.is_dir() else None))


def _record_mode(config: pytest.Config) -> str:
    if config.getoption("block_network", default=False):
        return "none"
    given = config.getoption("record_mode", default=None)
    return RECORD_MODES.get(str(given), "none")


def _is_distributed(config: pytest.Config) -> bool:
    """Return whether this process is a worker or the controller of pytest-xdist."""
    spread = config.getoption("numprocesses", default=None) or config.getoption("tx", default=None)
    return bool(spread) or hasattr(config, "workerinput")


def _start(config: pytest.Config) -> Path:
    """Return the folder to search for the configuration: where pytest was started, or pytest's root if only that has one."""
    here, root = config.invocation_params.dir, config.rootpath
    return root if load_config(here).packaged and not load_config(root).packaged else here
