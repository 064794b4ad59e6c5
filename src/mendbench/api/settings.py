"""What every public function starts from: the options, the configuration, the corpus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from mendbench.cassettes.recordings import RecordMode
from mendbench.config.config_file import Loaded
from mendbench.corpus.corpus import Corpus, load_corpus
from mendbench.errors import UnknownName
from mendbench.runs.shards import Shard
from mendbench.trial.components import BenchContext

Progress = Callable[[int, int, str], None]
"""Told how many are done, of how many, and what was done last."""


def in_silence(_done: int, _total: int, _last: str) -> None:
    """Be told, and say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What ``mendbench run`` was asked for. What is empty or None comes from the configuration."""

    names: tuple[str, ...] = ()
    part: str | None = None
    """Part of the corpus's split to which everything is confined."""
    cases: Path | None = None
    cassettes: Path | None = None
    out: Path | None = None
    engines: tuple[str, ...] = ()
    strategies: tuple[str, ...] = ()
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
    """Processes; 0 for one a core. Recording uses one."""
    cluster: str | None = None
    """Address of a dask scheduler whose workers take the place of processes here; ``local`` for one of this machine."""
    concurrency: int | None = None
    """Model requests of a model that are under way at once while recording; None for what is configured, else 1."""
    resume: bool = False
    """Go on from the interrupted run, with the options that it began with."""
    shard: Shard | None = None
    """The part of a split run that this one is."""


def open_setting(loaded: Loaded, options: RunOptions, *, tolerant: bool = False) -> BenchContext:
    """Return what trials share.

    Raises:
        UnknownName: a record mode that there is not.
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
    )


def open_corpus(loaded: Loaded, cases: Path | None, cassettes: Path | None, *, tolerant: bool = False) -> Corpus:
    """Return the corpus of these folders, else the configured one.

    Raises:
        BadInput: there is none.
    """
    return load_corpus(cases or loaded.cases_dir, cassettes or loaded.cassettes_dir, tolerant=tolerant)
