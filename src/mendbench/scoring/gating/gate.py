"""The gate: whether repair got worse since the baseline was accepted.

There are two regimes, chosen for each trial. If a trial got the same responses as before, up to where one of the two stopped, no chance
is involved: the change caused every difference, and one right trial that is now wrong fails the gate. If a response of a model or a
program differs, chance is involved, and only a loss beyond noise fails: see :mod:`mendbench.scoring.gating.resampled`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mendbench.errors import BadInput
from mendbench.scoring.chance import may_be_chance
from mendbench.scoring.gating.limits import check_limits
from mendbench.scoring.gating.resampled import Pair, lost_in, open_in, shifts
from mendbench.scoring.gating.result import (
    Baseline,
    Change,
    Difference,
    Digests,
    Entry,
    Finding,
    GateResult,
    Level,
    LimitResult,
    Present,
    Regime,
    Rules,
    Shift,
    Tally,
)
from mendbench.scoring.gating.words import cause, headline, notes, recording_words, verdict

GRAVITY = {
    "partly": 1, "unrepaired": 2, "declined": 2, "false_warning": 2, "missed_warning": 2, "plausible": 3, "disturbed": 3, "harmful": 4,
}  # fmt: skip
"""Severity of wrong outcomes. 1: partly mended. 2: nothing mended, and nothing broken. 3: wrong but looks right, or edited where nothing
was wrong. 4: harm done."""

_ORDER: tuple[Change, ...] = (
    "secret", "crashed", "lost", "worse", "wasted", "attempts", "recording", "unjudged", "incomparable", "new", "gone", "changed",
    "better", "won",
)  # fmt: skip
_LEVELS: tuple[Level, ...] = ("fail", "open", "show")


def gate(baseline: Baseline, run: Present, rules: Rules) -> GateResult:
    """Return whether the trials of a run are worse than those of a baseline, and what differs.

    Raises:
        BadInput: one of the two is empty, or they share no trial; a limit or its selection names something that the run does not have.
    """
    then, now = {one.key: one for one in baseline.entries}, {one.key: one for one in run.entries}
    _refuse_empty(baseline, run, then.keys() & now.keys())
    different = differences(baseline.digests, run.digests)
    pairs = [] if different else [Pair(then=then[key], now=now[key]) for key in sorted(then.keys() & now.keys())]
    judged = [pair for pair in pairs if _comparable(pair)]
    resampled_pairs = [pair for pair in judged if regime_of(pair) == "resampled"]
    groups = {record.case: record.group for record in run.records}
    shifted = shifts(resampled_pairs, groups, margin=rules.margin, alpha=rules.alpha)
    found = [
        *_secrets(then, now, run.secrets),
        *(finding for pair in pairs for finding in _findings(pair, shifted, rules)),
        *_alone(then, now, rules, compared=not different),
    ]
    findings = tuple(sorted(found, key=lambda one: (_LEVELS.index(one.level), _ORDER.index(one.change), one.key)))
    limits = check_limits(rules.limits, run.records, rules.selection)
    changed = {one.key for one in findings if one.change != "secret"}
    alike = [pair for pair in judged if pair.now.key not in changed]
    tally = Tally(
        baseline=len(then),
        run=len(now),
        compared=len(judged),
        resampled=len(resampled_pairs),
        alike=len(alike),
        other_ways=sum(_went_otherwise(pair) for pair in alike),
    )
    return _result(baseline, run, tally, findings, shifted, limits, different)


def regime_of(pair: Pair) -> Regime:
    """Return whether chance may explain the difference of a pair: see :func:`mendbench.scoring.chance.may_be_chance`."""
    return "resampled" if may_be_chance(pair.then.responses, pair.now.responses, verdict=pair.now.verdict) else "exact"


def differences(then: Digests, now: Digests) -> tuple[Difference, ...]:
    """Return the differences that make the two incomparable. Only prices that both have are compared."""
    found = []
    if then.engine != now.engine:
        hint = "the engine is another one: look at what changed, then accept this run with `mendbench gate --update`"
        found.append(Difference(what="engine", before=then.engine, after=now.engine, hint=hint))
    if then.scorer != now.scorer:
        hint = (
            "judge both alike: `mendbench report RUN --rescore` for the run that is older; of the baseline, the run that it was "
            "made from, then `mendbench gate --update`"
        )
        found.append(Difference(what="scorer", before=then.scorer, after=now.scorer, hint=hint))
    mine, prices = dict(then.prices), dict(now.prices)
    hint = "costs are of other prices: accept them with `mendbench gate --update`"
    paid = (name for name in sorted(mine.keys() & prices.keys()) if mine[name] != prices[name])
    found += [Difference(what=f"price of {name}", before=mine[name], after=prices[name], hint=hint) for name in paid]
    return tuple(found)


def _refuse_empty(baseline: Baseline, run: Present, shared: Iterable[str]) -> None:
    if not run.entries:
        raise BadInput(run.place, "a run without trials", "run at least one with `mendbench run`")
    if not baseline.entries:
        raise BadInput(baseline.place, "a baseline without trials", "accept a run with `mendbench gate --update`")
    if not any(True for _ in shared):
        found = f"none of its {len(baseline.entries)} trials is among the {len(run.entries)} of {run.place}"
        hint = f"gate the run that it belongs to, or accept this one with `mendbench gate {run.place} --update`"
        raise BadInput(baseline.place, found, hint)


def _comparable(pair: Pair) -> bool:
    return pair.then.case_digest == pair.now.case_digest and pair.now.verdict != "unjudged"


def changed_exchanges(then: Entry, now: Entry) -> tuple[str, ...]:
    """Return the requests that both trials sent and that got different responses from the world."""
    if not then.exchanges or not now.exchanges or then.exchanges == now.exchanges:
        return ()
    before = dict(_exchanges(then.exchanges))
    return tuple(
        request for request, response in _exchanges(now.exchanges) if before.get(request, response) != response
    )


def _exchanges(told: str) -> Iterator[tuple[str, str]]:
    for exchange in told.split(","):
        request, _, response = exchange.partition(":")
        yield request, response


def _went_otherwise(pair: Pair) -> bool:
    then, now = pair.then, pair.now
    return then.responses != now.responses or then.exchanges != now.exchanges


def _findings(pair: Pair, shifted: Sequence[Shift], rules: Rules) -> Iterator[Finding]:
    """Yield the change of a trial, and separately any changed responses of the world: the likely cause."""
    then, now = pair.then, pair.now
    if then.case_digest != now.case_digest:
        what = f"the case is another one ({then.case_digest} -> {now.case_digest}): accept it with `mendbench gate --update`"
        yield _made("incomparable", "open", now, before=then, after=now, why=(what,))
        return
    changed = changed_exchanges(then, now)
    told = recording_words(len(changed))
    if changed:
        why = (f"{told}: accept it with `mendbench gate --update` if that is meant",)
        yield _made("recording", rules.changed_recording, now, before=then, after=now, why=why, changed=changed)
    likely = (f"likely cause: {told}",) if changed else ()
    if now.verdict == "unjudged":
        yield _made("unjudged", "open", now, before=then, after=now, why=likely, changed=changed)
        return
    change = change_of(then, now)
    if change is not None:
        regime = regime_of(pair)
        level = _exact_level(change, rules) if regime == "exact" else _resampled_level(change, pair, shifted)
        why = (*likely, cause(then, now))
        yield _made(change, level, now, before=then, after=now, regime=regime, why=why, changed=changed)


def change_of(then: Entry, now: Entry) -> Change | None:
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


def _gravity(entry: Entry) -> int:
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
    if lost_in(pair, shifted):
        return "fail"
    return "open" if open_in(pair, shifted) else "show"


def _alone(then: dict[str, Entry], now: dict[str, Entry], rules: Rules, *, compared: bool) -> Iterable[Finding]:
    """Yield the trials that only one side has."""
    wrong: dict[str, Level] = {"incorrect": "fail", "crashed": "fail", "unjudged": "open"}
    for key in now.keys() - then.keys():
        level = wrong.get(now[key].verdict, "show") if rules.new and compared else "show"
        yield _made("new", level, now[key], after=now[key])
    for key in then.keys() - now.keys():
        yield _made("gone", rules.gone if compared else "show", then[key], before=then[key])


def _secrets(
    then: Mapping[str, Entry], now: Mapping[str, Entry], found: Iterable[tuple[str, tuple[str, ...]]]
) -> Iterable[Finding]:
    for key, places in found:
        yield _made("secret", "fail", now[key], before=then.get(key), after=now[key], why=places)


def _made(
    change: Change, level: Level, entry: Entry, *,
    before: Entry | None = None, after: Entry | None = None, regime: Regime | None = None, why: tuple[str, ...] = (),
    changed: tuple[str, ...] = (),
) -> Finding:  # fmt: skip
    return Finding(
        change=change, level=level, key=entry.key, trial=entry.trial, before=before, after=after, regime=regime, why=why,
        changed_exchanges=changed,
    )  # fmt: skip


def _result(
    baseline: Baseline, run: Present, tally: Tally, findings: tuple[Finding, ...], shifted: tuple[Shift, ...],
    limits: tuple[LimitResult, ...], different: tuple[Difference, ...],
) -> GateResult:  # fmt: skip
    bare = GateResult(
        verdict=verdict(findings, shifted, limits, different),
        headline="",
        notes=(),
        baseline=baseline.place,
        run=run.place,
        tally=tally,
        findings=findings,
        shifts=shifted,
        limits=limits,
        differences=different,
    )
    counts = Counter((one.change, one.level) for one in findings)
    return replace(bare, headline=headline(bare, counts), notes=notes(bare, counts, run.shard))
