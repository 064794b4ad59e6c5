"""What a worker of a cluster does for a run: say what it is, take the parcel, and run trials. Called through dask alone."""

from __future__ import annotations

import hashlib
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
from mendbench.runs.bundle import Parcel, Unpacking, default_cache, unpack, unpacked
from mendbench.trial.components import BenchContext

DECIDING = ("genai-prices", "graphql-core", "jinja2", "jmespath", "jsonpatch", "jsonpointer", "pydantic", "pyyaml")
"""Distributions that decide what stands in a row."""

_CODE = ("*.py", "*.j2", "*.json", "*.graphql", "*.sql")
"""What mendbench consists of."""

_NOT_IN_ROWS = frozenset({"_corpus", "api", "cli", "pytest_plugin", "report", "workflow_app"})
"""Parts of it that no row depends on: front ends and readers, and the corpus, which is shipped."""

_RUNS = 16
"""Runs that a worker remembers: those of clients that ended without a word would stay for ever."""

_FAST = 1
"""Compression level of rows on their way: they repeat the same names, so that the fastest gains most of it."""


class Unready(Exception):
    """This process has not been told of the run: another one had its address before."""


class _Task:
    """What this worker does for one run, and where its files are."""

    def __init__(self, task: Callable[[BenchContext, Any], Any], unpacking: Unpacking, place: Path) -> None:
        self.run = partial(task, unpacking.setting_in(place))
        self._retold = partial(unpacking.with_original_paths, place=place)

    def with_original_paths(self, error: BaseException) -> BaseException:
        """Return an error on purpose that names the files which were packed, and not their copies here."""
        if isinstance(error, MendbenchError):
            error.args = tuple(self._retold(arg) if isinstance(arg, str) else arg for arg in error.args)
            vars(error).update(
                {name: self._retold(said) for name, said in vars(error).items() if isinstance(said, str)}
            )
        return error


_tasks: dict[str, _Task] = {}
"""By the name of the run, the latest last."""

_one_at_a_time = Lock()
"""Trials gain nothing from threads, and what they share is not made for them."""


@lru_cache(maxsize=1)
def makeup() -> dict[str, str]:
    """Return all that has to be the same here and there for the same trial to give the same row.

    Asked for once a process: files that changed since are not what runs here.
    """
    found = {
        "Python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "mendbench": mendbench.version.__version__,
        "mendbench's files": _code(),
    }
    return found | {name: _version(name) for name in DECIDING}


def dask_setup(_worker: object) -> None:
    """Leave Ctrl-C to the run. Called by dask where this process was started by it, as a preload script."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def introduce(digest: str) -> tuple[dict[str, str], bool]:
    """Return what this worker is made of, and whether it holds a parcel."""
    return makeup(), unpacked(digest, default_cache()) is not None


def begin(run: str, task: Callable[[BenchContext, Any], Any], unpacking: Unpacking, parcel: Parcel | None) -> None:
    """Make ready for a run.

    Raises:
        Unready: the parcel is not here and did not come.
        Incomplete: it is damaged.
        OSError: it cannot be unpacked.
    """
    cache = default_cache()
    place = unpacked(unpacking.digest, cache) if parcel is None else unpack(parcel, cache)
    if place is None:
        raise Unready
    _tasks[run] = _Task(task, unpacking, place)
    while len(_tasks) > _RUNS:
        del _tasks[next(iter(_tasks))]


def end(run: str) -> None:
    """Forget a run; its parcel stays for the next one."""
    _tasks.pop(run, None)


def run_chunk(run: str, items: Sequence[Any]) -> bytes:
    """Return what the run's task makes of every item, or what it raised, pickled and compressed.

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


def _code() -> str:
    """Return a digest over all files of mendbench that decide what stands in a row."""
    root = Path(mendbench.version.__file__).parent
    whole = hashlib.sha256()
    for path in sorted(path for kind in _CODE for path in root.rglob(kind)):
        name = path.relative_to(root)
        if name.parts[0] not in _NOT_IN_ROWS:
            whole.update(f"{name.as_posix()}\0".encode())
            whole.update(path.read_bytes())
    return whole.hexdigest()[:12]
