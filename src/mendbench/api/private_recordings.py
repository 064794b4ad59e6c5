"""Lists the private recordings of a corpus, and moves them into the corpus on purpose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mendbench.api.settings import open_corpus
from mendbench.cassettes import cassette
from mendbench.cassettes.cassette import Entry
from mendbench.cassettes.recordings import TRAJECTORIES, WORLD, Recordings
from mendbench.config.config_file import load_config
from mendbench.corpus.corpus import select


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateFile:
    """One private cassette."""

    case: str
    path: Path
    entries: int
    known: int
    """Entries whose key the corpus has: the corpus keeps its own."""


def list_private_recordings(
    names: tuple[str, ...] = (), cases: Path | None = None, cassettes: Path | None = None
) -> tuple[PrivateFile, ...]:
    """Return the private cassettes of the named cases, or of all.

    Raises:
        UnknownName, BadInput: a name or a cassette cannot be used.
    """
    return tuple(found for found, _, _ in _files(names, cases, cassettes))


def adopt_recordings(
    names: tuple[str, ...] = (), cases: Path | None = None, cassettes: Path | None = None
) -> tuple[PrivateFile, ...]:
    """Move the private recordings of the named cases, or of all, into the corpus, and return what was moved.

    A private file is deleted after all its entries are in the corpus, so an interrupted call can be repeated.

    Raises:
        UnknownName, BadInput: a name or a cassette cannot be used.
    """
    found = tuple(_files(names, cases, cassettes))  # all are readable before the first is moved
    for file, own, entries in found:
        for entry in entries:
            if entry.model_request is not None:
                own.append_model_entry(str(entry.model_request["model"]), entry)
            else:
                own.append_world(entry, trajectory=file.path.name == TRAJECTORIES)
        file.path.unlink()
        if not any(file.path.parent.iterdir()):
            file.path.parent.rmdir()
    return tuple(file for file, _, _ in found)


def _files(
    names: tuple[str, ...], cases: Path | None, cassettes: Path | None
) -> Iterator[tuple[PrivateFile, Recordings, tuple[Entry, ...]]]:
    """Yield each private cassette, with the corpus's recordings of its case, and its entries."""
    loaded = load_config()
    corpus = open_corpus(loaded, cases, cassettes)
    for case in select(corpus, names):
        own = Recordings.open(corpus.cassettes(case))
        for path in sorted((loaded.private_dir / case.id).glob("*.yaml")):
            entries = cassette.load(path)
            known = sum(_stands(own, path, entry) for entry in entries)
            yield PrivateFile(case=case.id, path=path, entries=len(entries), known=known), own, entries


def _stands(own: Recordings, path: Path, entry: Entry) -> bool:
    if path.name in {WORLD, TRAJECTORIES}:
        return own.world(entry.key) is not None
    return own.model_entry(str((entry.model_request or {}).get("model")), entry.key) is not None
