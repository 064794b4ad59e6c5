"""The cache of rows by fingerprint: bounded, safe to delete, and never wrong."""

import sqlite3

import pytest

from mendbench.io.canonical_json import digest
from mendbench.results import row_cache
from mendbench.results.row_cache import FoundRow, RowCache

TEXT = "a long text " * 30
NAME = digest(TEXT.encode())


def row(fingerprint, text=TEXT):
    name = digest(text.encode())
    line = f'{{"key":"{fingerprint}","response":{{"$text":"{name}"}}}}\n'.encode()
    return FoundRow(fingerprint=fingerprint, line=line, texts={name: text})


@pytest.fixture
def path(tmp_path):
    return tmp_path / ".mendbench" / "trials.sqlite"


def store(path, *rows):
    with RowCache(path) as cache:
        cache.put(rows)


def get(path, *fingerprints):
    with RowCache(path) as cache:
        return cache.get(fingerprints)


def change(path, statement, *values):
    database = sqlite3.connect(path)
    with database:
        assert database.execute(statement, values).rowcount
    database.close()


def test_a_stored_row_is_found_with_its_texts_under_the_first_fingerprint_that_is_known(path):
    store(path, row("a"), row("b", "another text " * 30))
    assert get(path, "unknown", "b", "a") == row("b", "another text " * 30)
    assert get(path, "a") == row("a")
    assert get(path, "unknown") is None


def test_git_ignores_the_cache(path):
    store(path, row("a"))
    assert (path.parent / ".gitignore").read_text("utf-8") == "*\n"


@pytest.mark.parametrize(
    "statement",
    [
        "delete from texts",
        "update texts set text = x'00'",
        "update rows set line = (select line from rows where fingerprint = 'b')",
        "update rows set line = x'00'",
        "update rows set line = null",
    ],
)
def test_a_row_or_text_that_was_changed_is_not_used(path, statement):
    store(path, row("a"), row("b", "another text " * 30))
    change(path, statement)
    assert get(path, "a") is None


def test_a_text_that_belongs_to_another_digest_is_not_used(path):
    store(path, row("a"), row("b", "another text " * 30))
    change(path, "update texts set text = (select text from texts where digest != ?)", NAME)
    assert get(path, "a") is None


@pytest.mark.parametrize("content", [b"no database", b"no database " * 400, b"SQLite format 3\0 but torn"])
def test_a_file_that_is_no_database_is_replaced(path, content):
    path.parent.mkdir()
    path.write_bytes(content)
    store(path, row("a"))
    assert get(path, "a") == row("a")


def test_a_folder_that_cannot_be_made_is_as_good_as_empty(tmp_path):
    (tmp_path / "file").write_text("", "utf-8")
    store(tmp_path / "file" / "trials.sqlite", row("a"))
    assert get(tmp_path / "file" / "trials.sqlite", "a") is None


def test_beyond_the_bound_the_rows_that_were_not_used_longest_are_deleted_with_their_texts(path, monkeypatch):
    texts = {name: "".join(f"{name}{number}" for number in range(300)) for name in "abc"}
    for name in "ab":
        store(path, row(name, texts[name]))
    assert get(path, "a") is not None
    size = 2 * len(row_cache.zlib.compress(row("a", texts["a"]).line, 1))
    monkeypatch.setattr(row_cache, "BOUND", 2 * size)
    store(path, row("c", texts["c"]))
    assert get(path, "b") is None
    assert get(path, "c") == row("c", texts["c"])
    database = sqlite3.connect(path)
    assert (
        database.execute("select count(*) from texts").fetchone()
        == database.execute("select count(*) from rows").fetchone()
    )
    database.close()


def test_marks_of_searched_files_are_kept_for_the_same_code_only(path):
    with RowCache(path) as cache:
        cache.put_searched("one", ["a", "b"])
        assert cache.searched("one") == {"a", "b"}
        assert cache.searched("two") == set()
        cache.put_searched("two", ["c"])
        assert (cache.searched("one"), cache.searched("two")) == (set(), {"c"})


def test_a_malformed_file_is_deleted_when_it_is_noticed(path):
    store(path, *(row(f"{number:04}", f"text {number} " * 60) for number in range(400)))
    data = bytearray(path.read_bytes())
    data[4096:] = b"\xff" * (len(data) - 4096)
    path.write_bytes(data)
    get(path, "0001")
    store(path, row("a"))
    assert get(path, "a") == row("a")


def test_a_process_that_has_the_old_file_open_does_no_harm(path):
    store(path, row("a"))
    with RowCache(path) as other:
        path.write_bytes(b"no database " * 400)
        store(path, row("b"))
        other.put([row("c")])
    assert get(path, "b") == row("b")
