"""What a policy's early stopping lost and saved: each of its trials compared with the one under ``naive``, which did not stop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from mendbench.scoring.forensics.passes import (
    LABELS,
    REFERENCE,
    Spent,
    Unknown,
    label_of,
    per,
    spent,
    tidy,
    total,
    weighed,
)
from mendbench.scoring.records import EDIT_KINDS, AttemptRecord, TrialRecord

Side: TypeAlias = Literal["lost", "gained", "lost_elsewhere", "gained_elsewhere"]


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
    saved: Spent
    """Attempts that ``naive`` made after the policy had stopped."""
    prevented: Mapping[str, float]
    """Those attempts by label. Stopping is meant to prevent ``futile`` and ``fruitless`` ones."""
    extra: Spent
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
    each = tuple((shares[own.key], own, other) for own, other in pairs)
    edits = tuple(one for one in each if one[1].kind in EDIT_KINDS)
    lost = tuple(one for one in edits if _side(one[1], one[2]) == "lost")
    early = tuple(one for one in lost if len(one[1].attempts) < len(one[2].attempts))
    gained = tuple(one for one in edits if _side(one[1], one[2]) == "gained")
    beyond = [(share, attempt) for share, own, other in each for attempt in other.attempts[len(own.attempts) :]]
    extra = [(share, attempt) for share, own, other in each for attempt in own.attempts[len(other.attempts) :]]
    saved = spent(beyond)
    return PolicyEffect(
        policy=policy[0].treatment.policy,
        detector=policy[0].treatment.detector,
        n=len({own.case for _, own, _ in each}),
        with_edit_fault=len({own.case for _, own, _ in edits}),
        trials=len(pairs),
        unknown=unknown,
        repairs=total(share for share, own, _ in edits if own.right),
        naive_repairs=total(share for share, _, other in edits if other.right),
        lost=_shares(early),
        lost_by=_reasons(early),
        lost_otherwise=tidy(_shares(lost) - _shares(early)),
        gained=_shares(gained),
        lost_elsewhere=_shares(one for one in each if _side(one[1], one[2]) == "lost_elsewhere"),
        gained_elsewhere=_shares(one for one in each if _side(one[1], one[2]) == "gained_elsewhere"),
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
    mine, theirs = ({(one.case, one.sample): one for one in side} for side in (trials, naive))
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
    return None if all(_alike(*both) for both in shared) else f"answered otherwise than under {REFERENCE}"


def unknowns(reasons: Mapping[str, int]) -> tuple[Unknown, ...]:
    """Return the number of unknown trials by reason."""
    return tuple(Unknown(reason=reason, trials=count) for reason, count in sorted(reasons.items()) if count)


def _alike(one: AttemptRecord, other: AttemptRecord) -> bool:
    """Return whether two attempts had the same prompt and response, as far as records show."""
    return (one.status, one.context_tokens, one.prompt_tokens, one.completion_tokens) == (
        other.status, other.context_tokens, other.prompt_tokens, other.completion_tokens,
    )  # fmt: skip


def _side(own: TrialRecord, naive: TrialRecord) -> Side | None:
    """Return how a policy changed the verdict; None: not at all."""
    if own.right == naive.right:
        return None
    if own.kind in EDIT_KINDS:
        return "gained" if own.right else "lost"
    return "gained_elsewhere" if own.right else "lost_elsewhere"


_Told: TypeAlias = tuple[Fraction, TrialRecord, TrialRecord]


def _shares(pairs: Iterable[_Told]) -> float:
    return total(share for share, _, _ in pairs)


def _cases(pairs: Iterable[_Told]) -> tuple[str, ...]:
    return tuple(sorted({own.case for _, own, _ in pairs}))


def _reasons(pairs: Sequence[_Told]) -> tuple[Reason, ...]:
    names = sorted({own.stop_reason for _, own, _ in pairs})
    return tuple(
        Reason(stop_reason=name, n=_shares(one for one in pairs if one[1].stop_reason == name)) for name in names
    )
