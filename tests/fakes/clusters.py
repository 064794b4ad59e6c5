"""A dask cluster on loopback: a scheduler and workers, each a process of its own; and what its workers are given to do.

Workers import this module, so it needs nothing that only tests need.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from mendbench.errors import BadInput

REPOSITORY = Path(__file__).resolve().parents[2]
START_S = 120


class Cluster:
    """A scheduler, and the processes that were started for it."""

    def __init__(self, home: Path) -> None:
        self.home, self._processes = home, []
        self._file = home / "scheduler.json"
        self.scheduler = self._start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
        deadline = time.monotonic() + START_S
        while not self._file.is_file() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.address = json.loads(self._file.read_text())["address"]

    def add_worker(self, name: str, *options: str) -> int:
        """Start a worker with a cache of its own, and a nanny that starts it again; return the nanny's process id."""
        more = ("--nthreads", "1", "--name", name, "--no-dashboard", "--local-directory", str(self.home), *options)
        return self._start("dask_worker", *more, cache=self.home / f"cache-{name}")

    def end(self) -> None:
        """End the workers before their scheduler: without one they would wait for it."""
        for process in reversed(self._processes[1:]):
            process.terminate()
        for process in (*self._processes[1:], self._processes[0]):
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def _start(self, module: str, *options: str, cache: Path | None = None) -> int:
        paths = os.pathsep.join([str(REPOSITORY), *sys.path])
        env = {**os.environ, "PYTHONPATH": paths, "XDG_CACHE_HOME": str(cache or self.home)}
        command = [sys.executable, "-m", f"distributed.cli.{module}", "--scheduler-file", str(self._file), *options]
        with (self.home / f"{module}.log").open("ab") as log:
            self._processes.append(subprocess.Popen(command, env=env, cwd=self.home, stdout=log, stderr=log))
        return self._processes[-1].pid


@contextlib.contextmanager
def cluster(home: Path, *workers: str) -> Iterator[Cluster]:
    """Yield a cluster with workers of these names."""
    started = Cluster(home)
    try:
        for name in workers:
            started.add_worker(name)
        yield started
    finally:
        started.end()


def square(_context: object, number: int) -> int:
    return number * number


def die_of_seven(_context: object, number: int) -> int:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def linger(_context: object, number: int) -> int:
    """Be under way until this process is killed, and for a minute at most."""
    if number:
        threading.Event().wait(60)
    return number


def process_of(_context: object, _number: int) -> int:
    return os.getpid()


def cases_of(context: object, _number: int) -> tuple[str, ...]:
    return tuple(context.corpus.folders)


def refuse(context: object, case: str) -> None:
    """Say that a case's file is broken, as whoever reads it would."""
    raise BadInput(f"{context.corpus.folders[case] / 'case.yaml'}:3", "torn", "mend it")
