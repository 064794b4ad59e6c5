"""Base classes of the real servers: each has a scratch folder, which exists from start to stop."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib import resources
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.io.temporary_folders import drop_scratch, make_scratch
from mendbench.model.json import Json, JsonObject
from mendbench.services.local_server import LocalServer
from mendbench.services.pinning_proxy import Front, Incoming, Pins, Prepare

_PACKAGE = __name__.rpartition(".")[0]


def seed_of(service: str) -> JsonObject:
    """Return the content of a service's ``seed.json``."""
    seed: JsonObject = json.loads(resources.files(f"{_PACKAGE}.{service}").joinpath("seed.json").read_text("utf-8"))
    return seed


def entries(state: JsonObject, key: str) -> tuple[tuple[str, Json], ...]:
    """Return the names and values of a table of a state. One that is null is absent, as in a merge patch."""
    return tuple((name, value) for name, value in (state.get(key) or {}).items() if value is not None)


def json_request(method: str, host: str, target: str, body: JsonObject | None) -> Incoming:
    """Return a request with a JSON body; without a body if it is null."""
    headers = (("Host", host), *(() if body is None else (("Content-Type", "application/json"),)))
    sent = b"" if body is None else json.dumps(body).encode()
    return Incoming(method=method, target=target, host=host, headers=headers, body=sent)


def copy_database(source: Path, target: Path) -> None:
    """Replace the content of an SQLite database, which a server may have open, by that of another."""
    with closing(sqlite3.connect(source)) as read, closing(sqlite3.connect(target)) as written:
        read.backup(written)


class RealServer:
    """A real server with a scratch folder."""

    name: str

    def __init__(self) -> None:
        self._folder: Path | None = None

    def stop(self) -> None:
        """Stop the server and remove its files. Does nothing if it is not running."""
        if self._folder is not None:
            drop_scratch(self._folder)
            self._folder = None

    @contextmanager
    def _starting(self, folder_name: str) -> Iterator[Path]:
        """Stop the previous run and yield a new folder. If the start fails, stop again."""
        self.stop()
        self._folder = make_scratch(folder_name)
        try:
            yield self._folder
        except BaseException:
            self.stop()
            raise

    def _started_folder(self) -> Path:
        """Return the folder.

        Raises:
            BadInput: the server was not started.
        """
        if self._folder is None:
            raise BadInput(f"service {self.name}", "reset before start", "start it first")
        return self._folder


class ProxiedServer(RealServer):
    """A real server behind a proxy that makes its responses deterministic."""

    def __init__(self, pins: Pins, prepare: Prepare | None = None) -> None:
        super().__init__()
        self._server = LocalServer(self.name)
        self._front = Front(pins=pins, prepare=prepare)

    def _created(self, place: str, asked: Incoming) -> Json:
        """Send a request that creates a part of the state, and return what the server returns as JSON; null if it is not JSON.

        Raises:
            BadInput: the server refuses the request that ``place`` of the state means.
        """
        status, _, _, body = self._front.response(asked)
        text = body.decode("utf-8", "replace")
        if status // 100 != 2:  # noqa: PLR2004 - the first digit of success
            found = f"refused with {status}: {' '.join(text.split())[:200]}"
            raise BadInput(f"state of {self.name}: {place}", found, "mend the state")
        try:
            return json.loads(text)
        except ValueError:
            return None

    def stop(self) -> None:
        """Stop proxy and server, and remove the files. Does nothing if they are not running."""
        self._front.close()
        self._server.stop()
        super().stop()
