"""What the plugin opens in one process: the options, and one bench for each folder of cases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mendbench.api import RunOptions
from mendbench.api.trials import Bench, open_bench
from mendbench.bench.baseline import read_baseline
from mendbench.bench.config import load_config
from mendbench.pytest_plugin import options
from mendbench.scoring.gating.result import Entry

_BENCHES = pytest.StashKey["Benches"]()

RECORD_MODES = {"new_episodes": "new_episodes", "all": "all", "rewrite": "all"}
"""What a ``--record-mode`` of pytest-recording means here. ``none`` and ``once`` replay: a case's recordings are there before
its tests are, so that nothing is left for ``once`` to record."""


class Benches:
    """The benches of one process, each opened once."""

    def __init__(self, config: pytest.Config) -> None:
        self.start = _start(config)
        loaded = load_config(self.start)
        self.own_configuration = loaded.root == self.start
        """Whether the project has a configuration, so that its cases are known without being named."""
        self.cases_dir = loaded.root / loaded.config.paths.cases
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
        UsageError: what is asked for is to be recorded by many processes.
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


def accepted_failures(path: Path | None) -> dict[str, Entry]:
    """Return what a baseline says came out wrong when it was accepted, by the trial's key; nothing without a baseline.

    Raises:
        BadInput: there is no such file, or a line of it cannot be read.
    """
    if path is None:
        return {}
    return {entry.key: entry for entry in read_baseline(path).entries if entry.verdict == "incorrect"}


def options_for(cases_dir: Path, own: RunOptions) -> RunOptions:
    """Return the options for cases that are not the configured ones: their recordings lie beside them, if they lie there."""
    beside = cases_dir.parent / "cassettes"
    return replace(own, cases=cases_dir, cassettes=own.cassettes or (beside if beside.is_dir() else None))


def _record_mode(config: pytest.Config) -> str:
    if config.getoption("block_network", default=False):
        return "none"
    given = config.getoption("record_mode", default=None)
    return RECORD_MODES.get(str(given), "none")


def _is_distributed(config: pytest.Config) -> bool:
    """Return whether this is one of several processes of pytest-xdist, or the one that hands out work to them."""
    spread = config.getoption("numprocesses", default=None) or config.getoption("tx", default=None)
    return bool(spread) or hasattr(config, "workerinput")


def _start(config: pytest.Config) -> Path:
    """Return the folder whose configuration holds: where pytest was started, else pytest's root, if that has one."""
    here, root = config.invocation_params.dir, config.rootpath
    return root if load_config(here).root != here and load_config(root).root == root else here
