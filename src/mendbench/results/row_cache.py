"""A cache of trials' rows by fingerprint (:mod:`mendbench.trial.inputs`), in one SQLite file that is safe to delete.

It is a convenience: a cache that cannot be opened, read or written is as good as empty, and what does not match its digest is ignored. A
damaged file is deleted, so that the next run fills a new one.
"""

from __future__ import annotations

import contextlib
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from mendbench.io.canonical_json import digest
from mendbench.io.files import ignore_folder, make_folder
from mendbench.runtime.trace_file import FOLDER

CACHE = Path(FOLDER) / "trials.sqlite"
"""In the folder of the configuration."""

BOUND = 256_000_000
"""Maximum size of the cached rows and texts in bytes, compressed: the shipped matrix twice. The least recently used are deleted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRow:
    """A row that is known under a fingerprint."""

    fingerprint: str
    line: bytes
    """The row's line in ``trials.jsonl``, with its line end."""
    texts: Mapping[str, str]
    """The long texts that the row refers to, by digest."""


_FAST = 1
"""Compression level: rows repeat the same names, so the fastest level saves most."""

_TABLES = """
create table if not exists rows (fingerprint text primary key, line blob, texts text, digest text, run integer) without rowid;
create table if not exists texts (digest text primary key, text blob) without rowid;
create index if not exists rows_by_run on rows (run);
create table if not exists searched (mark text primary key, code text) without rowid;
"""


class RowCache:
    """An open cache. Everything that one process reads or stores counts as used by one run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database: sqlite3.Connection | None = None
        self._run = 0
        self._damaged = False
        self._file = 0
        """The number of the open file: another process may have put a new one in its place."""
        self._used, self._stored = set[str](), set[str]()

    def __enter__(self) -> Self:
        """Open the file. A damaged one is replaced; if it cannot be opened, the cache is empty and stores nothing."""
        with contextlib.suppress(OSError, sqlite3.Error):
            make_folder(self._path.parent)
            if self._path.parent.name == FOLDER:
                ignore_folder(self._path.parent)
            try:
                self._open()
            except sqlite3.DatabaseError as error:
                if not _is_damage(error):
                    raise
                self._delete()
                self._open()
        return self

    def _open(self) -> None:
        database = sqlite3.connect(self._path, timeout=1, isolation_level=None)
        try:
            database.executescript(f"pragma synchronous = off; {_TABLES}")
            (last,) = database.execute("select coalesce(max(run), 0) from rows").fetchone()
        except sqlite3.Error:
            database.close()
            raise
        self._run, self._database, self._file = last + 1, database, self._path.stat().st_ino

    def _delete(self) -> None:
        """Delete the file. Another process that has it open goes on with a file that nobody else sees."""
        for path in (self._path.with_name(f"{self._path.name}-journal"), self._path):
            path.unlink(missing_ok=True)

    def __exit__(self, *_error: object) -> None:
        """Mark what was used, delete what exceeds the bound, and close the file."""
        if self._database is None:
            return
        try:
            self._mark_used(self._database)
            self._shrink(self._database)
        except sqlite3.Error as error:
            self._damaged |= _is_damage(error)
        self._database.close()
        if self._damaged:
            with contextlib.suppress(OSError):
                if self._path.stat().st_ino == self._file:
                    self._delete()

    def get(self, fingerprints: Iterable[str]) -> FoundRow | None:
        """Return the row of the first of these fingerprints that is cached, if all its texts are."""
        for fingerprint in fingerprints:
            try:
                found = self._found(fingerprint)
            except (zlib.error, UnicodeError):
                continue
            except sqlite3.Error as error:
                self._damaged |= _is_damage(error)
                continue
            if found is not None:
                self._used.add(fingerprint)
                return found
        return None

    def put(self, rows: Iterable[FoundRow]) -> None:
        """Store rows."""
        if self._database is None:
            return
        with contextlib.suppress(sqlite3.Error), self._database:
            self._database.execute("begin immediate")
            for row in rows:
                packed = zlib.compress(row.line, _FAST)
                own = (
                    row.fingerprint,
                    packed,
                    " ".join(row.texts),
                    _signature(row.fingerprint, row.line),
                    self._run,
                )
                self._database.execute("insert or replace into rows values (?, ?, ?, ?, ?)", own)
                for name, text in row.texts.items():
                    if name not in self._stored:
                        self._stored.add(name)
                        packed = zlib.compress(text.encode("utf-8", "surrogatepass"), _FAST)
                        self._database.execute("insert or replace into texts values (?, ?)", (name, packed))

    def searched(self, code: str) -> set[str]:
        """Return the marks of the files in which this ``code`` found no credential."""
        if self._database is not None:
            with contextlib.suppress(sqlite3.Error):
                return {mark for (mark,) in self._database.execute("select mark from searched where code = ?", (code,))}
        return set()

    def put_searched(self, code: str, marks: Iterable[str]) -> None:
        """Store such marks; those of other code are deleted."""
        if self._database is not None:
            with contextlib.suppress(sqlite3.Error), self._database:
                self._database.execute("begin immediate")
                self._database.execute("delete from searched where code != ?", (code,))
                self._database.executemany(
                    "insert or ignore into searched values (?, ?)", ((one, code) for one in marks)
                )

    def _found(self, fingerprint: str) -> FoundRow | None:
        if self._database is None:
            return None
        own = self._database.execute("select line, texts, digest from rows where fingerprint = ?", (fingerprint,))
        packed, names, known = own.fetchone() or (None, "", "")
        if packed is None:
            return None
        line = zlib.decompress(packed)
        texts = dict(self._texts(names.split()))
        whole = _signature(fingerprint, line) == known and len(texts) == len(names.split())
        return FoundRow(fingerprint=fingerprint, line=line, texts=texts) if whole else None

    def _texts(self, names: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield the texts of these digests that are cached and match their digest."""
        assert self._database is not None  # noqa: S101 - for the type checker
        for name in names:
            (packed,) = self._database.execute("select text from texts where digest = ?", (name,)).fetchone() or (None,)
            data = zlib.decompress(packed) if packed is not None else b""
            if packed is not None and digest(data) == name:
                yield name, data.decode("utf-8", "surrogatepass")

    def _mark_used(self, database: sqlite3.Connection) -> None:
        with database:
            database.execute("begin immediate")
            database.execute("create temp table used (fingerprint text primary key)")
            database.executemany("insert into used values (?)", ((one,) for one in self._used))
            database.execute(
                "update rows set run = ? where fingerprint in (select fingerprint from used)", (self._run,)
            )

    def _shrink(self, database: sqlite3.Connection) -> None:
        """Delete the rows of the oldest runs, and the texts that no row refers to any more, until the rest fits."""
        (size,) = database.execute(_SIZE).fetchone()
        if size <= BOUND:
            return
        left = 0
        runs = database.execute("select run, sum(length(line)) from rows group by run order by run desc").fetchall()
        keep = [run for run, own in runs if (left := left + own) <= BOUND // 2]
        with database:
            database.execute("begin immediate")
            database.execute("delete from rows where run < ?", (min(keep, default=self._run + 1),))
            named = {name for (names,) in database.execute("select texts from rows") for name in names.split()}
            gone = [(name,) for (name,) in database.execute("select digest from texts") if name not in named]
            database.executemany("delete from texts where digest = ?", gone)
        database.execute("vacuum")


def searched_before(path: Path, code: str) -> set[str]:
    """Return the marks of the files in which this ``code`` found no credential. A cache that does not exist is not made."""
    if not path.is_file():
        return set()
    with RowCache(path) as cache:
        return cache.searched(code)


def _is_damage(error: sqlite3.Error) -> bool:
    """Return whether SQLite says that the file is not a database, or is malformed. A lock or a full disk is no damage."""
    return getattr(error, "sqlite_errorcode", None) in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}


def _signature(fingerprint: str, line: bytes) -> str:
    """Return the digest by which a row is recognised as the one that was stored under a fingerprint."""
    return digest(fingerprint.encode() + line, 64)


_SIZE = "select (select coalesce(sum(length(line)), 0) from rows) + (select coalesce(sum(length(text)), 0) from texts)"
