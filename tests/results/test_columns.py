"""The records of a large run as Parquet beside its rows."""

import json
import os

import pyarrow as pa
import pytest
from pyarrow import parquet

from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.results import columns, store
from mendbench.results.columns import FOLDER, INDEX
from mendbench.results.rewriting import rewrite_run, seen_in
from mendbench.results.store import open_run, read_run
from tests.fakes.runs import small_run


def rewritten(run, files):
    rewrite_run(run, files, seen_in(run.folder))


@pytest.fixture(autouse=True)
def _small_runs_are_large(monkeypatch):
    monkeypatch.setattr(columns, "LARGE", 20)
    monkeypatch.setattr(columns, "PART", 8)
    monkeypatch.setattr(columns, "TOGETHER", 3)


def written(place, run=None):
    """Write a run into a folder."""
    with open_run(place, {}, resume=False) as folder:
        folder.take(run or small_run())
        folder.finish(small_run().run, {})
    return place


@pytest.fixture
def place(tmp_path):
    return written(tmp_path / "run")


def by_rows(place):
    """Read a run as if it had no columns."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store, "read_columns", lambda *_: None)
        return read_run(place)


def by_columns(place):
    """Read a run whose rows nobody may go through."""

    def refuse(_self):
        raise AssertionError("the rows were gone through")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(store.RowsRead, "records", refuse)
        return read_run(place)


def parts(place):
    return sorted(path.name for path in (place / FOLDER).glob("part-*"))


def test_a_large_run_is_read_without_its_rows_and_tells_the_same_to_the_type(place):
    rows, found = by_rows(place), by_columns(place)
    assert len(parts(place)) > 1
    assert [repr(one) for one in found.records] == [repr(one) for one in rows.records]
    assert list(found.rows) == list(rows.rows)
    assert found.records.by_strategy() == rows.records.by_strategy()
    key = rows.records.trial_keys()[7]
    assert found.row(key) == rows.row(key) is not None


def test_a_small_run_has_no_columns(tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "LARGE", 100)
    assert not (written(tmp_path / "run") / FOLDER).exists()


def test_without_pyarrow_none_are_written_and_none_are_read(place, tmp_path, monkeypatch):
    monkeypatch.setattr(columns, "find_spec", lambda _name: None)
    assert not (written(tmp_path / "other") / FOLDER).exists()
    with pytest.raises(AssertionError, match="gone through"):
        by_columns(place)
    assert list(read_run(place).records) == list(by_rows(place).records)


def torn(path):
    path.write_bytes(path.read_bytes()[:-9])


def turned(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def other_fields(path):
    path.write_text(path.read_text("utf-8").replace('"wasted_attempts"', '"lost_attempts"'), "utf-8")


def no_object(path):
    path.write_bytes(b"[]")


def parts_without_names(path):
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {"parts": parts(path.parent.parent)}), "utf-8")


DAMAGED = [(name, damage) for name in ("part-00000.parquet", "part-00002.parquet", INDEX) for damage in (torn, turned)]


@pytest.mark.parametrize(
    ("name", "damage"), [*DAMAGED, (INDEX, other_fields), (INDEX, no_object), (INDEX, parts_without_names)]
)
def test_columns_that_are_not_as_they_were_written_count_for_nothing(place, name, damage):
    damage(place / FOLDER / name)
    with pytest.raises(AssertionError, match="gone through"):
        by_columns(place)
    found = read_run(place)
    assert list(found.records) == list(by_rows(place).records)
    assert found.rows[3] == by_rows(place).rows[3]


def test_rows_that_are_not_those_that_columns_were_made_of_are_read(place):
    path = place / store.TRIALS
    text = path.read_text("utf-8")
    changed = text.replace('"seconds":0.5', '"seconds":0.7', 1)
    path.write_text(changed, "utf-8")
    assert changed != text
    with pytest.raises(AssertionError, match="gone through"):
        by_columns(place)
    assert read_run(place).rows[0]["timing"] == {"seconds": 0.7}


def test_a_damaged_row_is_told_whatever_the_columns_say(place):
    with (place / store.TRIALS).open("a", encoding="utf-8") as file:
        file.write("{}\n")
    with pytest.raises(BadInput, match="23 lines of 22 trials"):
        read_run(place)


def test_a_text_that_is_lost_is_told_whatever_the_columns_say(place):
    lines = (place / store.TEXTS).read_text("utf-8").splitlines(keepends=True)
    (place / store.TEXTS).write_text("".join(lines[1:]), "utf-8")
    with pytest.raises(BadInput, match="is not in texts"):
        read_run(place)


def test_a_run_with_a_number_that_no_column_holds_has_none(tmp_path):
    run = small_run()
    for row in run.rows[:1]:
        row["prompt_tokens"] = 10**30
    place = written(tmp_path / "run", run)
    assert not (place / FOLDER).exists()
    assert read_run(place).records[0].prompt_tokens == 10**30


def test_a_run_that_is_written_anew_gets_columns_of_what_it_has_now(place):
    run = read_run(place)
    rewritten(run, {})
    assert list(by_columns(place).records) == list(run.records)


ARROWS = [
    pa.ArrowException, pa.ArrowInvalid, pa.ArrowKeyError, pa.ArrowTypeError, pa.ArrowIndexError,
    pa.ArrowNotImplementedError, pa.ArrowMemoryError, pa.ArrowCapacityError, pa.ArrowSerializationError,
    pa.ArrowCancelled,
]  # fmt: skip


@pytest.mark.parametrize("error", ARROWS, ids=lambda error: error.__name__)
def test_whatever_arrow_says_of_a_part_the_rows_are_read(place, monkeypatch, error):
    def fail(*_):
        raise error("of a part")

    monkeypatch.setattr(parquet, "ParquetFile", fail)
    assert list(read_run(place).records) == list(by_rows(place).records)


def forged(place, column, values):
    """Write a part with another column in the place of one of its own, and let the index know it."""
    path = place / FOLDER / "part-00000.parquet"
    table = parquet.read_table(path)
    at = table.column_names.index(column)
    kind = table[column].type if values is None else None
    own = pa.array([values] * table.num_rows, kind)
    parquet.write_table(table.set_column(at, column, own), path)
    admitted(place, path)


def admitted(place, path):
    index = json.loads((place / FOLDER / INDEX).read_bytes())
    index["parts"][path.name] = digest(path.read_bytes(), 64)
    (place / FOLDER / INDEX).write_text(json.dumps(index), "utf-8")


@pytest.mark.parametrize(
    ("column", "values"),
    [("attempts", "text"), ("attempts", [5]), ("attempts", None), ("key", 5), ("case", 5), ("line_begins_at", "x"), ("values_0", 1.5)],
)  # fmt: skip
def test_a_part_of_other_columns_counts_for_nothing_though_the_index_knows_it(place, column, values):
    forged(place, column, values)
    with pytest.raises(AssertionError, match="gone through"):
        by_columns(place)
    assert list(read_run(place).records) == list(by_rows(place).records)


def test_a_pipe_and_a_link_in_the_place_of_a_part_count_for_nothing(place):
    path = place / FOLDER / "part-00000.parquet"
    path.rename(place / "elsewhere")
    path.symlink_to(place / "elsewhere")
    with pytest.raises(AssertionError, match="gone through"):
        by_columns(place)
    path.unlink()
    os.mkfifo(path)
    assert list(read_run(place).records) == list(by_rows(place).records)
