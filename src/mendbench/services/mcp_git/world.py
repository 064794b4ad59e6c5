"""The real git server, over stdio: ``mcp://git/git_log`` and its other tools.

It can access the repository ``/srv/mendbench/git``: the commits of ``seed.json``, then those of the case's state::

    {"commits": [{"message": "…", "files": {"path": "text", "gone": null}}],    # on main, after the seed's
     "branches": {"lanes/harvest-4": "HEAD~1"},                                # name to start point
     "files": {"path": "text", "gone": null}}                                  # written to the working tree

Author and dates are fixed, also for commits that the server makes. So every hash is deterministic.
"""

from __future__ import annotations

import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

from mendbench.errors import BadInput
from mendbench.io.folder_removal import emptied
from mendbench.io.virtual_clock import START_MS
from mendbench.model.json import JsonObject
from mendbench.ports.world import StdioServer
from mendbench.services.real_server import RealServer, seed_of
from mendbench.services.sandboxed import (
    ENVIRONMENT,
    HOME,
    merged_files,
    python_module,
    sandboxed,
    write_files,
)

ROOT = f"{HOME}/git"
"""The repository's path in the sandbox."""
FIRST = datetime.fromtimestamp(START_MS / 1000, UTC) - timedelta(days=30)
"""The time of the first commit. Each next commit is one day later."""
_IDENTITY = {
    "GIT_AUTHOR_NAME": "Ines Falk", "GIT_AUTHOR_EMAIL": "ines@orchard.example",
    "GIT_COMMITTER_NAME": "Ines Falk", "GIT_COMMITTER_EMAIL": "ines@orchard.example",
    "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_TERMINAL_PROMPT": "0",
}  # fmt: skip


class GitServer(RealServer):
    """A real server, restarted for each scope with a freshly built repository."""

    name = "mcp_git"
    hosts: tuple[str, ...] = ("git",)

    def start(self) -> StdioServer:
        """Return the command that runs the server.

        Raises:
            BadInput: the server, Git or the sandbox's program is not installed.
        """
        program = python_module(self.name, "mcp-server-git", "-m", "mcp_server_git", "--repository", ROOT)
        if shutil.which("git") is None:
            raise BadInput(f"service {self.name}", "Git is not installed", "install git")
        now = _dated(datetime.fromtimestamp(START_MS / 1000, UTC))
        with self._starting("git") as folder:
            self.reset({})
            return StdioServer(command=sandboxed(self.name, program, data={ROOT: folder}, environ=now))

    def reset(self, state: dict[str, object]) -> None:
        """Build the repository: the seed, then the state's additions.

        Raises:
            BadInput: the state cannot be built, or the world was not started.
        """
        folder, seed = self._started_folder(), seed_of(self.name)
        emptied(folder)
        _git(folder, FIRST, "init", "--quiet", "--template=", "--initial-branch=main")
        for day, commit in enumerate((*seed["commits"], *cast("list[JsonObject]", state.get("commits") or []))):
            _commit(folder, commit, FIRST + timedelta(days=day))
        for branch, start in {**seed["branches"], **cast("JsonObject", state.get("branches") or {})}.items():
            if start is not None:
                _git(folder, FIRST, "branch", "--no-track", "--", branch, start)
        _lay(folder, cast("JsonObject", state.get("files") or {}))


def _commit(folder: Path, commit: JsonObject, when: datetime) -> None:
    _lay(folder, commit.get("files") or {})
    _git(folder, when, "add", "--all")
    _git(folder, when, "commit", "--quiet", "--allow-empty", "--no-gpg-sign", "-m", commit["message"])


def _lay(folder: Path, files: JsonObject) -> None:
    write_files(GitServer.name, folder, merged_files(GitServer.name, {}, files))
    for path in (path for path, text in files.items() if text is None):
        (folder / path).unlink(missing_ok=True)


def _dated(when: datetime) -> dict[str, str]:
    """Return the variables that fix Git's commit time and author, and disable its configuration files."""
    stamp = when.strftime("%Y-%m-%dT%H:%M:%S+0000")
    return {**_IDENTITY, "GIT_AUTHOR_DATE": stamp, "GIT_COMMITTER_DATE": stamp}


def _git(folder: Path, when: datetime, *words: str) -> None:
    done = subprocess.run(  # noqa: S603  Git itself, on a folder of our own
        [cast("str", shutil.which("git")), *words],
        cwd=folder, env={**ENVIRONMENT, **_dated(when), "HOME": str(folder)}, stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
    if done.returncode:
        last_line = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no output"]
        raise BadInput("state of mcp_git", f"git {words[0]}: {last_line[0]}", "mend the state")
