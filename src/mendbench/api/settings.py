"""Inputs of every public function: the options, the configuration, the corpus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from mendbench.cassettes.recordings import RecordMode
from mendbench.config.config_file import Loaded, cases_folder
from mendbench.corpus.corpus import Corpus, load_corpus
from mendbench.errors import UnknownName
from mendbench.model.trial import SELF_REPAIR
from mendbench.repairers import repairer_names
from mendbench.runs.shards import Shard
from mendbench.trial.components import NO_STRATEGY, BenchContext, PrivateLayer
from mendbench.trial.engines import OURS

Progress = Callable[[int, int, str], None]
"""Callback with the number done, the total, and the last item done."""


def in_silence(_done: int, _total: int, _last: str) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """The options of ``mendbench run``. Empty values and None are taken from the configuration."""

    names: tuple[str, ...] = ()
    part: str | None = None
    """Part of the corpus's split to which the run is restricted."""
    cases: Path | None = None
    cassettes: Path | None = None
    out: Path | None = None
    engines: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
    frame: str | None = None
    """The frame of all strategies that do not name their own."""
    policies: tuple[str, ...] = ()
    detector: str | None = None
    repairers: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    samples: int | None = None
    record: str = "none"
    allow_shell: bool = False
    allow_writes: bool = False
    """Whether writes to live APIs may be sent while recording."""
    workers: int = 0
    """Number of processes; 0 for one per core. Recording uses one."""
    cluster: str | None = None
    """Address of a dask scheduler whose workers replace local processes; ``local`` for one on this machine."""
    concurrency: int | None = None
    """Maximum concurrent requests per model while recording; None for the configured value, else 1."""
    all: bool = False
    """Whether to run the sweeps that are configured ``only_with_all`` too."""
    gated: bool = False
    """Whether to run the trials that the baseline has, instead of those that the configuration selects."""
    fresh: bool = False
    """Whether to execute every trial, also those whose inputs are unchanged since an earlier run. A recording always does."""
    resume: bool = False
    """Continue the interrupted run, with its original options."""
    shard: Shard | None = None
    """Which shard of a split run to run."""


def open_context(loaded: Loaded, options: RunOptions, *, tolerant: bool = False) -> BenchContext:
    """Return the context that trials share.

    Raises:
        UnknownName: the record mode does not exist.
        BadInput: there is no corpus.
    """
    if options.record not in get_args(RecordMode):
        raise UnknownName("record mode", options.record, get_args(RecordMode))
    corpus = open_corpus(loaded, options.cases, options.cassettes, tolerant=tolerant)
    return BenchContext(
        tolerant=tolerant,
        cases_dir=corpus.cases_dir,
        cassettes_dir=corpus.cassettes_dir,
        strategy_dirs=loaded.strategy_dirs,
        models=dict(loaded.config.models),
        repairers=dict(loaded.config.repairers),
        engines=loaded.engines,
        record=cast("RecordMode", options.record),
        allow_shell=options.allow_shell,
        allow_writes=options.allow_writes,
        config_file=loaded.place,
        private=private_layer(loaded),
    )


def private_layer(loaded: Loaded) -> PrivateLayer:
    """Return the private layer of recordings: for trials with a component that no matrix of the configuration names."""
    matrices = (loaded.config.matrix, *loaded.config.sweeps.values())

    def named(kind: str) -> frozenset[str]:
        return frozenset(name for one in matrices for name in getattr(one, kind) or ())

    return PrivateLayer(
        folder=loaded.private_dir,
        engines=named("engines") | {OURS},
        strategies=named("strategies") | {NO_STRATEGY, SELF_REPAIR},
        repairers=named("repairers") | {*repairer_names(), SELF_REPAIR},
        models=named("models"),
    )


def open_corpus(loaded: Loaded, cases: Path | None, cassettes: Path | None, *, tolerant: bool = False) -> Corpus:
    """Return the corpus in these folders, else the configured one.

    Raises:
        BadInput: there is no corpus.
    """
    return load_corpus(cases_folder(loaded, cases), cassettes or loaded.cassettes_dir, tolerant=tolerant)
