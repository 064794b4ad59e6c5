"""What ``make torture PARTS=sealed`` looks for, without a sandbox: an audit hook in a child reports what a replay does."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from qa.torture.sealed import forbidden
from tests.fakes import cases

SHIPPED = Path(__file__).resolve().parents[2]

HOOK = """
import json, os, sys
events = []
writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
watched = {"os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "sqlite3.connect"}
def placed(name, handle):
    folder = os.getcwd() if handle in {-1, None} else os.readlink(f"/proc/self/fd/{handle}")
    return os.path.normpath(os.path.join(folder, name))
def hook(event, args):
    if event == "open" and isinstance(args[0], str) and isinstance(args[2], int) and args[2] & writing and "__pycache__" not in str(args[0]):
        events.append([event, placed(str(args[0]), -1)])
    elif event in watched and "__pycache__" not in str(args[0]):
        two = event in {"os.rename", "os.link", "os.symlink"}
        handles = args[2:4] if two else args[-1:]
        names = zip(args[:2] if two else args[:1], handles if event not in {"sqlite3.connect", "os.truncate"} else [-1] * 2)
        events.append([event, *(placed(str(name), handle) for name, handle in names)])
    elif event.startswith(("socket.connect", "socket.bind", "socket.getaddr", "socket.send", "subprocess.", "os.fork", "os.exec",
                           "os.system", "os.posix_spawn", "os.spawn")):
        events.append([event, str(args[:2])])
sys.addaudithook(hook)
sys.argv = ["mendbench", *sys.argv[2:]]
from mendbench.cli.main import main
try:
    main()
finally:
    with os.fdopen(int(os.environ["HOOK"]), "w") as out:
        json.dump(events, out)
"""


@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("sealed") / "desk")


def effects(desk, *command):
    """Run a command in a child and return what it opened to write, started and reached."""
    reads, writes = os.pipe()
    environment = {**os.environ, "PYTHONPATH": str(SHIPPED / "src"), "HOOK": str(writes)}
    done = subprocess.run(
        [sys.executable, "-c", HOOK, "events", *command],
        cwd=desk,
        env=environment,
        pass_fds=[writes],
        capture_output=True,
        check=False,
    )
    os.close(writes)
    with os.fdopen(reads) as lines:
        found = json.load(lines)
    assert done.returncode == 0, done.stderr[-500:]
    return found


def _is_in(path, folders):
    return any(Path(path).is_relative_to(folder) for folder in folders)


def test_a_run_and_its_report_write_into_the_runs_folder_and_the_cache_and_touch_nothing_else(desk, tmp_path):
    out = tmp_path / "out"
    for command in (("run", "--workers", "1", "--out", str(out)), ("report", str(out))):
        touched = effects(desk, *command)
        own = (tmp_path, desk / ".mendbench")  # the second is the cache
        assert [each for each in touched if not all(_is_in(part, own) for part in each[1:])] == []
        assert touched, "the hook saw nothing, not even the run's own files"


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ('7 openat(AT_FDCWD, "/out/x", O_WRONLY|O_CREAT|O_CLOEXEC, 0666) = 3', False),
        ('7 openat(AT_FDCWD, "/etc/x", O_WRONLY|O_CREAT|O_CLOEXEC, 0666) = 3', True),
        ('7 openat(AT_FDCWD, "/etc/x", O_RDONLY|O_CLOEXEC) = 3', False),
        ('7 openat(AT_FDCWD, "/etc/x", O_RDWR) = -1 EROFS (Read-only file system)', False),
        ('7 execve("/bin/true", ["true"], 0x7ffe /* 9 vars */) = 0', True),
        ('7 execve("/bin/true", ["true"], 0x7ffe /* 9 vars */) = -1 ENOENT (No such file)', False),
        ("7 socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_IP) = 3", True),
        ('7 connect(3, {sa_family=AF_UNIX, sun_path="/run/x"}, 110) = -1 ENOENT (No such file)', True),
        ('7 rename("/srv/x", "/out/x") = 0', True),
        ('7 rename("/out/x", "/srv/x") = 0', True),
        ('7 rename("/out/x", "/out/y") = 0', False),
        ('7 renameat2(AT_FDCWD</desk>, "/out/x", AT_FDCWD</desk>, "y", RENAME_EXCHANGE) = 0', True),
        ('7 link("/out/a", "/srv/b") = 0', True),
        ('7 symlink("/out/a", "/srv/b") = 0', True),
        ('7 symlink("/srv/a", "/out/b") = 0', False),
        ('7 openat(AT_FDCWD, "/outside/x", O_WRONLY) = 3</outside/x>', True),
        ('7 openat(AT_FDCWD, "/out/../x", O_WRONLY) = 3</x>', True),
        ('7 openat(5, "x", O_WRONLY) = 3', True),
        ('7 openat(5</out>, "x", O_WRONLY) = 3</out/x>', False),
        ('7 openat(AT_FDCWD</desk>, "x", O_WRONLY|O_TRUNC) = 3</desk/x>', True),
        ('7 unlinkat(5, "x", 0) = 0', True),
        ('7 unlinkat(5</out/y>, "x", 0) = 0', False),
        ('7 chown("/srv/x", 0, 0) = 0', True),
        ('7 creat("/srv/x", 0666) = 3', True),
        ("7 fork() = 9", True),
        ("7 vfork( <unfinished ...>", True),
        ("7 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7f) = 9", True),
        ("7 clone(child_stack=NULL, flags=SIGCHLD) = -1 EAGAIN (Resource temporarily unavailable)", False),
        ("7 clone3({flags=CLONE_VM|CLONE_VFORK, exit_signal=SIGCHLD}, 88) = 9", True),
        ("7 clone3({flags=CLONE_VM|CLONE_FS|CLONE_THREAD|CLONE_SYSVSEM} => {parent_tid=[9]}, 88) = 9", False),
        ("7 clone3({flags=CLONE_VM|CLONE_THREAD|CLONE_SYSVSEM}, 88 <unfinished ...>", False),
        ("7 <... clone3 resumed> => {parent_tid=[0]}, 88) = 9", False),
        ("7 fchmod(5</srv/x>, 0644) = 0", True),
        ("7 fchmod(5</out/x>, 0644) = 0", False),
        ("7 fchmod(5, 0644) = 0", True),
        ("7 fchmod(5</srv/x>, 0644) = -1 EPERM (Operation not permitted)", False),
        ("7 fchown(5</srv/x>, 0, 0) = 0", True),
        ('7 fsetxattr(5</srv/x>, "user.a", "b", 1, 0) = 0', True),
        ("7 utimensat(5</srv/x>, NULL, NULL, 0) = 0", True),
        ('7 utimensat(AT_FDCWD, "/srv/x", NULL, 0) = 0', True),
        ('7 utimensat(5</out>, "x", NULL, 0) = 0', False),
        ('7 openat(AT_FDCWD, "/dev/null", O_RDWR) = 3', False),
        ('7 openat(AT_FDCWD, "/dev/nullx", O_RDWR|O_CREAT) = 3', True),
    ],
)  # fmt: skip
def test_a_call_that_starts_reaches_or_writes_elsewhere_is_found(call, found):
    first = '7 execve("/usr/bin/python3", ["python3"], 0x7ffe /* 9 vars */) = 0'
    assert (forbidden([first, call], Path("/out")) is not None) is found
