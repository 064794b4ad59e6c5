"""Children of the zygote, as a test has them begun, killed and waited for."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fakes.commands import split_corpus_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from qa.torture.crashing.zygote import Way

PATIENCE_S = 20.0
"""How long workers whose parent is gone may take to end, seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What became of a child."""

    code: int
    """Less than 0: the signal that it died of."""
    err: str
    steps: tuple[str, ...] = ()
    """What it did to files, one step after the other; none of a child that was killed."""
    writes: int = 0


class Zygote:
    """Begins children in a folder, with temporary files beside it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process, self._begun = process, 0

    def begin(self, desk: Path, words: Sequence[str], way: Way = "count", at: int = 0, until: str = "") -> Child:
        """Begin ``mendbench WORDS`` in ``desk``."""
        self._begun += 1
        temporary, out = desk.parent / "tmp", desk.parent / "said" / f"{self._begun}"
        temporary.mkdir(exist_ok=True)
        out.parent.mkdir(exist_ok=True)
        environ = {"TMPDIR": str(temporary), "XDG_CACHE_HOME": str(temporary / "cache")}
        order = {
            "words": list(words), "cwd": str(desk), "environ": environ, "out": str(out),
            "way": way, "at": at, "until": until,
        }  # fmt: skip
        return Child(self, self._asked(order), out)

    def run(self, desk: Path, words: Sequence[str], way: Way = "count", at: int = 0) -> Said:
        """Run ``mendbench WORDS`` to its end, whichever that is."""
        return self.begin(desk, words, way, at).wait()

    def wait(self, pid: int) -> int:
        """Return the exit code of a child, once it is there."""
        return self._asked({"wait": pid})

    def _asked(self, order: dict[str, object]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())


class Child:
    """One ``mendbench`` that was begun."""

    def __init__(self, zygote: Zygote, pid: int, out: Path) -> None:
        self._zygote, self._pid, self._out = zygote, pid, out

    def kill(self, *, alone: bool) -> None:
        """Kill it; without ``alone`` with all its workers."""
        with contextlib.suppress(ProcessLookupError):
            if alone:
                os.kill(self._pid, signal.SIGKILL)
            else:
                os.killpg(self._pid, signal.SIGKILL)

    def ended(self, within_s: float) -> bool:
        """Return whether it is over within that time."""
        ends = time.monotonic() + within_s
        while time.monotonic() < ends:
            if _state(self._pid) in {"Z", ""}:
                return True
            time.sleep(0.01)
        return False

    def wait(self) -> Said:
        """Return what became of it."""
        code = self._zygote.wait(self._pid)
        err = Path(f"{self._out}.err").read_text(encoding="utf-8") if Path(f"{self._out}.err").exists() else ""
        _, err = split_corpus_line(err)
        steps = Path(f"{self._out}.steps")
        counted = json.loads(steps.read_text(encoding="utf-8")) if code >= 0 else {"steps": [], "writes": 0}
        return Said(code=code, err=err, steps=tuple(counted["steps"]), writes=counted["writes"])

    def left_behind(self) -> list[int]:
        """Return the processes of its group that do not end by themselves; they are killed then."""
        ends = time.monotonic() + PATIENCE_S
        while (left := _group(self._pid)) and time.monotonic() < ends:
            time.sleep(0.02)
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return left


@contextlib.contextmanager
def zygote() -> Iterator[Zygote]:
    """Yield a process that begins children; it ends with the block."""
    command = [sys.executable, "-m", "qa.torture.crashing.zygote"]
    root = Path(__file__).parents[3]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)]), "PYTHONHASHSEED": "0"}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root, env=environ
    ) as process:
        try:
            yield Zygote(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()[0]
    except (OSError, IndexError):
        return ""


def _group(leader: int) -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, IndexError):
            fields = place.read_text(encoding="utf-8").rpartition(") ")[2].split()
            if int(fields[2]) == leader and fields[0] != "Z":
                found.append(int(place.parent.name))
    return found
