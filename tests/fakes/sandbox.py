"""A machine on which everything that real MCP servers need is installed, and nothing of it is run; and a program like bubblewrap."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

PROGRAMS = {
    "bwrap": "/usr/bin/bwrap",
    "node": "/opt/node/bin/node",
    "mcp-server-filesystem": "/opt/npm/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js",
    "mcp-server-everything": "/opt/npm/node_modules/@modelcontextprotocol/server-everything/dist/index.js",
}


def installed(monkeypatch, **programs: str | None) -> None:
    """Make them found; ``programs`` are others, by name, None for one that is not there. What really is there stays."""
    found, known = shutil.which, {**PROGRAMS, **{name.replace("_", "-"): path for name, path in programs.items()}}
    monkeypatch.setattr(shutil, "which", lambda name: known[name] if name in known else found(name))
    monkeypatch.setattr("mendbench.services.sandboxed.util.find_spec", lambda name: object())


def mounted(command: tuple[str, ...], inside: str) -> Path:
    """Return the folder of this machine that a sandbox's command puts at ``inside``."""
    at = next(i for i, word in enumerate(command) if word == inside and command[i - 2] in {"--bind", "--ro-bind"})
    return Path(command[at - 1])


@contextlib.contextmanager
def open_to_all() -> Iterator[Path]:
    """Yield an empty folder that everybody may enter: the superuser's commands are run as somebody else."""
    with tempfile.TemporaryDirectory(prefix="mendbench-test-") as place:
        Path(place).chmod(0o755)
        yield Path(place)


def stand_in(program: Path, option: str = ":") -> str:
    """Write what stands for bubblewrap: it does ``option`` for each option, runs the command, and says how that ended."""
    program.write_text(
        '#!/bin/bash\nstatus=$2\nwhile [ "$1" != "--" ]; do\n'
        f"  {option}\n  shift\ndone\nshift\n"
        '"$@"\ncode=$?\necho "{ \\"exit-code\\": $code }" >&$status\nexit $code\n'
    )
    program.chmod(0o755)
    return str(program)


IN_ITS_HOME = '[ "$1" = "--bind" ] && cd "$2"'
"""An option for :func:`stand_in`: the command begins in the folder that is bound as the home."""
