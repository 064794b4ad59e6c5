"""A file of the responses that a full re-recording has recorded: after an interruption, it continues without requesting them again."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

from mendbench.errors import BadInput
from mendbench.io.canonical_json import canonical_json
from mendbench.io.files import append_durably, write_atomically
from mendbench.io.json_documents import parse_json
from mendbench.io.reading import MAX_RUN, read_regular


class RecordingJournal:
    """The keys of responses by cassette. Each is written after its response."""

    def __init__(self, path: Path) -> None:
        """Read the file; an incomplete last line is cut.

        Raises:
            BadInput: the file cannot be written to, is not a regular one, or exceeds the size limit for a file of a run.
        """
        self._path = path
        self._keys: defaultdict[str, set[str]] = defaultdict(set)
        if os.path.lexists(path):
            pairs = _whole(path)
            for cassette, key in pairs:
                self._keys[cassette].add(key)
            self._written("".join(f"{canonical_json([*pair])}\n" for pair in pairs))

    def __len__(self) -> int:
        """Return how many responses the file lists."""
        return sum(map(len, self._keys.values()))

    def of(self, cassette: Path) -> frozenset[str]:
        """Return the keys of a cassette's responses that were recorded again."""
        return frozenset(self._keys[str(cassette)])

    def add(self, cassette: Path, key: str) -> None:
        """Record that a response came and is in its cassette.

        Raises:
            BadInput: it cannot be written.
        """
        if key not in self._keys[str(cassette)]:
            self._written(canonical_json([str(cassette), key]) + "\n", more=True)
            self._keys[str(cassette)].add(key)

    def _written(self, text: str, *, more: bool = False) -> None:
        try:
            (append_durably if more else write_atomically)(self._path, text)
        except OSError as error:
            hint = "make room, and finish the run with --resume"
            raise BadInput(str(self._path), error.strerror or str(error), hint) from None


def _whole(path: Path) -> list[tuple[str, str]]:
    """Return the content of the whole lines: only the last can be incomplete, and a malformed line is ignored."""
    found = []
    data = read_regular(path, MAX_RUN, "begin the run again", "move it away: its new responses are requested again")
    for line in data.decode("utf-8", "replace").split("\n"):
        try:
            pair = parse_json(line)
        except ValueError:
            break
        if not isinstance(pair, list) or len(pair) != len(("cassette", "key")):
            break
        cassette, key = pair
        if isinstance(cassette, str) and isinstance(key, str):
            found.append((cassette, key))
    return found
