"""Resampled trials: whether trials with new responses are worse than sampling noise explains.

Cases are the unit and their groups are the clusters: trials of one case under several policies share responses, and cases of one group
tend to fail and succeed together. Cases that need an edit are never pooled with cases that need none: a repairer that edits more would
gain in one what it loses in the other. Harm is separate from both: a trial that was wrong and now does damage loses no verdict.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from mendbench.scoring.gating.result import Arm, BaselineEntry, Shift, Side
from mendbench.scoring.records import EDIT_KINDS
from mendbench.scoring.statistics.exact import Interval, holm, needed_pairs
from mendbench.scoring.statistics.resampling import clustered_ratio, sign_flip

_SIDES: tuple[Side, ...] = ("repairs", "restraint", "harm")

DOUBT = 0.25
"""One-sided probability up to which a loss beyond the margin is reported as open. A loss with a higher one is ordinary noise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One trial, before and now."""

    then: BaselineEntry
    now: BaselineEntry

    @property
    def same_case(self) -> bool:
        """Whether the case is unchanged."""
        return self.then.case_digest == self.now.case_digest

    @property
    def went_otherwise(self) -> bool:
        """Whether prompts, responses or exchanges with the world differ."""
        return self.then.responses != self.now.responses or self.then.exchanges != self.now.exchanges

    @property
    def sides(self) -> tuple[Side, ...]:
        """The sides that the pair counts for: the one of its kind of case, and harm."""
        return ("repairs" if self.now.kind in EDIT_KINDS else "restraint", "harm")

    @property
    def arm(self) -> Arm:
        """The arm of the pair."""
        trial = self.now.trial
        return Arm(engine=trial.engine, repairer=trial.repairer, model=trial.model, strategy=trial.strategy)

    def gain(self, side: Side) -> int:
        """1: good now and not before. -1: good before and not now. 0: unchanged. Good means right, or for harm, harmless."""
        return _good(self.now, side) - _good(self.then, side)

    def at_stake(self, side: Side) -> bool:
        """Whether the pair counts as at stake: it is right before or now. For harm, every pair is."""
        return side == "harm" or _good(self.then, side) or _good(self.now, side)


def shifts(pairs: Sequence[Pair], groups: Mapping[str, str], *, margin: float, alpha: float) -> tuple[Shift, ...]:
    """Return the shift of each side, over all arms first, then by arm if there are several. Harm is included only if there is any.

    Worse: cases are lost, net of those won, and the p-value is under ``alpha`` after the Holm correction over all shifts, however few
    cases are lost. The one-sided test flips the signs of whole groups; with one trial per case and one case per group it is McNemar's
    exact test. A shift in which no group differs cannot be worse by chance, so the correction does not count it.

    Open: not worse, but the net loss is more than ``margin`` of what was at stake, the cases that are right before or now (for harm:
    all). Over all arms, the p-value must also be at most :data:`DOUBT`, or half of what was at stake be lost. For one arm, the
    uncorrected p-value must be under ``alpha``.
    """
    found: list[Shift] = []
    for side in _SIDES:
        own = [pair for pair in pairs if side in pair.sides]
        if side == "harm" and all(_good(record, side) for pair in own for record in (pair.then, pair.now)):
            continue
        arms = sorted(
            {pair.arm for pair in own}, key=lambda arm: (arm.engine, arm.repairer, arm.model or "", arm.strategy)
        )
        for arm in (None, *(arms if len(arms) > 1 else ())):
            chosen = [pair for pair in own if arm is None or pair.arm == arm]
            if chosen:
                found.append(_shift(side, arm, chosen, groups))
    p_values = {f"{at:03d}": shift.p for at, shift in enumerate(found) if shift.won or shift.lost}
    adjusted = holm(p_values) if p_values else {}
    each = alpha / max(1, len(p_values))
    return tuple(
        _judged(replace(shift, adjusted=adjusted.get(f"{at:03d}", 1.0)), margin, alpha, each)
        for at, shift in enumerate(found)
    )


def losing(pair: Pair, found: Sequence[Shift]) -> set[str]:
    """Return the statuses of the shifts that a pair is one of the losses of."""
    lost = [side for side in pair.sides if pair.gain(side) < 0]
    return {shift.status for shift in found if shift.side in lost and shift.arm in {None, pair.arm}}


def _good(entry: BaselineEntry, side: Side) -> bool:
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
    """Return the interval of the mean gain, which is between -1 and 1; None if no group differs from another."""
    found = clustered_ratio({case: (value, 1.0) for case, value in values.items()}, groups)
    return None if found is None else Interval(low=max(-1.0, found.low), high=min(1.0, found.high))


def _judged(shift: Shift, margin: float, alpha: float, each: float) -> Shift:
    lost = -shift.change * shift.cases
    slack = shift.cases * 1e-6  # tolerance for rounding errors
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
