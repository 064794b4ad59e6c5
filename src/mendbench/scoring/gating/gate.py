"""The gate: whether repair got worse since the baseline was accepted.

There are two regimes, chosen for each trial. If a trial got the same responses as before, up to where one of the two stopped, no chance
is involved: the change caused every difference, and one right trial that is now wrong fails the gate. If a response of a model or a
program differs, chance is involved, and only a loss beyond noise fails: see :mod:`mendbench.scoring.gating.resampled`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mendbench.errors import BadInput
from mendbench.scoring.chance import may_be_chance
from mendbench.scoring.gating.costs import cost_changes
from mendbench.scoring.gating.limits import check_limits
from mendbench.scoring.gating.resampled import Pair, losing, shifts
from mendbench.scoring.gating.result import (
    COSTS,
    Baseline,
    BaselineEntry,
    Change,
    DigestDifference,
    Digests,
    GateResult,
    Level,
    Present,
    Regime,
    Rules,
    Shift,
    Tally,
    TrialChange,
)
from mendbench.scoring.gating.verdict_texts import cause, headline, notes, recording_words, verdict

GRAVITY = {
    "partly": 1, "unrepaired": 2, "declined": 2, "false_warning": 2, "missed_warning": 2, "plausible": 3, "disturbed": 3, "harmful": 4,
}  # fmt: skip
"""Severity of wrong outcomes. 1: partly mended. 2: nothing mended, and nothing broken. 3: wrong but looks right, or edited where nothing
was wrong. 4: harm done."""

_ORDER: tuple[Change, ...] = (
    "secret", "crashed", "lost", "worse", "wasted", "attempts", "recording", "unjudged", "incomparable", "new", "gone", "changed",
    "better", "won", "facts", "tokens", "slower",
)  # fmt: skip
_LEVELS: tuple[Level, ...] = ("fail", "open", "show")

_OTHER_ENGINE = "the engine is another one: look at what changed, then accept this run with `mendbench gate --update`"
_OTHER_SCORER = (
    "judge both alike: `mendbench report RUN --rescore` for the run that is older; of the baseline, the run that it was made from, then "
    "`mendbench gate --update`"
)
_OTHER_PRICES = "costs are of other prices: accept them with `mendbench gate --update`"


def gate(baseline: Baseline, run: Present, rules: Rules) -> GateResult:
    """Return whether the trials of a run are worse than those of a baseline, and what differs.

    Raises:
        BadInput: one of the two is empty, or they share no trial; a limit or its selection names something that the run does not have.
    """
    then, now = ({entry.key: entry for entry in side.entries} for side in (baseline, run))
    _refuse_empty(baseline, run, shared=not then.keys().isdisjoint(now))
    different = differences(baseline.digests, run.digests)
    pairs = [] if different else [Pair(then=then[key], now=now[key]) for key in sorted(then.keys() & now.keys())]
    judged = [pair for pair in pairs if pair.same_case and pair.now.verdict != "unjudged"]
    resampled_pairs = [pair for pair in judged if regime_of(pair) == "resampled"]
    groups = {record.case: record.group for record in run.records}
    shifted = shifts(resampled_pairs, groups, margin=rules.margin, alpha=rules.alpha)
    found = [
        *(_finding("secret", "fail", then.get(key), now[key], why=places) for key, places in run.secrets),
        *(finding for pair in pairs for finding in _findings(pair, shifted, rules)),
        *_alone(then, now, rules, compared=not different),
    ]
    findings = tuple(sorted(found, key=lambda each: (_LEVELS.index(each.level), _ORDER.index(each.change), each.key)))
    limits = check_limits(rules.limits, run.records, rules.selection)
    changed = {finding.key for finding in findings if finding.change not in {"secret", *COSTS}}
    alike = [pair for pair in judged if pair.now.key not in changed]
    result = GateResult(
        verdict=verdict(findings, shifted, limits, different),
        headline="",
        notes=(),
        baseline=baseline.place,
        run=run.place,
        tally=Tally(
            baseline=len(then),
            run=len(now),
            compared=len(judged),
            resampled=len(resampled_pairs),
            alike=len(alike),
            other_ways=sum(pair.went_otherwise for pair in alike),
        ),
        findings=findings,
        shifts=shifted,
        limits=limits,
        differences=different,
    )
    counts = Counter((finding.change, finding.level) for finding in findings)
    return replace(result, headline=headline(result, counts), notes=notes(result, counts, run.shard))


def regime_of(pair: Pair) -> Regime:
    """Return whether chance may explain the difference of a pair: see :func:`mendbench.scoring.chance.may_be_chance`."""
    return "resampled" if may_be_chance(pair.then.responses, pair.now.responses, verdict=pair.now.verdict) else "exact"


def differences(then: Digests, now: Digests) -> tuple[DigestDifference, ...]:
    """Return the differences that make the two incomparable. Only prices that both have are compared."""
    prices_then, prices_now = dict(then.prices), dict(now.prices)
    digests = [("engine", then.engine, now.engine, _OTHER_ENGINE), ("scorer", then.scorer, now.scorer, _OTHER_SCORER)]
    digests += [
        (f"price of {name}", prices_then[name], prices_now[name], _OTHER_PRICES)
        for name in sorted(prices_then.keys() & prices_now.keys())
    ]
    return tuple(
        DigestDifference(what=what, before=before, after=after, hint=hint)
        for what, before, after, hint in digests
        if before != after
    )


def _refuse_empty(baseline: Baseline, run: Present, *, shared: bool) -> None:
    if not run.entries:
        raise BadInput(run.place, "a run without trials", "run at least one with `mendbench run`")
    if not baseline.entries:
        raise BadInput(baseline.place, "a baseline without trials", "accept a run with `mendbench gate --update`")
    if not shared:
        found = f"none of its {len(baseline.entries)} trials is among the {len(run.entries)} of {run.place}"
        hint = f"gate the run that it belongs to, or accept this one with `mendbench gate {run.place} --update`"
        raise BadInput(baseline.place, found, hint)


def changed_exchanges(then: BaselineEntry, now: BaselineEntry) -> tuple[str, ...]:
    """Return the requests that both trials sent and that got different responses from the world."""
    if not then.exchanges or not now.exchanges or then.exchanges == now.exchanges:
        return ()
    before = dict(_exchanges(then))
    return tuple(request for request, response in _exchanges(now) if before.get(request, response) != response)


def _exchanges(entry: BaselineEntry) -> Iterator[tuple[str, str]]:
    for exchange in entry.exchanges.split(","):
        request, _, response = exchange.partition(":")
        yield request, response


def _findings(pair: Pair, shifted: Sequence[Shift], rules: Rules) -> Iterator[TrialChange]:
    """Yield the change of a trial, and separately what it costs more and any changed responses of the world: the likely cause."""
    then, now = pair.then, pair.now
    if not pair.same_case:
        why = f"the case is another one ({then.case_digest} -> {now.case_digest}): accept it with `mendbench gate --update`"
        yield _finding("incomparable", "open", then, now, why=(why,))
        return
    changed = changed_exchanges(then, now)
    likely: tuple[str, ...] = ()
    if changed:
        message = recording_words(len(changed))
        likely = (f"likely cause: {message}",)
        why = f"{message}: accept it with `mendbench gate --update` if that is meant"
        yield _finding("recording", rules.changed_recording, then, now, why=(why,), changed=changed)
    for cost, level in cost_changes(then, now, rules, regime_of(pair)):
        yield _finding(cost, level, then, now)
    if now.verdict == "unjudged":
        yield _finding("unjudged", "open", then, now, why=likely, changed=changed)
        return
    change = change_of(then, now)
    if change is not None:
        regime = regime_of(pair)
        level = _exact_level(change, rules) if regime == "exact" else _resampled_level(change, pair, shifted)
        yield _finding(change, level, then, now, regime=regime, why=(*likely, cause(then, now)), changed=changed)


def change_of(then: BaselineEntry, now: BaselineEntry) -> Change | None:
    """Return how a trial with a verdict on both sides changed; None if it did not."""
    if now.verdict != then.verdict:
        if now.verdict == "crashed":
            return "crashed"
        if then.verdict == "crashed":
            return "won" if now.verdict == "correct" else "better"
        return "won" if now.verdict == "correct" else "lost"
    before, after = _gravity(then), _gravity(now)
    if before != after:
        return "worse" if after > before else "better"
    if then.wasted is not None and now.wasted is not None:
        if now.wasted > then.wasted:
            return "wasted"
        if now.attempts > then.attempts:
            return "attempts"
        if (now.wasted, now.attempts) != (then.wasted, then.attempts):
            return "better"
    return "changed" if then.outcome != now.outcome else None


def _gravity(entry: BaselineEntry) -> int:
    return GRAVITY.get(entry.outcome or "", 0) if entry.verdict == "incorrect" else 0


def _exact_level(change: Change, rules: Rules) -> Level:
    gated: dict[Change, Level] = {
        "lost": "fail",
        "crashed": "fail",
        "worse": rules.worse_outcome,
        "wasted": rules.more_wasted,
        "attempts": rules.more_attempts,
    }
    return gated.get(change, "show")


def _resampled_level(change: Change, pair: Pair, shifted: Sequence[Shift]) -> Level:
    if change not in {"lost", "worse"}:
        return "show"
    statuses = losing(pair, shifted)
    return "fail" if "worse" in statuses else "open" if "open" in statuses else "show"


def _alone(
    then: dict[str, BaselineEntry], now: dict[str, BaselineEntry], rules: Rules, *, compared: bool
) -> Iterable[TrialChange]:
    """Yield the trials that only one side has."""
    wrong: dict[str, Level] = {"incorrect": "fail", "crashed": "fail", "unjudged": "open"}
    for key in now.keys() - then.keys():
        level = wrong.get(now[key].verdict, "show") if rules.new and compared else "show"
        yield _finding("new", level, None, now[key])
    for key in then.keys() - now.keys():
        yield _finding("gone", rules.gone if compared else "show", then[key], None)


def _finding(
    change: Change, level: Level, then: BaselineEntry | None, now: BaselineEntry | None, *,
    regime: Regime | None = None, why: tuple[str, ...] = (), changed: tuple[str, ...] = (),
) -> TrialChange:  # fmt: skip
    entry = now or then
    assert entry is not None  # noqa: S101 - a finding is about a trial
    return TrialChange(
        change=change, level=level, key=entry.key, trial=entry.trial, before=then, after=now, regime=regime, why=why,
        changed_exchanges=changed,
    )  # fmt: skip
