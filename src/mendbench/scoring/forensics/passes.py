"""One pass over the cases of one part of the corpus, and what its attempts spend.

n is always cases, so a case with several samples counts once, by their mean. A count of trials or attempts is therefore per pass over
the cases, and is a whole number if every case has one sample. Unknown values of attempts are counted as unknown, never as 0.
"""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, get_args

from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import Json
from mendbench.model.trial import AttemptLabel
from mendbench.scoring.record_table import Records, as_table
from mendbench.scoring.records import AttemptRecord, Treatment, TrialRecord

PARTS = ("test", "train", None)
"""Parts of the corpus in the order of reports; None: cases in no part. Parts are never pooled."""

REFERENCE = "naive"
"""The policy that only the limit stops. Every other policy is a prefix of it, so it shows what they missed by stopping."""

UNLABELLED = "unlabelled"
"""The label of an attempt whose trial has no verdict."""

LABELS: tuple[str, ...] = (*get_args(AttemptLabel), UNLABELLED)

Weighed: TypeAlias = tuple[Fraction, TrialRecord]
"""A trial and its share of its case."""

_DIGITS = 9
"""Decimal places of a sum: as many as for dollars in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptCost:
    """The cost of attempts. A sum is over the known values; None: some are unknown, and no known one is above 0."""

    attempts: float
    prompt_tokens: float | None
    completion_tokens: float | None
    tokens_unknown: float
    """Attempts whose tokens are unknown."""
    cost_usd: float | None
    cost_unknown: float
    """Attempts whose cost is unknown."""

    @property
    def tokens(self) -> float | None:
        """Tokens of prompts and responses together; None if either is not known."""
        known = (self.prompt_tokens, self.completion_tokens)
        return None if None in known else round(sum(count for count in known if count is not None), _DIGITS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Trials for which something cannot be known, and why."""

    reason: str
    trials: int


def by_part(records: Iterable[TrialRecord]) -> tuple[tuple[str | None, Records], ...]:
    """Return the trials of each part that has any, in the order of :data:`PARTS`."""
    found: dict[str | None, Records] = as_table(records).by("part")
    order = sorted(found, key=lambda part: (PARTS.index(part) if part in PARTS else len(PARTS), part or ""))
    return tuple((part, found[part]) for part in order)


def by_treatment(records: Iterable[TrialRecord]) -> dict[Treatment, Records]:
    """Return the trials of each treatment, in the treatments' order."""
    found: dict[Treatment, Records] = as_table(records).by("treatment")
    return {treatment: found[treatment] for treatment in sorted(found, key=Treatment.order)}


def weighed(trials: Sequence[TrialRecord]) -> tuple[Weighed, ...]:
    """Return each trial with its share of its case: one over the trials of that case among these."""
    shares = {case: Fraction(1, count) for case, count in Counter(trial.case for trial in trials).items()}
    return tuple((shares[trial.case], trial) for trial in trials)


def attempts_of(trials: Iterable[Weighed]) -> list[tuple[Fraction, AttemptRecord]]:
    """Return the attempts of trials, each with the share of its trial."""
    return [(share, attempt) for share, trial in trials for attempt in trial.attempts]


def total(shares: Iterable[Fraction | int]) -> float:
    """Return a sum of cases or of shares of cases."""
    return tidy(sum(shares, Fraction(0)))


def tidy(value: Fraction | float) -> float:
    """Return a rounded number, as an integer if it is whole."""
    rounded = round(float(value), _DIGITS)
    return int(rounded) if rounded == int(rounded) else rounded


def spent(attempts: Iterable[tuple[Fraction, AttemptRecord]]) -> AttemptCost:
    """Return the total cost of attempts, each weighted with the share of its trial. An attempt without a request has no tokens."""
    each = tuple(attempts)
    prompts = [(share, attempt.prompt_tokens if attempt.asked else 0) for share, attempt in each]
    responses = [(share, attempt.completion_tokens if attempt.asked else 0) for share, attempt in each]
    cost, cost_unknown = _known((share, attempt.cost_usd) for share, attempt in each)
    return AttemptCost(
        attempts=total(share for share, _ in each),
        prompt_tokens=_known(prompts)[0],
        completion_tokens=_known(responses)[0],
        tokens_unknown=total(
            share for (share, sent), (_, got) in zip(prompts, responses, strict=True) if None in {sent, got}
        ),
        cost_usd=cost,
        cost_unknown=cost_unknown,
    )


def label_of(attempt: AttemptRecord) -> str:
    """Return an attempt's label, or :data:`UNLABELLED`."""
    return attempt.label or UNLABELLED


def per(amount: float | None, repairs: float) -> float | None:
    """Return an amount per repair; None if the amount is not known, or there is no repair."""
    return tidy(amount / repairs) if amount is not None and repairs else None


def as_json(value: object) -> Json:
    """Return frozen data as plain JSON: tuples are lists, and whole numbers are written as such.

    Raises:
        TypeError: it is not a dataclass.
    """
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        raise TypeError(f"{type(value).__name__} is no frozen data")
    return json.loads(canonical_json(dataclasses.asdict(value)))


def _known(values: Iterable[tuple[Fraction, float | None]]) -> tuple[float | None, float]:
    """Return the sum of the known values, and the number of unknown ones."""
    each = tuple(values)
    known = total(share * Fraction(value) for share, value in each if value is not None)
    unknown = total(share for share, value in each if value is None)
    return (None if unknown and not known else known), unknown
