import errno
import os
import subprocess
import sys

import pytest

from mendbench.io import locks


@pytest.fixture(params=["flock", "no flock"])
def either_system(request, monkeypatch):
    """A system with locks of open files, and one without."""
    if request.param == "no flock":
        monkeypatch.setitem(sys.modules, "fcntl", None)
    return request.param


@pytest.mark.usefixtures("either_system")
def test_a_lock_file_is_held_by_one_and_gone_after(tmp_path):
    path = tmp_path / "lock"
    with locks.lock_file(path) as first:
        with locks.lock_file(path) as second:
            assert (first, second) == (True, False)
        assert path.exists()
    assert not path.exists()


@pytest.mark.usefixtures("either_system")
def test_what_a_killed_process_left_locked_is_free(tmp_path):
    path = tmp_path / "lock"
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    path.write_text(str(ended.pid), encoding="utf-8")
    with locks.lock_file(path) as got:
        assert got
    assert not path.exists()


@pytest.mark.usefixtures("either_system")
def test_who_waits_gets_the_lock_when_its_holder_is_done(tmp_path, monkeypatch):
    path, waited = tmp_path / "lock", []
    holder = locks.lock_file(path)
    assert holder.__enter__()

    def released(seconds):
        waited.append(seconds)
        holder.__exit__(None, None, None)

    monkeypatch.setattr(locks.time, "sleep", released)
    with locks.awaited_lock_file(path):
        assert len(waited) == 1
        assert path.exists()
    assert not path.exists()


def test_a_lock_file_of_this_moment_or_of_another_user_is_held(tmp_path, monkeypatch):
    def forbidden(pid, number):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setattr(os, "kill", forbidden)
    for content in ("", "1"):
        (tmp_path / "lock").write_text(content, encoding="utf-8")
        with locks.lock_file(tmp_path / "lock") as got:
            assert not got


def test_on_windows_the_lock_file_that_cannot_be_removed_is_held_and_no_process_is_signalled(tmp_path, monkeypatch):
    def in_use(path, **how):
        raise PermissionError(errno.EACCES, "The process cannot access the file", path)

    path = tmp_path / "lock"
    path.write_text("1", encoding="utf-8")
    with monkeypatch.context() as windows:
        windows.setitem(sys.modules, "fcntl", None)
        windows.setattr(locks.os, "name", "nt")
        windows.delattr(os, "kill")
        windows.setattr(os, "unlink", in_use)
        with locks.lock_file(path) as got:
            assert not got
        windows.undo()
        windows.setitem(sys.modules, "fcntl", None)
        windows.setattr(locks.os, "name", "nt")
        with locks.lock_file(path) as got:
            assert got


def test_without_locks_an_open_file_cannot_be_held(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with (tmp_path / "file").open("wb") as file, pytest.raises(OSError, match=os.strerror(errno.ENOLCK)):
        locks.hold(file.fileno(), wait=True)
