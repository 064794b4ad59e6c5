"""Probes of the fake library server, without the sandbox."""

import json
import sys
from pathlib import Path

from mendbench.probing.calls import Call
from mendbench.probing.runner import Wish, probe
from mendbench.probing.servers import CommandTarget

SERVER = str(Path(__file__).with_name("probed_server.py"))
FIND = {"shelf_id": "s-17", "sort_by": "year", "limit": 3}
LEND = {"title": "Bread", "due": "2026-12-01"}
CALLS = (
    Call(tool="find_book", arguments=FIND, request="List three books of shelf s-17 by year.", place="line 1"),
    Call(tool="lend_book", arguments=LEND, request="Lend Bread until 1 December 2026.", place="line 2"),
)


def silence(_done, _total, _last):
    """Report no progress."""


def command(mode=""):
    """Return the command of the server in a mode."""
    return (sys.executable, SERVER, *([mode] if mode else []))


def target(tmp_path, mode="", **options):
    """Return the server as a target."""
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    return CommandTarget(words=command(mode), scratch=scratch, sandbox=False, **options)


def probed(tmp_path, mode="", *, calls=CALLS, **wish):
    """Return the probe of the server."""
    return probe(target(tmp_path, mode), Wish(calls=calls, limit=wish.pop("limit", 100), **wish), silence)


def calls_file(tmp_path, *lines):
    """Return a file with one call a line; without lines, the right calls."""
    path = tmp_path / "calls.jsonl"
    own = [json.dumps({"tool": one.tool, "arguments": one.arguments, "request": one.request}) for one in CALLS]
    path.write_text("\n".join(lines or own) + "\n", "utf-8")
    return path
