"""What a policy's early stopping lost and saved: each of its trials compared with the one under ``naive``, which did not stop."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import attrgetter
from typing import NamedTuple, TypeAlias

from mendbench.scoring.forensics.passes import (
    LABELS,
    REFERENCE,
    AttemptCost,
    Unknown,
    label_of,
    per,
    spent,
    tidy,
    total,
    weighed,
)
from mendbench.scoring.records import EDIT_KINDS, AttemptRecord, TrialRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Repairs lost for one stop reason."""

    stop_reason: str
    n: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyEffect:
    """The differences between one policy and ``naive``, over the trials whose verdict is known under both."""

    policy: str
    detector: str | None
    n: int
    """Cases compared."""
    with_edit_fault: int
    """Cases of these with an edit fault."""
    trials: int
    unknown: tuple[Unknown, ...]
    """Trials that are not compared, and why."""
    repairs: float
    """Cases with an edit fault that are right under the policy."""
    naive_repairs: float
    lost: float
    """Repairs lost to early stopping: right under ``naive`` but not under the policy, which stopped after fewer attempts."""
    lost_by: tuple[Reason, ...]
    """The same, by stop reason."""
    lost_otherwise: float
    """Right under ``naive`` only, though the policy made as many attempts."""
    gained: float
    """Right under the policy only: it reported what the user must do, or stopped before a later attempt did damage."""
    lost_elsewhere: float
    """Cases without an edit fault that are right under ``naive`` only."""
    gained_elsewhere: float
    """Cases without an edit fault that are right under the policy only, mostly due to a warning instead of attempts."""
    saved: AttemptCost
    """Attempts that ``naive`` made after the policy had stopped."""
    prevented: Mapping[str, float]
    """Those attempts by label. Stopping is meant to prevent ``futile`` and ``fruitless`` ones."""
    extra: AttemptCost
    """Attempts that the policy made after ``naive`` had ended: none if the policy is a prefix."""
    attempts_saved_per_lost: float | None
    """None: no repair was lost."""
    lost_cases: tuple[str, ...]
    gained_cases: tuple[str, ...]


def effect(policy: Sequence[TrialRecord], naive: Sequence[TrialRecord]) -> PolicyEffect:
    """Return the differences between a policy and ``naive``, from the trials of one strategy and repairer under each.

    A trial's counterpart is the one of the same case and sample.
    """
    pairs, unknown = paired(policy, naive)
    shares = {own.key: share for share, own in weighed([own for own, _ in pairs])}
    compared = [_Compared(shares[own.key], own, other) for own, other in pairs]
    edits = [pair for pair in compared if pair.own.kind in EDIT_KINDS]
    others = [pair for pair in compared if pair.own.kind not in EDIT_KINDS]
    lost, gained = [pair for pair in edits if pair.lost], [pair for pair in edits if pair.gained]
    early = [pair for pair in lost if len(pair.own.attempts) < len(pair.naive.attempts)]
    beyond = [(pair.share, attempt) for pair in compared for attempt in pair.naive.attempts[len(pair.own.attempts) :]]
    extra = [(pair.share, attempt) for pair in compared for attempt in pair.own.attempts[len(pair.naive.attempts) :]]
    saved = spent(beyond)
    return PolicyEffect(
        policy=policy[0].treatment.policy,
        detector=policy[0].treatment.detector,
        n=len({pair.own.case for pair in compared}),
        with_edit_fault=len({pair.own.case for pair in edits}),
        trials=len(pairs),
        unknown=unknown,
        repairs=_shares(pair for pair in edits if pair.own.right),
        naive_repairs=_shares(pair for pair in edits if pair.naive.right),
        lost=_shares(early),
        lost_by=_reasons(early),
        lost_otherwise=tidy(_shares(lost) - _shares(early)),
        gained=_shares(gained),
        lost_elsewhere=_shares(pair for pair in others if pair.lost),
        gained_elsewhere=_shares(pair for pair in others if pair.gained),
        saved=saved,
        prevented={label: total(share for share, a in beyond if label_of(a) == label) for label in LABELS},
        extra=spent(extra),
        attempts_saved_per_lost=per(saved.attempts, _shares(early)),
        lost_cases=_cases(lost),
        gained_cases=_cases(gained),
    )


Pair: TypeAlias = tuple[TrialRecord, TrialRecord]
"""A trial, and the one of the same case and sample under ``naive``."""


def paired(trials: Iterable[TrialRecord], naive: Iterable[TrialRecord]) -> tuple[tuple[Pair, ...], tuple[Unknown, ...]]:
    """Return the pairs with a verdict on both sides and equal shared attempts, and why the other trials are unpaired."""
    mine, theirs = ({(trial.case, trial.sample): trial for trial in side} for side in (trials, naive))
    pairs, reasons = [], Counter[str]({"not run under the policy": len(theirs.keys() - mine.keys())})
    for place, own in sorted(mine.items()):
        reason = why_unknown(own, theirs.get(place))
        if reason is None:
            pairs.append((own, theirs[place]))
        else:
            reasons[reason] += 1
    return tuple(pairs), unknowns(reasons)


def why_unknown(trial: TrialRecord, naive: TrialRecord | None) -> str | None:
    """Return why a trial cannot be compared with its counterpart under ``naive``; None if it can."""
    if naive is None:
        return f"not run under {REFERENCE}"
    if not trial.judged:
        return f"{trial.verdict} under the policy"
    if not naive.judged:
        return f"{naive.verdict} under {REFERENCE}"
    shared = zip(trial.attempts, naive.attempts, strict=False)
    return None if all(_alike(*both) for both in shared) else f"another response than under {REFERENCE}"


def unknowns(reasons: Mapping[str, int]) -> tuple[Unknown, ...]:
    """Return the number of unknown trials by reason."""
    return tuple(Unknown(reason=reason, trials=count) for reason, count in sorted(reasons.items()) if count)


def _alike(one: AttemptRecord, other: AttemptRecord) -> bool:
    """Return whether two attempts had the same prompt and response, as far as records show."""
    read = attrgetter("status", "context_tokens", "prompt_tokens", "completion_tokens")
    return bool(read(one) == read(other))


class _Compared(NamedTuple):
    share: Fraction
    own: TrialRecord
    naive: TrialRecord

    @property
    def lost(self) -> bool:
        return self.naive.right and not self.own.right

    @property
    def gained(self) -> bool:
        return self.own.right and not self.naive.right


def _shares(compared: Iterable[_Compared]) -> float:
    return total(pair.share for pair in compared)


def _cases(compared: Iterable[_Compared]) -> tuple[str, ...]:
    return tuple(sorted({pair.own.case for pair in compared}))


def _reasons(compared: Iterable[_Compared]) -> tuple[Reason, ...]:
    by_reason: dict[str, list[_Compared]] = defaultdict(list)
    for pair in compared:
        by_reason[pair.own.stop_reason].append(pair)
    return tuple(Reason(stop_reason=reason, n=_shares(own)) for reason, own in sorted(by_reason.items()))
