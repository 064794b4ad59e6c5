import os

import pytest

from mendbench.io.folder_removal import emptied


def deepened(folder, levels):
    """Make a folder in a folder, and so on: deeper than any path reaches."""
    handle = os.open(folder, os.O_RDONLY)
    for _ in range(levels):
        os.mkdir("d" * 200, dir_fd=handle)
        inner = os.open("d" * 200, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=handle))
    os.close(handle)


def test_it_empties_what_nests_deeper_than_a_path_reaches_and_what_may_not_be_read(tmp_path):
    folder, other = tmp_path / "home", tmp_path / "other"
    folder.mkdir()
    other.mkdir(0o500)
    deepened(folder, 30)
    (folder / "shut" / "in").mkdir(parents=True)
    (folder / "shut" / "in" / "file").touch()
    (folder / "shut" / "in").chmod(0)
    (folder / "shut").chmod(0)
    (folder / "link").symlink_to(other)
    os.mkfifo(folder / "pipe")
    emptied(folder)
    assert list(folder.iterdir()) == []
    assert other.stat().st_mode & 0o777 == 0o500


def test_a_link_that_takes_a_folders_place_meanwhile_is_not_followed(tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir(0o500)
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "was").symlink_to(other)
    monkeypatch.setattr("mendbench.io.folder_removal._is_folder", lambda name, _within: name == "was")
    with pytest.raises(OSError):
        emptied(tmp_path / "home")
    assert other.stat().st_mode & 0o777 == 0o500
