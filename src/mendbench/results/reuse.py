"""Rows of earlier runs that a run takes over: those of the run that it replaces, and those in the cache."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.results.record_index import INDEX
from mendbench.results.row_cache import FoundRow, RowCache
from mendbench.results.store import PAGE, StoredRun, read_run
from mendbench.results.stored_rows import StoredRows
from mendbench.trial.long_texts import REFERENCE

_REFERENCE = re.compile(rf'\{{"{re.escape(REFERENCE)}":"([0-9a-f]+)"\}}'.encode())
"""A reference to a long text in a row's line. Inside a JSON string its quotes would be escaped."""


class KnownRows:
    """Rows by the fingerprint of their trial. An earlier run whose inputs are not known has none."""

    def __init__(self, earlier: StoredRun | None, cache: RowCache) -> None:
        self._earlier, self._cache = earlier, cache
        inputs = earlier.inputs if earlier is not None else None
        self._places = {found: at for at, found in enumerate(inputs.fingerprints) if found} if inputs else {}

    def get(self, fingerprints: Collection[str]) -> FoundRow | None:
        """Return the row with one of these fingerprints; None if none is known."""
        for fingerprint in fingerprints:
            place = self._places.get(fingerprint)
            if place is not None and self._earlier is not None and isinstance(self._earlier.rows, StoredRows):
                line = self._earlier.rows.line(place)
                texts = {name: self._earlier.texts[name] for name in texts_named(line)}
                return FoundRow(fingerprint=fingerprint, line=line, texts=texts)
        return self._cache.get(fingerprints)


def texts_named(line: bytes) -> set[str]:
    """Return the digests of the long texts that a row's line refers to."""
    return {name.decode() for name in _REFERENCE.findall(line)}


def earlier_run(folder: Path) -> StoredRun | None:
    """Return the complete run in a folder with its inputs; None if there is none, or its inputs are not known."""
    try:
        found = read_run(folder) if (folder / PAGE).is_file() and (folder / INDEX).is_file() else None
    except BadInput:
        return None
    return found if found is not None and found.inputs is not None else None
