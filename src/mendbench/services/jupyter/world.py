"""The real Jupyter Server: ``http://notebooks.saltings.example/api/contents/…``.

Its folder holds the files of ``seed.json``, overlaid with those of the case's state. It accepts requests with the token::

    {"token": "${canary:jupyter}", "files": {"ledgers/a.ipynb": {"cells": […], …}, "notes/b.txt": "text", "gone.txt": null}}

A notebook may be written as an object. Without a token in the state, the server refuses all requests. The server
restarts if the token changes; its proxy keeps its address.
"""

from __future__ import annotations

import json
import re
import secrets
from pathlib import Path
from typing import cast

from mendbench.io.folder_removal import emptied
from mendbench.services.local_server import refuse_absent
from mendbench.services.pinning_proxy import Pins
from mendbench.services.real_server import ProxiedServer, seed_of
from mendbench.services.sandboxed import ENVIRONMENT, merged_files, write_files

HOST = "notebooks.saltings.example"
ROOT = "/srv/notebooks"
"""The replacement for the server's folder in responses."""
_WHEN = "Thu, 01 Jan 2026 00:00:00 GMT"
_OPTIONS = (
    "--ServerApp.ip=127.0.0.1", "--ServerApp.port=0", "--ServerApp.open_browser=False", "--ServerApp.allow_root=True",
    "--ServerApp.allow_remote_access=True", "--ServerApp.terminals_enabled=False", "--ServerApp.root_dir=root",
)  # fmt: skip
_LAUNCH = """
from jupyter_server.serverapp import main
main(sys.argv[1:])
"""


def ordered(body: str) -> str:
    """Return a body with the entries of a folder sorted by path. The server lists them in disk order."""
    try:
        value = json.loads(body)
    except ValueError:
        return body
    listed = value.get("content") if isinstance(value, dict) and value.get("type") == "directory" else None
    if not isinstance(listed, list):
        return body
    value["content"] = sorted(listed, key=lambda entry: str(entry.get("path")))
    return json.dumps(value)


def pins(folder: Path) -> Pins:
    """Return the pins for a server whose files are in ``folder``."""
    return Pins(
        headers={
            "date": _WHEN, "last-modified": _WHEN, "server": "TornadoServer",
            "etag": None, "set-cookie": None,  # a digest that also covers pinned values, and a guest's random name
        },
        texts=(
            (re.compile(r'("(?:last_modified|created|last_activity|started)": ")[^"]*'), r"\g<1>2026-01-01T00:00:00.000000Z"),
            (re.compile(re.escape(str(folder))), ROOT),
        ),
        rewritten=ordered,
    )  # fmt: skip


class Jupyter(ProxiedServer):
    """A real server. Its folder is recreated before each scope."""

    name = "jupyter"
    hosts: tuple[str, ...] = (HOST,)

    def __init__(self) -> None:
        super().__init__(Pins(headers={}))
        self._token = ""
        self._unknown_token = secrets.token_hex(24)

    def start(self) -> str:
        """Start the server with the seed, and return the base URL of its proxy.

        Raises:
            BadInput: Jupyter Server is not installed, or does not start.
        """
        refuse_absent(self.name, "jupyter_server")
        with self._starting("jupyter") as folder:
            self._front.pins = pins(folder / "root")
            self.reset({})
            return self._front.open()

    def reset(self, state: dict[str, object]) -> None:
        """Recreate the files, and accept only the state's token.

        Raises:
            BadInput: the state is invalid, or the server was not started.
        """
        folder, files = self._started_folder(), files_of(state)
        root = folder / "root"
        root.mkdir(exist_ok=True)
        emptied(root)
        write_files(self.name, root, files)
        given = state.get("token")
        token = given if isinstance(given, str) and given else self._unknown_token
        if token != self._token:
            self._front.behind = self._launched(folder, token)
            self._token = token

    def stop(self) -> None:
        """Stop proxy and server, and remove the files. Does nothing if they are not running."""
        super().stop()
        self._token = ""

    def _launched(self, folder: Path, token: str) -> str:
        own = {f"JUPYTER_{what}_DIR": str(folder / what.lower()) for what in ("CONFIG", "DATA", "RUNTIME")}
        environ = {**ENVIRONMENT, **own, "HOME": str(folder), "JUPYTER_NO_CONFIG": "1", "JUPYTER_TOKEN": token}
        return self._server.start(_LAUNCH, *_OPTIONS, log=folder / "log", environ=environ)


def files_of(state: dict[str, object]) -> dict[str, str]:
    """Return the files of the folder, path to text: the seed's, overlaid with the state's.

    Raises:
        BadInput: a path is outside the folder.
    """
    given = cast("dict[str, object]", state.get("files") or {})
    texts = {path: file if isinstance(file, str | None) else json.dumps(file) for path, file in given.items()}
    return merged_files(Jupyter.name, seed_of(Jupyter.name)["files"], texts)
