"""Runs of the shipped corpus under other hash seeds, time zones, locales, users, folders and worker counts: the same bytes."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.torture.tally import Attempt

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = 5
"""Runs of all cases, each with another environment."""

SHIPPED = Path(__file__).resolve().parents[2]

ENVIRONMENTS = {
    "PYTHONHASHSEED": ("1", "4711", "random"),
    "TZ": ("UTC", "Asia/Kathmandu", "Pacific/Kiritimati", "America/St_Johns"),
    "LC_ALL": ("C", "C.UTF-8", "POSIX"),
    "PYTHONUTF8": ("0", "1"),
    "HOME": ("/nonexistent", "/"),
    "USER": ("somebody", "nobody"),
    "COLUMNS": ("40", "500"),
    "TERM": ("dumb", "xterm-256color"),
}


def replayed(desk: Path, workers: int = 1, *chosen: str, **environment: str) -> dict[str, bytes]:
    """Return the bytes of a run's files, by name, but for the fields under ``timing``."""
    program = [sys.executable, "-m", "mendbench", "run", *chosen, "--workers", str(workers), "--out", "out"]
    told = {**os.environ, "PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8", **environment}
    subprocess.run(program, cwd=desk, env=told, check=True, capture_output=True)
    found = {path.name: path.read_bytes() for path in sorted((desk / "out").iterdir())}
    rows = [json.loads(line) for line in found["trials.jsonl"].splitlines()]
    found["trials.jsonl"] = json.dumps([{**row, "timing": None} for row in rows]).encode()
    return found


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Replay the shipped corpus ``count`` times, each in a folder, an environment and with workers of its own."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as parent:
        first = replayed(_desk(Path(parent) / "first"), workers=2)
        for number in range(count):
            environment = {name: chance.choice(values) for name, values in ENVIRONMENTS.items()}
            workers = chance.choice((1, 2, 3))
            desk = _desk(Path(parent) / f"désk {number}")
            again = replayed(desk, workers, **environment)
            differing = sorted(name for name in first.keys() | again.keys() if first.get(name) != again.get(name))
            yield Attempt(
                kind="runs of the shipped corpus, byte for byte",
                what=f"{environment} with {workers} workers",
                failure=f"{', '.join(differing)} differ" if differing else None,
            )
            shutil.rmtree(desk)


def _desk(place: Path) -> Path:
    """Return a folder with the shipped corpus and its settings."""
    place.mkdir()
    for name in ("cases", "cassettes"):
        shutil.copytree(SHIPPED / name, place / name)
    shutil.copy(SHIPPED / "mendbench.toml", place)
    return place
