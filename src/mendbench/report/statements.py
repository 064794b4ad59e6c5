"""The findings of a run, one sentence each, computed from its trials.

Only primary contrasts have a p-value. Everything else is exploratory: counts, and an interval where there is one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mendbench.report.gaps import Gap
from mendbench.report.primary import Primary
from mendbench.report.saved import Saving
from mendbench.report.selection import Selection
from mendbench.report.tables import FEW
from mendbench.report.words import about, counted, figure, listing, percent, signed
from mendbench.scoring.comparing.comparison import Difference, unseen_share
from mendbench.scoring.comparing.contrasts import ContrastResult
from mendbench.scoring.forensics.warning_cost import DetectorWarnings
from mendbench.scoring.records import TrialRecord

Theme: TypeAlias = Literal["strategies", "policies", "warnings", "primary", "trials"]

THEMES: Mapping[Theme, str] = {
    "strategies": "Strategies",
    "policies": "Policies",
    "warnings": "Warnings",
    "primary": "Primary contrasts of the protocol",
    "trials": "Trials to look at",
}
"""In display order."""

Weight: TypeAlias = Literal["significant", "plain", "bad"]
"""significant: a difference beyond chance. bad: a failure. plain: everything else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """One finding."""

    theme: Theme
    text: str
    weight: Weight = "plain"
    trials: tuple[str, ...] = ()
    """Keys of the trials concerned."""
    outcome: str = ""
    """Outcome of these trials; empty if there are none."""


_NO_PLAN = "This run has no plan of primary contrasts, so all of it is exploratory."


def primary_statements(primaries: Sequence[Primary]) -> Iterator[Statement]:
    """Yield the result of each primary contrast, or why there is none."""
    if not primaries:
        yield Statement(theme="primary", text=_NO_PLAN)
    for primary in primaries:
        for result in primary.results:
            text = f"{primary.model}: {_of_primary(result)}" if len(primaries) > 1 else _of_primary(result)
            yield Statement(theme="primary", text=text, weight=_weight(result.difference, result.undefined))


def strategy_statements(
    gaps: Sequence[Gap], noise: Sequence[Gap], tuned: Sequence[str], about: str = ""
) -> Iterator[Statement]:
    """Yield how each strategy differs from the reference strategy, then how large the gaps of the controls are.

    ``about`` precedes figures that come from estimated token counts.
    """
    for gap in gaps:
        if gap.group == "strategy":
            text = f"{_of_gap(gap, about)}{_beyond_noise(gap, noise)}."
            if gap.name in tuned:
                text += f" {gap.name} was changed after the test part was recorded, so it has no test result."
            yield Statement(theme="strategies", text=text, weight=_weight(gap.difference))
    yield from (Statement(theme="strategies", text=text) for text in _controls(gaps, noise))


def policy_statements(savings: Sequence[Saving]) -> Iterator[Statement]:
    """Yield what each policy saves and loses."""
    for saving in savings:
        yield Statement(
            theme="policies", text=_of_saving(saving), weight="bad" if saving.lost > saving.gained else "plain"
        )


def warning_statements(found: Sequence[DetectorWarnings], selection: Selection) -> Iterator[Statement]:
    """Yield how accurate each detector's warnings were, and what its policies lost by false warnings."""
    for warnings in found:
        if warnings.detector is None:
            continue
        rates = {rate.name: rate for rate in warnings.matrix.rates}
        hits, alarms, silent = rates["recall"], rates["false_alarm_rate"], rates["silent_success_rate"]
        users = listing([view.policy for view in selection.policies if view.detector == warnings.detector])
        text = (
            f"The detector {warnings.detector} ({users}) gives {hits.part} of {counted(hits.n, 'due warning')}, with "
            f"{counted(alarms.part, 'false alarm')} on {counted(alarms.n, 'other node')} and "
            f"{counted(silent.part, 'silent success', 'silent successes')} of {counted(silent.n, 'failure')}"
        )
        if warnings.matrix_without_adversarial is not None:
            fair = {rate.name: rate for rate in warnings.matrix_without_adversarial.rates}
            text += (
                f"; without the {counted(len(warnings.adversarial_cases), 'case')} chosen to mislead it {fair['recall'].part} of "
                f"{fair['recall'].n} and {counted(fair['false_alarm_rate'].part, 'false alarm')}"
            )
        lost: defaultdict[str, float] = defaultdict(float)
        for price in warnings.prices:
            if not price.without_adversarial:
                lost[price.policy] += price.false.repairs_lost
        if alarms.part and lost:
            each = listing([f"{counted(count, 'repair')} under {name}" for name, count in lost.items()])
            text += f"; over all strategies false alarms cost {each}"
        yield Statement(theme="warnings", text=f"{text}.", weight="bad" if silent.part else "plain")


def trial_statements(trials: Sequence[TrialRecord], under: str) -> Iterator[Statement]:
    """Yield how many of the headline's trials failed silently, and which."""
    meanings = {
        "harmful": "did harm: something forbidden, repeated or unrequested",
        "plausible": "ran green, though checks or variants fail",
        "false_warning": "ended in a warning where none was due",
    }
    for outcome, meaning in meanings.items():
        found = tuple(
            trial.key
            for trial in trials
            if trial.outcome == outcome or (outcome == "harmful" and trial.harmful and trial.judged)
        )
        if found:
            text = f"{counted(len(found), 'trial')} of {len(trials)} {meaning} ({under})."
            yield Statement(theme="trials", text=text, weight="bad", trials=found, outcome=outcome)


def _of_primary(result: ContrastResult) -> str:
    difference = result.difference
    if result.undefined or difference is None:
        return f"{result.name}: no result, because {result.undefined or 'nothing can be paired'}."
    p = "" if difference.p is None else f" p = {difference.p:.2g} after Holm's correction."
    settled = f" {result.settled[:1].upper()}{result.settled[1:]}." if result.settled else ""
    name, other, where = _apart(result.treatment, result.against)
    where = f"{where}in the {result.stratum} stratum, " if where and result.stratum else where
    return f"{where}{_between(difference, name, other, planned=True)}.{p}{settled}"


def _apart(treatment: str, against: str) -> tuple[str, str, str]:
    """Return the names of two sides without their common part, and the common part as a prefix."""
    (name, under, policy), (other, _, policy_too) = treatment.partition(" under "), against.partition(" under ")
    if under and policy == policy_too:
        return name, other, f"Under {policy}, "
    (name, over, strategies), (other, _, others) = treatment.partition(", over "), against.partition(", over ")
    if over and strategies == others:
        return name, other, f"In the mean over {listing(strategies.split(', '))}, "
    return treatment, against, ""


def _of_gap(gap: Gap, about: str) -> str:
    at = "" if gap.tokens is None else f", at {about}{gap.tokens:.1f} times the prompt and response tokens of a trial"
    return _between(gap.difference, gap.name, gap.against, at)


def _between(difference: Difference, name: str, other: str, at: str = "", *, planned: bool = False) -> str:
    """Return how two sides differ, with counts. ``at``: what else they differ in.

    Only a ``planned`` contrast states how many more cases are needed: that number depends on its own threshold.
    """
    pairs = f"{difference.won} won, {difference.lost} lost"
    cases = counted(difference.cases - difference.open, "case")
    whatever = f", whatever becomes of {counted(difference.open, 'open pair')}" if difference.open else ""
    if difference.verdict == "undefined":
        return f"{name} and {other} cannot be compared: there are no {difference.of} on both sides"
    if difference.verdict == "alike":
        could = f"up to {percent(unseen_share(difference.groups))} of other groups of cases may still differ"
        return f"{name} and {other} are alike{at}: none of {cases} differs; {could}"
    if difference.verdict == "open":
        without = f"{difference.open} of {counted(difference.cases, 'case')} are without a verdict on a side"
        return f"{name} against {other} is open: {without}; of the others {pairs}"
    if difference.verdict == "not significant" and not difference.difference:
        return f"{name} and {other} do not differ significantly{at}: {pairs} of {cases}, neither is ahead{whatever}"
    if difference.verdict == "not significant":
        more = (
            f"; {about(difference.more_cases)} more cases would decide"
            if planned and difference.more_cases and not difference.open
            else ""
        )
        return f"{_amount(difference, name, other)} ({pairs}){at}: not significant{whatever}{more}"
    return f"{_amount(difference, name, other)} ({pairs}{_interval(difference)}){at}{whatever}"


def _amount(difference: Difference, name: str, other: str) -> str:
    gap = difference.difference or 0
    more = "more" if gap > 0 else "fewer"
    if difference.unit == "share":
        judged = difference.cases - difference.open
        return f"{name} repairs {figure(abs(gap) * judged)} {more} of {counted(judged, 'case')} than {other}"
    return f"{name} makes {figure(abs(gap))} {more} {difference.title} than {other}, over {counted(difference.cases, 'case')}"


def _interval(difference: Difference) -> str:
    if difference.interval is None:
        return ""
    if difference.unit == "share" and difference.cases >= FEW:
        low, high = (signed(100 * end, 0) for end in difference.interval)
        return f"; 95 % interval {low} to {high} points"
    scale, unit = (difference.cases, " cases") if difference.unit == "share" else (1, "")
    low, high = (signed(scale * end, 1) for end in difference.interval)
    return f"; 95 % interval {low} to {high}{unit}"


def _beyond_noise(gap: Gap, noise: Sequence[Gap]) -> str:
    fair = [gap for gap in noise if gap.difference.cases >= FEW]
    largest = max(fair, key=lambda gap: abs(gap.difference.difference or 0), default=None)
    if largest is None or not gap.cases:
        return ""
    floor, mine = abs(largest.difference.difference or 0), abs(gap.difference.difference or 0)
    return f"; no larger a gap than {largest.name}'s, so it is not a finding" if mine <= floor else ""


def _controls(gaps: Sequence[Gap], noise: Sequence[Gap]) -> Iterator[str]:
    for gap in noise:
        small, last = "", " A gap no larger than a control's is not a finding."
        if gap.difference.cases < FEW:
            small, last = f": too few cases so far for a comparison (under {FEW})", ""
        yield (
            f"Control {gap.name} against {gap.against}: {signed(gap.cases)} of {counted(gap.judged, 'case')}{small}.{last}"
        )
    if gaps and not noise:
        yield "No control strategy was run together with its reference, so the size of noise is unknown."


def _of_saving(saving: Saving) -> str:
    less, other = saving.wasted_less, saving.against
    within = (
        f" (95 % interval {figure(saving.interval.low)} to {figure(saving.interval.high)})" if saving.interval else ""
    )
    how = f"{figure(abs(less))} attempts {'fewer' if less >= 0 else 'more'} a trial than {other}{within}"
    wastes = f"{saving.policy} wastes {how}" if less else f"{saving.policy} wastes as many attempts as {other}"
    if not saving.lost:
        gained = f", and gains {saving.gained}" if saving.gained else ""
        return f"{wastes} and loses none of its {counted(saving.repairs, 'repair')}{gained}."
    gained = f", and gains {saving.gained}" if saving.gained else ""
    return f"{wastes}; of its {counted(saving.repairs, 'repair')} it loses {saving.lost}{gained}."


def _weight(difference: Difference | None, undefined: str | None = None) -> Weight:
    return (
        "significant"
        if difference is not None and not undefined and difference.verdict in {"better", "worse", "higher", "lower"}
        else "plain"
    )
