"""Pairing the trials of two sides: the same case and sample, under matching treatments."""

from __future__ import annotations

import dataclasses
from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from mendbench.scoring.record_table import Records, as_table
from mendbench.scoring.records import Treatment, TrialRecord
from mendbench.values.interning import NUMBERS

FIELDS = tuple(field.name for field in dataclasses.fields(Treatment))
"""The fields in which treatments can differ."""

_OUTER, _INNER = ("engine", "repairer"), ("model", "strategy", "policy", "detector")
"""Inner fields are compared among treatments of one engine and repairer: bounds have no model, and their own strategy."""

Side: TypeAlias = Literal["A", "B"]

Reason: TypeAlias = Literal["no such case", "no such treatment", "no such trial"]
"""What the other side lacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPair:
    """One case and sample, on both sides."""

    a: TrialRecord
    b: TrialRecord


@dataclass(frozen=True, slots=True)
class TrialPairs(Sequence[TrialPair]):
    """Pairs of trials in the order of case and sample. Each is created on demand."""

    a: Records
    b: Records
    """The trial of each pair has the same index as in ``a``."""

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.a)

    def __getitem__(self, at: Any) -> Any:
        """Return the pair at an index."""
        return TrialPair(a=self.a[at], b=self.b[at])


@dataclass(frozen=True, slots=True, kw_only=True)
class TreatmentPair:
    """Two treatments that are compared, and their trials."""

    a: Treatment
    b: Treatment
    trials: Sequence[TrialPair]
    same: bool = False
    """Whether both sides are the same trials of one run."""

    @property
    def differs(self) -> tuple[str, ...]:
        """Names of the fields in which they differ."""
        return tuple(name for name in FIELDS if getattr(self.a, name) != getattr(self.b, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpaired:
    """Trials of one side without a counterpart on the other."""

    side: Side
    reason: Reason
    trials: int
    names: tuple[str, ...]
    """Names of the missing cases or treatments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """The paired trials of two sides, and the unpaired ones."""

    pairs: tuple[TreatmentPair, ...]
    unpaired: tuple[Unpaired, ...]

    def trials(self) -> Iterator[TrialPair]:
        """Yield the trials of all pairs of treatments, one by one."""
        return (trial for pair in self.pairs for trial in pair.trials)


def pair_trials(
    a: Sequence[TrialRecord], b: Sequence[TrialRecord], fixed: Collection[str] = (), *, one_run: bool = False
) -> Pairing:
    """Return the trials of both sides in pairs; ``one_run``: both sides are of one run.

    Treatments are paired if they are equal, except for fields that are ``fixed`` to different values on the two sides, and fields with a
    single value on each side. For example, if all trials of A use one model and all of B another, those two are compared.
    """
    ours, theirs = as_table(a), as_table(b)
    partners = _partners(ours.values("treatment"), theirs.values("treatment"), fixed)
    ours_by, theirs_by = ours.by("treatment"), theirs.by("treatment")
    pairs = (
        TreatmentPair(a=one, b=other, trials=_shared(ours_by[one], theirs_by[other]), same=one_run and one == other)
        for one, other in partners
    )
    return Pairing(
        pairs=tuple(pair for pair in pairs if pair.trials),
        unpaired=(
            *_unpaired("A", ours, theirs, dict(partners)),
            *_unpaired("B", theirs, ours, {other: one for one, other in partners}),
        ),
    )


def described(treatment: Treatment) -> str:
    """Return a treatment in one line, as in the keys of trials."""
    return " | ".join(part or "-" for part in treatment.order())


def _partners(
    a: Collection[Treatment], b: Collection[Treatment], fixed: Collection[str]
) -> list[tuple[Treatment, Treatment]]:
    """Return the treatments that are compared, in order."""
    found = [
        (one[0], other[0])
        for ours, theirs in _alike(a, b, _OUTER, fixed)
        for one, other in _alike(ours, theirs, _INNER, fixed)
        if len(one) == len(other) == 1
    ]
    return sorted(found, key=lambda pair: (pair[0].order(), pair[1].order()))


def _alike(
    a: Collection[Treatment], b: Collection[Treatment], fields: Iterable[str], fixed: Collection[str]
) -> Iterator[tuple[list[Treatment], list[Treatment]]]:
    """Yield the treatments of both sides that are equal in those fields that are not fixed and have several values on a side."""
    deciding = [name for name in fields if name not in fixed and any(len(_values(side, name)) > 1 for side in (a, b))]
    ours, theirs = _by(a, deciding), _by(b, deciding)
    for key in ours.keys() & theirs.keys():
        yield ours[key], theirs[key]


def _values(side: Collection[Treatment], name: str) -> set[str]:
    """Return the values of a field. None (no detector under ``naive``) does not count as a value."""
    return {getattr(treatment, name) for treatment in side} - {None}


def _by(side: Collection[Treatment], fields: Sequence[str]) -> dict[tuple[str | None, ...], list[Treatment]]:
    found: dict[tuple[str | None, ...], list[Treatment]] = defaultdict(list)
    for treatment in side:
        found[tuple(getattr(treatment, name) for name in fields)].append(treatment)
    return found


def _shared(a: Records, b: Records) -> TrialPairs:
    """Return the trials of the cases and samples that both sides have."""
    places = array(NUMBERS), array(NUMBERS)
    ours, theirs = a.by("case"), b.by("case")
    for case in sorted(ours.keys() & theirs.keys()):
        found = [dict(zip(own.column("sample"), own.places(), strict=True)) for own in (ours[case], theirs[case])]
        for sample in sorted(found[0].keys() & found[1].keys()):
            places[0].append(found[0][sample])
            places[1].append(found[1][sample])
    return TrialPairs(a.only(places[0]), b.only(places[1]))


def _unpaired(side: Side, own: Records, other: Records, partner: Mapping[Treatment, Treatment]) -> Iterator[Unpaired]:
    """Yield the unpaired trials of one side, by reason."""
    lost: dict[Reason, Counter[str]] = defaultdict(Counter)
    others = other.by("case")
    for case, trials in own.by("case").items():
        there = others[case].counted("treatment", "sample") if case in others else {}
        for (treatment, sample), count in trials.counted("treatment", "sample").items():
            if case not in others:
                lost["no such case"][case] += count
            elif treatment not in partner:
                lost["no such treatment"][described(treatment)] += count
            elif (partner[treatment], sample) not in there:
                lost["no such trial"][case] += count
    for reason, names in lost.items():
        yield Unpaired(side=side, reason=reason, trials=names.total(), names=tuple(sorted(names)))
