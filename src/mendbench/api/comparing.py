"""Compares two runs, or two parts of one run, trial by trial."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mendbench.api.comparability import Incomparable, prices_differ, refuse_other_cases, refuse_other_judgement
from mendbench.api.settings import open_corpus
from mendbench.api.sides import NONE, OpenSide, Side, open_sides
from mendbench.config.config_file import load_config
from mendbench.corpus.protocol import FILE as PROTOCOL
from mendbench.corpus.protocol import Protocol, read_protocols
from mendbench.corpus.split import cases_by_part, read_split
from mendbench.errors import BadInput, UnknownName
from mendbench.report.html import trial_link
from mendbench.report.primary import changed_in
from mendbench.report.views import BOUND_REPAIRERS, MAIN_POLICY, main_model
from mendbench.results.store import StoredRun, read_run
from mendbench.scoring.comparing.changes import Change, ResponsesByKey, changes_of, direction_of, same_responses
from mendbench.scoring.comparing.comparison import Difference, compare_scores
from mendbench.scoring.comparing.contrasts import TRAINING, ContrastResult, contrasts, may_be
from mendbench.scoring.comparing.pairing import FIELDS, TreatmentPair, Unpaired, pair_trials
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import Treatment
from mendbench.scoring.score import Score
from mendbench.scoring.scores import all_scores, score
from mendbench.trial.engines import OURS
from mendbench.values.interning import NUMBERS

ALL = "all"
"""Every part, or every score."""

PARTS = ("test", "train", NONE)
"""Parts of the corpus, in the order of preference if none is named."""

MAIN_SCORES = (
    "repair_success", "attempt1_success", "progress", "plausible", "harmful", "needs_user_success", "control_success",
    "transient_success", "futile", "wasted", "context_recall", "context_tokens", "completion_tokens", "cost",
)  # fmt: skip
"""Default scores for the main pair of treatments."""

FEW_SCORES = ("repair_success", "wasted")
"""Default scores for the other pairs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedSide:
    """One compared side."""

    side: Side
    trials: int
    """Trials in the compared part, paired or not."""
    cases: int
    unjudged: int
    crashed: int
    alone: tuple[str, ...]
    """Cases that only this side has; they are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedTreatments:
    """Two treatments, over the trials that both have."""

    a: Treatment
    b: Treatment
    differs: tuple[str, ...]
    """Fields in which they differ."""
    main: bool
    """Whether this is the main pair: all others, if any, are of other policies or bounds."""
    trials: int
    cases: int
    open: int
    """Pairs with at least one unjudged trial."""
    same_responses: int
    """Pairs whose responses are equal as far as both sides have them: differences between them are not due to chance."""
    changed: int
    """Pairs with different results."""
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """Changes in a part that is not compared."""

    part: str
    newly_failing: int
    newly_passing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The differences from A to B."""

    a: ComparedSide
    b: ComparedSide
    part: str
    cases: Mapping[str, int]
    """Number of paired cases by part of the corpus; several parts only if all parts were requested."""
    treatments: tuple[ComparedTreatments, ...]
    """The main pair first, if there is one."""
    changes: tuple[Change, ...]
    """Newly failing trials first, then newly passing ones."""
    elsewhere: tuple[Elsewhere, ...]
    """For two different runs: changes in the parts that are not compared."""
    unpaired: tuple[Unpaired, ...]
    primary: tuple[ContrastResult, ...]
    """The primary contrasts between the two sides, from the whole run. Everything else is exploratory."""
    notes: tuple[str, ...]

    @property
    def main(self) -> ComparedTreatments | None:
        """The main pair of treatments; None if there are several."""
        return next((one for one in self.treatments if one.main), None)

    def links(self, change: Change) -> tuple[str, str]:
        """Return the links that open a changed trial in the reports of A and B."""
        before, after = self.a.side.folder / "index.html", self.b.side.folder / "index.html"
        return f"{before}{trial_link(change.before.key)}", f"{after}{trial_link(change.after.key)}"


def compare(a: str | Path, b: str | Path, *, part: str | None = None, scores: Sequence[str] = ()) -> Comparison:
    """Return how the results of ``b`` differ from those of ``a``, paired by case.

    A side is a run's folder, optionally narrowed by ``:field=value,…`` (:mod:`mendbench.api.sides`). ``part`` is test, train, none (cases
    in no part) or all; by default it is the first of these that both sides have. ``scores`` are names, or ``all``; by default
    :data:`MAIN_SCORES` for the main pair of treatments and :data:`FEW_SCORES` for the others.

    Raises:
        BadInput: a side is not a run, or nothing in it matches.
        UnknownName: a field, a value, a part or a score does not exist.
        Incomparable: the digests of the engine, the scorer or a shared case differ, or the two have nothing in common.
    """
    asked = all_scores() if ALL in scores else {name: score(name) for name in scores}
    one, two = open_sides(a, b)
    refuse_other_judgement(one.run, two.run)
    chosen = _part(part, one, two)
    ours, theirs = _of_part(one, chosen), _of_part(two, chosen)
    pairing = pair_trials(ours, theirs, _fixed_otherwise(one.side, two.side), one_run=_one_run(one, two))
    if not pairing.pairs:
        raise _nothing_shared(one, two, ours, theirs, chosen)
    refuse_other_cases(one.run, two.run, pairing.trials())
    priced, model = prices_differ(one.run, two.run), main_model(one.run)
    main = _main(pairing.pairs, model)
    tallies = [_tally(pair, one.responses, two.responses) for pair in pairing.pairs]
    compared = [
        _compared(pair, tally, asked, costs=not priced, main=pair is main)
        for pair, tally in zip(pairing.pairs, tallies, strict=True)
    ]
    primary, why_none = _primary(one, two, chosen, pairing.pairs)
    parts = Counter(dict(each for tally in tallies for each in tally.parts.items()).values())
    changed = (pair.trials[at] for pair, tally in zip(pairing.pairs, tallies, strict=True) for at in tally.changed)
    return Comparison(
        a=_side(one, ours, theirs),
        b=_side(two, theirs, ours),
        part=chosen,
        cases={name: parts[name] for name in PARTS if name in parts},
        treatments=tuple(sorted(compared, key=lambda pair: (not pair.main, pair.b.model != model))),
        changes=changes_of(changed, one.responses, two.responses),
        elsewhere=tuple(_elsewhere(one, two, chosen)),
        unpaired=pairing.unpaired,
        primary=primary,
        notes=(*_notes(one, two, priced), *why_none),
    )


def _part(given: str | None, one: OpenSide, two: OpenSide) -> str:
    """Return the part to compare."""
    named = {side.side.only["part"] for side in (one, two) if "part" in side.side.only}
    if given is not None and given not in {*PARTS, ALL}:
        raise UnknownName("part", given, {*PARTS, ALL})
    if given not in {None, ALL} and named - {given}:
        raise BadInput("--part", f"{given}, and a side is narrowed to {named.pop()}", "name one of the two")
    if given is not None:
        return given
    ours, theirs = ({found or NONE for found in side.records.values("part")} for side in (one, two))
    return next((name for name in (*sorted(named), *PARTS) if name in ours & theirs), PARTS[0])


def _of_part(side: OpenSide, part: str) -> Records:
    return side.records.where("part", lambda own: part in {ALL, own or NONE})


def _one_run(one: OpenSide, two: OpenSide) -> bool:
    return one.run.folder.resolve() == two.run.folder.resolve()


def _elsewhere(one: OpenSide, two: OpenSide, part: str) -> Iterator[Elsewhere]:
    """Yield the changes in the parts that are not compared, if the sides are of different runs."""
    if part == ALL or _one_run(one, two):
        return
    for name in PARTS:
        if name == part:
            continue
        pairing = pair_trials(_of_part(one, name), _of_part(two, name), _fixed_otherwise(one.side, two.side))
        moved = Counter(direction_of(trial) for trial in pairing.trials() if trial.a.case_digest == trial.b.case_digest)
        if moved["newly failing"] or moved["newly passing"]:
            yield Elsewhere(part=name, newly_failing=moved["newly failing"], newly_passing=moved["newly passing"])


def _fixed_otherwise(a: Side, b: Side) -> set[str]:
    """Return the fields for which the two sides select different values."""
    return {name for name in FIELDS if name in a.only and name in b.only and a.only[name] != b.only[name]}


def _nothing_shared(one: OpenSide, two: OpenSide, ours: Records, theirs: Records, part: str) -> Incomparable:
    """Return why no trial can be paired, and what to do."""
    sides = f"{one.side.given} and {two.side.given}"
    of = "" if part == ALL else f" of the part {part}"
    if not {*ours.values("case")} & {*theirs.values("case")}:
        lacking = next((side.side.given for side, own in ((one, ours), (two, theirs)) if not own), None)
        found = f"{lacking} has no case{of}" if lacking else f"no case{of} is in both"
        return Incomparable(
            f"{sides} cannot be compared: {found}; run both on the same cases, or choose another --part"
        )
    for name in FIELDS:
        held = [
            sorted({str(getattr(treatment, name) or NONE) for treatment in own.values("treatment")})
            for own in (ours, theirs)
        ]
        if not set(held[0]) & set(held[1]):
            found = f"{name} is {', '.join(held[0])} on one side and {', '.join(held[1])} on the other"
            hint = f"name one on each side: {one.side.folder}:{name}={held[0][0]} {two.side.folder}:{name}={held[1][0]}"
            return Incomparable(f"{sides} cannot be compared: {found}; {hint}")
    found = "no treatment of one answers to one of the other, or these were run on other cases"
    return Incomparable(f"{sides} cannot be compared: {found}; narrow both sides, such as A:strategy=… B:strategy=…")


def _main(pairs: Sequence[TreatmentPair], model: str | None) -> TreatmentPair | None:
    """Return the pair for the verdict: the only one, else the only one under the main policy, else that of the main model too.

    Bounds are left out if there is anything else.
    """
    own = [pair for pair in pairs if not {pair.a.repairer, pair.b.repairer} <= BOUND_REPAIRERS.keys()] or list(pairs)
    under_main = [pair for pair in own if MAIN_POLICY in {pair.a.policy, pair.b.policy}]
    mine = [pair for pair in under_main if model is not None and model in {pair.a.model, pair.b.model}]
    return next((found[0] for found in (own, under_main, mine) if len(found) == 1), None)


@dataclass(slots=True, kw_only=True)
class _Tally:
    """Totals over the trials of two treatments."""

    parts: dict[str, str] = field(default_factory=dict)
    """The part of each case."""
    open: int = 0
    same_responses: int = 0
    changed: array[int] = field(default_factory=lambda: array(NUMBERS))
    """Places of the pairs of trials with different results."""


def _tally(pair: TreatmentPair, a: ResponsesByKey, b: ResponsesByKey) -> _Tally:
    found = _Tally()
    for at, trial in enumerate(pair.trials):
        found.parts[trial.a.case] = trial.a.part or NONE
        found.open += "unjudged" in {trial.a.verdict, trial.b.verdict}
        found.same_responses += same_responses(trial, a, b).startswith("same")
        if direction_of(trial) is not None:
            found.changed.append(at)
    return found


def _compared(
    pair: TreatmentPair, tally: _Tally, asked: Mapping[str, Score], *, costs: bool, main: bool
) -> ComparedTreatments:
    scores = asked or {name: score(name) for name in (MAIN_SCORES if main else FEW_SCORES)}
    kept = {name: one for name, one in scores.items() if costs or one.unit != "usd"}
    return ComparedTreatments(
        a=pair.a,
        b=pair.b,
        differs=pair.differs,
        main=main,
        trials=len(pair.trials),
        cases=len(tally.parts),
        open=tally.open,
        same_responses=tally.same_responses,
        changed=len(tally.changed),
        differences=compare_scores(pair, kept),
    )


def _side(side: OpenSide, own: Records, other: Records) -> ComparedSide:
    cases, verdicts = {*own.values("case")}, own.counted("verdict")
    return ComparedSide(
        side=side.side,
        trials=len(own),
        cases=len(cases),
        unjudged=verdicts["unjudged",],
        crashed=verdicts["crashed",],
        alone=tuple(sorted(cases - {*other.values("case")})),
    )


def _primary(
    one: OpenSide, two: OpenSide, part: str, pairs: Sequence[TreatmentPair]
) -> tuple[tuple[ContrastResult, ...], tuple[str, ...]]:
    """Return the primary contrasts between two sides of one run of this corpus, and the reason if there are none."""
    if not _one_run(one, two) or {"kind", "family"} & {*one.side.only, *two.side.only}:
        return (), ()
    compared = {(pair.a, pair.b) for pair in pairs}
    turned = {(b, a) for a, b in compared}
    try:
        planned = _planned()
    except BadInput:  # a run can be compared without its corpus
        return (), ()
    hits = {
        name: [any(may_be(each, plan.model, side) for side in (compared, turned)) for each in plan.contrasts]
        for name, plan in planned.plans.items()
        if plan.part == part
    }
    if not any(hit for own in hits.values() for hit in own):
        return (), ()
    try:
        results = _results(one.run, planned)
    except Incomparable as error:
        return (), (f"no primary contrast is reported, though the two sides are one: {error}",)
    found = (
        each
        for name, own in hits.items()
        for each, hit in zip(results[name], own, strict=True)
        if hit and _is_one(each, compared, turned)
    )
    return tuple(found), ()


def _is_one(result: ContrastResult, *sides: Collection[tuple[Treatment, Treatment]]) -> bool:
    """Return whether the pairs of a contrast are all in one of the sides; a contrast without pairs always matches."""
    return not result.pairs or any({*result.pairs} <= {*side} for side in sides)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Planned:
    """The data of the configured corpus for primary contrasts."""

    digest: str
    plans: Mapping[str, Protocol]
    """The protocols by name."""
    expected: Mapping[str, tuple[str, ...]]
    """Cases by part."""


def _planned() -> _Planned:
    corpus = open_corpus(load_config(), None, None, tolerant=True)
    plans = read_protocols(corpus.cases_dir)
    if not plans:
        raise BadInput(str(corpus.cases_dir), f"no {PROTOCOL}", "name two runs, or two parts of one, to compare")
    expected = cases_by_part(read_split(corpus.cases_dir), corpus.cases)
    return _Planned(digest=corpus.digest, plans=plans, expected=expected)


def _results(stored: StoredRun, planned: _Planned) -> dict[str, tuple[ContrastResult, ...]]:
    """Return the results of the primary contrasts of each protocol."""
    if (stored.run.get("digests") or {}).get("corpus") != planned.digest:
        raise Incomparable(
            f"{stored.folder}: a run of another corpus (digests.corpus); make it again with `mendbench run`"
        )
    expected = planned.expected
    return {
        name: contrasts(
            stored.records, plan, expected=expected.get(plan.part, ()), training=expected.get(TRAINING, ()),
            changed=changed_in(stored, name),
        )
        for name, plan in planned.plans.items()
    }  # fmt: skip


def primary_contrasts(run: str | Path | StoredRun | None = None) -> tuple[ContrastResult, ...]:
    """Return the results of the primary contrasts in a run of the configured corpus.

    The default is the run that ``mendbench run`` wrote last.

    Raises:
        BadInput: there is no run, the corpus has no protocol, or a file is broken.
        Incomparable: the run is of another corpus.
    """
    stored = run if isinstance(run, StoredRun) else read_run(Path(run or load_config().out))
    return tuple(result for results in _results(stored, _planned()).values() for result in results)


def _notes(one: OpenSide, two: OpenSide, priced: Collection[str]) -> Iterator[str]:
    """Yield other differences between the runs that do not prevent a comparison."""
    if priced:
        yield f"no cost is compared: {', '.join(priced)} is priced otherwise in the two runs (digests.prices)"
    frames = [(side.run.run.get("digests") or {}).get("frame") for side in (one, two)]
    if frames[0] != frames[1]:
        yield f"the frame around every prompt differs (digests.frame: {frames[0]} and {frames[1]})"
    versions = [side.run.run.get("mendbench_version") for side in (one, two)]
    if versions[0] != versions[1]:
        yield f"mendbench {versions[0]} made A and {versions[1]} made B"
    engines = [side.run.run.get("engines") or {} for side in (one, two)]
    for name in sorted((engines[0].keys() & engines[1].keys()) - {OURS}):
        before, after = (own[name].get("version") or "of no version" for own in engines)
        if before != after:
            yield f"the engine {name} is {before} in A and {after} in B"
    if all((side.run.run.get("digests") or {}).get("scorer") is None for side in (one, two)):
        yield "neither run says which scorer judged it; they are taken to be alike"
