from __future__ import annotations

import pytest

from mendbench.kit.files import append_durably, write_atomically


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
