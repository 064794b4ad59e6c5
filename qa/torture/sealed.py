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
from importlib.metadata import entry_points
from itertools import cycle
from pathlib import Path

from qa.torture.hostile_responses import responses
from qa.torture.tally import Attempt
from tests.fakes import cases

MODULE = "mendbench.pytest_plugin.plugin"
PLUGIN = () if any(point.value == MODULE for point in entry_points(group="pytest11")) else ("-p", MODULE)

LONG = 8
"""Runs of cases of each family; a family has fewer than that, and the last run is of one case of each."""

SHIPPED = Path(__file__).resolve().parents[2]

STARTING = re.compile(r"\b(?:execve|execveat|fork|vfork|clone|clone3)\(")
A_THREAD = re.compile(r"\bclone3?\(.*\bCLONE_THREAD\b")
"""What Python begins a thread with: the process stays the same."""

REACHING = re.compile(r"\b(?:socket|connect|bind|sendto|sendmsg)\(.*(?:AF_INET|AF_INET6|AF_NETLINK|AF_UNIX|sa_family)")
OPENING = re.compile(r"\b(?:open|openat|openat2|creat)\(")
FOR_WRITING = re.compile(r"\bcreat\(|\bO_(?:WRONLY|RDWR|CREAT|TRUNC|TMPFILE)\b")
CHANGING = re.compile(
    r"\b(?:mkdir|mkdirat|mknod|mknodat|rename|renameat|renameat2|unlink|unlinkat|rmdir|link|linkat|symlink|symlinkat|truncate|chmod"
    r"|fchmodat|fchmodat2|chown|lchown|fchownat|utime|utimes|utimensat|futimesat|setxattr|lsetxattr|removexattr|lremovexattr)\("
)
BY_HANDLE = re.compile(
    r"\b(?:fchmod|fchown|fsetxattr|fremovexattr|(?:utimensat|futimesat)(?=\(\d+(?:<[^>]*>)?, NULL))\(\d+(?:<(?P<name>[^>]*)>)?"
)
"""A change of a file that is open already, by whatever way it was opened; its path where strace says it."""

HANDLES = ("fchmod", "fchown", "fsetxattr", "fremovexattr")
"""Calls that change a file and name none, so that strace's ``file`` leaves them out."""

TRACED = f"trace=process,network,file,{','.join(HANDLES)}"

LINKING = re.compile(r"\bsymlink(?:at)?\(")
PLACE = re.compile(r'(?:\b(?P<handle>AT_FDCWD|\d+)(?:<(?P<folder>[^>]*)>)?, )?"(?P<name>(?:[^"\\]|\\.)*)"')
"""A path among the arguments of a call, with the folder that it is relative to where strace says it (``-y``)."""

FAILED = re.compile(r"= -1 E\w+")
DEVICES = ("/dev/null", "/dev/tty")
"""What may always be opened to write: nothing comes of it."""

AS_TESTS = (
    "-q", "-s", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio", "-p", "no:xdist", *PLUGIN,
    "--mendbench", "--mendbench-policy", "two-layer",
)  # fmt: skip
"""How pytest is asked to keep nothing of its own, and to try one policy of each case: the cases' tests are what is looked at."""

HOSTILE = (
    "asks 'https://evil.example/take'", "read-file '/etc/passwd'", "a shell command", "copies into itself", "markup in an id"
)  # fmt: skip
"""Responses that mean harm, by their names."""

PROOFS = Path(".mendbench")
"""What a check keeps in the working folder."""


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Replay a family's cases ``count`` times each way, another family each time."""
    chance = random.Random(seed)
    families = sorted(path.name for path in (SHIPPED / "cases").iterdir() if path.is_dir())
    one_of_each = [f"{family}/{_cases(family)[0]}" for family in families]
    chosen = [[f"{family}/*"] for family in chance.sample(families, min(count, len(families)))]
    with tempfile.TemporaryDirectory() as parent:
        hostile = hostile_desk(Path(parent))
        for kind, way in WAYS.items():
            for named in [*chosen[: max(0, count - 1)], one_of_each]:
                yield Attempt(kind=kind, what=" ".join(named)[:100], failure=tried(way, named))
            failure = tried(way, (cases.RENAMED, cases.CLOSED, cases.QUIET), hostile)
            yield Attempt(kind=kind, what="a corpus whose recorded responses mean harm", failure=failure)


def hostile_desk(parent: Path) -> Path:
    """Return an invented corpus whose models answered what means harm."""
    root = cases.build(parent / "hostile")
    for path in (root / "cassettes").rglob(f"{cases.MODEL}.yaml"):
        path.unlink()
    texts = dict(responses())
    given = cycle(texts[name] for name in HOSTILE)
    cases.record_responses(root, cases.MATRIX, lambda _ask: next(given))
    return root


def _cases(family: str) -> list[str]:
    return sorted(path.name for path in (SHIPPED / "cases" / family).iterdir() if path.is_dir())


Way = Callable[[Path, Sequence[str]], str | None]


def tried(way: Way, named: Sequence[str], shipped: Path = SHIPPED) -> str | None:
    """Run, report, gate, compare, check and test these cases one way, and return what they touched beyond the run's folder."""
    with tempfile.TemporaryDirectory() as parent:
        desk, out = Path(parent) / "desk", Path(parent) / "out"
        desk.mkdir()
        out.mkdir()
        for name in ("cases", "cassettes"):
            shutil.copytree(shipped / name, desk / name)
        shutil.copy(shipped / "mendbench.toml", desk)
        for command in _commands(named, out):
            failure = way(desk, [sys.executable, "-m", *command])
            if failure is not None:
                return f"{' '.join(command[:3])}: {failure}"
    return None


def _commands(named: Sequence[str], out: Path) -> Iterator[list[str]]:
    """Yield every command that replays, with one worker: a pool of them is processes of its own, as docs/trust.md says."""
    run, baseline = str(out / "run"), str(out / "baseline.tsv")
    yield ["mendbench", "run", *named, "--workers", "1", "--out", run]
    yield ["mendbench", "report", run, "--junit", str(out / "junit.xml")]
    yield ["mendbench", "gate", run, "--update", "--baseline", baseline]
    yield ["mendbench", "gate", run, "--baseline", baseline]
    yield ["mendbench", "compare", run, run]
    yield ["mendbench", "case", "check", *named, "--workers", "1"]
    folders = [f"cases/{case.removesuffix('/*')}" for case in named]
    yield ["pytest", *AS_TESTS, "--mendbench-baseline", baseline, *folders]


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
    calls = desk.parent / "calls"
    tracing = [strace, "-f", "-qq", "-y", "-s", "4096", "-e", TRACED, "-o", str(calls), *command]
    environment = {**os.environ, "PYTHONPATH": str(SHIPPED / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(tracing, cwd=desk, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return f"it ended with {done.returncode}: {done.stderr[-400:]}"
    return forbidden(calls.read_text("utf-8", "replace").splitlines(), desk.parent / "out", desk / PROOFS, PROOFS)


def forbidden(calls: Sequence[str], *own: Path) -> str | None:
    """Return the first system call among those that strace wrote down which a replay may not make; the first of all starts it.

    ``own``: what may be written.
    """
    for number, call in enumerate(calls):
        if FAILED.search(call) and not REACHING.search(call):
            continue
        starting = number > 0 and STARTING.search(call) and not A_THREAD.search(call)
        if starting or REACHING.search(call):
            return call[:300]
        if any(place not in DEVICES and not _within(place, own) for place in written(call)):
            return call[:300]
    return None


def written(call: str) -> list[str]:
    """Return the paths at which a system call writes or changes something; one whose folder is not known begins with ``?``."""
    if by_handle := BY_HANDLE.search(call):
        return [by_handle["name"] or "?"]
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
