"""Rows and texts of a run that are read when they are asked for."""

import errno
import gc
import json
import os

import pytest

from mendbench.report.html import html_parts
from mendbench.results.run_document import totals_of_trials
from mendbench.results.store import open_run, read_run
from mendbench.results.stored_rows import GrowingFile, StoredRows
from tests.fakes.runs import key_of, repairable, repaired, row_of, stored_run

MANY = 40
ALIVE = 3
"""Rows that may be there at once: the one that is read, the one before it, and what is made of them."""


def alive():
    """Return how many rows there are in memory."""
    gc.collect()
    return sum(type(one) is dict and "case_digest" in one and "verdict" in one for one in gc.get_objects())


@pytest.fixture
def run(tmp_path):
    """Return a run of many samples as it lies in its folder."""
    place = tmp_path / "run"
    case = repairable()
    first = stored_run([row_of(case, repaired(), key_of(case))])
    with open_run(place, {}, resume=False) as folder:
        for sample in range(MANY):
            folder.add(*row_of(case, repaired(response=f"{sample}" * 300), key_of(case, sample=sample)))
        rows = folder.rows()
        folder.finish({**first.run, **totals_of_trials(rows.records())}, {})
    del rows
    return read_run(place)


def test_no_row_is_kept_while_a_run_is_written(tmp_path):
    case, before = repairable(), alive()
    with open_run(tmp_path / "run", {}, resume=False) as folder:
        for sample in range(MANY):
            folder.add(*row_of(case, repaired(), key_of(case, sample=sample)))
        assert alive() - before <= ALIVE
        assert len(folder.rows().records()) == MANY
        assert alive() - before <= ALIVE


def test_no_row_is_kept_of_a_run_that_was_read(run):
    before = alive()
    for at, _ in enumerate(run.rows):
        if at % 10 == 0:
            assert alive() - before <= ALIVE
    assert len(run.records) == len(run.rows) == MANY


def test_no_row_is_kept_while_the_report_is_made(run):
    before = alive()
    assert max(alive() - before for _ in html_parts(run)) <= ALIVE


def test_a_row_is_found_by_its_key(run):
    for at in (0, 7, MANY - 1):
        assert run.row(run.rows[at]["key"]) == run.rows[at]
    assert run.row("another | 000000") is None


def test_rows_and_texts_are_those_of_the_file(run):
    lines = (run.folder / "trials.jsonl").read_text(encoding="utf-8").splitlines()
    assert list(run.rows) == [json.loads(line) for line in lines]
    assert [run.rows[-1]] == list(run.rows[MANY - 1 :])
    texts = (run.folder / "texts.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    assert dict(run.texts) == {one["digest"]: one["text"] for one in map(json.loads, texts)}


def test_a_run_that_was_read_stays_what_it_was_when_its_folder_is_replaced(run):
    first = run.rows[0]
    case = repairable("other")
    with open_run(run.folder, {}, resume=False) as folder:
        folder.add(*row_of(case, repaired(), key_of(case)))
        folder.finish(run.run, {})
    assert run.rows[0] == first
    assert run.texts[next(iter(run.texts))]


def test_a_line_that_is_longer_than_one_read_gives_is_whole(tmp_path):
    file = GrowingFile(tmp_path / "rows", [])
    rows = StoredRows(file.lines())
    for text in ("ä" * 100_000, "short"):
        file.append(json.dumps({"text": text}, ensure_ascii=False).encode() + b"\n")
    file.close()
    assert [row["text"] for row in rows] == ["ä" * 100_000, "short"]


def test_lines_that_a_full_disk_cuts_short_are_not_there_and_the_next_ones_are(tmp_path, monkeypatch):
    write, file = os.write, GrowingFile(tmp_path / "rows", [b"0\n"])
    left = [4]

    def full(handle, data):
        if not left[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        room = min(left[0], len(data))
        left[0] -= room
        return write(handle, bytes(data)[:room])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        assert file.append(b"1\n") == 1
        with pytest.raises(OSError, match="No space left"):
            file.append(b"2\n", b"33\n")
    assert (tmp_path / "rows").read_text() == "0\n1\n"
    assert file.append(b"4\n", b"55\n") == 2
    file.close()
    assert [file.lines()[at] for at in range(4)] == [b"0\n", b"1\n", b"4\n", b"55\n"]
    assert len(file.lines()) == 4


def test_lines_stay_what_they_were_when_the_file_is_written_again(tmp_path):
    file = GrowingFile(tmp_path / "rows", [b"0\n"])
    GrowingFile(tmp_path / "rows", [b"other\n"]).close()
    file.close()
    assert file.lines()[0] == b"0\n"
