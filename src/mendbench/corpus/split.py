"""The split of the corpus by group: one part for tuning our own strategies, and one part for results.

The file is authoritative: groups were assigned once, before any tuning. Groups that are added later can form an edition of their own. The
editions have the same parts, so that ``second-test`` is the test part of the edition ``second``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mendbench.corpus.documents import located, read_yaml, refused
from mendbench.errors import BadInput, UnknownName
from mendbench.model.case import Case, CasePart

FILE = "split.yaml"
"""The file name, in the folder of the cases."""

FORMAT = 1
"""1: the first."""

PARTS = ("all", "train", "test", "half")
"""The parts that every split has. Others are editions, and their parts."""

FIRST = "first"
"""The edition of all groups that no other edition names."""


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    format: int
    train: list[str]
    test: list[str]
    half: list[str]
    editions: dict[str, list[str]] = Field({}, description="groups of both parts that were added later, by edition")


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """The groups of each part."""

    train: frozenset[str]
    test: frozenset[str]
    half: frozenset[str]
    """A fixed half of both, for runs that are too expensive for all cases."""
    editions: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The groups of each edition, of both parts; empty if there is only one."""

    def parts(self) -> dict[str, frozenset[str]]:
        """Return the groups of each part: ``train``, for tuning; ``test``, the rest; ``half``; and the editions and their parts."""
        known = self.train | self.test
        parts = {"all": known, "train": self.train, "test": self.test, "half": self.half}
        for name, groups in self.editions.items():
            parts |= {name: groups, f"{name}-train": groups & self.train, f"{name}-test": groups & self.test}
        return parts

    def part_of(self, case: Case) -> CasePart | None:
        """Return ``train`` or ``test``; None for a case whose group is in neither."""
        return "train" if case.group in self.train else "test" if case.group in self.test else None


def cases_by_part(split: Split | None, cases: Iterable[Case]) -> dict[str, tuple[str, ...]]:
    """Return the ids of the cases in each part, in their order; cases in no part are left out."""
    parts: dict[str, tuple[str, ...]] = {}
    for case in cases:
        if split is not None and (part := split.part_of(case)) is not None:
            parts[part] = (*parts.get(part, ()), case.id)
    return dict(sorted(parts.items()))


def read_split(cases_dir: Path) -> Split | None:
    """Return the split of the corpus in a folder; None if it has none.

    Raises:
        BadInput: the file is broken, or a group is in both parts, is repeated, or is only in the half.
    """
    path = cases_dir / FILE
    if not path.is_file():
        return None
    try:
        read = _File.model_validate(read_yaml(path, "write it"))
    except ValidationError as error:
        raise refused(path, error, _File) from None
    if read.format != FORMAT:
        raise BadInput(located(path, "format"), f"format {read.format}", f"this mendbench reads format {FORMAT}")
    known = [*read.train, *read.test]
    for name, groups in (("test", known), ("half", read.half)):
        twice = next((group for group in groups if groups.count(group) > 1), None)
        if twice is not None:
            raise BadInput(located(path, name), f"{twice!r} stands twice", "keep one of the two")
    stray = next((group for group in read.half if group not in known), None)
    if stray is not None:
        raise BadInput(
            located(path, "half", read.half.index(stray)),
            f"{stray!r} is in neither part",
            "put it under train or test too",
        )
    return Split(
        train=frozenset(read.train), test=frozenset(read.test), half=frozenset(read.half),
        editions=_editions(path, read, frozenset(known)),
    )  # fmt: skip


def _editions(path: Path, read: _File, known: frozenset[str]) -> dict[str, frozenset[str]]:
    """Return the groups of each edition; none if the file names no edition.

    Raises:
        BadInput: an edition is called ``first``, or names a group that is in no part or in another edition.
    """
    if FIRST in read.editions:
        raise BadInput(
            located(path, "editions", FIRST), "a list of groups", "remove it: the first edition has all others"
        )
    later: set[str] = set()
    for name, groups in read.editions.items():
        for group in groups:
            if group not in known or group in later:
                found = f"{group!r} stands twice" if group in later else f"{group!r} is in neither part"
                hint = "keep one of the two" if group in later else "put it under train or test too"
                raise BadInput(located(path, "editions", name), found, hint)
            later.add(group)
    editions = {name: frozenset(groups) for name, groups in read.editions.items()}
    return {FIRST: known - later, **editions} if editions else {}


def in_part(cases: Iterable[Case], part: str, cases_dir: Path) -> tuple[Case, ...]:
    """Return the cases whose group is in a part; all of them for ``all``.

    Raises:
        UnknownName: there is no such part.
        BadInput: the corpus is not split, or its file is broken.
    """
    if part == "all":
        return tuple(cases)
    split = read_split(cases_dir)
    if split is None and part not in PARTS:
        raise UnknownName("part", part, PARTS)
    if split is None:
        raise BadInput(str(cases_dir / FILE), "no such file, so the corpus has no parts", "write it, or take all cases")
    parts = split.parts()
    if part not in parts:
        raise UnknownName("part", part, tuple(parts))
    return tuple(case for case in cases if case.group in parts[part])
