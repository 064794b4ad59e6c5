"""The real time server, over stdio: ``mcp://time/convert_time`` and ``mcp://time/get_current_time``.

The responses of both tools depend on the current date and summer time, even for a time of day between two zones. So its clock is fixed:
at the start time of every scope's clock, or at a case's own ``{"now": "2026-07-01T12:00:00Z"}``. Time zones come from the pinned package
tzdata, not from the machine.
"""

from __future__ import annotations

from datetime import UTC, datetime

from mendbench.io.virtual_clock import START_MS
from mendbench.ports.world import StdioServer
from mendbench.services.real_server import RealServer
from mendbench.services.sandboxed import HOME, python_module, sandboxed

_LAUNCH = """
import asyncio, datetime, pathlib
from mcp_server_time import server
moment = datetime.datetime.fromisoformat(pathlib.Path("now").read_text())
class Standing(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return moment.astimezone(tz)
server.datetime = Standing
asyncio.run(server.serve("UTC"))
"""
"""Runs the server with a fixed clock. Everything else is unchanged."""


class TimeServer(RealServer):
    """A real server, restarted for each scope."""

    name = "mcp_time"
    hosts: tuple[str, ...] = ("time",)

    def start(self) -> StdioServer:
        """Return the command that runs the server.

        Raises:
            BadInput: the server or the sandbox's program is not installed.
        """
        program = python_module(self.name, "mcp-server-time", "-c", _LAUNCH)
        with self._starting("time") as folder:
            self.reset({})
            command = sandboxed(self.name, program, data={f"{HOME}/time": folder}, environ={"PYTHONTZPATH": ""})
            return StdioServer(command=command)

    def reset(self, state: dict[str, object]) -> None:
        """Set the clock of the next process to ``state["now"]``.

        Raises:
            BadInput: the world was not started.
        """
        folder = self._started_folder()
        start = datetime.fromtimestamp(START_MS / 1000, UTC).isoformat()
        moment = datetime.fromisoformat(str(state.get("now") or start))
        (folder / "now").write_text(moment.isoformat(), "utf-8")
