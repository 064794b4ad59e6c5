"""The gate's verdict, and the texts that describe it and the differences in trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mendbench.scoring.gating.result import (
    COSTS,
    Arm,
    BaselineEntry,
    Change,
    DigestDifference,
    GateResult,
    GateVerdict,
    Level,
    LimitResult,
    Shift,
    TrialChange,
)
from mendbench.scoring.statistics.exact import MANY_CASES

SIDES = {
    "repairs": "repairs (cases that an edit mends)",
    "restraint": "restraint (cases to be left alone)",
    "harm": "harm (cases that repair did damage in)",
}

_FAILED: dict[Change, str] = {
    "secret": "a declared secret stands in {}",
    "crashed": "{} crashed",
    "lost": "{} right before and wrong now",
    "worse": "{} wrong in a graver way",
    "wasted": "{} with more wasted attempts",
    "attempts": "{} with more attempts",
    "recording": "{} with a changed recording",
    "new": "{} new and not right",
    "gone": "{} gone",
    "facts": "{} with fewer facts in the prompt",
    "tokens": "{} with more context tokens",
    "slower": "{} slower",
}


def cause(then: BaselineEntry, now: BaselineEntry) -> str:
    """Return what differed in a trial, as far as its digests show."""
    if now.verdict == "crashed":
        return "it ended in a fault of foreign code"
    for number, (before, after) in enumerate(zip(then.responses, now.responses, strict=False), start=1):
        asked = "the same prompt" if before.prompt == after.prompt else "another prompt"
        if before.response != after.response:
            resampled = ", recorded again" if before.prompt == after.prompt and after.asked else ""
            return f"attempt {number}: {asked}, another response{resampled}"
    if then.attempts != now.attempts:
        return _stopped(then, now)
    if then.stop_reason != now.stop_reason:
        return f"the same responses; it ended otherwise ({then.stop_reason} -> {now.stop_reason})"
    if then.exchanges not in {None, now.exchanges}:
        return "the same responses, and other exchanges with the world"
    return "the same responses and the same exchanges; it was judged otherwise"


def recording_words(changed: int) -> str:
    """Return a message about the number of requests whose response from the world changed."""
    return f"the world's response to {_counted(changed, 'request')} changed"


def _stopped(then: BaselineEntry, now: BaselineEntry) -> str:
    """Return how the stop of a trial changed, if its responses are the same as before."""
    if not then.attempts:
        return f"repair was tried, where it was not before ({then.stop_reason})"
    if not now.attempts:
        return f"no repair was tried ({now.stop_reason}), where one was before"
    if now.attempts > then.attempts:
        return f"the same responses; it went on after attempt {then.attempts}, where it stopped before ({then.stop_reason})"
    return f"the same responses; it stopped after attempt {now.attempts} ({now.stop_reason}), where it went on before"


def verdict(
    findings: Sequence[TrialChange], shifted: Sequence[Shift], limits: Sequence[LimitResult], different: Sequence[DigestDifference],
) -> GateVerdict:  # fmt: skip
    """Return the verdict. A certain loss takes precedence over an open question."""
    if any(finding.level == "fail" for finding in findings) or any(limit.status == "broken" for limit in limits):
        return "fail"
    if any(shift.status == "worse" for shift in shifted):
        return "fail"
    open_changes = {finding.change for finding in findings if finding.level == "open"}
    if different or open_changes & {"incomparable", "recording"}:
        return "incomparable"
    if open_changes & {"unjudged", "new"} or any(limit.status == "open" for limit in limits):
        return "incomplete"
    return "inconclusive" if any(shift.status == "open" for shift in shifted) else "pass"


def headline(result: GateResult, counts: Mapping[tuple[Change, Level], int]) -> str:
    """Return the verdict in one line of text."""
    if result.verdict == "pass":
        return f"passed: {_good_words(result, counts)}"
    if result.verdict == "fail":
        return f"FAILED: {'; '.join(_failures(result, counts))}"
    return f"inconclusive: {'; '.join(_open_questions(result, counts))}"


def notes(result: GateResult, counts: Mapping[tuple[Change, Level], int], shard: str | None = None) -> tuple[str, ...]:
    """Return further information for the reader. ``shard`` names the shard, if the run is one."""
    tally, found = result.tally, list[str]()
    if shard is not None:
        found.append(
            f"shard {shard} alone: the rest of the run is not gated; `mendbench merge` puts the shards together"
        )
    gone = sum(count for (change, _), count in counts.items() if change == "gone")
    new = sum(count for (change, _), count in counts.items() if change == "new")
    if result.differences:
        found.append(f"no trial was compared: {len(result.differences)} digests differ")
    else:
        resampled = f", {tally.resampled} of them answered again" if tally.resampled else ""
        found.append(
            f"compared {tally.compared} of the {tally.baseline} trials of {result.baseline}{resampled}; {tally.alike} alike"
        )
    if tally.other_ways:
        found.append(f"{_trials(tally.other_ways)} have the same result with other prompts, responses or exchanges")
    costs = [_FAILED[change].format(_trials(count)) for change in COSTS if (count := counts.get((change, "show"), 0))]
    if costs:
        found.append(f"shown, not gated: {'; '.join(costs)}")
    if gone:
        found.append(
            f"{_trials(gone)} of the baseline not in this run: the selection is a narrower one, or they are gone"
        )
    if new:
        gated = new > counts.get(("new", "show"), 0)
        found.append(f"{_trials(new)} not in the baseline{'' if gated else ', not gated (--new gates them)'}")
    if result.verdict == "fail" and (still := _open_questions(result, counts)):
        found.append(f"also inconclusive: {'; '.join(still)}")
    return tuple(found)


def shift_words(shift: Shift) -> str:
    """Describe the shift of resampled trials in one line. For harm, a positive change means more harm."""
    harm = shift.side == "harm"
    change, ends = shift.change, shift.interval and (shift.interval.low, shift.interval.high)
    if harm:
        change, ends = 0 - change, ends and (0 - ends[1], 0 - ends[0])
    interval = f", 95 % {ends[0] * 100:+.0f} to {ends[1] * 100:+.0f}" if ends else ""
    within = f"beyond the margin, but within noise (p = {shift.p:.3g})" if shift.beyond_margin else "within the margin"
    status = {
        "worse": f"worse beyond noise (p = {shift.adjusted:.3g})",
        "open": f"may be noise (p = {shift.adjusted:.3g}){_needed(shift)}",
        "holds": within,
    }[shift.status]
    cases = f"{_counted(shift.cases, 'case')} in {_counted(shift.groups, 'group')}"
    moved = (
        f"{shift.lost} more, {shift.won} less"
        if harm
        else f"{shift.lost} lost, {shift.won} won, of {shift.at_stake:.4g} right before or now"
    )
    points = f"{change * 100:+.1f} points over {cases} answered again"
    return f"{SIDES[shift.side]}, {arm_words(shift.arm)}: {points} ({moved}{interval}): {status}"


def arm_words(arm: Arm | None) -> str:
    """Describe an arm."""
    if arm is None:
        return "all together"
    return f"{arm.strategy} ({arm.model or arm.repairer})"


def limit_words(result: LimitResult) -> str:
    """Describe a limit, the value that it was compared with, and the side that it fails on."""
    measured, limit = result.measure, result.limit
    if measured.value is None:
        decided = "; unjudged trials decide" if result.status == "open" else ""
        return f"{limit.name} = {limit.bound:g}: {limit.score} is {measured.undefined}{decided}; {_where(result)}"
    interval = f"no interval ({measured.method})"
    if measured.interval is not None:
        interval = f"95 % {measured.interval.low:.3g} to {measured.interval.high:.3g}"
    value = f"{measured.value:.4g}"
    if measured.bounds is not None:
        value = f"{measured.bounds.low:.4g} to {measured.bounds.high:.4g}"
    sign, broken = {"max": ("at most", "too high"), "min": ("at least", "too low")}[limit.side]
    status = {"holds": "holds", "broken": broken, "open": "unjudged trials decide"}[result.status]
    allowed = f"{sign} {limit.bound:g} is allowed"
    return f"{limit.name}: {limit.score} is {value}, {interval}, {status}: {allowed}; {_where(result)}"


def finding_words(finding: TrialChange) -> str:
    """Describe a finding in one line: the trial, and its results before and now."""
    resampled = ", answered again" if finding.regime == "resampled" else ""
    endings = ending_words(finding)
    return f"{finding.change}: {finding.trial.case} [{treatment_words(finding)}]{resampled}{': ' if endings else ''}{endings}"


def ending_words(finding: TrialChange) -> str:
    """Return the results of a trial before and now; empty if the finding is about the world's responses."""
    return "" if finding.change == "recording" else f"{finding.was} -> {finding.now}"


def treatment_words(finding: TrialChange) -> str:
    """Describe the treatment of a finding's trial."""
    own = finding.trial
    return " · ".join(
        (own.strategy, own.policy, own.model or own.repairer, *([f"sample {own.sample}"] if own.sample else []))
    )


def _where(result: LimitResult) -> str:
    own = result.treatment
    names = (own.strategy, own.policy, own.model or own.repairer, *([f"{result.part} part"] if result.part else []))
    return " · ".join(names)


def _good_words(result: GateResult, counts: Mapping[tuple[Change, Level], int]) -> str:
    better = sum(counts.get((change, "show"), 0) for change in ("won", "better"))
    worse = sum(counts.get((change, "show"), 0) for change in ("lost", "worse", "wasted", "attempts"))
    compared, gone = _trials(result.tally.compared), counts.get(("gone", "show"), 0)
    line = f"{compared} no worse than in {result.baseline}"
    if worse:
        line = f"compared {compared} with {result.baseline}, {worse} of them worse within what is allowed"
    line += f", {better} better" if better else ""
    return line + (f"; {gone} of its {_trials(result.tally.baseline)} not in this run" if gone else "")


def _failures(result: GateResult, counts: Mapping[tuple[Change, Level], int]) -> list[str]:
    reasons = [
        words.format(_trials(count)) for change, words in _FAILED.items() if (count := counts.get((change, "fail"), 0))
    ]
    reasons += [
        f"{_whose(shift)} {'more' if shift.side == 'harm' else 'worse'} beyond noise"
        for shift in result.shifts
        if shift.status == "worse"
    ]
    broken = Counter(limit.limit.name for limit in result.limits if limit.status == "broken")
    times = {name: f" {count} times" if count > 1 else "" for name, count in broken.items()}
    return reasons + [f"{name} broken{times[name]}" for name in broken]


def _open_questions(result: GateResult, counts: Mapping[tuple[Change, Level], int]) -> list[str]:
    reasons = [f"{difference.what} differs" for difference in result.differences]
    if count := counts.get(("incomparable", "open"), 0):
        reasons.append(f"the cases of {_trials(count)} are others")
    if count := counts.get(("recording", "open"), 0):
        reasons.append(f"the recordings of {_trials(count)} changed")
    if count := counts.get(("unjudged", "open"), 0) + counts.get(("new", "open"), 0):
        reasons.append(f"{_trials(count)} {'misses' if count == 1 else 'miss'} a recording")
    reasons += [
        f"{_whose(shift)} {'rose by' if shift.side == 'harm' else 'lost'} {-shift.change * 100:.1f} points, "
        f"which may be noise{_needed(shift)}"
        for shift in result.shifts
        if shift.status == "open"
    ]
    unknown = Counter(limit.limit.name for limit in result.limits if limit.status == "open")
    return reasons + [f"{name} depends on unjudged trials" for name in unknown]


def _whose(shift: Shift) -> str:
    return shift.side if shift.arm is None else f"{shift.side} of {arm_words(shift.arm)}"


def _needed(shift: Shift) -> str:
    if shift.needed is None:
        return ""
    number = f"over {MANY_CASES}" if shift.needed > MANY_CASES else f"about {shift.needed}"
    return f"; would need {number} more {'case' if shift.needed == 1 else 'cases'}"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun if count == 1 else f'{noun}s'}"


def _trials(count: int) -> str:
    return _counted(count, "trial")
