"""Runs many trials from recordings, on local processes or on a cluster's workers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter

from mendbench.model.trial import TrialKey, TrialRow
from mendbench.runs.executor import WORTH_A_WORKER, chunked, run_all, run_on, workers_for
from mendbench.trial.components import BenchContext
from mendbench.trial.runner import lost_trial, run_trial
from mendbench.trial.session import session_order


def run_trials(
    context: BenchContext, keys: Sequence[TrialKey], workers: int, cluster: str | None = None
) -> Iterator[tuple[TrialRow, dict[str, str]]]:
    """Yield the result of :func:`mendbench.trial.runner.run_trial` for each trial, replayed from recordings.

    ``workers`` is the number of local processes; 0 means one per core. ``cluster`` replaces them by the workers of a dask
    scheduler: its address, or ``local`` to start one on this machine. A trial that kills its process is ``crashed``.

    Raises:
        MendbenchError: as :func:`mendbench.trial.runner.run_trial`, and as :func:`mendbench.runs.cluster.open_cluster`.
    """
    if cluster is not None and keys:
        from mendbench.runs.cluster import open_cluster  # noqa: PLC0415 - nobody else pays for it

        pool = open_cluster(cluster, workers, run_trial, context, {key.strategy for key in keys})
        yield from run_on(
            pool, chunked(keys, attrgetter("case"), pool.workers, session_order), partial(lost_trial, context)
        )
        return
    count = workers_for(workers, len(keys), WORTH_A_WORKER)
    chunks = chunked(keys, attrgetter("case"), count, session_order)
    yield from run_all(partial(run_trial, context), chunks, count, partial(lost_trial, context))
