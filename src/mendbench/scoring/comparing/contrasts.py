"""The primary contrasts: the few preregistered comparisons, and the only ones with a p-value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Protocol

from mendbench.scoring.comparing.comparison import Difference, TestedDifference, differ, distinguished
from mendbench.scoring.comparing.paired_counts import Counts, applies
from mendbench.scoring.record_table import Records, as_table
from mendbench.scoring.records import Treatment, TrialRecord
from mendbench.scoring.score import Count, Score, case_counts
from mendbench.scoring.scores import score
from mendbench.scoring.statistics.exact import ALPHA, holm

TRAINING = "train"
"""The part of the corpus on which the best of several strategies is selected."""

_LATER = "changed after the test part was recorded"

_SCORES = {"futile_attempts": "futile", "right_after_first": "attempt1_success"}
"""Names of scores in a plan that differ from the scores' own names."""


class PlannedSide(Protocol):
    """Trials of one strategy, of the best of several, or of all of them, under one policy."""

    @property
    def strategy(self) -> str | None:
        """The strategy, if it is one."""

    @property
    def best_of(self) -> Sequence[str] | None:
        """Candidate strategies. The one with the most right cases in the training part is used."""

    @property
    def policy(self) -> str:
        """The policy."""


class PlannedContrast(Protocol):
    """One comparison."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def measure(self) -> str:
        """The score in which the sides are compared."""

    @property
    def treatment(self) -> PlannedSide:
        """The side under test."""

    @property
    def against(self) -> PlannedSide:
        """The side that the treatment is compared with."""

    @property
    def strategies(self) -> Sequence[str] | None:
        """If no side names a strategy, a case's value is the mean over these."""

    @property
    def stratum(self) -> str | None:
        """The list of the plan's cases that it is about; None for those of the plan's part."""


class ContrastPlan(Protocol):
    """A preregistered plan, for example :class:`mendbench.corpus.protocol.Protocol`."""

    @property
    def model(self) -> str:
        """The model whose responses count."""

    @property
    def part(self) -> str:
        """The part of the corpus that the result is computed on."""

    @property
    def cases(self) -> Mapping[str, Sequence[str]]:
        """Ids of the cases that count, by stratum or part; empty if all cases of the part count."""

    @property
    def contrasts(self) -> Sequence[PlannedContrast]:
        """The comparisons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What was changed after the test part was recorded, and so may be fitted to it."""

    frame: bool = False
    """Whether the frame around every prompt was changed."""
    scorer: bool = False
    """Whether the rules that judge a trial were changed."""
    strategies: tuple[str, ...] = ()


UNCHANGED = Changed()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContrastResult:
    """The result of one primary contrast. B is the treatment, and A is what it is compared with."""

    name: str
    score: str
    model: str
    part: str
    stratum: str | None
    """The stratum of the part, if the contrast is about one."""
    treatment: str
    against: str
    settled: str | None
    """How the best strategy was selected; None if there is nothing to select."""
    pairs: tuple[tuple[Treatment, Treatment], ...]
    """The compared treatments, A first: one pair for each strategy that a case's value is the mean over."""
    difference: Difference | None
    """None if nothing can be paired. The verdict and the p-value are corrected."""
    undefined: str | None
    """Why there is no result; None if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trials:
    """The trials of one strategy on the two sides, by case and sample."""

    a: Mapping[tuple[str, int], TrialRecord]
    b: Mapping[tuple[str, int], TrialRecord]

    def shared(self) -> list[tuple[str, int]]:
        return sorted(self.a.keys() & self.b.keys())


def contrasts(
    records: Sequence[TrialRecord], plan: ContrastPlan, *, expected: Collection[str] = (), training: Collection[str] = (),
    changed: Changed = UNCHANGED,
) -> tuple[ContrastResult, ...]:  # fmt: skip
    """Return the results of the primary contrasts in the trials of one run, corrected for their number (Holm 1979).

    ``expected`` are the cases of the plan's part, unless the plan lists its cases: then only these count. While some of them have no
    trial, the contrast is undefined: repeated looks at partial results would inflate false positives. ``training`` are the cases of the
    training part. While some of them have no trial, the best of several strategies is not selected. A contrast has no result if anything
    it uses was ``changed``, including a candidate for the best strategy. An undefined contrast counts as p = 1 in the correction.

    Raises:
        UnknownName: the plan names an unknown score.
    """
    found = [_contrast(records, plan, contrast, expected, training, changed) for contrast in plan.contrasts]
    p_values = [None if result.difference is None else result.difference.p for result in found]
    adjusted = holm({str(at): 1.0 if p is None else p for at, p in enumerate(p_values)})
    return tuple(_corrected(result, adjusted[str(at)]) for at, result in enumerate(found))


def may_be(planned: PlannedContrast, model: str, pairs: Collection[tuple[Treatment, Treatment]]) -> bool:
    """Return whether pairs of treatments, A first, contain what a contrast compares. Any of several strategies may be the best."""
    before, after = ((*(side.best_of or ()), side.strategy) for side in (planned.against, planned.treatment))
    policies = planned.against.policy, planned.treatment.policy
    strategies = {
        (a.strategy, b.strategy) for a, b in pairs if a.model == b.model == model and (a.policy, b.policy) == policies
    }
    if any(before) and any(after):
        return any(a in before and b in after for a, b in strategies)
    alike = {a for a, b in strategies if a == b}
    return bool(alike) and alike >= set(planned.strategies or ())


def _corrected(result: ContrastResult, p: float) -> ContrastResult:
    difference = result.difference
    if difference is None or difference.p is None:
        return result
    verdict = difference.verdict
    if verdict != "alike":
        verdict = distinguished(score(result.score), p, difference.difference or 0)
    more = difference.more_cases if verdict == "not significant" else None
    return replace(result, difference=replace(difference, p=p, verdict=verdict, more_cases=more))


def _contrast(
    records: Sequence[TrialRecord], plan: ContrastPlan, planned: PlannedContrast, expected: Collection[str],
    training: Collection[str], changed: Changed,
) -> ContrastResult:  # fmt: skip
    """Return the result of one contrast, with its uncorrected p-value."""
    name = _SCORES.get(planned.measure, planned.measure)
    listed, place = plan.cases.get(planned.stratum or plan.part), _place(plan, planned)
    expected, training = expected if listed is None else listed, plan.cases.get(TRAINING, training)
    own = as_table(records).where("treatment", lambda treatment: treatment.model == plan.model)
    if plan.cases:
        own = own.where("case", {*expected, *training}.__contains__)
    against, settled, open_choice = _settled(own, planned.against, training)
    treatment, settled_too, open_too = _settled(own, planned.treatment, training)
    of_part = own.where("part", lambda part: part == plan.part)
    tuned = _tuned(planned, _all(of_part, planned), changed)
    result = ContrastResult(
        name=planned.name, score=name, model=plan.model, part=plan.part, stratum=planned.stratum,
        treatment=_words(treatment, planned.treatment, planned), against=_words(against, planned.against, planned),
        settled=settled or settled_too, pairs=(), difference=None, undefined=tuned or open_choice or open_too,
    )  # fmt: skip
    if open_choice or open_too:
        return result
    strategies = [(against, treatment)] if against and treatment else [(name, name) for name in _all(of_part, planned)]
    trials = [
        _Trials(a=_of(of_part, ours, planned.against.policy), b=_of(of_part, theirs, planned.treatment.policy))
        for ours, theirs in strategies
    ]
    result = replace(result, undefined=tuned or _gap(trials, strategies, planned, place, expected))
    if not any(each.shared() for each in trials):
        return result
    evidence, lacking = _evidence(name, score(name), trials, ALPHA / len(plan.contrasts))
    why = result.undefined or _too_little(evidence, lacking, ALPHA / len(plan.contrasts))
    difference = replace(evidence.difference, p=None if why else evidence.p)
    return replace(result, difference=difference, pairs=_pairs(trials), undefined=why)


def _tuned(planned: PlannedContrast, averaged: Collection[str], changed: Changed) -> str | None:
    """Describe what a contrast uses that was changed after the test part was recorded; None if nothing was.

    ``averaged`` are the strategies that count if no side names one.
    """
    if changed.frame:
        return f"the frame around every prompt was {_LATER}"
    if changed.scorer:
        return f"the scorer was {_LATER}"
    sides = [{*(side.best_of or ()), side.strategy} - {None} for side in (planned.against, planned.treatment)]
    own: Collection[str | None] = sides[0] | sides[1] if all(sides) else averaged
    tuned = [name for name in sorted(changed.strategies) if name in own]
    return f"{', '.join(tuned)} {'was' if len(tuned) == 1 else 'were'} {_LATER}" if tuned else None


def _settled(
    records: Records, side: PlannedSide, expected: Collection[str]
) -> tuple[str | None, str | None, str | None]:
    """Return the strategy of a side, how it was selected, and why it could not be selected."""
    if not side.best_of:
        return side.strategy, None, None
    trained = records.where("part", lambda part: part == TRAINING)
    by_strategy = {name: _under(trained, name, side.policy) for name in side.best_of}
    shared: set[str] = set.intersection(*({*own.values("case")} for own in by_strategy.values()))
    kept = {name: own.where("case", shared.__contains__) for name, own in by_strategy.items()}
    counts = {name: case_counts(score("repair_success"), own).values() for name, own in kept.items()}
    several = ", ".join(side.best_of)
    if why := _unsettled(by_strategy, shared, expected, [count for own in counts.values() for count in own]):
        return None, None, f"the best of {several} is not settled: {why}"
    right = {name: sum(count.numerator for count in own) for name, own in counts.items()}
    best = min(by_strategy, key=lambda name: (-right[name], _first_tokens(kept[name]), name))
    how = f"{best} is the best of {several} on the training part: {right[best]:g} of {len(counts[best])} cases right"
    return best, how, None


def _unsettled(
    by_strategy: Mapping[str, Records], shared: Collection[str], expected: Collection[str],
    counts: Iterable[Count],
) -> str | None:  # fmt: skip
    """Return why the best strategy cannot be selected yet: each strategy needs a verdict on every case."""
    if not shared:
        lacking = [name for name, own in by_strategy.items() if not own]
        of = f" of {', '.join(lacking)}" if lacking else " that all of them have"
        return f"no trial{of} on the training part"
    if missing := {*expected, *(case for own in by_strategy.values() for case in own.values("case"))} - {*shared}:
        whole = len({*expected, *shared, *missing})
        return f"{len(missing)} of the {whole} cases of the training part are not in the run yet, for all of them"
    if any(count.open for count in counts):
        return "trials of the training part are without a verdict"
    return None


def _first_tokens(records: Iterable[TrialRecord]) -> float:
    first = [record.attempts[0].context_tokens for record in records if record.attempts]
    return fmean(first) if first else 0.0


def _all(records: Records, planned: PlannedContrast) -> list[str]:
    return list(planned.strategies or sorted({treatment.strategy for treatment in records.values("treatment")}))


def _under(records: Records, strategy: str, policy: str) -> Records:
    return records.where("treatment", lambda treatment: (treatment.strategy, treatment.policy) == (strategy, policy))


def _of(records: Records, strategy: str, policy: str) -> dict[tuple[str, int], TrialRecord]:
    return {(record.case, record.sample): record for record in _under(records, strategy, policy)}


def _gap(
    trials: Sequence[_Trials], strategies: Sequence[tuple[str, str]], planned: PlannedContrast, place: str,
    expected: Collection[str],
) -> str | None:  # fmt: skip
    """Return what is missing for a result of the contrast."""
    if not trials:
        return f"no trial of the {place}"
    for each, names in zip(trials, strategies, strict=True):
        for own, strategy, side in ((each.a, names[0], planned.against), (each.b, names[1], planned.treatment)):
            if not own:
                return f"no trial of {strategy} under {side.policy} on the {place}"
            kinds = {record.treatment for record in own.values()}
            if len(kinds) > 1:
                return f"the trials of {strategy} under {side.policy} are of several engines, repairers or detectors"
    recorded = set.intersection(*({case for case, _ in each.shared()} for each in trials))
    if missing := set(expected) - recorded:
        return f"{len(missing)} of the {len(expected)} cases of the {place} are not in the run yet"
    return None


def _evidence(
    name: str, own: Score, trials: Sequence[_Trials], alpha: float
) -> tuple[TestedDifference, dict[str, int]]:
    """Return how the sides differ in the means over the strategies, and how many cases prevent a result, by reason."""
    cases = set.intersection(*({case for case, _ in each.shared()} for each in trials))
    sides: dict[str, list[dict[str, Count]]] = defaultdict(list)
    would: set[str] = set()
    unjudged: set[str] = set()
    for each in trials:
        for side, found in (("a", each.a), ("b", each.b)):
            kept = [found[key] for key in each.shared() if key[0] in cases]
            sides[side].append(case_counts(own, kept))
            counted = applies(own, kept)
            would |= counted
            unjudged |= {trial.case for trial in kept if trial.verdict == "unjudged" and trial.case in counted}
    shared = set.intersection(*(set(counts) for side in sides.values() for counts in side))
    records = [each.a[key] for each in trials for key in each.shared()]
    a, b = ({case: _mean_of([counts[case] for counts in sides[side]]) for case in sorted(shared)} for side in "ab")
    treatments = _pairs(trials)
    alone = all((ours.policy, ours.repairer) == (theirs.policy, theirs.repairer) for ours, theirs in treatments)
    single = alone and len(trials) == 1 and len(trials[0].shared()) == len({case for case, _ in trials[0].shared()})
    counts = Counts(
        a=a, b=b, groups={record.case: record.group for record in records if record.case in shared},
        left_out=len(would - shared), single=single,
    )  # fmt: skip
    lacking = {
        "have a trial without a verdict": len(unjudged),
        "do not count, because a trial crashed": len(would - shared - unjudged),
    }
    return differ(name, own, counts, alpha=alpha), lacking


def _too_little(evidence: TestedDifference, lacking: Mapping[str, int], alpha: float) -> str | None:
    """Return why a difference is not a result: cases lack a verdict or do not count, or are too few for significance."""
    found = evidence.difference
    of = f"of its {found.cases + found.left_out} cases"
    if reasons := [f"{count} {of} {why}" for why, count in lacking.items() if count]:
        return ", and ".join(reasons)
    if evidence.p is None:
        return f"there are no {found.of} on both sides"
    if 2 / 2**found.groups >= alpha:
        what = "cases" if found.groups == found.cases else "groups of cases"
        return f"{found.groups} {what} are too few for any result"
    return None


def _place(plan: ContrastPlan, planned: PlannedContrast) -> str:
    return f"{planned.stratum} stratum" if planned.stratum else f"{plan.part} part"


def _mean_of(counts: Sequence[Count]) -> Count:
    return Count(
        numerator=fmean(count.numerator for count in counts),
        denominator=fmean(count.denominator for count in counts),
        open=fmean(count.open for count in counts),
    )


def _pairs(trials: Iterable[_Trials]) -> tuple[tuple[Treatment, Treatment], ...]:
    found = {(each.a[key].treatment, each.b[key].treatment): None for each in trials for key in each.shared()}
    return tuple(found)


def _words(strategy: str | None, side: PlannedSide, planned: PlannedContrast) -> str:
    if strategy is not None:
        return f"{strategy} under {side.policy}"
    if side.best_of:
        return f"the best of {', '.join(side.best_of)} under {side.policy}"
    return f"{side.policy}, over {', '.join(planned.strategies)}" if planned.strategies else side.policy
