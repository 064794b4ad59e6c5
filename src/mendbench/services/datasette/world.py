"""The real Datasette: one process on a free port of the loopback interface, over one SQLite file.

Its data is the database ``germbank`` of ``seed.sql``. A case's state is ``{"sql": "statements run after the seed"}``.
Datasette builds links from the Host header. Send the case's own host, so that recordings contain no port.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from importlib import resources
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.services.local_server import LocalServer, refuse_absent
from mendbench.services.real_server import RealServer

HOST = "data.datasette.example"
"""The host that cases call, as ``http://data.datasette.example/germbank/…``."""
DATABASE = "germbank"
_LAUNCH = 'import runpy\nrunpy.run_module("datasette", run_name="__main__", alter_sys=True)\n'
_SETTINGS = {"suggest_facets": "off", "default_cache_ttl": "0", "sql_time_limit_ms": "2000"}


class Datasette(RealServer):
    """A real server. It starts once and is reset before each scope; the running server sees the new data."""

    name = "datasette"
    hosts: tuple[str, ...] = (HOST,)

    def __init__(self) -> None:
        super().__init__()
        self._server = LocalServer(self.name)

    def start(self) -> str:
        """Start the server with the seed and return its base URL.

        Raises:
            BadInput: Datasette is not installed, or does not start.
        """
        refuse_absent(self.name, "datasette")
        settings = (word for setting in _SETTINGS.items() for word in ("--setting", *setting))
        with self._starting("datasette") as folder:
            self.reset({})
            words = ("serve", str(self._file()), "--host", "127.0.0.1", "--port", "0", *settings)
            return self._server.start(_LAUNCH, *words, log=folder / "log", environ=os.environ, folder=folder)

    def reset(self, state: dict[str, object]) -> None:
        """Reset the database to the seed, then run the statements of ``state["sql"]``.

        Raises:
            BadInput: the statements fail, or the server was not started.
        """
        file = self._file()
        with contextlib.closing(sqlite3.connect(":memory:")) as built:
            built.executescript(resources.files(__package__ or "").joinpath("seed.sql").read_text("utf-8"))
            try:
                built.executescript(str(state.get("sql") or ""))
            except sqlite3.Error as error:
                raise BadInput("state of datasette: sql", str(error), "mend the statements") from error
            built.commit()
            with contextlib.closing(sqlite3.connect(file)) as target:
                built.backup(target)

    def stop(self) -> None:
        """Stop the server and remove its files. Does nothing if it is not running."""
        self._server.stop()
        super().stop()

    def _file(self) -> Path:
        return self._started_folder() / f"{DATABASE}.db"
