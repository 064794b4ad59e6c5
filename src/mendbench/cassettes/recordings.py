"""The recordings of one case: its world, the results of models' edits in it, and one file of responses per model."""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable
from pathlib import Path
from threading import RLock
from typing import Literal, TypeAlias

from mendbench.cassettes import cassette
from mendbench.cassettes.cassette import Entry
from mendbench.cassettes.recording_journal import RecordingJournal
from mendbench.errors import BadInput
from mendbench.io.files import ignore_folder

RecordMode: TypeAlias = Literal["none", "new_episodes", "all"]
"""none: read only. new_episodes: record what is missing. all: record everything again, each key once."""

WORLD = "world.yaml"
TRAJECTORIES = "world.trajectories.yaml"

_Stamp: TypeAlias = tuple[int, int, int]
"""A file's modification time, length, and identity: rewriting the file changes the identity."""


class _File:
    """One cassette, read once and written through."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.entries: dict[str, Entry] = {}
        self.fresh: set[str] = set()
        self._stamp: _Stamp | None = None
        self.refresh()

    @property
    def is_empty(self) -> bool:
        """Whether the file exists and holds no whole entry."""
        return self._stamp is not None and not self.entries

    def refresh(self) -> None:
        """Read the file again if another process has written to it."""
        stamp = _stamp(self.path)
        if stamp != self._stamp:
            loaded = _loaded(self.path, stamp) if stamp else ()
            self.entries = {entry.key: entry for entry in loaded}
            self._stamp = stamp

    def store(self, entry: Entry, *, replace: bool) -> Entry:
        """Write the entry unless its key exists already, and return the stored one."""
        entry = cassette.settled(entry)
        with cassette.locked(self.path.parent):
            self.refresh()
            return self.put(entry, replace=replace)

    def put(self, entry: Entry, *, replace: bool) -> Entry:
        """Store a settled entry as :meth:`store` does. The caller must hold the folder's lock and have refreshed the file."""
        standing = self.entries.get(entry.key)
        if standing is not None and not (replace and entry.key not in self.fresh):
            return standing
        if standing is None:
            cassette.append(self.path, entry)
        else:
            cassette.rewrite(self.path, (self.entries | {entry.key: entry}).values())
        self.entries[entry.key] = entry
        self.fresh.add(entry.key)
        self._stamp = _stamp(self.path)
        return entry

    def arrange(self, keys: Iterable[str]) -> None:
        """Put the entries of ``keys`` into that order, in the places that they occupy together; others keep theirs."""
        if not self.path.exists():
            return
        with cassette.locked(self.path.parent):
            self.refresh()
            wanted = [key for key in dict.fromkeys(keys) if key in self.entries]
            among = frozenset(wanted)
            places = [key for key in self.entries if key in among]
            if places == wanted:
                return
            moved = dict(zip(places, wanted, strict=True))
            self.entries = {now: self.entries[now] for now in (moved.get(key, key) for key in self.entries)}
            cassette.rewrite(self.path, self.entries.values())
            self._stamp = _stamp(self.path)

    def drop(self, keys: Iterable[str]) -> None:
        """Remove entries from the file."""
        with cassette.locked(self.path.parent):
            self.refresh()
            gone = set(keys)
            self.entries = {key: entry for key, entry in self.entries.items() if key not in gone}
            cassette.rewrite(self.path, self.entries.values())
            self._stamp = _stamp(self.path)


class _Layer:
    """The cassettes of one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.world = _File(folder / WORLD)
        self.trajectories = _File(folder / TRAJECTORIES)
        self._models: dict[str, _File] = {}
        twice = sorted(self.world.entries.keys() & self.trajectories.entries.keys())
        if twice:
            raise BadInput(
                str(self.trajectories.path), f"key {twice[0]} stands in {WORLD} too", "delete it from one of the two"
            )

    @property
    def both(self) -> tuple[_File, _File]:
        """The two files of exchanges with the world."""
        return self.world, self.trajectories

    def model(self, model: str, journal: RecordingJournal | None) -> _File:
        """Return the file of a model's responses."""
        name = model_file(model)
        if name not in self._models:
            file = self._models[name] = _File(self.folder / name)
            file.fresh |= file.entries.keys() & (journal.of(file.path) if journal is not None else set())
        return self._models[name]


class Recordings:
    """Everything recorded for one case.

    They can have a private layer, which is read after the shipped one, and receives everything that is recorded.
    Share one instance among all scopes of a case: it tracks which entries were used and which were recorded again.
    """

    def __init__(self, folder: Path, journal: RecordingJournal | None = None, private: Path | None = None) -> None:
        self._journal = journal
        self._private = private
        self.used: set[str] = set()
        """Keys of the world's entries that were served."""
        self._lock = RLock()
        self._layers = [_Layer(each) for each in ((folder,) if private is None else (folder, private))]

    @classmethod
    def open(cls, folder: Path, journal: RecordingJournal | None = None, *, private: Path | None = None) -> Recordings:
        """Return the recordings in a folder, which need not exist. Model responses listed in ``journal`` count as recorded again.

        Raises:
            BadInput: a cassette in it is broken.
        """
        return cls(folder, journal, private)

    @property
    def folder(self) -> Path:
        """The folder that recordings are written to."""
        return self._layers[-1].folder

    @property
    def _worlds(self) -> tuple[_File, ...]:
        return tuple(file for layer in self._layers for file in layer.both)

    def refuse_empty(self) -> None:
        """Refuse a recording of the world without an exchange: only a killed recording can leave one.

        Raises:
            BadInput: there is such a file.
        """
        for file in self._worlds:
            if file.is_empty:
                hint = "restore it, or delete it and record it again with --record new_episodes"
                raise BadInput(str(file.path), "a recording without a whole exchange", hint)

    def stamps(self) -> tuple[tuple[str, _Stamp | None], ...]:
        """Return the modification time and length of each file, by its path: they differ after a change."""
        return tuple(stamped for layer in self._layers for stamped in _stamps_in(layer.folder))

    def world(self, key: str, *, fresh: bool = False) -> Entry | None:
        """Return the world's entry with that key; with ``fresh``, only one that this instance recorded, or of a shipped layer below."""
        with self._lock:
            return self._entry(key, self._worlds[:-2], self._layers[-1].both, fresh=fresh)

    def served(self, key: str) -> None:
        """Record that the entry with that key was used."""
        self.used.add(key)

    def trajectory_keys(self) -> frozenset[str]:
        """Return the keys of the entries for models' edits in the world."""
        return frozenset(key for layer in self._layers for key in layer.trajectories.entries)

    def world_entries(self) -> tuple[Entry, ...]:
        """Return all entries of the world; in each layer, trajectories last."""
        return tuple(entry for file in self._worlds for entry in file.entries.values())

    def unused(self, *, trajectories: bool = False) -> tuple[Entry, ...]:
        """Return the entries of ``world.yaml``, or of the trajectories, that were not used since opening."""
        file = self._layers[0].both[trajectories]
        return tuple(entry for key, entry in file.entries.items() if key not in self.used)

    def prune(self, *, trajectories: bool = False) -> tuple[Entry, ...]:
        """Delete the unused entries from the file and return them."""
        gone = self.unused(trajectories=trajectories)
        if gone:
            with self._lock:
                self._layers[0].both[trajectories].drop(entry.key for entry in gone)
        return gone

    def append_world(self, entry: Entry, *, trajectory: bool, replace: bool = False) -> Entry:
        """Store an exchange with the world and return the stored entry for its key.

        With ``replace``, an entry that existed before this instance was opened is replaced, in the file that contains it. Another process
        may have put it into either file meanwhile. An entry of the shipped layer is never replaced from a private one.
        """
        entry = cassette.settled(entry)
        self._ignore()
        with self._lock, cassette.locked(self.folder):
            for each in self._worlds:
                each.refresh()
            shipped = next((file.entries[entry.key] for file in self._worlds[:-2] if entry.key in file.entries), None)
            if shipped is not None:
                return shipped
            own = self._layers[-1].both
            standing = next((file for file in own if entry.key in file.entries), None)
            return (standing or own[trajectory]).put(entry, replace=replace)

    def model_entry(self, model: str, key: str, *, fresh: bool = False) -> Entry | None:
        """Return a model's entry with that key; with ``fresh``, only one that this instance recorded, or of a shipped layer below."""
        with self._lock:
            *shipped, own = self._models(model)
            return self._entry(key, shipped, (own,), fresh=fresh)

    def model_entries(self, model: str) -> tuple[Entry, ...]:
        """Return all entries of a model."""
        with self._lock:
            return tuple(entry for file in self._models(model) for entry in file.entries.values())

    def append_model_entry(self, model: str, entry: Entry, *, replace: bool = False) -> Entry:
        """Store a model's response and return the stored entry for its key. A shipped one is never replaced from a private layer."""
        with self._lock:
            *shipped, own = self._models(model)
            for file in shipped:
                if entry.key in file.entries:
                    return file.entries[entry.key]
            self._ignore()
            stands = own.store(entry, replace=replace)
            if self._journal is not None:
                self._journal.add(own.path, entry.key)
            return stands

    def _ignore(self) -> None:
        """Make Git ignore the private layer, of which this case's folder is ``FAMILY/NAME``."""
        if self._private is not None and not self._private.exists():
            ignore_folder(self._private.parents[1])

    def arrange(self, model: str, keys: Iterable[str]) -> None:
        """Put a model's responses with these keys into that order, in the places that they occupy together."""
        with self._lock:
            self._models(model)[-1].arrange(keys)

    def _entry(self, key: str, shipped: Iterable[_File], own: Iterable[_File], *, fresh: bool) -> Entry | None:
        for file in shipped:
            if key in file.entries:
                return file.entries[key]
        return next((f.entries[key] for f in own if key in f.entries and (not fresh or key in f.fresh)), None)

    def _models(self, model: str) -> list[_File]:
        return [layer.model(model, self._journal) for layer in self._layers]


def model_file(model: str) -> str:
    """Return the file name for a model's responses, safe on every file system."""
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", model).strip("-.") or "model"
    name = f"{safe}.yaml"
    return f"model-{name}" if name.lower() in {WORLD, TRAJECTORIES} else name


def _stamps_in(folder: Path) -> list[tuple[str, _Stamp | None]]:
    """Return the stamp of each cassette in a folder, by its path: every trial asks, and ``Path.glob`` takes ten times as long."""
    try:
        with os.scandir(folder) as found:
            paths = sorted(entry.path for entry in found if entry.name.endswith(".yaml"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [(path, _stamp(path)) for path in paths]


def _stamp(path: Path | str) -> _Stamp | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - without an object for each path
    except (FileNotFoundError, NotADirectoryError):
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


@functools.lru_cache(maxsize=1024)
def _loaded(path: Path, _stamp_then: _Stamp) -> tuple[Entry, ...]:
    """Read a cassette once per process and version of the file."""
    return cassette.load(path)
