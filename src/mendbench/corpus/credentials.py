"""Finds credentials in files: of a case, of its cassettes, or any others. Reports contain their places, never their values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, MutableSet, Sequence
from pathlib import Path

import yaml

from mendbench.cassettes.recordings import TRAJECTORIES, WORLD
from mendbench.corpus.corpus import Corpus
from mendbench.errors import BadInput
from mendbench.io.canonical_json import digest
from mendbench.io.reading import MAX_RECORDING, read_bytes
from mendbench.io.yaml_documents import load_documents
from mendbench.model.case import Case
from mendbench.model.json import Json
from mendbench.secrets.credential_search import SHAPE, Kept, credentials_in, credentials_in_text
from mendbench.secrets.encodings import unpacked
from mendbench.secrets.undeclared import without_shapes
from mendbench.secrets.value_positions import Way, YamlPlaces

HINT = (
    "write ${canary:NAME} in a case, ${NAME} in a workflow, or record it again; revoke it if it ever left this machine"
)
YAML = frozenset({".yaml", ".yml"})
"""Suffixes of YAML files. Any other file is a text, which may be JSON or contain JSON lines."""
_GZIP = b"\x1f\x8b"
_MOST = 64 * 1024 * 1024
"""Bytes of a compressed file that are searched."""
_WORLDS = frozenset({WORLD, TRAJECTORIES})
_ESCAPES = re.compile(r"\\(?:[nrt]|u[0-9A-Fa-f]{4})")
"""Escape sequences that end in a letter, so that a shape may begin directly after them."""
_COMMENT_SIGN = re.compile(r"(?:^|(?<=\s))#")


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
        BadInput: it cannot be read, or is larger than any recording.
    """
    yield from _in_bytes(_read(path), str(path), path.suffix.lower())


def of_case(case: Case, recordings: Path | None) -> tuple[BadInput, ...]:
    """Return one line for each credential in a case's files and, if their folder is given, in its recordings."""
    recorded = sorted(recordings.glob("*.yaml")) if recordings is not None else ()
    return (*files_with_credentials((case.folder,)), *(found for path in recorded for found in in_file(path)))


def refuse_cases_with_credentials(
    corpus: Corpus, case_ids: Iterable[str], record: str = "none", searched: MutableSet[str] | None = None
) -> None:
    """Refuse cases with a credential in their files or recordings.

    Recordings that the run replaces (``record`` is ``all``) are not searched. ``searched`` has marks of files in which this search
    found nothing before; those of this search are added.

    Raises:
        BadInput: as :func:`refuse_credentials`.
    """
    searched = set() if searched is None else searched
    for case_id in sorted(case_ids):
        case = corpus.case(case_id)
        recordings = corpus.cassettes(case) if record != "all" else None
        recorded = recordings.glob("*.yaml") if recordings is not None else ()
        found = {*_marks("case", case.folder.rglob("*")), *_marks("recordings", recorded)}
        if not found <= searched:
            refuse_credentials(case, recordings)
            searched |= found


def _marks(kind: str, paths: Iterable[Path]) -> Iterator[str]:
    """Yield for each file what decides the result of its search: the kind of its folder, its name, and its content."""
    for path in paths:
        if path.is_file():
            yield f"{kind} {path.name} {digest(_read(path), 64)}"


def refuse_credentials(case: Case, recordings: Path | None = None) -> None:
    """Refuse a case with a credential in its files or, if their folder is given, in its recordings.

    Its own files and the recordings of its world, in the folder ``recordings``, are searched completely. A model gets no secret and invents
    values under a credential's name, so its recorded responses are searched only for the shapes of providers.

    Raises:
        BadInput: they contain a credential, which would end up in everything derived from them.
    """
    for found in files_with_credentials((case.folder,)) if case.folder.is_dir() else ():
        raise found
    for path in sorted(recordings.glob("*.yaml")) if recordings is not None else ():
        for found in in_file(path) if path.name in _WORLDS else _shapes_in_file(path):
            raise found


def _shapes_in_file(path: Path) -> Iterator[BadInput]:
    """Yield one line for each line of a file that contains a provider's shape. The file is not parsed, which would take longer."""
    text = _ESCAPES.sub(" ", _read(path).decode("utf-8", "surrogateescape"))
    if without_shapes(text) == text:
        return
    for number, line in enumerate(text.split("\n"), 1):
        if without_shapes(line) != line:
            yield BadInput(f"{path}:{number}", SHAPE, HINT)


def _read(path: Path) -> bytes:
    return read_bytes(path, MAX_RECORDING, "name a file or a folder that exists", "make it readable")


def _is_looked_at(path: Path, below: Path) -> bool:
    """Return whether a file of a folder would be committed to Git."""
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
    documents = _documents(text) if suffix in YAML else None
    found_in = (
        ((kept, kept.line) for kept in credentials_in_text(text)) if documents is None else _in_yaml(text, documents)
    )
    for kept, line in found_in:
        way = ".".join(map(str, kept.way))
        yield BadInput(f"{place}:{line + 1}{f': {way}' if way else ''}", kept.why, HINT)


def _documents(text: str) -> list[Json] | None:
    """Return the documents of a YAML file; None if the file is searched as a text."""
    try:
        return load_documents(text.encode("utf-8", "replace"))
    except (ValueError, RecursionError, yaml.YAMLError):
        return None


def _in_yaml(text: str, documents: Sequence[Json]) -> Iterator[tuple[Kept, int]]:
    """Yield the credentials in the values and comments of a YAML file, with their lines. Places are looked up only if there are any."""
    values = [list(credentials_in(document)) for document in documents]
    suspects = list(_suspect_lines(text)) if "#" in text else []
    if not any(values) and not suspects:
        return
    places = YamlPlaces(text)
    reported: set[tuple[int, int, Way]] = set()
    for found, known in zip(values, places.documents, strict=True):
        for kept in found:
            place, rest = known.of(kept.way, in_key=kept.in_key)
            if (place.at, kept.line, rest) not in reported:  # an alias leads to the same place
                reported.add((place.at, kept.line, rest))
                yield kept, place.line + (kept.line if place.in_lines else 0)
    for number, at, line in suspects:
        signs = (found.start() for found in _COMMENT_SIGN.finditer(line))
        comment = next((line[sign:] for sign in signs if not places.in_scalar(at + sign)), "")
        yield from ((kept, number) for kept in credentials_in(comment))


def _suspect_lines(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield each line with a credential after ``#``, with its number and offset. The sign may be part of a value."""
    at = 0
    for number, line in enumerate(text.split("\n")):
        sign = _COMMENT_SIGN.search(line) if "#" in line else None
        if sign is not None and any(credentials_in(line[sign.start() :])):
            yield number, at, line
        at += len(line) + 1
