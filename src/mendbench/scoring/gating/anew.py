"""Trials that were answered anew: whether they do worse than the noise of drawing answers again would make them.

Cases are the unit, their groups the clusters: trials of one case under several policies share answers, and cases of one group fail and
succeed together. What asks for an edit is never pooled with what asks for none: a repairer that edits more would gain in the one what
it loses in the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from mendbench.scoring.gating.result import Arm, Entry, Shift, Side
from mendbench.scoring.records import EDIT_KINDS
from mendbench.scoring.statistics.exact import holm, needed_pairs
from mendbench.scoring.statistics.resampling import clustered_ratio, sign_flip

_SIDES: tuple[Side, ...] = ("repairs", "restraint")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One trial, before and now."""

    then: Entry
    now: Entry

    @property
    def side(self) -> Side:
        """What its kind of case asks for."""
        return "repairs" if self.now.kind in EDIT_KINDS else "restraint"

    @property
    def arm(self) -> Arm:
        """Who answered what."""
        trial = self.now.trial
        return Arm(engine=trial.engine, repairer=trial.repairer, model=trial.model, strategy=trial.strategy)

    @property
    def gain(self) -> int:
        """1: right now and not before. -1: the other way round. 0: as before."""
        return (self.now.verdict == "correct") - (self.then.verdict == "correct")


def shifts(pairs: Sequence[Pair], groups: Mapping[str, str], *, margin: float, alpha: float) -> tuple[Shift, ...]:
    """Return how each side did, over all arms first, then by arm where there are several.

    Worse is what loses more than ``margin`` of its cases, net of those won, where chance would do so with a probability under
    ``alpha``, all shifts taken together (Holm). The test flips the signs of whole groups, one-sided; with one trial a case and a case a
    group it is McNemar's exact test. Open is what loses more than the margin and is not told from chance: over all arms whatever the
    probability, of one arm where it is under ``alpha`` taken alone.
    """
    found: list[Shift] = []
    for side in _SIDES:
        own = [pair for pair in pairs if pair.side == side]
        arms = sorted(
            {pair.arm for pair in own}, key=lambda arm: (arm.engine, arm.repairer, arm.model or "", arm.strategy)
        )
        for arm in (None, *(arms if len(arms) > 1 else ())):
            chosen = [pair for pair in own if arm is None or pair.arm == arm]
            if chosen:
                found.append(_shift(side, arm, chosen, groups))
    if not found:
        return ()
    adjusted = holm({f"{at:03d}": shift.p for at, shift in enumerate(found)}).values()
    each = alpha / len(found)
    return tuple(_judged(replace(one, adjusted=p), margin, alpha, each) for one, p in zip(found, adjusted, strict=True))


def lost_in(pair: Pair, found: Sequence[Shift]) -> bool:
    """Return whether a pair is part of a shift that is worse beyond noise."""
    own = (shift for shift in found if shift.side == pair.side and shift.arm in {None, pair.arm})
    return any(shift.status == "worse" for shift in own)


def open_in(pair: Pair, found: Sequence[Shift]) -> bool:
    """Return whether a pair is part of what cannot be told from noise, and matters."""
    own = (shift for shift in found if shift.side == pair.side and shift.arm in {None, pair.arm})
    return any(shift.status == "open" for shift in own)


def _shift(side: Side, arm: Arm | None, pairs: Sequence[Pair], groups: Mapping[str, str]) -> Shift:
    gains: dict[str, list[int]] = defaultdict(list)
    for pair in pairs:
        gains[pair.now.trial.case].append(pair.gain)
    values = {case: fmean(own) for case, own in sorted(gains.items())}
    change, both = fmean(values.values()), sign_flip(values, groups)
    p = both / 2 if change < 0 else 1.0
    return Shift(
        side=side,
        arm=arm,
        cases=len(values),
        groups=len({groups[case] for case in values}),
        won=sum(value > 0 for value in values.values()),
        lost=sum(value < 0 for value in values.values()),
        change=round(change, 6),
        interval=clustered_ratio({case: (value, 1.0) for case, value in values.items()}, groups),
        p=p,
        adjusted=p,
        status="holds",
        needed=None,
    )


def _judged(shift: Shift, margin: float, alpha: float, each: float) -> Shift:
    if -shift.change <= margin + 1e-9:
        return shift
    if shift.adjusted < alpha:
        return replace(shift, status="worse")
    tied = shift.cases - shift.won - shift.lost
    more = needed_pairs(shift.won, shift.lost, tied, alpha=2 * each) or None
    matters = shift.arm is None or shift.p < alpha
    return replace(shift, status="open" if matters else "holds", needed=more)
