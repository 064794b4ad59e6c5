"""The corpus: all cases below one folder, found, loaded and selected."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TypeAlias

from mendbench.corpus.case_file import SLUG, load_case
from mendbench.corpus.declared_services import OWN
from mendbench.corpus.documents import located
from mendbench.corpus.labels import missing_labels
from mendbench.corpus.states import state_misfits
from mendbench.errors import BadInput, UnknownName
from mendbench.io.canonical_json import digest
from mendbench.model.case import Case
from mendbench.services import service_names

CASE_FILES = ("case.yaml", "workflow.json")
"""The files in a case's folder. One of them is enough for the folder to count as a case, although a broken one."""

_Stamp: TypeAlias = tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """Cases, and the location of their recordings. A case is read on first access."""

    cases_dir: Path
    cassettes_dir: Path
    folders: Mapping[str, Path]
    """The folder of each case, by its id, sorted."""
    digest: str
    """Digest over the files of all cases. It identifies the corpus."""
    tolerant: bool = False
    """Whether a broken case leaves the others usable when all are requested."""
    read: dict[str, Case | tuple[BadInput, ...]] = field(default_factory=dict, compare=False, repr=False)
    """Results so far: the case, or the errors in its folder."""

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """All sound cases, sorted by id."""
        return tuple(found for case_id in self.folders if isinstance(found := self._read(case_id), Case))

    @cached_property
    def broken(self) -> Mapping[str, tuple[BadInput, ...]]:
        """The errors of broken cases, by their ids."""
        return {case_id: found for case_id in self.folders if not isinstance(found := self._read(case_id), Case)}

    def case(self, case_id: str) -> Case:
        """Return one case.

        Raises:
            UnknownName: no case has that id.
            BadInput: the case of that id is broken.
        """
        if case_id not in self.folders:
            raise UnknownName("case", case_id, (case.id for case in self.cases), str(self.cases_dir))
        found = self._read(case_id)
        if not isinstance(found, Case):
            raise found[0]
        return found

    def cassettes(self, case: Case) -> Path:
        """Return the folder of a case's recordings."""
        return self.cassettes_dir / case.family / case.name

    def _read(self, case_id: str) -> Case | tuple[BadInput, ...]:
        if case_id not in self.read:
            folder = self.folders[case_id]
            self.read[case_id] = _case_or_why(folder, tuple(_stamp(folder / name) for name in CASE_FILES))
        return self.read[case_id]


def case_folders(cases_dir: Path) -> tuple[Path, ...]:
    """Return the folders of all cases below ``cases_dir``, sorted.

    Raises:
        BadInput: the folder does not exist or contains no case.
    """
    if not cases_dir.is_dir():
        found = "a file, not a folder" if cases_dir.exists() else "no such folder"
        raise BadInput(str(cases_dir), found, "name the folder of the cases with --cases")
    folders = sorted({path.parent for name in CASE_FILES for path in cases_dir.glob(f"*/*/{name}")})
    if not folders:
        raise BadInput(str(cases_dir), "no case below it", "a case is FAMILY/NAME/case.yaml beside workflow.json")
    return tuple(folders)


def load_corpus(cases_dir: Path, cassettes_dir: Path, *, tolerant: bool = False) -> Corpus:
    """Return the corpus of the cases below ``cases_dir``, without reading them.

    Raises:
        BadInput: the folder does not exist or contains no case.
    """
    by_id = {f"{folder.parent.name}/{folder.name}": folder for folder in case_folders(cases_dir)}
    files = {case_id: [file_digest(folder / name) for name in CASE_FILES] for case_id, folder in by_id.items()}
    return Corpus(
        cases_dir=cases_dir, cassettes_dir=cassettes_dir, folders=by_id, digest=digest(files), tolerant=tolerant
    )


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def file_digest(path: Path) -> str | None:
    """Return the digest of a file; None if it cannot be read: the caller reports that."""
    try:
        return digest(path.read_bytes()) if path.is_file() else None
    except OSError:
        return None


@lru_cache(maxsize=1024)
def _case_or_why(folder: Path, _stamps: tuple[_Stamp | None, ...]) -> Case | tuple[BadInput, ...]:
    """Return the case in a folder, or its errors; unchanged files are not read again."""
    if not SLUG.fullmatch(folder.parent.name):
        return (BadInput(str(folder), f"the family {folder.parent.name!r}", "use lower-case words joined by hyphens"),)
    services = {*service_names(), *OWN}
    try:
        if missing := missing_labels(folder):
            return missing
        case = load_case(folder, folder.parent.name)
        for name in sorted(case.recorded_from.keys() - services):
            raise UnknownName("service", name, services, located(folder / "case.yaml", "recorded_from", name))
    except BadInput as error:
        return (error,)
    return state_misfits(case) or case


def select(corpus: Corpus, wanted: Iterable[str]) -> tuple[Case, ...]:
    """Return the cases that ``wanted`` names: ids, families or glob patterns; all if it is empty.

    A tolerant corpus leaves out broken cases. Cases that are not named may be broken.

    Raises:
        UnknownName: something in ``wanted`` matches no case, not even a broken one.
        BadInput: a named case is broken.
    """
    chosen = selected_ids(corpus, wanted)
    if corpus.tolerant:
        return tuple(case for case in corpus.cases if case.id in chosen)
    return tuple(corpus.case(case_id) for case_id in corpus.folders if case_id in chosen)


def selected_ids(corpus: Corpus, wanted: Iterable[str]) -> frozenset[str]:
    """Return the ids that ``wanted`` names, of sound and broken cases.

    Raises:
        UnknownName: something in ``wanted`` matches no case.
    """
    ids = tuple(corpus.folders)
    chosen: set[str] = set()
    patterns = tuple(wanted)
    for pattern in patterns:
        found = [one for one in ids if pattern == one.partition("/")[0] or fnmatch.fnmatchcase(one, pattern)]
        if not found:
            known = (*sorted(ids), *sorted({one.partition("/")[0] for one in ids}))
            raise UnknownName("case", pattern, known, str(corpus.cases_dir))
        chosen.update(found)
    return frozenset(chosen if patterns else ids)
