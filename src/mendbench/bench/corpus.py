"""The corpus: all cases below one folder, found, loaded and selected."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from mendbench.bench.case_file import FAMILIES, load_case
from mendbench.bench.labels import missing_labels
from mendbench.bench.scope import OWN
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
    broken: Mapping[str, tuple[BadInput, ...]] = field(default_factory=dict)
    """What keeps the others below the folder from being cases, by what would be their id."""

    def case(self, case_id: str) -> Case:
        """Return one case.

        Raises:
            UnknownName: no case has that id.
            BadInput: the case of that id is broken.
        """
        for case in self.cases:
            if case.id == case_id:
                return case
        if case_id in self.broken:
            raise self.broken[case_id][0]
        raise UnknownName("case", case_id, (case.id for case in self.cases), str(self.cases_dir))

    def cassettes(self, case: Case) -> Path:
        """Return the folder of a case's recordings."""
        return self.cassettes_dir / case.family / case.name

    @property
    def digest(self) -> str:
        """Digest over all cases: what may be compared has the same one."""
        return digest({case.id: case.digest for case in self.cases})


def load_corpus(cases_dir: Path, cassettes_dir: Path, *, tolerant: bool = False) -> Corpus:
    """Return all cases below ``cases_dir``, sorted by id. Files that nobody has written to since are not read again.

    Raises:
        BadInput: the folder is not there or holds no case, or, unless ``tolerant``, one of its cases is broken.
    """
    if not cases_dir.is_dir():
        raise BadInput(str(cases_dir), "no such folder", "name the folder of the cases with --cases")
    files = sorted(path for name in ("case.yaml", "workflow.json") for path in cases_dir.glob(f"*/*/{name}"))
    if not files:
        raise BadInput(str(cases_dir), "no case below it", "a case is FAMILY/NAME/case.yaml beside workflow.json")
    stamps = tuple((str(path), found.st_mtime_ns, found.st_size) for path in files for found in (path.stat(),))
    corpus = _loaded(cases_dir, cassettes_dir, tuple(sorted({path.parent for path in files})), stamps)
    if not tolerant and corpus.broken:
        raise corpus.broken[min(corpus.broken)][0]
    return corpus


@lru_cache(maxsize=8)
def _loaded(cases_dir: Path, cassettes_dir: Path, folders: tuple[Path, ...], _stamps: tuple[_Stamp, ...]) -> Corpus:
    """Return the corpus of these folders, read once per version of its files."""
    cases: list[Case] = []
    broken: dict[str, tuple[BadInput, ...]] = {}
    for folder in folders:
        found = _case_or_why(folder)
        if isinstance(found, Case):
            cases.append(found)
        else:
            broken[f"{folder.parent.name}/{folder.name}"] = found
    return Corpus(cases_dir=cases_dir, cassettes_dir=cassettes_dir, cases=tuple(cases), broken=broken)


def _case_or_why(folder: Path) -> Case | tuple[BadInput, ...]:
    """Return the case in a folder, or what keeps it from being one."""
    services = {*service_names(), *OWN}
    try:
        if folder.parent.name not in FAMILIES:
            raise UnknownName("family", folder.parent.name, FAMILIES, str(folder))
        if missing := missing_labels(folder):
            return missing
        case = load_case(folder, folder.parent.name)
        for name in sorted(case.recorded_from.keys() - services):
            raise UnknownName("service", name, services, f"{folder / 'case.yaml'}: recorded_from")
    except BadInput as error:
        return (error,)
    return case


def select(corpus: Corpus, wanted: Iterable[str]) -> tuple[Case, ...]:
    """Return the sound cases that ``wanted`` names: ids, families or glob patterns; all if it is empty.

    Raises:
        UnknownName: something in ``wanted`` matches no case, not even a broken one.
    """
    chosen = selected_ids(corpus, wanted)
    return tuple(case for case in corpus.cases if case.id in chosen)


def selected_ids(corpus: Corpus, wanted: Iterable[str]) -> frozenset[str]:
    """Return the ids that ``wanted`` names, of sound and of broken cases.

    Raises:
        UnknownName: something in ``wanted`` matches none.
    """
    ids = (*(case.id for case in corpus.cases), *corpus.broken)
    chosen: set[str] = set()
    patterns = tuple(wanted)
    for pattern in patterns:
        found = [one for one in ids if pattern == one.partition("/")[0] or fnmatch.fnmatchcase(one, pattern)]
        if not found:
            known = (*sorted(ids), *sorted({one.partition("/")[0] for one in ids}))
            raise UnknownName("case", pattern, known, str(corpus.cases_dir))
        chosen.update(found)
    return frozenset(chosen if patterns else ids)
