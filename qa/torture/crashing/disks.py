"""File systems that are really full, or really read-only: mounted where nobody else sees them, which takes root and ``unshare``.

Run as ``unshare --mount python -m qa.torture.crashing.disks [COMMAND ...]``, it prints each attempt as a line of JSON.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from qa.torture.crashing.commands import COMMANDS, broken, staged, tree
from qa.torture.crashing.striking import goes_on, known_as, new, refused
from qa.torture.tally import Attempt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from qa.torture.crashing.commands import Stage
    from qa.torture.crashing.striking import Known

PAGE = 4096
MOUNTS = ("unshare", "--mount", "--propagation", "private")
REALLY_FULL, REALLY_READ_ONLY = "a small file system that is full", "a file system that is mounted read-only"
ROOM = (0, 2, 16)
"""Pages that are left in the file system as the command begins."""


def on_real_disks() -> Iterator[Attempt]:
    """Yield the attempts on file systems of their own; where this process may not mount any, one of each kind that says so and fails."""
    if why := _unmountable():
        for kind in (REALLY_FULL, REALLY_READ_ONLY):
            yield Attempt(kind=kind, what="all of it", failure=f"{why}, so it was not tried")
        return
    command = [*MOUNTS, sys.executable, "-m", "qa.torture.crashing.disks"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3]) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield Attempt(**json.loads(line))
    if process.returncode:
        yield Attempt(kind=REALLY_FULL, what="all of it", failure=f"it ended with {process.returncode}")


def _unmountable() -> str | None:
    """Return why no file system can be mounted here, None if one can."""
    if shutil.which("unshare") is None:
        return "unshare is not installed"
    done = subprocess.run([*MOUNTS, "true"], check=False, capture_output=True, text=True)
    return f"nothing may be mounted ({done.stderr.strip()})" if done.returncode else None


def _attempts(*names: str) -> Iterator[Attempt]:
    commands = [command for command in COMMANDS if not names or command.name in names]
    with tempfile.TemporaryDirectory(prefix="torture-") as name, staged(Path(name)) as stage:
        for known in known_as(stage, Path(name), commands):
            for pages in ROOM:
                what = f"{known.command.name} with room for {pages} pages"
                yield Attempt(kind=REALLY_FULL, what=what, failure=_full(stage, known, Path(name), pages))
            failure = _read_only(stage, known, Path(name))
            yield Attempt(kind=REALLY_READ_ONLY, what=known.command.name, failure=failure)


def _mounted(known: Known, parent: Path) -> Path:
    desk = new(parent)
    desk.mkdir()
    _done("mount", "-t", "tmpfs", "-o", "size=64m", "none", str(desk))
    shutil.copytree(known.desk, desk, dirs_exist_ok=True)
    return desk


def _full(stage: Stage, known: Known, parent: Path, pages: int) -> str | None:
    desk = _mounted(known, parent)
    try:
        space = os.statvfs(desk)
        size = (space.f_blocks - space.f_bfree) * space.f_frsize + pages * PAGE
        _done("mount", "-o", f"remount,size={size}", str(desk))
        said = stage.zygote.run(desk, known.command.words)
        failure = None if said.code in known.command.codes else refused(said, desk, "No space left on device")
        _done("mount", "-o", "remount,size=64m", str(desk))
        return failure or broken(desk, known.before, known.after) or goes_on(stage, known, desk)
    finally:
        _done("umount", "--lazy", str(desk))


def _read_only(stage: Stage, known: Known, parent: Path) -> str | None:
    desk = _mounted(known, parent)
    try:
        _done("mount", "-o", "remount,ro", str(desk))
        failure = refused(stage.zygote.run(desk, known.command.words), desk, "Read-only file system")
        return failure or ("it is not as it was" if tree(desk, known.command.loose) != known.before else None)
    finally:
        _done("umount", "--lazy", str(desk))


def _done(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)


if __name__ == "__main__":
    for attempt in _attempts(*sys.argv[1:]):
        sys.stdout.write(json.dumps(dataclasses.asdict(attempt)) + "\n")
        sys.stdout.flush()
