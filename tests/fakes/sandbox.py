"""A machine on which everything that real MCP servers need is installed, and nothing of it is run."""

from __future__ import annotations

import shutil
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
