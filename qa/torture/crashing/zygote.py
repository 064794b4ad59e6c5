"""A process that has everything imported, and forks a ``mendbench`` for each order: ``python -m qa.torture.crashing.zygote``.

An order is a line of JSON on standard input. ``{"wait": PID}`` is answered by the child's exit code, less than 0 for a signal; any other
order begins a child and is answered by its process id.
"""

from __future__ import annotations

import errno
import importlib
import json
import os
import signal
import stat
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict

if TYPE_CHECKING:
    from collections.abc import Callable

WARM = (
    "email.parser", "http.server", "httpcore2", "httpx2", "idna", "jmespath", "mendbench.api", "mendbench.api.runs",
    "mendbench.corpus.case_file", "mendbench.results.run_lock", "mendbench.prompts.importing", "mendbench.cli.main",
    "mendbench.cli.run", "mendbench.cli.terminal", "mendbench.live.chat_model", "mendbench.report.html", "mendbench.workflow_app",
    "pydantic.type_adapter", "sqlite3", "typer._adapters",
)  # fmt: skip
"""What children need not import each for itself."""

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
EVENTS = frozenset(
    {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod", "os.link", "os.symlink"}
)
"""Audit events of what changes files; ``open`` is one more."""

Way = Literal["count", "group", "alone", "full", "readonly", "pause", "term"]
"""Count steps only; kill the whole group, or this process alone; a disk that is full from a write on, or cannot be written to at all; wait;
send SIGTERM."""


class Order(TypedDict):
    """What a child is to do, and what is to happen to it."""

    words: list[str]
    cwd: str
    environ: dict[str, str]
    out: str
    """Where its standard output goes; ``.err`` and ``.steps`` stand beside it."""
    way: Way
    at: int
    """The step at which it happens, from 1; 0 for never. For ``full`` the write."""
    until: str
    """For ``pause``: the file whose appearance ends it; ``.met`` beside it says that it has begun."""


class Strikes:
    """Counts the steps of a child that change files below its root, and strikes at one of them, half way through if it is a write."""

    def __init__(self, order: Order) -> None:
        self._way, self._at, self._until = order["way"], order["at"], order["until"]
        self._root = str(Path(order["cwd"]).parent)
        self._write, self._fsync = os.write, os.fsync
        self._busy = False
        self.steps: list[str] = []
        self.writes = 0

    def install(self) -> None:
        """Stand between the process and the file system."""
        sys.addaudithook(self._hook)
        os.write, os.fsync = self._wrote, self._synced  # type: ignore[assignment]
        place = importlib.import_module("mendbench.results.run_lock")
        exchanged = place.exchanged

        def swapped(one: Path, other: Path) -> bool:
            self._met("exchange", one)
            return bool(exchanged(one, other))

        place.exchanged = swapped  # type: ignore[attr-defined]

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if self._busy:
            return
        if event == "open":
            path, _, flags = args
            if isinstance(path, str) and isinstance(flags, int) and flags & WRITING and self._inside(path):
                self._met(event, path)
        elif event in EVENTS and (args[-1] != -1 or self._inside(args[0])):
            self._met(event, args[0])

    def _inside(self, path: Any) -> bool:
        return isinstance(path, str | os.PathLike) and str(Path.cwd() / path).startswith(self._root)

    def _met(self, what: str, path: object) -> None:
        self.steps.append(f"{what} {Path(str(path)).name}")
        if self._way == "readonly":
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        if self._way in {"group", "alone", "pause", "term"} and len(self.steps) == self._at:
            self._strike()

    def _strike(self) -> None:
        self._busy = True
        if self._way == "pause":
            Path(f"{self._until}.met").touch()
            while not Path(self._until).exists():
                time.sleep(0.005)
        elif self._way == "alone":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self._way == "group":
            os.killpg(os.getpid(), signal.SIGKILL)
        self._busy = False
        if self._way == "term":
            os.kill(os.getpid(), signal.SIGTERM)

    def _wrote(self, handle: int, data: Any) -> int:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return self._write(handle, data)
        self.writes += 1
        half = bytes(data)[: len(data) // 2]
        if self._way == "full" and self._at and self.writes >= self._at:
            if self.writes == self._at:
                self._write(handle, half)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if self._way in {"group", "alone"} and len(self.steps) + 1 == self._at:
            self._write(handle, half)
        self._met("write", "")
        return self._write(handle, data)

    def _synced(self, handle: int) -> None:
        self._met("fsync", "")
        self._fsync(handle)


def child(order: Order) -> int:
    """Be ``mendbench`` from now on, and return its exit code."""
    os.setsid()
    os.chdir(order["cwd"])
    os.environ.update(order["environ"])
    tempfile.tempdir = None
    for number, name in ((0, os.devnull), (1, order["out"]), (2, f"{order['out']}.err")):
        handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
        os.dup2(handle, number)
    sys.argv = ["mendbench", *order["words"]]
    main: Callable[[], None] = importlib.import_module("mendbench.cli.main").main
    strikes = Strikes(order)
    strikes.install()
    code = 0
    try:
        main()
    except SystemExit as left:
        code = int(left.code or 0)
    steps, writes = list(strikes.steps), strikes.writes
    strikes._way = "count"
    Path(f"{order['out']}.steps").write_text(json.dumps({"steps": steps, "writes": writes}), encoding="utf-8")
    return code


def serve() -> int:
    """Take orders until there are no more."""
    for name in WARM:
        importlib.import_module(name)
    for line in iter(sys.stdin.readline, ""):
        order = json.loads(line)
        if "wait" in order:
            _, status = os.waitpid(order["wait"], 0)
            said = os.waitstatus_to_exitcode(status)
        else:
            said = os.fork()
            if said == 0:
                return child(order)
        sys.stdout.write(f"{said}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(serve())
