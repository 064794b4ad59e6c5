"""The real everything server, over streamable HTTP: ``mcp://everything/get-sum`` and its other tools.

It stores nothing beyond a session, and each scope has its own session. So it has no state.
"""

from __future__ import annotations

import os
import re
from importlib import resources
from pathlib import Path

from mendbench.ports.world import StreamableServer
from mendbench.services.local_server import LocalServer
from mendbench.services.real_server import RealServer
from mendbench.services.sandboxed import HOME, Program, node_package, sandboxed

_LISTENS = re.compile(r"listens at (http://127\.0\.0\.1:[0-9]+/mcp)")
_PACKAGE = "@modelcontextprotocol/server-everything"
_INSIDE = f"{HOME}/everything"


class EverythingServer(RealServer):
    """A real server. It starts once; each scope is a new session."""

    name = "mcp_everything"
    hosts: tuple[str, ...] = ("everything",)

    def __init__(self) -> None:
        super().__init__()
        self._server = LocalServer(self.name)

    def start(self) -> StreamableServer:
        """Start the server on a free port of the loopback interface and return its address.

        Raises:
            BadInput: the server, Node.js or the sandbox's program is not installed, or it does not start.
        """
        program = node_package(self.name, _PACKAGE, "mcp-server-everything", f"{_INSIDE}/launch.mjs")
        with self._starting("everything") as folder:
            return StreamableServer(url=self._launched(program, folder))

    def reset(self, state: dict[str, object]) -> None:  # noqa: ARG002 - it has none
        """Do nothing: a new session has no state.

        Raises:
            BadInput: the world was not started.
        """
        self._started_folder()

    def stop(self) -> None:
        """Stop the server and remove its folder. Does nothing if it is not running."""
        self._server.stop()
        super().stop()

    def _launched(self, program: Program, folder: Path) -> str:
        inside, log = folder / "inside", folder / "log"
        inside.mkdir()
        script = resources.files(__package__ or "").joinpath("launch.mjs").read_text("utf-8")
        (inside / "launch.mjs").write_text(script, "utf-8")
        command = sandboxed(self.name, program, data={_INSIDE: inside}, network=True)
        return self._server.run(command, log=log, environ=os.environ, listens=_LISTENS)
