"""Folders for a moment."""

import tempfile

import pytest

from mendbench.errors import BadInput
from mendbench.io.temporary_folders import drop_scratch, make_scratch, scratch


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The system's temporary folder, empty."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_it_is_there_as_long_as_it_is_wanted(temporary):
    with scratch("engine") as folder:
        (folder / "inside").mkdir()
        assert folder.name.startswith("mendbench-engine-")
    assert list(temporary.iterdir()) == []
    drop_scratch(folder)


def test_what_a_killed_process_left_goes_with_the_next_one_and_what_is_held_stays(temporary):
    (temporary / "mendbench-lab-ki11ed_8.scratch" / "deep").mkdir(parents=True)
    (temporary / "mendbench-mine").mkdir()
    (temporary / "other.scratch").mkdir()
    first, second = make_scratch("lab"), make_scratch("lab")
    assert {each.name for each in temporary.iterdir()} == {first.name, second.name, "mendbench-mine", "other.scratch"}
    drop_scratch(first)
    drop_scratch(second)
    assert {each.name for each in temporary.iterdir()} == {"mendbench-mine", "other.scratch"}


def test_a_temporary_folder_that_takes_nothing_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with pytest.raises(
        BadInput, match="the temporary folder: No such file or directory; make room there, or name another"
    ):
        make_scratch("lab")
