"""What was tried of a release, and how programs and environments are started for it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FAST_TESTS = (
    "tests/model", "tests/io", "tests/exchanges", "tests/secrets", "tests/values", "tests/api_errors", "tests/repair", "tests/runtime",
    "tests/cassettes", "tests/live", "tests/replay", "tests/cli", "tests/strategies", "tests/services",
    "tests/config/test_prices.py", "tests/runs/test_cluster.py", "tests/results/test_columns.py", "tests/api/test_exports.py",
    "tests/workflow_app/mcp_server", "tests/pytest_plugin/test_collecting.py", "tests/pytest_plugin/test_items.py",
)  # fmt: skip
"""Tests that together meet every dependency, and take a few minutes at most."""

A_FEW = ("slack/channel-*", "github/labels-*", "mcp/*", "transient/*", "sheets/*", "graphql/*")
"""Cases that meet every kind of world."""

SHOWN = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that was tried, how long it took, and what went wrong (None: nothing)."""

    part: str
    what: str
    failure: str | None = None
    seconds: float = 0.0


Part = Callable[[Path], Iterator[Step]]
"""Tries things in an empty folder of its own."""


def timed(part: str, what: str, act: Callable[[], str | None]) -> Step:
    """Do one thing that returns what went wrong."""
    began = time.monotonic()
    failure = act()
    return Step(part=part, what=what, failure=failure, seconds=time.monotonic() - began)


def ran(argv: Sequence[str | Path], cwd: Path) -> str | None:
    """Run a program, and return the end of what it said if it failed. It sees nothing of this checkout."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [str(each) for each in argv], cwd=cwd, env=environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )  # fmt: skip
    return f"exit code {done.returncode}: {done.stdout[-SHOWN:].strip()}" if done.returncode else None


def environment(place: Path, python: str | Path, *wanted: str | Path, cwd: Path = ROOT) -> str | None:
    """Make an empty environment at ``place`` and install what is wanted; return what went wrong."""
    made = ran([python, "-m", "venv", place], cwd)
    return made or ran([place / "bin" / "python", "-m", "pip", "-q", "install", "--only-binary", ":all:", *wanted], cwd)
