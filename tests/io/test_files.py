from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import threading

import pytest

from mendbench.io import files
from mendbench.io.files import append_durably, write_atomically, write_parts_atomically
from tests.io.test_folder_removal import deepened


def test_a_file_is_written_whole_with_its_folders(tmp_path):
    path = tmp_path / "a" / "b.txt"
    write_atomically(path, "one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert [each.name for each in path.parent.iterdir()] == ["b.txt"]
    assert path.stat().st_mode & 0o777 == 0o644


def test_nothing_is_left_behind_when_the_place_cannot_be_taken(tmp_path):
    place = tmp_path / "taken"
    (place / "inside").mkdir(parents=True)
    with pytest.raises(OSError):
        write_atomically(place, "x")
    assert [each.name for each in tmp_path.iterdir()] == ["taken"]


def test_appending_keeps_what_was_there(tmp_path):
    path = tmp_path / "new" / "log"
    append_durably(path, "ä\n")
    append_durably(path, "b\n")
    assert path.read_text() == "ä\nb\n"


def names(folder):
    return sorted(each.name for each in folder.iterdir())


def half_then_full(monkeypatch):
    """Let the disk be full half way through each write."""
    write = os.write

    def full(handle, data):
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return write(handle, data)
        if len(data) > 1:
            return write(handle, bytes(data)[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)


def test_what_a_killed_writer_left_is_removed_by_the_next_one_in_that_folder(tmp_path):
    left = tmp_path / f".a.txt.abcdefgh{files.LEFT}"
    left.write_text("ha", encoding="utf-8")
    (tmp_path / f".b.12345678{files.LEFT}").mkdir()
    write_atomically(tmp_path / "other.txt", "x")
    assert names(tmp_path) == ["other.txt"]


def test_a_pipe_of_such_a_name_holds_nobody_up(tmp_path):
    left = tmp_path / f".a.txt.abcdefgh{files.LEFT}"
    os.mkfifo(left)
    clearing = threading.Thread(target=files.clear_left, args=(tmp_path,), daemon=True)
    clearing.start()
    clearing.join(10)
    held_up = clearing.is_alive()
    if held_up:
        os.close(os.open(left, os.O_RDWR))
    assert not held_up
    assert names(tmp_path) == []


def test_a_folder_is_removed_however_deep_it_nests(tmp_path, monkeypatch):
    def too_deep(*_folder, **_how):
        raise RecursionError("maximum recursion depth exceeded")

    (tmp_path / "a").mkdir()
    deepened(tmp_path / "a", 30)
    monkeypatch.setattr(shutil, "rmtree", too_deep)
    files.remove(tmp_path / "a")
    assert names(tmp_path) == []


def test_a_folder_that_cannot_be_emptied_loses_what_can_be_removed(tmp_path, monkeypatch):
    def refused(folder):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.setattr(files, "emptied", refused)
    files.remove(tmp_path / "a")
    assert names(tmp_path) == []


def test_what_a_writer_holds_and_what_is_no_writers_stays(tmp_path):
    held = tmp_path / f".a.txt.abcdefgh{files.LEFT}"
    mine = [".env", ".a.txt.swp", "a.mendbench", ".mendbench", files.LEFT, f".mine{files.LEFT}", f".a.b{files.LEFT}"]
    for name in (held.name, *mine):
        (tmp_path / name).write_text("mine", encoding="utf-8")
    with held.open("rb") as handle:
        assert files.hold(handle.fileno(), wait=False)
        write_atomically(tmp_path / "b.txt", "x")
        assert names(tmp_path) == sorted([held.name, "b.txt", *mine])


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "a.txt"
    write_atomically(path, "old")
    half_then_full(monkeypatch)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, "new and longer")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_parts_are_asked_for_while_they_are_written_and_add_up(tmp_path):
    sizes = []

    def parts():
        for number in range(20):
            sizes.append(sum(each.stat().st_size for each in tmp_path.iterdir()))
            yield "ä" * 10_000 if number % 2 else b"b" * 10_000

    write_parts_atomically(tmp_path / "a.txt", parts())
    assert sizes[0] == 0 < sizes[-1]
    assert (tmp_path / "a.txt").read_text() == ("b" * 10_000 + "ä" * 10_000) * 10
    assert names(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_part_that_cannot_be_made_leaves_the_old_file_and_nothing_else(tmp_path, error):
    def parts():
        yield "x" * 100_000
        raise error

    write_atomically(tmp_path / "a.txt", "old")
    with pytest.raises(error):
        write_parts_atomically(tmp_path / "a.txt", parts())
    assert (tmp_path / "a.txt").read_text() == "old"
    assert names(tmp_path) == ["a.txt"]


def test_an_append_that_a_full_disk_cuts_short_is_taken_back(tmp_path, monkeypatch):
    old, new = tmp_path / "old", tmp_path / "new"
    append_durably(old, "one\n")
    half_then_full(monkeypatch)
    for path in (old, new):
        with pytest.raises(OSError, match="No space left"):
            append_durably(path, "two\n")
    assert old.read_text() == "one\n"
    assert not new.exists()


def test_a_file_is_flushed_before_its_name_and_its_name_before_the_call_returns(tmp_path, monkeypatch):
    done = []
    monkeypatch.setattr(os, "fsync", lambda handle: done.append(stat.S_ISDIR(os.fstat(handle).st_mode)))
    write_atomically(tmp_path / "a" / "b", "x")
    assert done == [True, False, True]
    done.clear()
    append_durably(tmp_path / "a" / "c", "x")
    append_durably(tmp_path / "a" / "c", "x")
    assert done == [False, True, False]


def test_two_folders_change_places_in_one_step(tmp_path):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "is").write_text(name, encoding="utf-8")
    if not files.exchanged(tmp_path / "one", tmp_path / "other"):
        pytest.skip("this system has no such step")
    assert [(tmp_path / name / "is").read_text() for name in ("one", "other")] == ["other", "one"]
    with pytest.raises(OSError, match="No such file"):
        files.exchanged(tmp_path / "one", tmp_path / "absent")


def test_a_folder_beside_is_gone_unless_it_was_moved(tmp_path):
    with files.folder_beside(tmp_path / "in" / "a") as beside:
        (beside / "file").touch()
        assert files.is_left(beside.name)
    assert names(tmp_path / "in") == []
    with files.folder_beside(tmp_path / "in" / "a") as beside:
        (beside / "file").touch()
        files.move_folder(beside, tmp_path / "in" / "b" / "a")
    assert names(tmp_path / "in" / "b" / "a") == ["file"]
    assert names(tmp_path / "in") == ["b"]


def test_a_system_without_flock_writes_to_the_same_places_and_leaves_alone_what_others_may_write(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)
    other = tmp_path / f".a.txt.abcdefgh{files.LEFT}"
    other.touch()
    write_atomically(tmp_path / "a.txt", "old")
    write_atomically(tmp_path / "a.txt", "new")
    with files.folder_beside(tmp_path / "b") as beside, files.locked(tmp_path):
        (beside / "file").touch()
        files.move_folder(beside, tmp_path / "b")
    assert (tmp_path / "a.txt").read_text() == "new"
    assert names(tmp_path) == [other.name, "a.txt", "b"]
