"""Running many trials: on this thread, on a process pool, or on any other ``concurrent.futures.Executor``."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

IN_FLIGHT_PER_WORKER = 4
"""Tasks handed out ahead, so that no worker waits and an interrupt does not leave thousands queued."""


class SerialExecutor(Executor):
    """Runs each task at once, in the calling thread: what recording needs, and what a debugger wants."""

    def submit(self, fn: Callable[..., R], /, *args: object, **kwargs: object) -> Future[R]:
        """Run ``fn`` and return a future that is already done."""
        future: Future[R] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - the port's contract: a task's exception belongs to its future
            future.set_exception(error)
        return future


@contextmanager
def executor_for(workers: int) -> Iterator[Executor]:
    """Yield an executor with that many worker processes; 1 is this process."""
    if workers <= 1:
        yield SerialExecutor()
        return
    ignoring = (signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group, and is this process's business alone
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("forkserver"), initializer=signal.signal, initargs=ignoring
    )
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def run_all(pool: Executor, task: Callable[[T], R], items: Iterable[T], workers: int) -> Iterator[R]:
    """Yield ``task(item)`` for every item, in the order in which they finish.

    Raises:
        MendbenchError, EffectEscape: a task raised it, in whichever process.
    """
    queue, pending = iter(items), set[Future[R]]()
    while True:
        while len(pending) < workers * IN_FLIGHT_PER_WORKER and (item := next(queue, None)) is not None:
            future = pool.submit(task, item)
            if future.done():
                yield future.result()
            else:
                pending.add(future)
        if not pending:
            return
        done, pending = wait(pending, return_when="FIRST_COMPLETED")
        for future in done:
            yield future.result()
