"""The split of the corpus by group: one part for tuning our own strategies, and one part for results.

The file is authoritative: groups were assigned once, within kind, family and API, before any tuning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, cast, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from mendbench.corpus.documents import located, read_yaml, refused
from mendbench.errors import BadInput, UnknownName
from mendbench.model.case import Case, CasePart

FILE = "split.yaml"
"""The file name, in the folder of the cases."""

FORMAT = 1
"""1: the first."""

Part: TypeAlias = Literal["all", "train", "test", "half"]
"""train: for tuning. test: the rest. half: a fixed half of both, for runs that are too expensive for all cases."""


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    format: int
    train: list[str]
    test: list[str]
    half: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """The groups of each part."""

    train: frozenset[str]
    test: frozenset[str]
    half: frozenset[str]

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
    return Split(train=frozenset(read.train), test=frozenset(read.test), half=frozenset(read.half))


def in_part(cases: Iterable[Case], part: str, cases_dir: Path) -> tuple[Case, ...]:
    """Return the cases whose group is in a part; all of them for ``all``.

    Raises:
        UnknownName: there is no such part.
        BadInput: the corpus is not split, or its file is broken.
    """
    if part not in get_args(Part):
        raise UnknownName("part", part, get_args(Part))
    if part == "all":
        return tuple(cases)
    split = read_split(cases_dir)
    if split is None:
        raise BadInput(str(cases_dir / FILE), "no such file, so the corpus has no parts", "write it, or take all cases")
    groups = cast("frozenset[str]", getattr(split, part))
    return tuple(case for case in cases if case.group in groups)
