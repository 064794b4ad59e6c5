"""Runs many tasks: in this process, or on a pool of worker processes that survives the death of any worker.

A pool has local processes, or those of a cluster: :mod:`mendbench.runs.cluster`.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, groupby
from multiprocessing import connection, get_context, parent_process
from multiprocessing.context import BaseContext
from typing import Any, Generic, NoReturn, Protocol, TypeVar

from mendbench.errors import BadInput, Incomplete
from mendbench.values.collection import collect_rarely

T = TypeVar("T")
R = TypeVar("R")
T_contra = TypeVar("T_contra", contravariant=True)

IN_FLIGHT_PER_WORKER = 2
"""Chunks submitted ahead, so that no worker waits and an interrupt does not leave thousands queued."""

LARGEST_CHUNK = 32
"""Maximum number of tasks in a chunk. A chunk is lost with its worker, and is the unit of progress."""

DIED = "the worker process died: killed from outside, or out of memory"

_PRELOADED = ["mendbench.trial.runner"]
"""Imported once, before workers are forked."""

_MOST_WORKERS = 61
"""Processes that one thread of Windows can wait for (``concurrent.futures`` accepts no more there)."""


class Pool(Protocol[T_contra, R]):
    """Worker processes that all run one task."""

    @property
    def workers(self) -> int:
        """The current number of workers, at least one: workers may join and leave."""

    def submit(self, chunk: Sequence[T_contra], /) -> Future[list[R]]:
        """Submit a chunk to the next free worker. The future raises ``BrokenExecutor`` if the worker dies.

        Raises:
            MendbenchError: there is no worker.
        """

    def renew(self) -> None:
        """Make sure that there is a worker after one died.

        Raises:
            MendbenchError: no worker is available.
        """

    def close(self) -> None:
        """Finish the running tasks; tasks that have not begun are dropped."""


WORTH_A_WORKER = 100
"""Number of trials that take as long as two starts of a worker process (0.3 s of CPU each, for imports)."""


def workers_for(wanted: int, tasks: int, least: int = 1) -> int:
    """Return the number of workers for ``wanted``; at least one, and at most the number of tasks.

    0 means one per core, if each gets at least ``least`` tasks.
    """
    return max(1, min(wanted, tasks) if wanted else min(os.cpu_count() or 1, tasks // least))


def chunked(
    items: Iterable[T], alike: Callable[[T], object], workers: int, order: Callable[[T], Any] | None = None
) -> Iterator[tuple[T, ...]]:
    """Yield ``items`` in chunks of neighbours that are ``alike``, sorted by ``order``, small enough that every worker gets some.

    So the shared computations of a case are done in one process, not in all.
    """
    every = items if isinstance(items, Sequence) else list(items)
    size = max(1, min(LARGEST_CHUNK, len(every) // (workers * 2 * IN_FLIGHT_PER_WORKER)))
    for _, group in groupby(every, alike):
        same = tuple(group)
        if order is not None:
            same = tuple(sorted(same, key=order))
        yield from (same[at : at + size] for at in range(0, len(same), size))


def run_all(
    task: Callable[[T], R],
    chunks: Iterable[Sequence[T]],
    workers: int,
    lost: Callable[[T, str], R] | None = None,
) -> Iterator[R]:
    """Yield ``task(item)`` for every item, chunk by chunk, in the order in which chunks finish.

    A single worker is this process, and a task runs only when its result is requested. Each worker process gets ``task`` once. If one
    dies, the pending items run again, one at a time; an item that kills its worker alone becomes ``lost(item, why)``.

    Raises:
        MendbenchError, EffectEscape: a task raised it, in any process.
        Incomplete: an item killed a worker, and there is no ``lost``.
        BadInput: no worker process can be started.
    """
    if workers <= 1:
        yield from map(task, chain.from_iterable(chunks))
        return
    yield from run_on(LocalPool(task, workers), chunks, lost)


def run_on(pool: Pool[T, R], chunks: Iterable[Sequence[T]], lost: Callable[[T, str], R] | None = None) -> Iterator[R]:
    """Yield the result of the pool's task for every item, as :func:`run_all` does, and close the pool.

    Raises:
        MendbenchError, EffectEscape: a task raised it, or no worker is available.
    """
    try:
        yield from _in_flight(pool, chunks, lost or _refused)
    finally:
        pool.close()


def _in_flight(pool: Pool[T, R], chunks: Iterable[Sequence[T]], lost: Callable[[T, str], R]) -> Iterator[R]:
    queue, pending = iter(chunks), dict[Future[list[R]], Sequence[T]]()
    while True:
        while len(pending) < pool.workers * IN_FLIGHT_PER_WORKER and (chunk := next(queue, None)) is not None:
            pending[pool.submit(chunk)] = chunk
        if not pending:
            return
        done, _ = wait(pending, return_when="FIRST_COMPLETED")
        if any(isinstance(future.exception(), BrokenExecutor) for future in done):
            done, _ = wait(pending)
        died = []
        for future in done:
            chunk = pending.pop(future)
            if isinstance(future.exception(), BrokenExecutor):
                died.append(chunk)
            else:
                yield from future.result()
        if died:
            pool.renew()
            yield from _one_by_one(pool, chain.from_iterable(died), lost)


def _one_by_one(pool: Pool[T, R], items: Iterable[T], lost: Callable[[T, str], R]) -> Iterator[R]:
    """Yield the results of the items that were pending when a worker died. Running one at a time shows which one kills it."""
    for item in items:
        try:
            yield from pool.submit((item,)).result()
        except BrokenExecutor:
            pool.renew()
            yield lost(item, DIED)


def _refused(item: object, why: str) -> NoReturn:
    raise Incomplete(f"{item}: {why}")


class LocalPool(Generic[T, R]):
    """Processes of this machine."""

    def __init__(self, task: Callable[[T], R], workers: int) -> None:
        self._task = task
        self.workers = min(workers, _MOST_WORKERS) if os.name == "nt" else workers
        self._context = _starting()
        self._start()

    def submit(self, chunk: Sequence[T]) -> Future[list[R]]:
        """As :meth:`Pool.submit`."""
        try:
            return self._pool.submit(_run_chunk, chunk)
        except FileNotFoundError as error:  # a socket in the temporary folder starts processes
            hint = "make room in the temporary folder, name another with the variable TMPDIR, or use --workers 1"
            raise BadInput("workers", error.strerror or str(error), hint) from None
        except (BrokenProcessPool, BrokenPipeError) as error:
            # The pool broke between two submissions: reported as for pending chunks.
            failed: Future[list[R]] = Future()
            failed.set_exception(BrokenProcessPool(str(error)))
            return failed

    def renew(self) -> None:
        """Start again after a worker died.

        Raises:
            BadInput: workers die before they run any task, so the cause is unknown.
        """
        self.close()
        self._start()
        try:
            self.submit(()).result()
        except BrokenProcessPool:
            hint = "use one worker; a script that runs trials on several needs `if __name__ == '__main__':` around its own doing"
            raise BadInput("workers", "worker processes die as they start", hint) from None

    def close(self) -> None:
        """End the workers, each after its current task; tasks that have not begun are dropped."""
        self._going.close()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._watched.close()

    def _start(self) -> None:
        self._watched, self._going = self._context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(self.workers, self._context, _begin, (self._task, self._watched))


def _starting() -> BaseContext:
    """Return how workers are started: forked from a server that has imported everything, or from nothing where the system cannot fork."""
    try:
        context = get_context("forkserver")
    except ValueError:
        return get_context("spawn")
    context.set_forkserver_preload(_PRELOADED)
    return context


_own_task: Callable[[Any], Any] | None = None
"""The task of this worker process."""


_over = threading.Event()
"""Set in a worker process when results are no longer needed."""


def _begin(task: Callable[[Any], Any], going: connection.Connection) -> None:
    global _own_task  # noqa: PLW0603 - a worker has no other place that its initializer can reach
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group, and only the parent handles it
    threading.Thread(target=_outlive_nobody, args=(going,), name="parent", daemon=True).start()
    _own_task = task
    collect_rarely()


def _outlive_nobody(going: connection.Connection) -> None:
    """End this worker after its current task when its pool is closed, and at once when its parent process has ended."""
    parent = parent_process()
    if parent is not None:
        connection.wait([going, parent.sentinel])  # nothing is ever sent: the other end is closed
        _over.set()
        parent.join()
        os._exit(1)


def _run_chunk(chunk: Sequence[Any]) -> list[Any]:
    assert _own_task is not None  # noqa: S101 - the pool's initializer ran
    return [_own_task(item) for item in chunk if not _over.is_set()]
