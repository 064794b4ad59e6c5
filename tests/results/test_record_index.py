"""The index of a run: read instead of its rows, and ignored if it does not match them."""

import os
from dataclasses import replace

import pytest

from mendbench.errors import BadInput
from mendbench.results import record_index, store
from mendbench.results.record_index import INDEX, RunInputs
from mendbench.results.rewriting import rewrite_run, seen_in
from mendbench.results.store import open_run, read_run
from tests.fakes.runs import small_run


def written(place, run=None, inputs=None):
    """Write a run into a folder."""
    with open_run(place, {}, resume=False) as folder:
        folder.take(run or small_run())
        folder.finish(small_run().run, {}, inputs)
    return place


@pytest.fixture
def place(tmp_path):
    return written(tmp_path / "run")


def by_rows(place):
    """Read a run as if it had no index."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "read_index", lambda *_: None)
        return read_run(place)


def by_index(place):
    """Read a run, and fail if its rows are parsed."""

    def refuse(_self):
        raise AssertionError("the rows were parsed")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store.RowsRead, "records", refuse)
        return read_run(place)


def test_a_run_is_read_without_parsing_its_rows_and_has_the_same_records_rows_and_texts(place):
    rows, found = by_rows(place), by_index(place)
    assert [repr(record) for record in found.records] == [repr(record) for record in rows.records]
    assert list(found.rows) == list(rows.rows)
    assert dict(found.texts) == dict(rows.texts)
    assert found.records.by_strategy() == rows.records.by_strategy()
    key = rows.records.trial_keys()[7]
    assert found.row(key) == rows.row(key) is not None


def test_a_run_remembers_what_it_was_made_from(tmp_path):
    inputs = RunInputs(plan="p", fingerprints=("a", "", "b"), reused=2)
    assert by_index(written(tmp_path / "run", inputs=inputs)).inputs == inputs
    assert by_index(written(tmp_path / "other")).inputs is None


def test_a_number_of_any_size_is_kept(tmp_path):
    run = small_run()
    run.rows[0]["prompt_tokens"] = 10**30
    assert by_index(written(tmp_path / "run", run)).records[0].prompt_tokens == 10**30


def torn(path):
    path.write_bytes(path.read_bytes()[:-9])


def turned(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def emptied(path):
    path.write_bytes(b"")


def piped(path):
    path.unlink()
    os.mkfifo(path)


def removed(path):
    path.unlink()


@pytest.mark.parametrize("damage", [torn, turned, emptied, piped, removed])
def test_a_damaged_index_is_ignored(place, damage):
    rows = by_rows(place)
    damage(place / INDEX)
    with pytest.raises(AssertionError, match="parsed"):
        by_index(place)
    assert list(read_run(place).records) == list(rows.records)


def test_an_index_with_another_layout_is_ignored(place, monkeypatch):
    monkeypatch.setattr(record_index, "FORMAT", 0)
    with pytest.raises(AssertionError, match="parsed"):
        by_index(place)


def test_rows_that_changed_since_the_index_was_written_are_parsed(place):
    path = place / store.TRIALS
    text = path.read_text("utf-8")
    changed = text.replace('"seconds":0.5', '"seconds":0.7', 1)
    path.write_text(changed, "utf-8")
    assert changed != text
    with pytest.raises(AssertionError, match="parsed"):
        by_index(place)
    assert read_run(place).rows[0]["timing"] == {"seconds": 0.7}


def test_a_damaged_row_is_reported_although_there_is_an_index(place):
    with (place / store.TRIALS).open("a", encoding="utf-8") as file:
        file.write("{}\n")
    with pytest.raises(BadInput, match="case: missing"):
        read_run(place)


def test_a_missing_text_is_reported_although_there_is_an_index(place):
    lines = (place / store.TEXTS).read_text("utf-8").splitlines(keepends=True)
    (place / store.TEXTS).write_text("".join(lines[1:]), "utf-8")
    with pytest.raises(BadInput, match="is not in texts"):
        read_run(place)


def test_a_rewritten_run_remembers_what_it_was_made_from_only_if_its_rows_are_the_same(tmp_path):
    place = written(tmp_path / "run", inputs=RunInputs(plan="p", fingerprints=("a",), reused=0))
    run, other = read_run(place), read_run(written(tmp_path / "other", small_run(seconds=0.9)))
    rewrite_run(run, {}, seen_in(place))
    assert list(by_index(place).records) == list(run.records)
    assert by_index(place).inputs == run.inputs
    rewrite_run(replace(other, folder=place), {}, seen_in(place))
    assert by_index(place).inputs is None
