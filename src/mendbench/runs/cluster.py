"""A pool with the workers of a dask cluster: they run on other machines and may join and leave at any time.

Each chunk is pinned to one worker. So the pool knows what a worker was doing when it died, and the scheduler does not pass a
task that kills workers to the next one.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import logging
import pickle
import shlex
import time
import uuid
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Condition, Event, Thread
from typing import Any, Generic, TypeVar

from mendbench.errors import BadInput, Incomplete
from mendbench.runs import cluster_worker
from mendbench.runs.bundle import Bundle, Unpacking, pack
from mendbench.runs.cluster_worker import Unready, makeup
from mendbench.runs.executor import DIED
from mendbench.trial.components import BenchContext

T = TypeVar("T")
R = TypeVar("R")

LOCAL = "local"
"""Name of a cluster of local processes, started for the run."""

CONNECT_S = 10
"""Time to wait for a scheduler, seconds."""

PATIENCE_S = 120.0
"""How long a run continues without any worker, seconds: about the time to start a machine."""

LOOK_S = 0.5
"""Interval between checks for new and lost workers, seconds."""

SILENCE_S = 30
"""How long a scheduler may not respond before all its workers count as lost, seconds."""

_RESULT_S = 10
"""How long the transfer of a result may take before its worker is checked, seconds."""

_log = logging.getLogger(__name__)


def open_cluster(
    where: str, workers: int, task: Callable[[BenchContext, T], R], context: BenchContext, strategies: Iterable[str],
    *, patience_s: float = PATIENCE_S,
) -> ClusterPool[T, R]:  # fmt: skip
    """Return a pool on the cluster whose scheduler has that address, or on a cluster of ``workers`` local processes.

    ``task`` is a module-level function, which the workers import. ``patience_s`` is how long to continue without any worker, seconds.

    Raises:
        BadInput: there is no scheduler at that address, dask is not installed, or all workers differ from this mendbench.
        Incomplete: no worker joined.
    """
    dask = _dask()
    if where != LOCAL and workers:
        raise BadInput(
            "--workers", f"{workers}, and a cluster that has its own", "leave --workers away, or use --cluster local"
        )
    bundle, unpacking = pack(context, strategies)
    with contextlib.ExitStack() as undo:
        undo.enter_context(_in_silence())
        address = undo.enter_context(_own_cluster(dask, workers)) if where == LOCAL else where
        client = undo.enter_context(_connected(dask, address))
        job = _Job(name=f"{bundle.digest[:12]}-{uuid.uuid4().hex}", task=task, bundle=bundle, unpacking=unpacking)
        pool: ClusterPool[T, R] = ClusterPool(client, address, job, patience_s)
        undo.callback(pool.stop)
        pool.start()
        pool.undo = undo.pop_all()
    return pool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """The data of a run that every worker gets once."""

    name: str
    task: Callable[[BenchContext, Any], Any]
    bundle: Bundle
    unpacking: Unpacking


class ClusterPool(Generic[T, R]):
    """The workers of a cluster that match this process. Made by :func:`open_cluster`."""

    def __init__(self, client: Any, address: str, job: _Job, patience_s: float) -> None:
        self._client, self._address, self._job, self._patience_s = client, address, job, patience_s
        self._changed = Condition()
        self._ready: set[str] = set()
        self._refused: dict[str, str] = {}
        self._under_way: dict[str, tuple[str, Any, Future[list[R]]]] = {}
        self._heard = time.monotonic()
        self._ended = Event()
        self._watcher = Thread(target=self._watch, name="mendbench-cluster", daemon=True)
        self.undo = contextlib.ExitStack()
        """Cleanup when the pool closes."""

    @property
    def workers(self) -> int:
        """The current number of workers, at least one."""
        return max(1, len(self._ready))

    def start(self) -> None:
        """Find the workers.

        Raises:
            BadInput: all workers differ from this mendbench, or mendbench is missing on the scheduler.
            Incomplete: no worker joined.
        """
        try:
            self._client.run_on_scheduler(cluster_worker.end, self._job.name)  # it unpickles the workers' input
        except ImportError as error:
            hint = "install the same there, and start it again"
            raise BadInput(
                _place(self._address), f"the scheduler has no mendbench that can run trials ({error})", hint
            ) from error
        self._look()
        if self._refused and not self._ready:
            raise BadInput(
                _place(self._address), min(self._refused.values()), "install the same there, and start it again"
            )
        self._watcher.start()
        self.renew()

    def submit(self, chunk: Sequence[T], /) -> Future[list[R]]:
        """Submit a chunk to the worker with the fewest chunks."""
        with self._changed:
            self._await_worker()
            busy = Counter(address for address, _, _ in self._under_way.values())
            address = min(self._ready, key=lambda one: (busy[one], one))
        ours: Future[list[R]] = Future()
        theirs = self._client.submit(
            cluster_worker.run_chunk, self._job.name, tuple(chunk), workers=[address], allow_other_workers=False, pure=False,
        )  # fmt: skip
        with self._changed:
            self._under_way[theirs.key] = address, theirs, ours
        theirs.add_done_callback(self._arrived)
        return ours

    def renew(self) -> None:
        """Wait until there is a worker.

        Raises:
            Incomplete: none comes.
        """
        with self._changed:
            self._await_worker()

    def close(self) -> None:
        """Disconnect from the cluster; tasks that have not begun are dropped."""
        self.undo.close()

    def stop(self) -> None:
        """Cancel pending tasks, and have the workers forget the run."""
        self._ended.set()
        if self._watcher.is_alive():
            self._watcher.join(2 * LOOK_S)
        if not self._ready:
            return  # a client waits long for a lost scheduler
        with contextlib.suppress(Exception):  # a client may raise anything without its scheduler
            self._client.cancel([theirs for _, theirs, _ in self._under_way.values()], force=True)
            self._client.run(cluster_worker.end, self._job.name, workers=sorted(self._ready), on_error="ignore")

    def _await_worker(self) -> None:
        if not self._changed.wait_for(lambda: self._ready, self._patience_s):
            refused = f" ({'; '.join(sorted(self._refused.values()))})" if self._refused else ""
            raise Incomplete(
                f"{_place(self._address)}: no worker for {self._patience_s:g} seconds{refused}; "
                f"start one with `dask worker {self._address}`"
            )

    def _arrived(self, theirs: Any) -> None:
        """Take a result. The client calls this when a result exists or can no longer come."""
        found: list[R] | BaseException
        while theirs.key in self._under_way:
            try:
                found = pickle.loads(zlib.decompress(theirs.result(timeout=_RESULT_S)))  # noqa: S301 - our own worker's
            except TimeoutError:
                continue
            except CancelledError as error:  # the scheduler was lost; if it returns, it is a new one
                self._forget(*self._ready)
                found = _broken(error)
            except (Unready, OSError, _dask().KilledWorker) as error:
                self._forget(*(address for address, one, _ in [*self._under_way.values()] if one is theirs))
                found = _broken(error)
            except BaseException as error:  # noqa: BLE001 - no worker's death: it is raised where the run is
                found = error
            self._settle(theirs.key, found)

    def _forget(self, *addresses: str) -> None:
        """Send these workers no more tasks until they have received the run again."""
        with self._changed:
            self._ready.difference_update(addresses)

    def _settle(self, key: str, found: list[R] | BaseException) -> None:
        with self._changed:
            _, _, ours = self._under_way.pop(key, (None, None, None))
        if ours is None:
            return
        if isinstance(found, BaseException):
            ours.set_exception(found)
        else:
            ours.set_result(found)

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_S):
            self._look()

    def _look(self) -> None:
        """Add new workers, and fail the tasks of lost ones."""
        try:
            # The client's cached scheduler state may come from an internal request that omits the workers.
            present = self._client.sync(self._client.scheduler.identity, n_workers=-1)["workers"]
            able = {address: str(worker.get("name", address)) for address, worker in present.items() if _able(worker)}
            self._refused = {address: why for address, why in self._refused.items() if address in present}
            joined = self._welcome(
                {at: name for at, name in able.items() if at not in self._ready and at not in self._refused}
            )
        except Exception:  # noqa: BLE001 - whatever a client raises whose scheduler is busy or gone
            if time.monotonic() - self._heard < SILENCE_S:
                return
            present, joined = {}, set()
        else:
            self._heard = time.monotonic()
        with self._changed:
            self._ready = (self._ready & present.keys()) | joined
            lost = [
                (key, theirs) for key, (address, theirs, _) in self._under_way.items() if address not in self._ready
            ]
            self._changed.notify_all()
        for key, theirs in lost:
            self._settle(key, _broken())
            with contextlib.suppress(Exception):
                theirs.cancel(force=True)

    def _welcome(self, names: Mapping[str, str]) -> set[str]:
        """Send the run to workers, and return those that can run trials."""
        if not names:
            return set()
        replies = self._client.run(
            cluster_worker.introduce, self._job.bundle.digest, workers=sorted(names), on_error="return"
        )
        fit: dict[bool, list[str]] = {True: [], False: []}
        for address, found in replies.items():
            why = _differs(found)
            if why is None:
                fit[found[1]].append(address)
            elif not isinstance(found, OSError):  # the worker was not lost again
                self._refuse(address, names[address], why)
        return self._begun(fit[True], None, names) | self._begun(fit[False], self._job.bundle, names)

    def _begun(self, addresses: Collection[str], bundle: Bundle | None, names: Mapping[str, str]) -> set[str]:
        if not addresses:
            return set()
        job = self._job
        replies = self._client.run(
            cluster_worker.begin,
            job.name,
            job.task,
            job.unpacking,
            bundle,
            workers=sorted(addresses),
            on_error="return",
        )
        for address, found in replies.items():
            if isinstance(found, BaseException) and not isinstance(found, Unready):
                self._refuse(address, names[address], f"{type(found).__name__}: {found}")
        return {address for address, found in replies.items() if found is None}

    def _refuse(self, address: str, name: str, why: str) -> None:
        called = address if name == address else f"{name} ({address})"
        self._refused[address] = " ".join(f"worker {called}: {why}".split())
        _log.warning("%s: %s; it gets no trials", _place(self._address), self._refused[address])


def _place(address: str) -> str:
    return shlex.join(["--cluster", address])


def _broken(cause: BaseException | None = None) -> BrokenExecutor:
    error = BrokenExecutor(DIED)
    error.__cause__ = cause
    return error


def _able(worker: Mapping[str, Any]) -> bool:
    return worker.get("status", "running") in {"init", "running"}


def _differs(found: Any) -> str | None:
    """Return how a worker differs from this process, by its own report; None if it does not."""
    if isinstance(found, BaseException):
        return f"it has no mendbench that can run trials ({type(found).__name__}: {found})"
    theirs, ours = found[0], makeup()
    other = [
        f"{name} {theirs.get(name, 'none')} in place of {ours[name]}" for name in ours if theirs.get(name) != ours[name]
    ]
    return ", ".join(other) or None


def _dask() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise BadInput("--cluster", "dask.distributed is not installed", "pip install 'mendbench[cluster]'") from error


@contextlib.contextmanager
def _in_silence() -> Iterator[None]:
    """Suppress dask's log output on the terminal: this module reports what matters."""
    handlers = [
        handler for handler in logging.getLogger("distributed").handlers if isinstance(handler, logging.StreamHandler)
    ]
    levels = [handler.level for handler in handlers]
    for handler in handlers:
        handler.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for handler, level in zip(handlers, levels, strict=True):
            handler.setLevel(level)


@contextlib.contextmanager
def _connected(dask: Any, address: str) -> Iterator[Any]:
    try:
        # A client would wait forever if the server is not a scheduler.
        with ThreadPoolExecutor(1) as elsewhere:  # this thread may already have an event loop
            answering = elsewhere.submit(asyncio.run, _kind(dask, address)).result()
        if answering != "Scheduler":
            raise TypeError(f"it is a {answering}")  # noqa: TRY301 - reported like all other faults of the address
        client = dask.Client(address, timeout=CONNECT_S, set_as_default=False, name="mendbench")
    except Exception as error:  # dask's exception depends on the error of the address
        message = f"{CONNECT_S} seconds" if isinstance(error, TimeoutError) else f"{type(error).__name__}: {error}"
        found = f"no scheduler answers there ({message})"
        raise BadInput(
            _place(address), found, "start one with `dask scheduler`, and give the address it prints"
        ) from error
    with client:
        yield client


async def _kind(dask: Any, address: str) -> str:
    """Return the kind of server at that address."""
    keys = dask.Security().get_connection_args("client")
    async with asyncio.timeout(CONNECT_S), dask.core.rpc(address, timeout=CONNECT_S, connection_args=keys) as server:
        identity = await server.identity()
    return str(identity["type"])


@contextlib.contextmanager
def _own_cluster(dask: Any, workers: int) -> Iterator[str]:
    try:
        cluster = dask.LocalCluster(
            n_workers=workers or None, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0", memory_limit=0,
            silence_logs=logging.CRITICAL, preload=[cluster_worker.__name__],
        )  # fmt: skip
    except Exception as error:  # as above
        hint = "a script that runs trials on several needs `if __name__ == '__main__':` around its own doing"
        raise BadInput(
            f"--cluster {LOCAL}", f"no worker processes can be started ({type(error).__name__}: {error})", hint
        ) from error
    with cluster:
        yield str(cluster.scheduler_address)
