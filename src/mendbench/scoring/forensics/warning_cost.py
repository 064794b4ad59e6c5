"""The cost of wrong warnings: the three-state confusion matrix of each detector, and the price of its mistakes.

A state depends only on the detector, so a case's nodes count once for each engine and detector, whatever the strategy, policy, repairer
or sample. A price depends on all of these: the price of a false warning is what ``naive`` achieved instead, the price of a missed one is
the attempts that could mend nothing. Prices are for one pass over the cases, see :mod:`mendbench.scoring.forensics.passes`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from mendbench.model.json import JsonObject
from mendbench.scoring.confusion import STATES, Disagreement, StateMatrix, first_states, state_matrix
from mendbench.scoring.forensics.early_stopping import unknowns, why_unknown
from mendbench.scoring.forensics.passes import (
    REFERENCE,
    AttemptCost,
    Unknown,
    Weighed,
    as_json,
    attempts_of,
    by_part,
    by_treatment,
    spent,
    total,
    weighed,
)
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import EDIT_KINDS, Treatment, TrialRecord

FORMAT = 1
"""Format of the document. 1: the first version."""

Naive: TypeAlias = Mapping[tuple[str, ...], TrialRecord]
"""The trials under ``naive`` by the fields that they share with their counterparts."""

Brought: TypeAlias = Literal["repair", "right", "nothing", "unknown"]
"""What ``naive`` achieved where a false warning stopped: a repair; a right end where no edit was right; neither; not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """One node that was given a state other than its label."""

    case: str
    node: str
    expected: str
    got: str
    adversarial: bool
    """Whether the case was chosen for a known fault of this detector."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseWarnings:
    """Trials that ended in an unjustified warning: an edit or a retry would have helped, or nothing was wrong."""

    n: float
    """Of one pass over the cases."""
    trials: int
    with_edit_fault: float
    """Trials on cases with an edit fault: the loss of a repairer that mends everything."""
    repairs_lost: float
    """Trials of these that ``naive`` repaired: the loss of this repairer."""
    right_lost: float
    """Trials on cases without an edit fault that are right under ``naive``."""
    nothing_lost: float
    """Trials that are not right under ``naive`` either."""
    unknown: float
    """Trials for which this is not known, for the reasons in ``reasons``."""
    reasons: tuple[Unknown, ...]
    saved: AttemptCost
    """What ``naive`` spent after the warning, if known: the savings of the warning."""
    lost_cases: tuple[str, ...]
    """Cases of the lost repairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedWarnings:
    """Trials in which a required warning was missing, or came only after attempts that could mend nothing."""

    n: float
    """Of one pass over the cases."""
    trials: int
    unsaid: float
    """Trials with the outcome ``missed_warning``."""
    burned: float
    """The other trials: only the user could help, but attempts were made first, whatever their result."""
    wasted: AttemptCost
    """Their futile attempts."""
    without_verdict: int
    """Trials without a verdict of cases that only the user can mend."""
    at_least: AttemptCost
    """The cost of these trials so far. No attempt on such a case can help, so this is a lower bound of the waste."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarningPrice:
    """The cost of the wrong warnings of one treatment."""

    repairer: str
    model: str | None
    strategy: str
    policy: str
    without_adversarial: bool
    """Whether cases that are adversarial to the detector are left out."""
    n: int
    """Cases."""
    trials: int
    unjudged: int
    """Trials without a verdict, which may be of either kind."""
    crashed: int
    false: FalseWarnings
    missed: MissedWarnings


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectorWarnings:
    """How well one detector distinguished warnings from errors and successes, and the cost of its mistakes, in one part of the corpus."""

    part: str | None
    engine: str
    detector: str | None
    """None: no detector, so that every failure is an error. This is the lower reference."""
    n: int
    """Cases, including those without a known first execution."""
    matrix: StateMatrix
    matrix_without_adversarial: StateMatrix | None
    """The same without the cases adversarial to this detector; None if there are none."""
    adversarial_cases: tuple[str, ...]
    mistakes: tuple[Mistake, ...]
    not_executed: tuple[str, ...]
    """Cases in which no first execution finished, so that no state is known."""
    disagreements: tuple[Disagreement, ...]
    """Disagreements of trials. Their cases are in no matrix."""
    prices: tuple[WarningPrice, ...]


def warning_costs(records: Sequence[TrialRecord]) -> tuple[DetectorWarnings, ...]:
    """Return the matrices and prices of each detector, for each part of the corpus and engine."""
    return tuple(made for part, own in by_part(records) for made in _of_part(part, own))


def document(records: Sequence[TrialRecord]) -> JsonObject:
    """Return :func:`warning_costs` as JSON."""
    return {
        "format": FORMAT,
        "states": list(STATES),
        "reference": REFERENCE,
        "detectors": [as_json(cost) for cost in warning_costs(records)],
    }


def _of_part(part: str | None, records: Records) -> Iterable[DetectorWarnings]:
    wanted = {_place(trial) for trial in records.where("outcome", lambda outcome: outcome == "false_warning")}
    others = records.where("treatment", lambda treatment: treatment.policy == REFERENCE)
    naive = {_place(trial): trial for trial in others if _place(trial) in wanted}
    groups: dict[tuple[str, str], dict[Treatment, Records]] = defaultdict(dict)
    for treatment, own in by_treatment(records).items():
        groups[treatment.engine, treatment.detector or ""][treatment] = own
    for _, found in sorted(groups.items()):
        yield _of_detector(part, found, records.where("treatment", found.__contains__), naive)


def _of_detector(
    part: str | None, found: Mapping[Treatment, Records], trials: Records, naive: Naive
) -> DetectorWarnings:
    treatment = next(iter(found))
    nodes, disagreements, not_executed = first_states(trials)
    hard = {case for case, detectors in trials.counted("case", "adversarial_to") if treatment.detector in detectors}
    others = {case: states for case, states in nodes.items() if case not in hard}
    return DetectorWarnings(
        part=part,
        engine=treatment.engine,
        detector=treatment.detector,
        n=len(trials.values("case")),
        matrix=state_matrix(nodes),
        matrix_without_adversarial=state_matrix(others) if hard else None,
        adversarial_cases=tuple(sorted(hard)),
        mistakes=tuple(
            Mistake(case=case, node=node, expected=expected, got=got, adversarial=case in hard)
            for case, states in sorted(nodes.items())
            for node, expected, got in states
            if expected != got
        ),
        not_executed=not_executed,
        disagreements=disagreements,
        prices=tuple(_prices(found, naive, hard)),
    )


def _prices(found: Mapping[Treatment, Records], naive: Naive, hard: set[str]) -> Iterable[WarningPrice]:
    for treatment, records in found.items():
        own = tuple(records)
        yield price(treatment, own, naive, without_adversarial=False)
        if hard:
            others = [trial for trial in own if trial.case not in hard]
            yield price(treatment, others, naive, without_adversarial=True)


def price(
    treatment: Treatment, trials: Sequence[TrialRecord], naive: Naive, *, without_adversarial: bool
) -> WarningPrice:
    """Return the cost of the wrong warnings in some trials of one treatment."""
    each = weighed(trials)
    return WarningPrice(
        repairer=treatment.repairer,
        model=treatment.model,
        strategy=treatment.strategy,
        policy=treatment.policy,
        without_adversarial=without_adversarial,
        n=len({trial.case for trial in trials}),
        trials=len(trials),
        unjudged=sum(trial.verdict == "unjudged" for trial in trials),
        crashed=sum(trial.verdict == "crashed" for trial in trials),
        false=_false([entry for entry in each if entry[1].outcome == "false_warning"], naive),
        missed=_missed(each),
    )


def _false(each: Sequence[Weighed], naive: Naive) -> FalseWarnings:
    shares: dict[Brought, list[Fraction]] = defaultdict(list)
    reasons, saved, lost_cases = Counter[str](), [], set()
    for share, trial in each:
        other = naive.get(_place(trial))
        reason = why_unknown(trial, other)
        brought = _brought(trial, other, reason)
        shares[brought].append(share)
        if reason is not None:
            reasons[reason] += 1
        elif other is not None:
            saved += [(share, attempt) for attempt in other.attempts[len(trial.attempts) :]]
        if brought == "repair":
            lost_cases.add(trial.case)
    return FalseWarnings(
        n=total(share for share, _ in each),
        trials=len(each),
        with_edit_fault=total(share for share, trial in each if trial.kind in EDIT_KINDS),
        repairs_lost=total(shares["repair"]),
        right_lost=total(shares["right"]),
        nothing_lost=total(shares["nothing"]),
        unknown=total(shares["unknown"]),
        reasons=unknowns(reasons),
        saved=spent(saved),
        lost_cases=tuple(sorted(lost_cases)),
    )


def _brought(trial: TrialRecord, naive: TrialRecord | None, reason: str | None) -> Brought:
    if naive is None or reason is not None:
        return "unknown"
    if not naive.right:
        return "nothing"
    return "repair" if trial.kind in EDIT_KINDS else "right"


def _missed(each: Sequence[Weighed]) -> MissedWarnings:
    unsaid = [(share, trial) for share, trial in each if trial.outcome == "missed_warning"]
    user = [(share, trial) for share, trial in each if trial.kind == "needs_user"]
    burned = [
        (share, trial) for share, trial in user if trial.judged and trial.attempts and trial.outcome != "missed_warning"
    ]
    unknown = [(share, trial) for share, trial in user if not trial.judged]
    return MissedWarnings(
        n=total(share for share, _ in (*unsaid, *burned)),
        trials=len(unsaid) + len(burned),
        unsaid=total(share for share, _ in unsaid),
        burned=total(share for share, _ in burned),
        wasted=spent(
            (share, attempt) for share, attempt in attempts_of((*unsaid, *burned)) if attempt.label == "futile"
        ),
        without_verdict=len(unknown),
        at_least=spent(attempts_of(unknown)),
    )


def _place(trial: TrialRecord) -> tuple[str, ...]:
    """Return the fields that a trial shares with its counterpart under ``naive``."""
    its = trial.treatment
    return (its.engine, its.repairer, its.model or "", its.strategy, trial.case, f"{trial.sample:06d}")
