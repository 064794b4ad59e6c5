"""The real Datasette: one process on a free port of the loopback interface, over one SQLite file.

Its data is the database ``germbank`` of ``seed.sql``. A case's state is ``{"sql": "statements run after the
seed"}``. Datasette builds links from the Host header: send the case's own host along, and no port shows in what is
recorded.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from importlib import resources, util
from pathlib import Path

from mendbench.errors import BadInput

HOST = "data.datasette.example"
"""The host that cases call, as ``http://data.datasette.example/germbank/…``."""
DATABASE = "germbank"
START_LIMIT_S = 60.0
"""How long the server may take to start, seconds; half a second to five are usual."""
STOP_LIMIT_S = 5.0
_POLL_S = 0.05
_LISTENS = re.compile(r"Uvicorn running on (http://[0-9.]+:[0-9]+)")
_LAUNCH = """
import os, runpy, shutil, sys, threading
folder = sys.argv.pop(1)
def outlive_nobody():
    sys.stdin.buffer.read()
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)
threading.Thread(target=outlive_nobody, daemon=True).start()
runpy.run_module("datasette", run_name="__main__", alter_sys=True)
"""
"""Runs Datasette until its standard input ends: whoever started it may die in any way, and the server goes with it."""
_SETTINGS = {"suggest_facets": "off", "default_cache_ttl": "0", "sql_time_limit_ms": "2000"}


class Datasette:
    """A real server. It is started once and reset before each scope; the running server sees the new data."""

    name = "datasette"
    hosts: tuple[str, ...] = (HOST,)

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> str:
        """Start the server with the seed and return its base URL.

        Raises:
            BadInput: Datasette is not installed, or does not start.
        """
        if util.find_spec("datasette") is None:
            raise BadInput(
                "service datasette", "the package datasette is not installed", "install mendbench[real-worlds]"
            )
        self.stop()
        self._folder = Path(tempfile.mkdtemp(prefix="mendbench-datasette-"))
        self.reset({})
        log = self._folder / "log"
        command = [sys.executable, "-c", _LAUNCH, str(self._folder), "serve", str(self._file())]
        command += ["--host", "127.0.0.1", "--port", "0"]
        for setting in _SETTINGS.items():
            command += ["--setting", *setting]
        with log.open("wb") as out:
            self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=out, stderr=out)  # noqa: S603
        try:
            return _address(self._process, log)
        except BaseException:
            self.stop()
            raise

    def reset(self, state: dict[str, object]) -> None:
        """Bring the database to the seed, with the statements of ``state["sql"]`` after it.

        Raises:
            BadInput: the statements do not run, or the server was not started.
        """
        if self._folder is None:
            raise BadInput("service datasette", "reset before start", "start it first")
        extra = state.get("sql", "")
        if not isinstance(extra, str) or set(state) - {"sql"}:
            raise BadInput("state of datasette", f"keys {sorted(state)}", 'write {"sql": "statements"}')
        with contextlib.closing(sqlite3.connect(":memory:")) as built:
            built.executescript(resources.files(__package__ or "").joinpath("seed.sql").read_text("utf-8"))
            try:
                built.executescript(extra)
            except sqlite3.Error as error:
                raise BadInput("state of datasette: sql", str(error), "mend the statements") from error
            built.commit()
            with contextlib.closing(sqlite3.connect(self._file())) as target:
                built.backup(target)

    def stop(self) -> None:
        """Stop the server and remove its files. Does nothing if it does not run."""
        if self._process is not None:
            self._process.terminate()
            if self._process.stdin is not None:
                self._process.stdin.close()
            try:
                self._process.wait(STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None

    def _file(self) -> Path:
        if self._folder is None:
            raise BadInput("service datasette", "not started", "start it first")
        return self._folder / f"{DATABASE}.db"


def _address(process: subprocess.Popen[bytes], log: Path) -> str:
    """Wait until the server says where it listens; it picks the port itself, so nobody else can take it first."""
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        said = log.read_text("utf-8", "replace")
        found = _LISTENS.search(said)
        if found:
            return found.group(1)
        if process.poll() is not None:
            last = said.strip().splitlines()[-1:] or ["no output"]
            raise BadInput(
                "service datasette", f"it ended with code {process.returncode}: {last[0]}", "mend its set-up"
            )
        time.sleep(_POLL_S)
    raise BadInput("service datasette", f"no answer within {START_LIMIT_S:.0f} s", "try again on an idle machine")
