"""The corpus: all cases below one folder, found, loaded and selected."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from mendbench.bench.case_file import FAMILIES, load_case
from mendbench.bench.scope import FILES, SHELL
from mendbench.errors import BadInput, UnknownName
from mendbench.kit.canonical import digest
from mendbench.model.case import Case
from mendbench.services import service_names

_Stamp: TypeAlias = tuple[str, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """Cases, and where the recordings of each are."""

    cases_dir: Path
    cassettes_dir: Path
    cases: tuple[Case, ...]

    def case(self, case_id: str) -> Case:
        """Return one case.

        Raises:
            UnknownName: no case has that id.
        """
        for case in self.cases:
            if case.id == case_id:
                return case
        raise UnknownName("case", case_id, (case.id for case in self.cases), str(self.cases_dir))

    def cassettes(self, case: Case) -> Path:
        """Return the folder of a case's recordings."""
        return self.cassettes_dir / case.family / case.name

    @property
    def digest(self) -> str:
        """Digest over all cases: what may be compared has the same one."""
        return digest({case.id: case.digest for case in self.cases})


def load_corpus(cases_dir: Path, cassettes_dir: Path) -> Corpus:
    """Return all cases below ``cases_dir``, sorted by id. Files that nobody has written to since are not read again.

    Raises:
        BadInput: the folder is not there or holds no case, or one of its cases is broken.
    """
    if not cases_dir.is_dir():
        raise BadInput(str(cases_dir), "no such folder", "name the folder of the cases with --cases")
    files = sorted(path for name in ("case.yaml", "workflow.json") for path in cases_dir.glob(f"*/*/{name}"))
    if not files:
        raise BadInput(str(cases_dir), "no case below it", "a case is FAMILY/NAME/case.yaml beside workflow.json")
    stamps = tuple((str(path), found.st_mtime_ns, found.st_size) for path in files for found in (path.stat(),))
    return _loaded(cases_dir, cassettes_dir, tuple(sorted({path.parent for path in files})), stamps)


@lru_cache(maxsize=8)
def _loaded(cases_dir: Path, cassettes_dir: Path, folders: tuple[Path, ...], _stamps: tuple[_Stamp, ...]) -> Corpus:
    """Return the corpus of these folders, read once per version of its files."""
    for folder in folders:
        if folder.parent.name not in FAMILIES:
            raise UnknownName("family", folder.parent.name, FAMILIES, str(folder))
    cases = tuple(load_case(folder, folder.parent.name) for folder in folders)
    services = {*service_names(), SHELL, FILES}
    for case in cases:
        for name in sorted(case.recorded_from.keys() - services):
            raise UnknownName("service", name, services, f"{case.folder / 'case.yaml'}: recorded_from")
    return Corpus(cases_dir=cases_dir, cassettes_dir=cassettes_dir, cases=cases)


def select(corpus: Corpus, wanted: Iterable[str]) -> tuple[Case, ...]:
    """Return the cases that ``wanted`` names: ids, families or glob patterns; all if it is empty.

    Raises:
        UnknownName: something in ``wanted`` matches no case.
    """
    patterns = tuple(wanted)
    if not patterns:
        return corpus.cases
    chosen: dict[str, Case] = {}
    for pattern in patterns:
        found = [case for case in corpus.cases if pattern == case.family or fnmatch.fnmatchcase(case.id, pattern)]
        if not found:
            known = (*(case.id for case in corpus.cases), *sorted({case.family for case in corpus.cases}))
            raise UnknownName("case", pattern, known, str(corpus.cases_dir))
        chosen.update((case.id, case) for case in found)
    return tuple(chosen[key] for key in sorted(chosen))
