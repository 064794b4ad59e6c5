"""Which trial of one side belongs to which of the other: the same case and sample, under treatments that answer to each other."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mendbench.scoring.records import Treatment, TrialRecord

FIELDS = tuple(field.name for field in dataclasses.fields(Treatment))
"""What treatments can differ in."""

_OUTER, _INNER = ("engine", "repairer"), ("model", "strategy", "policy", "detector")
"""A field is looked at among the treatments of one engine and repairer: controls have no model, and a strategy of their own."""

Side: TypeAlias = Literal["A", "B"]

Reason: TypeAlias = Literal["no such case", "no such treatment", "no such trial"]
"""What the other side lacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPair:
    """One case and sample, on both sides."""

    a: TrialRecord
    b: TrialRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class TreatmentPair:
    """Two treatments that are compared, and their trials."""

    a: Treatment
    b: Treatment
    trials: tuple[TrialPair, ...]
    same: bool = False
    """Whether both are the very same trials, of one run."""

    @property
    def differs(self) -> tuple[str, ...]:
        """Names of the fields in which they differ."""
        return tuple(name for name in FIELDS if getattr(self.a, name) != getattr(self.b, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpaired:
    """Trials of one side that the other has nothing for."""

    side: Side
    reason: Reason
    trials: int
    names: tuple[str, ...]
    """Of what is missing: cases or treatments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Everything that two sides have in common, and what they have not."""

    pairs: tuple[TreatmentPair, ...]
    unpaired: tuple[Unpaired, ...]


def pair_trials(
    a: Sequence[TrialRecord], b: Sequence[TrialRecord], fixed: Collection[str] = (), *, one_run: bool = False
) -> Pairing:
    """Return the trials of both sides in pairs; ``one_run``: both sides are of one run.

    Treatments are paired where they are equal, but for the fields that are ``fixed`` on the two sides to different values, and for those
    that have one value on each side: where all trials of A ask one model, and all of B another, those two are compared.
    """
    chosen = _paired({one.treatment for one in a}, {one.treatment for one in b}, fixed)
    pairs = tuple(
        TreatmentPair(
            a=ours, b=theirs, trials=_shared(_under(a, ours), _under(b, theirs)), same=one_run and ours == theirs
        )
        for ours, theirs in chosen
    )
    return Pairing(
        pairs=tuple(pair for pair in pairs if pair.trials),
        unpaired=(
            *_unpaired("A", a, b, dict(chosen)),
            *_unpaired("B", b, a, {theirs: ours for ours, theirs in chosen}),
        ),
    )


def described(treatment: Treatment) -> str:
    """Return a treatment in one line, as keys of trials have it."""
    return " | ".join(part or "-" for part in treatment.order())


def _paired(
    a: Collection[Treatment], b: Collection[Treatment], fixed: Collection[str]
) -> tuple[tuple[Treatment, Treatment], ...]:
    """Return the treatments that are compared, in order."""
    found: list[tuple[Treatment, Treatment]] = []
    for ours, theirs in _alike(a, b, _told_apart_by(a, b, _OUTER, fixed)):
        for one, other in _alike(ours, theirs, _told_apart_by(ours, theirs, _INNER, fixed)):
            if len(one) == len(other) == 1:
                found.append((one[0], other[0]))
    return tuple(sorted(found, key=lambda pair: (pair[0].order(), pair[1].order())))


def _told_apart_by(
    a: Collection[Treatment], b: Collection[Treatment], fields: Iterable[str], fixed: Collection[str]
) -> tuple[str, ...]:
    """Return the fields in which treatments have to be equal to be compared."""
    return tuple(name for name in fields if name not in fixed and any(len(_values(side, name)) > 1 for side in (a, b)))


def _values(side: Collection[Treatment], name: str) -> set[str]:
    """Return the values of a field. That there is none (no detector under ``naive``) is no value."""
    return {value for one in side if (value := getattr(one, name)) is not None}


def _alike(
    a: Collection[Treatment], b: Collection[Treatment], fields: Sequence[str]
) -> Iterator[tuple[list[Treatment], list[Treatment]]]:
    """Yield the treatments of both sides that are equal in some fields."""
    ours, theirs = _by(a, fields), _by(b, fields)
    for key in ours.keys() & theirs.keys():
        yield ours[key], theirs[key]


def _by(side: Collection[Treatment], fields: Sequence[str]) -> dict[tuple[str | None, ...], list[Treatment]]:
    found: dict[tuple[str | None, ...], list[Treatment]] = defaultdict(list)
    for one in side:
        found[tuple(getattr(one, name) for name in fields)].append(one)
    return found


def _under(records: Iterable[TrialRecord], treatment: Treatment) -> dict[tuple[str, int], TrialRecord]:
    return {(one.case, one.sample): one for one in records if one.treatment == treatment}


def _shared(
    a: Mapping[tuple[str, int], TrialRecord], b: Mapping[tuple[str, int], TrialRecord]
) -> tuple[TrialPair, ...]:
    return tuple(TrialPair(a=a[key], b=b[key]) for key in sorted(a.keys() & b.keys()))


def _unpaired(
    side: Side, own: Sequence[TrialRecord], other: Sequence[TrialRecord], partner: Mapping[Treatment, Treatment]
) -> Iterator[Unpaired]:
    """Yield what one side has alone, by reason."""
    cases = {one.case for one in other}
    there = {(one.treatment, one.case, one.sample) for one in other}
    lost: dict[Reason, list[TrialRecord]] = defaultdict(list)
    for one in own:
        if one.case not in cases:
            lost["no such case"].append(one)
        elif one.treatment not in partner:
            lost["no such treatment"].append(one)
        elif (partner[one.treatment], one.case, one.sample) not in there:
            lost["no such trial"].append(one)
    for reason, trials in lost.items():
        by_case = reason != "no such treatment"
        names = {one.case if by_case else described(one.treatment) for one in trials}
        yield Unpaired(side=side, reason=reason, trials=len(trials), names=tuple(sorted(names)))
