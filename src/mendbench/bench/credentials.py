"""Credentials in files: of a case, of its cassettes, or any others. Where they stand is told, and never what they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

from mendbench.errors import BadInput
from mendbench.kit.encoded import unpacked
from mendbench.kit.reading import MAX_RECORDING, read_bytes
from mendbench.kit.sensitive import Kept, credentials_in
from mendbench.kit.yaml_documents import load_documents
from mendbench.model.case import Case
from mendbench.model.json import Json

MEND = (
    "write ${canary:NAME} in a case, ${NAME} in a workflow, or record it again; revoke it if it ever left this machine"
)
_YAML, _JSON, _LINES = (
    frozenset({".yaml", ".yml"}),
    frozenset({".json", ".har", ".ipynb"}),
    frozenset({".jsonl", ".ndjson"}),
)
_GZIP = b"\x1f\x8b"
_MOST = 64 * 1024 * 1024
"""Bytes of a compressed file that are looked at."""
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*")
_WORDS = re.compile(r"[^\s\"'\\]{6,}")


def files_with_credentials(paths: tuple[Path, ...]) -> Iterator[BadInput]:
    """Yield one line for each credential in files, or in the files of folders, with file, line and place.

    Raises:
        BadInput: a path cannot be read.
    """
    for path in paths:
        for file in sorted(one for one in path.rglob("*") if _is_looked_at(one, path)) if path.is_dir() else (path,):
            yield from in_file(file)


def in_file(path: Path) -> Iterator[BadInput]:
    """Yield one line for each credential in a file.

    Raises:
        BadInput: it cannot be read, or is larger than what a program records.
    """
    data = read_bytes(path, MAX_RECORDING, "name a file that there is", "make it readable")
    yield from _in_bytes(data, str(path), path.suffix.lower())


def of_case(case: Case, folder: Path) -> tuple[BadInput, ...]:
    """Return one line for each credential in a case's files and in its recordings in ``folder``."""
    return (
        *files_with_credentials((case.folder,)),
        *(found for path in sorted(folder.glob("*.yaml")) for found in in_file(path)),
    )


def refuse_credentials(case: Case) -> None:
    """Do nothing for a case whose own files hold no credential: it may be recorded.

    Raises:
        BadInput: they hold one. It would stand in every recording.
    """
    if case.folder.is_dir():
        for found in files_with_credentials((case.folder,)):
            raise found


def _is_looked_at(path: Path, below: Path) -> bool:
    """Return whether a file of a folder is one that Git would be asked to keep."""
    return path.is_file() and not any(part == ".git" for part in path.relative_to(below).parts)


def _in_bytes(data: bytes, place: str, suffix: str) -> Iterator[BadInput]:
    if data.startswith(_GZIP):
        data = unpacked(data, _MOST + 1)
        if len(data) > _MOST:
            found = f"more than {_MOST:,} bytes when unpacked, of which the first were looked at"
            yield BadInput(place, found, "unpack it, and look through it in parts")
            data = data[:_MOST]
        suffix = Path(place.lower().removesuffix(".gz")).suffix
    text = data.decode("utf-8", "surrogateescape")
    documents = _documents(text, suffix)
    if documents is None:
        yield from _in_text(text, place)
        return
    told: set[tuple[str, str]] = set()
    values = []
    for document in documents:
        for kept in credentials_in(document):
            values.append(kept.value)
            where = _where(place, text, kept)
            if (where, kept.why) not in told:
                told.add((where, kept.why))
                yield BadInput(where, kept.why, MEND)
    if suffix in _YAML:
        yield from _in_comments(text, place, values)


def _in_comments(text: str, place: str, values: Sequence[str]) -> Iterator[BadInput]:
    """Yield what stands in comments of YAML, which are no values; what looks like one within a value was told with that."""
    for number, line in enumerate(text.splitlines(), 1):
        found = _COMMENT.search(line) if "#" in line else None
        for kept in credentials_in(found[0]) if found else ():
            if not any(kept.value in value for value in values):
                yield BadInput(f"{place}:{number}", kept.why, MEND)


def _in_text(text: str, place: str) -> Iterator[BadInput]:
    """Yield what stands in each line; what only several lines together hold, once."""
    by_line = False
    for number, line in enumerate(text.splitlines(), 1):
        for kept in credentials_in(line):
            by_line = True
            yield BadInput(f"{place}:{number}", kept.why, MEND)
    whole = None if by_line else next(credentials_in(text), None)
    if whole is not None:
        yield BadInput(f"{place}:1", whole.why, MEND)


def _documents(text: str, suffix: str) -> list[Json] | None:
    """Return what a file holds as values; None if it is a text."""
    try:
        if suffix in _JSON:
            return [json.loads(text)]
        if suffix in _LINES:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        if suffix in _YAML:
            return load_documents(text.encode("utf-8", "replace"))
    except (ValueError, RecursionError, yaml.YAMLError):
        return None
    return None


def _where(place: str, text: str, kept: Kept) -> str:
    return f"{place}:{_line(text, kept.value)}: {'.'.join(map(str, kept.way)) or 'the document'}"


def _line(text: str, value: str) -> int:
    """Return the line on which a value begins; 1 where it is written otherwise than it reads."""
    at = text.find(value)
    for word in () if at >= 0 else _WORDS.findall(value):
        at = text.find(word)
        if at >= 0:
            break
    return text.count("\n", 0, max(at, 0)) + 1
