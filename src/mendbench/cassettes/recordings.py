"""The recordings of one case: its world, the results of models' edits in it, and one file of responses per model."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from pathlib import Path
from threading import RLock
from typing import Literal, TypeAlias

from mendbench.cassettes import cassette
from mendbench.cassettes.cassette import Entry
from mendbench.cassettes.recording_journal import RecordingJournal
from mendbench.errors import BadInput

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


class Recordings:
    """Everything recorded for one case.

    Share one instance among all scopes of a case: it tracks which entries were used and which were recorded again.
    """

    def __init__(self, folder: Path, journal: RecordingJournal | None = None) -> None:
        self.folder, self._anew = folder, journal
        self.used: set[str] = set()
        """Keys of the world's entries that were served."""
        self._lock = RLock()
        self._world = _File(folder / WORLD)
        self._trajectories = _File(folder / TRAJECTORIES)
        self._models: dict[str, _File] = {}
        twice = sorted(self._world.entries.keys() & self._trajectories.entries.keys())
        if twice:
            raise BadInput(
                str(self._trajectories.path), f"key {twice[0]} stands in {WORLD} too", "delete it from one of the two"
            )

    @classmethod
    def open(cls, folder: Path, journal: RecordingJournal | None = None) -> Recordings:
        """Return the recordings in a folder, which need not exist. With ``anew``, model responses listed there count as recorded again.

        Raises:
            BadInput: a cassette in it is broken.
        """
        return cls(folder, journal)

    def refuse_empty(self) -> None:
        """Refuse a recording of the world without an exchange: only a killed recording can leave one.

        Raises:
            BadInput: there is such a file.
        """
        for file in (self._world, self._trajectories):
            if file.is_empty:
                hint = "restore it, or delete it and record it again with --record new_episodes"
                raise BadInput(str(file.path), "a recording without a whole exchange", hint)

    def stamps(self) -> tuple[tuple[str, _Stamp | None], ...]:
        """Return the modification time and length of each file in the folder, by name: they differ after a change."""
        return tuple((path.name, _stamp(path)) for path in sorted(self.folder.glob("*.yaml")))

    def world(self, key: str, *, fresh: bool = False) -> Entry | None:
        """Return the world's entry with that key; with ``fresh``, only one that this instance recorded."""
        with self._lock:
            for file in (self._world, self._trajectories):
                if key in file.entries and (not fresh or key in file.fresh):
                    return file.entries[key]
        return None

    def served(self, key: str) -> None:
        """Record that the entry with that key was used."""
        self.used.add(key)

    def trajectory_keys(self) -> frozenset[str]:
        """Return the keys of the entries for models' edits in the world."""
        return frozenset(self._trajectories.entries)

    def world_entries(self) -> tuple[Entry, ...]:
        """Return all entries of the world, trajectories last."""
        return (*self._world.entries.values(), *self._trajectories.entries.values())

    def unused(self, *, trajectories: bool = False) -> tuple[Entry, ...]:
        """Return the entries of ``world.yaml``, or of the trajectories, that were not used since opening."""
        file = self._trajectories if trajectories else self._world
        return tuple(entry for key, entry in file.entries.items() if key not in self.used)

    def prune(self, *, trajectories: bool = False) -> tuple[Entry, ...]:
        """Delete the unused entries from the file and return them."""
        gone = self.unused(trajectories=trajectories)
        if gone:
            with self._lock:
                (self._trajectories if trajectories else self._world).drop(entry.key for entry in gone)
        return gone

    def append_world(self, entry: Entry, *, trajectory: bool, replace: bool = False) -> Entry:
        """Store an exchange with the world and return the stored entry for its key.

        With ``replace``, an entry that existed before this instance was opened is replaced, in the file that contains it. Another process
        may have put it into either file meanwhile.
        """
        entry = cassette.settled(entry)
        with self._lock, cassette.locked(self.folder):
            for each in (self._world, self._trajectories):
                each.refresh()
            standing = next((f for f in (self._world, self._trajectories) if entry.key in f.entries), None)
            file = standing or (self._trajectories if trajectory else self._world)
            return file.put(entry, replace=replace)

    def model_entry(self, model: str, key: str, *, fresh: bool = False) -> Entry | None:
        """Return a model's entry with that key; with ``fresh``, only one that this instance recorded."""
        with self._lock:
            file = self._model(model)
            return file.entries.get(key) if not fresh or key in file.fresh else None

    def model_entries(self, model: str) -> tuple[Entry, ...]:
        """Return all entries of a model."""
        with self._lock:
            return tuple(self._model(model).entries.values())

    def append_model_entry(self, model: str, entry: Entry, *, replace: bool = False) -> Entry:
        """Store a model's response and return the stored entry for its key."""
        with self._lock:
            file = self._model(model)
            stands = file.store(entry, replace=replace)
            if self._anew is not None:
                self._anew.add(file.path, entry.key)
            return stands

    def arrange(self, model: str, keys: Iterable[str]) -> None:
        """Put a model's responses with these keys into that order, in the places that they occupy together."""
        with self._lock:
            self._model(model).arrange(keys)

    def _model(self, model: str) -> _File:
        name = model_file(model)
        if name not in self._models:
            file = self._models[name] = _File(self.folder / name)
            file.fresh |= file.entries.keys() & (self._anew.of(file.path) if self._anew is not None else set())
        return self._models[name]


def model_file(model: str) -> str:
    """Return the file name for a model's responses, safe on every file system."""
    safe = re.sub(r"[^A-Za-z0-9._-]+", "-", model).strip("-.") or "model"
    name = f"{safe}.yaml"
    return f"model-{name}" if name.lower() in {WORLD, TRAJECTORIES} else name


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)


@functools.lru_cache(maxsize=1024)
def _loaded(path: Path, _stamp_then: _Stamp) -> tuple[Entry, ...]:
    """Read a cassette once per process and version of the file."""
    return cassette.load(path)
