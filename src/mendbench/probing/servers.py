"""How a server is started afresh: a command in a sandbox, or a URL."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlsplit

from mendbench.errors import BadInput
from mendbench.exchanges.bodies import parse_body
from mendbench.io.folder_removal import emptied
from mendbench.live.mcp_servers import McpLive
from mendbench.model.json import JsonObject
from mendbench.probing.connection import CALL_S, MOST_PAGES, START_S, Connection, Lost, ServerInfo
from mendbench.probing.stdio import StdioSession
from mendbench.process.sandbox_limits import entries_of
from mendbench.runtime.nodes.interface import json_request
from mendbench.services.sandboxed import ENVIRONMENT, HOME, Program, sandboxed

FOLDER_MARK = "{folder}"
"""Stands for the server's fresh folder in its command and in right calls."""
INSIDE = f"{HOME}/folder"
"""Where the fresh folder is in the sandbox."""

_HIDDEN = frozenset({"dev", "lost+found", "proc", "run", "srv", "sys", "tmp"})
"""Folders of the root that the sandbox has its own of, or that programs do not need."""
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_HOST = "server"


class Target(Protocol):
    """A server that can be started any number of times."""

    @property
    def shown(self) -> str:
        """The command or URL, for messages."""

    @property
    def program(self) -> str:
        """The name of the program in its command; empty for a URL."""

    @property
    def remote(self) -> bool:
        """Whether it runs on another machine."""

    @property
    def sandbox(self) -> bool:
        """Whether it runs in a sandbox, without network."""

    @property
    def resets(self) -> bool:
        """Whether a new session begins with fresh data."""

    @property
    def folder(self) -> str:
        """The path of its folder, as the server sees it; empty if it has none."""

    def open(self) -> Connection:
        """Start it with fresh data.

        Raises:
            Lost: it cannot be started.
            BadInput: the machine lacks something.
        """

    def files(self) -> int:
        """Return a number that differs once a file in its folder is changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandTarget:
    """A server over stdio, in a sandbox without network."""

    words: tuple[str, ...]
    scratch: Path
    """An empty folder for its data."""
    content: Path | None = None
    """A folder that is copied into its fresh folder."""
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables that it gets beside :data:`~mendbench.services.sandboxed.ENVIRONMENT`."""
    sandbox: bool = True
    start_s: float = START_S
    call_s: float = CALL_S
    remote: bool = False
    resets: bool = True

    @property
    def shown(self) -> str:
        """The command."""
        return " ".join(self.words)

    @property
    def program(self) -> str:
        """The name of the program in its command."""
        return Path(self.words[0]).name

    @property
    def folder(self) -> str:
        """The path of its folder, as the server sees it."""
        return INSIDE if self.sandbox else str(self.scratch)

    def open(self) -> StdioSession:
        """Start it with a fresh folder.

        Raises:
            Lost: it cannot be started.
            BadInput: the sandbox's program is not installed.
        """
        emptied(self.scratch)
        if self.content is not None:
            _copy(self.content, self.scratch)
        program = _found(self.words[0])
        words = [program, *(word.replace(FOLDER_MARK, self.folder) for word in self.words[1:])]
        if not self.sandbox:
            environ = {**os.environ, **self.environ}
            return StdioSession(words, environ, cwd=self.folder, start_s=self.start_s, call_s=self.call_s)
        _refuse_without_sandbox()
        own = {"PATH": os.environ.get("PATH", ENVIRONMENT["PATH"]), **self.environ}
        argv = sandboxed(
            "tools probe", Program(words=tuple(words), reads=_readable(words)), data={INSIDE: self.scratch}, environ=own
        )
        return StdioSession(argv, None, start_s=self.start_s, call_s=self.call_s)

    def files(self) -> int:
        """Return a number that differs once a file in its folder is changed."""
        seen = ((path, status and (status.st_mtime_ns, status.st_size)) for path, status in entries_of(self.scratch))
        return hash(frozenset(seen))


def _copy(folder: Path, to: Path) -> None:
    """Copy the content of a folder.

    Raises:
        BadInput: a file in it cannot be read, or the copy cannot be written.
    """
    try:
        shutil.copytree(folder, to, symlinks=True, dirs_exist_ok=True)
    except OSError as error:
        first = error.args[0][0][2] if isinstance(error, shutil.Error) else error.strerror
        hint = "name a folder with plain files that you can read, and room for a copy"
        raise BadInput(f"--folder {folder}", f"cannot be copied ({first})", hint) from None


def _refuse_without_sandbox() -> None:
    """Refuse to run a server where there is no sandbox for it.

    Raises:
        BadInput: the system is not Linux, or bubblewrap is not installed.
    """
    why = "its sandbox needs Linux" if not sys.platform.startswith("linux") else "bubblewrap (bwrap) is not installed"
    if not sys.platform.startswith("linux") or shutil.which("bwrap") is None:
        raise BadInput(
            "tools probe", why, "install it, or run the server with your files and the network: --no-sandbox"
        )


def _found(program: str) -> str:
    """Return the path of a program.

    Raises:
        BadInput: there is none.
    """
    found = shutil.which(program)
    if found is None:
        raise BadInput(f"command {program!r}", "not found", "name a program on the PATH, or its path")
    return str(Path(found).absolute())


def _readable(words: Sequence[str]) -> dict[str, Path]:
    """Return what the sandbox shows of the machine, read only: everything but temporary and device files, and the program itself."""
    root = {f"/{one.name}": one for one in Path("/").iterdir() if one.is_dir() and one.name not in _HIDDEN}
    named = (Path(word) for word in words if word.startswith("/") and Path(word).exists())
    own = {str(folder): folder for path in named for folder in _installation(path)}
    return root | {inside: path for inside, path in own.items() if path.parts[1] in _HIDDEN}


def _installation(path: Path) -> tuple[Path, ...]:
    """Return the folders that a program needs: its environment or package, and those that it links to."""
    return tuple(dict.fromkeys(_around(one) for one in (path, path.resolve())))


def _around(path: Path) -> Path:
    modules = [one for one in path.parents if one.name == "node_modules"]
    if modules:
        return modules[-1]
    return path.parent.parent if path.parent.name in {"bin", "Scripts"} else path if path.is_dir() else path.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class UrlTarget:
    """A server over streamable HTTP. A new session is all that can be fresh about it."""

    url: str
    call_s: float = CALL_S
    program: str = ""
    sandbox: bool = False
    resets: bool = False
    folder: str = ""

    @property
    def shown(self) -> str:
        """The URL without its query, which may hold a key."""
        return self.url.partition("?")[0]

    @property
    def remote(self) -> bool:
        """Whether its host is not this machine's loopback interface."""
        return urlsplit(self.url).hostname not in _LOOPBACK

    def open(self) -> _UrlSession:
        """Connect to it."""
        return _UrlSession(self)

    def files(self) -> int:
        """Return 0: its files are not visible."""
        return 0


class _UrlSession:
    """A session over streamable HTTP, through the SDK."""

    info = ServerInfo()

    def __init__(self, target: UrlTarget) -> None:
        self._shown = target.shown
        self._live = McpLive({_HOST: target.url}, patience_s=target.call_s)

    def list_tools(self) -> list[JsonObject]:
        found: list[JsonObject] = []
        cursor = None
        for _ in range(MOST_PAGES):
            response = self._sent("tools/list", {"cursor": cursor} if cursor else {})
            result = response.get("result")
            if not isinstance(result, dict):
                raise Lost(f"tools/list: {response.get('error')}")
            found += [one for one in result.get("tools") or () if isinstance(one, dict)]
            cursor = result.get("nextCursor")
            if not isinstance(cursor, str) or not cursor:
                break
        return found

    def call(self, tool: str, arguments: JsonObject) -> JsonObject:
        return self._sent(quote(tool, safe=""), arguments)

    def close(self) -> None:
        self._live.close()

    def _sent(self, path: str, arguments: JsonObject) -> JsonObject:
        try:
            response = self._live.send(json_request(f"mcp://{_HOST}/{path}", arguments))
        except BadInput as error:
            found = error.found.replace("cannot be started", "cannot be reached")
            hint = error.hint if isinstance(error.__cause__, ImportError) else "check the URL, and that the server runs"
            raise BadInput(self._shown, found, hint) from None
        message = parse_body(response.body, "application/json")
        if response.fault is not None or response.status >= 300 or not isinstance(message, dict):  # noqa: PLR2004
            raise Lost(
                f"the connection ended: {response.fault}" if response.fault else f"HTTP status {response.status}"
            )
        return message
