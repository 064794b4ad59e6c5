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

from qa.torture.tally import Attempt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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


RAN = """
import json, sys
from mendbench.cli.main import main
for words in json.loads(sys.argv[1]):
    sys.argv = ["mendbench", *words]
    try:
        main()
    except SystemExit as end:
        if end.code:
            raise
"""
"""A program that runs one command after another: what takes long to start is started once."""

MADE = (
    ("report", "out", "--junit", "made/junit.xml", "--markdown", "made/report.md"),
    ("gate", "out", "--baseline", "made/baseline.tsv", "--update"),
    ("gate", "out", "--baseline", "made/baseline.tsv"),
    ("prompts", "export", "--out", "made/prompts.jsonl"),
)
"""What is made of a run."""

OF_ALL = tuple(words for words in MADE if words[0] != "prompts")
"""The same of the shipped corpus, which lacks no response: to find that out takes as long as the run."""

TABLES = ("report", "out", "--csv", "made/csv", "--parquet", "made/parquet")
"""The same, which takes long to start."""

AS_ANOTHER = ("unshare", "--user", "--map-user=12345", "--")
"""How a process becomes another user, who may do the same. Linux's."""


def replayed(
    desk: Path,
    workers: int = 1,
    *,
    chosen: Sequence[str] = (),
    made: Sequence[Sequence[str]] = (*MADE, TABLES),
    by: Sequence[str] = (),
    **environment: str,
) -> dict[str, bytes]:
    """Return the bytes of a run's files and of what is made of them, by name, but for the fields under ``timing``.

    ``by`` is what the process is started by.
    """
    run = ("run", *chosen, "--fresh", "--workers", str(workers), "--out", "out")
    program = [*by, sys.executable, "-c", RAN, json.dumps([run, *made])]
    environ = {**os.environ, "PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8", **environment}
    shutil.rmtree(desk / "made", ignore_errors=True)
    (desk / "made").mkdir()
    subprocess.run(program, cwd=desk, env=environ, check=True, capture_output=True)
    written = sorted(path for folder in ("out", "made") for path in (desk / folder).rglob("*") if path.is_file())
    found = {str(path.relative_to(desk)): path.read_bytes() for path in written}
    rows = [json.loads(line) for line in found["out/trials.jsonl"].splitlines()]
    found["out/trials.jsonl"] = json.dumps([{**row, "timing": None} for row in rows]).encode()
    del found["out/trials.index"]  # it has the digest of the rows with their times
    return found


def as_another() -> tuple[str, ...]:
    """Return how a process becomes another user; nothing where this machine does not let it."""
    can = (
        shutil.which(AS_ANOTHER[0])
        and not subprocess.run([*AS_ANOTHER, "true"], capture_output=True, check=False).returncode
    )
    return AS_ANOTHER if can else ()


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Replay the shipped corpus ``count`` times, each in a folder, an environment and with workers of its own."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as parent:
        first = replayed(_desk(Path(parent) / "first"), workers=2, made=(*OF_ALL, TABLES))
        another = as_another()
        users = {"the same user": (), **({"another user": another} if another else {})}
        failure = None if another else "this machine lets no process become another user"
        yield Attempt(kind="another user can be had", what=" ".join(AS_ANOTHER), failure=failure)
        for number in range(count):
            environment = {name: chance.choice(values) for name, values in ENVIRONMENTS.items()}
            workers = chance.choice((1, 2, 3))
            desk = _desk(Path(parent) / f"désk {number}")
            user = chance.choice(sorted(users))
            again = replayed(desk, workers, made=(*OF_ALL, TABLES), by=users[user], **environment)
            differing = sorted(name for name in first.keys() | again.keys() if first.get(name) != again.get(name))
            yield Attempt(
                kind="runs of the shipped corpus and all that is made of them, byte for byte",
                what=f"{environment} with {workers} workers as {user}",
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
