"""The worker side of a cluster run: reports versions, unpacks the bundle, and runs trials. Called only through dask."""

from __future__ import annotations

import pickle
import signal
import sys
import zlib
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from threading import Lock
from typing import Any

import mendbench.version
from mendbench.errors import MendbenchError
from mendbench.runs.bundle import Bundle, Unpacking, default_cache, unpack, unpacked
from mendbench.trial.components import BenchContext
from mendbench.trial.inputs import NOT_IN_ROWS, files_digest

DECIDING = ("genai-prices", "graphql-core", "jinja2", "jmespath", "jsonpatch", "jsonpointer", "pydantic", "pyyaml")
"""Distributions that affect the content of a row."""

_RUNS = 16
"""Number of runs that a worker remembers: clients may end without ending their runs."""

_FAST = 1
"""Compression level of transferred rows: they repeat the same names, so the fastest level saves most."""


class Unready(Exception):
    """This process has not received the run: it replaced a worker with the same address."""


class _Task:
    """One run's task on this worker, and the location of its files."""

    def __init__(self, task: Callable[[BenchContext, Any], Any], unpacking: Unpacking, place: Path) -> None:
        self.run = partial(task, unpacking.context_in(place))
        self._with_original_paths = partial(unpacking.with_original_paths, place=place)

    def with_original_paths(self, error: BaseException) -> BaseException:
        """Return a mendbench error with the original paths instead of the paths of the copies here."""
        if isinstance(error, MendbenchError):
            error.args = tuple(self._with_original_paths(arg) if isinstance(arg, str) else arg for arg in error.args)
            vars(error).update(
                {
                    name: self._with_original_paths(value)
                    for name, value in vars(error).items()
                    if isinstance(value, str)
                }
            )
        return error


_tasks: dict[str, _Task] = {}
"""By the name of the run, the newest last."""

_one_at_a_time = Lock()
"""Trials do not gain from threads, and their shared state is not thread-safe."""


@lru_cache(maxsize=1)
def makeup() -> dict[str, str]:
    """Return everything that has to be the same on both sides for a trial to give the same row.

    Computed once per process: files that changed later are not the running code.
    """
    found = {
        "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "mendbench": mendbench.version.__version__,
        "mendbench's files": files_digest(NOT_IN_ROWS)[:12],
    }
    return found | {name: _version(name) for name in DECIDING}


def dask_setup(_worker: object) -> None:
    """Ignore Ctrl-C, which the run handles. Dask calls this as a preload script if it started this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def introduce(digest: str) -> tuple[dict[str, str], bool]:
    """Return this worker's versions, and whether it has a bundle."""
    return makeup(), unpacked(digest, default_cache()) is not None


def begin(run: str, task: Callable[[BenchContext, Any], Any], unpacking: Unpacking, bundle: Bundle | None) -> None:
    """Prepare for a run.

    Raises:
        Unready: the bundle is not here and was not sent.
        Incomplete: it is damaged.
        OSError: it cannot be unpacked.
    """
    cache = default_cache()
    place = unpacked(unpacking.digest, cache) if bundle is None else unpack(bundle, cache)
    if place is None:
        raise Unready
    _tasks[run] = _Task(task, unpacking, place)
    while len(_tasks) > _RUNS:
        del _tasks[next(iter(_tasks))]


def end(run: str) -> None:
    """Forget a run; its bundle stays for the next one."""
    _tasks.pop(run, None)


def run_chunk(run: str, items: Sequence[Any]) -> bytes:
    """Return the result of the run's task for every item, or the raised error, pickled and compressed.

    Raises:
        Unready: :func:`begin` was not called in this process.
    """
    with _one_at_a_time:
        task = _tasks.get(run)
        if task is None:
            raise Unready
        try:
            found: list[Any] | BaseException = [task.run(item) for item in items]
        except BaseException as error:  # noqa: BLE001 - it is raised again where the run is
            found = task.with_original_paths(error)
    return zlib.compress(pickle.dumps(found), _FAST)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "none"
