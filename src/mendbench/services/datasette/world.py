"""The real Datasette: one process on a free port of the loopback interface, over one SQLite file.

Its data is the database ``germbank`` of ``seed.sql``. A case's state is ``{"sql": "statements run after the seed"}``.
Datasette builds links from the Host header. Send the case's own host, so that recordings contain no port.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from importlib import resources, util
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.io.temporary_folders import drop_scratch, make_scratch
from mendbench.services.local_server import LocalServer

HOST = "data.datasette.example"
"""The host that cases call, as ``http://data.datasette.example/germbank/…``."""
DATABASE = "germbank"
_LAUNCH = 'import runpy\nrunpy.run_module("datasette", run_name="__main__", alter_sys=True)\n'
_SETTINGS = {"suggest_facets": "off", "default_cache_ttl": "0", "sql_time_limit_ms": "2000"}


class Datasette:
    """A real server. It starts once and is reset before each scope; the running server sees the new data."""

    name = "datasette"
    hosts: tuple[str, ...] = (HOST,)

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._server = LocalServer(self.name)

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
        self._folder = make_scratch("datasette")
        self.reset({})
        settings = (word for setting in _SETTINGS.items() for word in ("--setting", *setting))
        words = ("serve", str(self._file()), "--host", "127.0.0.1", "--port", "0", *settings)
        try:
            return self._server.start(
                _LAUNCH, *words, log=self._folder / "log", environ=os.environ, folder=self._folder
            )
        except BaseException:
            self.stop()
            raise

    def reset(self, state: dict[str, object]) -> None:
        """Reset the database to the seed, then run the statements of ``state["sql"]``.

        Raises:
            BadInput: the statements fail, or the server was not started.
        """
        if self._folder is None:
            raise BadInput("service datasette", "reset before start", "start it first")
        with contextlib.closing(sqlite3.connect(":memory:")) as built:
            built.executescript(resources.files(__package__ or "").joinpath("seed.sql").read_text("utf-8"))
            try:
                built.executescript(str(state.get("sql") or ""))
            except sqlite3.Error as error:
                raise BadInput("state of datasette: sql", str(error), "mend the statements") from error
            built.commit()
            with contextlib.closing(sqlite3.connect(self._file())) as target:
                built.backup(target)

    def stop(self) -> None:
        """Stop the server and remove its files. Does nothing if it is not running."""
        self._server.stop()
        if self._folder is not None:
            drop_scratch(self._folder)
            self._folder = None

    def _file(self) -> Path:
        if self._folder is None:
            raise BadInput("service datasette", "not started", "start it first")
        return self._folder / f"{DATABASE}.db"
