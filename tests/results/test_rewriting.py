"""A complete run written again in its own place."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from mendbench.errors import BadInput
from mendbench.results import rewriting
from mendbench.results import run_lock as places
from mendbench.results.rewriting import rewrite_run, seen_in
from mendbench.results.store import open_run, read_run
from tests.fakes.runs import small_run


def rewritten(run, files):
    rewrite_run(run, files, seen_in(run.folder))


def test_a_run_that_took_its_place_after_it_was_read_is_left_alone(place):
    seen, run = seen_in(place), read_run(place)
    later = (place / "run.json").read_text(encoding="utf-8") + "\n"
    (place / "run.json").write_text(later, encoding="utf-8")
    with pytest.raises(
        BadInput, match="another run took the place of the one that was read; begin again with that one"
    ):
        rewrite_run(run, {}, seen)
    assert (place / "run.json").read_text(encoding="utf-8") == later


@pytest.fixture
def place(tmp_path):
    """A run with one more file that somebody put beside it."""
    made = small_run()
    place = tmp_path / "reports" / "latest"
    with open_run(place, {}, resume=False) as folder:
        folder.take(made)
        folder.finish(made.run, {"index.html": "<p>"})
    (place / "notes.txt").write_text("mine", encoding="utf-8")
    return place


def bytes_of(place):
    return {path.name: path.read_bytes() for path in place.iterdir()}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_what_is_not_said_again_stays_byte_by_byte(place):
    before = bytes_of(place)
    rewritten(read_run(place), {"index.html": "<p>"})
    assert bytes_of(place) == before
    assert names(place.parent) == ["latest"]


def test_rows_document_and_files_are_written_and_nothing_else(place):
    before, run = bytes_of(place), read_run(place)
    rows = tuple({**row, "verdict": "correct"} for row in run.rows)
    rewritten(replace(run, rows=rows, run={**run.run, "totals": []}), {"index.html": "<p>again"})
    after = bytes_of(place)
    assert {name for name in before if before[name] != after.get(name)} == {
        "index.html",
        "run.json",
        "trials.index",
        "trials.jsonl",
    }
    assert {row["verdict"] for row in read_run(place).rows} == {"correct"}
    assert json.loads(after["run.json"])["totals"] == []


def test_a_run_that_cannot_be_written_whole_stays_as_it_was(place, monkeypatch):
    before, run = bytes_of(place), read_run(place)

    def full(folder, files):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(rewriting, "write_files", full)
    with pytest.raises(BadInput, match="No space left on device; check the folder and its permissions") as raised:
        rewritten(run, {})
    assert str(raised.value).startswith(str(place))
    assert bytes_of(place) == before
    assert names(place.parent) == ["latest"]


def test_a_run_that_cannot_be_copied_stays_as_it_was(place, monkeypatch):
    before, run = bytes_of(place), read_run(place)

    def full(_one, _other, **_more):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shutil, "copyfile", full)
    with pytest.raises(BadInput, match=r"No space left on device; check the folder and its permissions$"):
        rewritten(run, {})
    assert bytes_of(place) == before
    assert names(place.parent) == ["latest"]


@pytest.fixture
def in_two_steps(monkeypatch):
    """A system on which two folders cannot change places in one step."""
    monkeypatch.setattr(places, "exchanged", lambda _one, _other: False)


@pytest.mark.usefixtures("in_two_steps")
def test_a_run_that_cannot_be_swapped_in_leaves_the_old_one_in_its_place(place, monkeypatch):
    before, run, rename = bytes_of(place), read_run(place), Path.rename

    def no_new(self, target):
        if self.name == "new":
            raise OSError(13, "Permission denied")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", no_new)
    with pytest.raises(BadInput, match="Permission denied"):
        rewritten(run, {})
    assert bytes_of(place) == before
    assert names(place.parent) == ["latest"]


def test_an_interrupt_leaves_the_old_run(place, monkeypatch):
    before, run = bytes_of(place), read_run(place)

    def interrupted(folder, files):
        raise KeyboardInterrupt

    monkeypatch.setattr(rewriting, "write_files", interrupted)
    with pytest.raises(KeyboardInterrupt):
        rewritten(run, {})
    assert bytes_of(place) == before
    assert names(place.parent) == ["latest"]


def test_a_link_to_a_run_stays_a_link(place, tmp_path):
    link = tmp_path / "newest"
    link.symlink_to(place)
    rewritten(read_run(link), {"index.html": "journal"})
    assert link.is_symlink()
    assert (place / "index.html").read_text() == "journal"


def test_the_folder_that_one_stands_in_can_be_written_too(place, monkeypatch):
    monkeypatch.chdir(place)
    rewritten(read_run(Path()), {"index.html": "journal"})
    assert (place / "index.html").read_text() == "journal"


@pytest.mark.usefixtures("in_two_steps")
def test_a_run_is_rewritten_in_two_steps_too(place):
    rewritten(read_run(place), {"index.html": "journal"})
    assert (place / "index.html").read_text() == "journal"
    assert names(place.parent) == ["latest"]


@pytest.mark.usefixtures("in_two_steps")
def test_a_run_whose_place_was_taken_meanwhile_is_kept_and_named(place, monkeypatch):
    before, run, rename = bytes_of(place), read_run(place), Path.rename

    def taken(path, target):
        if path.name == "new":
            place.mkdir()
            (place / "somebody").write_text("else", encoding="utf-8")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", taken)
    with pytest.raises(BadInput, match="something else took its place; the run is in") as raised:
        rewritten(run, {})
    kept = Path(str(raised.value).partition("the run is in ")[2].partition(" now")[0])
    assert bytes_of(kept) == before


def test_a_run_that_is_being_written_is_not_judged_again(place):
    run = read_run(place)
    (place / "notes.txt").unlink()
    with open_run(place, {}, resume=False), pytest.raises(BadInput, match="another run is writing it; wait for it"):
        rewritten(run, {})
