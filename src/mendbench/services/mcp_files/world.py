"""The real filesystem server, over stdio: ``mcp://filesystem/read_text_file`` and its other tools.

It can access ``/srv/mendbench/files``, which holds the files of ``seed.json``, overlaid with the case's: ``{"files":
{"rota/quay.json": "text", "notes/ferry.md": null}}``; null removes a file. ``get_file_info`` shows the creation time of
a file, which differs in each recording. The other tools are deterministic.
"""

from __future__ import annotations

from typing import cast

from mendbench.io.folder_removal import emptied
from mendbench.ports.world import StdioServer
from mendbench.services.real_server import RealServer, seed_of
from mendbench.services.sandboxed import (
    HOME,
    NODE_MODULES,
    merged_files,
    node_package,
    sandboxed,
    write_files,
)

ROOT = f"{HOME}/files"
"""The only folder that the server can access, by its path in the sandbox."""
_PACKAGE = "@modelcontextprotocol/server-filesystem"


class FilesystemServer(RealServer):
    """A real server, restarted for each scope with a freshly filled folder."""

    name = "mcp_files"
    hosts: tuple[str, ...] = ("filesystem",)

    def start(self) -> StdioServer:
        """Return the command that runs the server.

        Raises:
            BadInput: the server, Node.js or the sandbox's program is not installed.
        """
        script = f"{NODE_MODULES}/{_PACKAGE}/dist/index.js"
        program = node_package(self.name, _PACKAGE, "mcp-server-filesystem", script, ROOT)
        with self._starting("files") as folder:
            self.reset({})
            return StdioServer(command=sandboxed(self.name, program, data={ROOT: folder}))

    def reset(self, state: dict[str, object]) -> None:
        """Fill the folder with the seed, overlaid with the files of ``state["files"]``.

        Raises:
            BadInput: a file cannot be written, or the world was not started.
        """
        folder = self._started_folder()
        files = merged_files(
            self.name, seed_of(self.name)["files"], cast("dict[str, str | None]", state.get("files") or {})
        )
        emptied(folder)
        write_files(self.name, folder, files)
