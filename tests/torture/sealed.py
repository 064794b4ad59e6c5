"""Replays where there is nothing to reach: no network, a file system that cannot be written, and everything that they ask of the system.

The first way is a network namespace of its own and a read-only file system, by bubblewrap; the second is ``strace``. Both are
Linux's. Where one is missing, that is a failure here and no silence.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tests.torture.tally import Attempt

LONG = 8
"""Runs of cases of each family; a family has fewer than that, and the last run is of one case of each."""

SHIPPED = Path(__file__).resolve().parents[2]

STARTING = re.compile(r"\b(?:execve|execveat)\(")
REACHING = re.compile(r"\b(?:socket|connect|bind|sendto|sendmsg)\(.*(?:AF_INET|AF_INET6|AF_NETLINK|AF_UNIX|sa_family)")
OPENING = re.compile(r"\b(?:open|openat|openat2|creat)\(")
FOR_WRITING = re.compile(r"\bcreat\(|\bO_(?:WRONLY|RDWR|CREAT|TRUNC|TMPFILE)\b")
CHANGING = re.compile(
    r"\b(?:mkdir|mkdirat|mknod|mknodat|rename|renameat|renameat2|unlink|unlinkat|rmdir|link|linkat|symlink|symlinkat|truncate|chmod"
    r"|fchmodat|fchmodat2|chown|lchown|fchownat|utime|utimes|utimensat|futimesat|setxattr|lsetxattr|removexattr|lremovexattr)\("
)
LINKING = re.compile(r"\bsymlink(?:at)?\(")
PLACE = re.compile(r'(?:\b(?P<handle>AT_FDCWD|\d+)(?:<(?P<folder>[^>]*)>)?, )?"(?P<name>(?:[^"\\]|\\.)*)"')
"""A path among the arguments of a call, with the folder that it is relative to where strace says it (``-y``)."""

FAILED = re.compile(r"= -1 E\w+")
DEVICES = ("/dev/null", "/dev/tty")
"""What may always be opened to write: nothing comes of it."""

PROOFS = Path(".mendbench")
"""What a check keeps in the working folder."""


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Replay a family's cases ``count`` times each way, another family each time."""
    chance = random.Random(seed)
    families = sorted(path.name for path in (SHIPPED / "cases").iterdir() if path.is_dir())
    one_of_each = [f"{family}/{_cases(family)[0]}" for family in families]
    chosen = [[f"{family}/*"] for family in chance.sample(families, min(count, len(families)))]
    for kind, way in WAYS.items():
        for cases in [*chosen[: max(0, count - 1)], one_of_each]:
            yield Attempt(kind=kind, what=" ".join(cases)[:100], failure=tried(way, cases))


def _cases(family: str) -> list[str]:
    return sorted(path.name for path in (SHIPPED / "cases" / family).iterdir() if path.is_dir())


Way = Callable[[Path, Sequence[str]], str | None]


def tried(way: Way, cases: Sequence[str], shipped: Path = SHIPPED) -> str | None:
    """Run, report and check these cases one way, and return what they touched beyond the run's folder."""
    with tempfile.TemporaryDirectory() as parent:
        desk, out = Path(parent) / "desk", Path(parent) / "out"
        desk.mkdir()
        out.mkdir()
        for name in ("cases", "cassettes"):
            shutil.copytree(shipped / name, desk / name)
        shutil.copy(shipped / "mendbench.toml", desk)
        for command in (
            ["run", *cases, "--workers", "1", "--out", str(out / "run")],
            ["report", str(out / "run"), "--junit", str(out / "junit.xml")],
            ["case", "check", *cases, "--workers", "1"],
        ):
            failure = way(desk, [sys.executable, "-m", "mendbench", *command])
            if failure is not None:
                return f"{' '.join(command[:2])}: {failure}"
    return None


def _sealed(desk: Path, command: Sequence[str]) -> str | None:
    """Run a command without a network and with one folder that can be written; None if it did what it should."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return "bubblewrap is not installed, so it was not tried"
    out = str(desk.parent / "out")
    sealing = [
        bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", out, out, "--unshare-net", "--unshare-pid",
        "--unshare-ipc", "--die-with-parent", "--chdir", str(desk), "--setenv", "PYTHONPATH", str(SHIPPED / "src"), "--",
    ]  # fmt: skip
    done = subprocess.run([*sealing, *command], capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"it ended with {done.returncode}: {done.stderr[-400:]}"


def _traced(desk: Path, command: Sequence[str]) -> str | None:
    """Run a command under strace, and return the first call that starts, reaches or writes what it should not."""
    strace = shutil.which("strace")
    if strace is None:
        return "strace is not installed, so it was not tried"
    told = desk.parent / "calls"
    tracing = [strace, "-f", "-qq", "-y", "-s", "4096", "-e", "trace=process,network,file", "-o", str(told), *command]
    environment = {**os.environ, "PYTHONPATH": str(SHIPPED / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(tracing, cwd=desk, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"it ended with {done.returncode}: {done.stderr[-400:]}"
    return forbidden(told.read_text("utf-8", "replace").splitlines(), desk.parent / "out", desk / PROOFS, PROOFS)


def forbidden(calls: Sequence[str], *own: Path) -> str | None:
    """Return the first system call among those that strace wrote down which a replay may not make; the first of all starts it.

    ``own``: what may be written.
    """
    for number, call in enumerate(calls):
        if FAILED.search(call) and not REACHING.search(call):
            continue
        if (STARTING.search(call) and number > 0) or REACHING.search(call):
            return call[:300]
        if any(place not in DEVICES and not _within(place, own) for place in written(call)):
            return call[:300]
    return None


def written(call: str) -> list[str]:
    """Return the paths at which a system call writes or changes something; one whose folder is not known begins with ``?``."""
    if not CHANGING.search(call) and not (OPENING.search(call) and FOR_WRITING.search(call)):
        return []
    places = [_resolved(found) for found in PLACE.finditer(call)]
    if OPENING.search(call):
        return places[:1]
    return places[-1:] if LINKING.search(call) else places  # where a link leads is a text


def _resolved(found: re.Match[str]) -> str:
    name, handle, folder = found["name"], found["handle"], found["folder"]
    if folder is None and handle not in {None, "AT_FDCWD"} and not name.startswith("/"):
        folder = "?"
    return os.path.normpath(os.path.join(folder or "", name))  # noqa: PTH118  pathlib does not resolve ".."


def _within(place: str, own: Sequence[Path]) -> bool:
    return any(Path(place).is_relative_to(one) for one in own)


WAYS: dict[str, Way] = {
    "replays without a network on a read-only file system": _sealed,
    "replays whose every system call is written down": _traced,
}
