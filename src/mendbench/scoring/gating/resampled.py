"""Trials that were answered again: whether they do worse than the noise of drawing answers again would make them.

Cases are the unit, their groups the clusters: trials of one case under several policies share answers, and cases of one group fail and
succeed together. What asks for an edit is never pooled with what asks for none: a repairer that edits more would gain in the one what
it loses in the other. Nor is harm pooled with either: what was wrong before and does damage now loses no verdict.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from mendbench.scoring.gating.result import Arm, Entry, Shift, Side
from mendbench.scoring.records import EDIT_KINDS
from mendbench.scoring.statistics.exact import Interval, holm, needed_pairs
from mendbench.scoring.statistics.resampling import clustered_ratio, sign_flip

_SIDES: tuple[Side, ...] = ("repairs", "restraint", "harm")

DOUBT = 0.25
"""Probability, one-sided, up to which a loss beyond the margin is not passed over: what chance does oftener is what noise looks like."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One trial, before and now."""

    then: Entry
    now: Entry

    @property
    def sides(self) -> tuple[Side, ...]:
        """What it counts for: what its kind of case asks for, and whether it did harm."""
        return ("repairs" if self.now.kind in EDIT_KINDS else "restraint", "harm")

    @property
    def arm(self) -> Arm:
        """Who answered what."""
        trial = self.now.trial
        return Arm(engine=trial.engine, repairer=trial.repairer, model=trial.model, strategy=trial.strategy)

    def gain(self, side: Side) -> int:
        """1: good now and not before. -1: the other way round. 0: as before. Good is right, or for harm harmless."""
        return _good(self.now, side) - _good(self.then, side)

    def at_stake(self, side: Side) -> bool:
        """Whether it could be lost or won: it is right on one side at least. Harm can come to every trial."""
        return side == "harm" or _good(self.then, side) or _good(self.now, side)


def shifts(pairs: Sequence[Pair], groups: Mapping[str, str], *, margin: float, alpha: float) -> tuple[Shift, ...]:
    """Return how each side did, over all arms first, then by arm where there are several. Harm, only where there is any.

    Worse is what loses cases, net of those won, where chance would do so with a probability under ``alpha``, all shifts taken together
    (Holm), however few they are. The test flips the signs of whole groups, one-sided; with one trial a case and a case a group it is
    McNemar's exact test. Given which groups differ, a shift in which none does cannot come out worse by chance: it is not counted among
    those taken together. Open is what loses more than ``margin`` of what was at stake, the cases that are right before or now (for harm:
    all), and is not told from chance: over all arms where chance would do so with a probability of :data:`DOUBT` at most, or half of
    what was at stake is lost; of one arm where the probability is under ``alpha`` taken alone.
    """
    found: list[Shift] = []
    for side in _SIDES:
        own = [pair for pair in pairs if side in pair.sides]
        if side == "harm" and all(_good(one, side) for pair in own for one in (pair.then, pair.now)):
            continue
        arms = sorted(
            {pair.arm for pair in own}, key=lambda arm: (arm.engine, arm.repairer, arm.model or "", arm.strategy)
        )
        for arm in (None, *(arms if len(arms) > 1 else ())):
            chosen = [pair for pair in own if arm is None or pair.arm == arm]
            if chosen:
                found.append(_shift(side, arm, chosen, groups))
    told = {f"{at:03d}": shift.p for at, shift in enumerate(found) if shift.won or shift.lost}
    adjusted = holm(told) if told else {}
    each = alpha / max(1, len(told))
    return tuple(
        _judged(replace(one, adjusted=adjusted.get(f"{at:03d}", 1.0)), margin, alpha, each)
        for at, one in enumerate(found)
    )


def lost_in(pair: Pair, found: Sequence[Shift]) -> bool:
    """Return whether a pair is one of the losses of a shift that is worse beyond noise."""
    return any(shift.status == "worse" for shift in _losing(pair, found))


def open_in(pair: Pair, found: Sequence[Shift]) -> bool:
    """Return whether a pair is one of the losses of what cannot be told from noise, and matters."""
    return any(shift.status == "open" for shift in _losing(pair, found))


def _losing(pair: Pair, found: Sequence[Shift]) -> list[Shift]:
    lost = [side for side in pair.sides if pair.gain(side) < 0]
    return [shift for shift in found if shift.side in lost and shift.arm in {None, pair.arm}]


def _good(entry: Entry, side: Side) -> bool:
    return entry.outcome != "harmful" if side == "harm" else entry.verdict == "correct"


def _shift(side: Side, arm: Arm | None, pairs: Sequence[Pair], groups: Mapping[str, str]) -> Shift:
    gains: dict[str, list[int]] = defaultdict(list)
    stakes: dict[str, list[bool]] = defaultdict(list)
    for pair in pairs:
        gains[pair.now.trial.case].append(pair.gain(side))
        stakes[pair.now.trial.case].append(pair.at_stake(side))
    values = {case: fmean(own) for case, own in sorted(gains.items())}
    change, both = fmean(values.values()), sign_flip(values, groups)
    p = both / 2 if change < 0 else 1.0
    return Shift(
        side=side,
        arm=arm,
        cases=len(values),
        groups=len({groups[case] for case in values}),
        at_stake=round(math.fsum(fmean(own) for own in stakes.values()), 6),
        won=sum(value > 0 for value in values.values()),
        lost=sum(value < 0 for value in values.values()),
        change=round(change, 6),
        interval=_interval(values, groups),
        p=p,
        adjusted=p,
        status="holds",
        needed=None,
    )


def _interval(values: Mapping[str, float], groups: Mapping[str, str]) -> Interval | None:
    """Return the interval of the mean gain, which lies between -1 and 1; None where no group differs from another."""
    found = clustered_ratio({case: (value, 1.0) for case, value in values.items()}, groups)
    return None if found is None else Interval(low=max(-1.0, found.low), high=min(1.0, found.high))


def _judged(shift: Shift, margin: float, alpha: float, each: float) -> Shift:
    lost = -shift.change * shift.cases
    slack = shift.cases * 1e-6  # what rounding may have added
    shift = replace(shift, beyond_margin=lost > margin * shift.at_stake + slack)
    if shift.adjusted < alpha:
        return replace(shift, status="worse")
    if not shift.beyond_margin:
        return shift
    tied = shift.cases - shift.won - shift.lost
    more = needed_pairs(shift.won, shift.lost, tied, alpha=2 * each) or None
    doubtful = shift.p <= DOUBT or lost >= shift.at_stake / 2 - slack
    matters = doubtful if shift.arm is None else shift.p < alpha
    return replace(shift, status="open" if matters else "holds", needed=more)
