"""Short answers to a reader's questions: which strategy, which policy, and what still fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mendbench.report.funnels import SAYS, FunnelLine
from mendbench.report.gaps import Gap, gap_between
from mendbench.report.primary import Primary
from mendbench.report.saved import Saving
from mendbench.report.selection import Selection
from mendbench.report.summary import contenders, estimated, leading
from mendbench.report.tables import ABOUT, Line, Panel
from mendbench.report.views import GridColumn
from mendbench.report.words import counted, figure, listing, on_apis, percent
from mendbench.results.store import StoredRun
from mendbench.scoring.comparing.contrasts import ContrastResult
from mendbench.scoring.counting import all_tokens
from mendbench.scoring.funnel import Stage, final_stage, first_stage
from mendbench.scoring.records import EDIT_KINDS, TrialRecord

Tone: TypeAlias = Literal["plain", "open"]

NO_CONTEXT = "none"
"""The control that contains nothing about the error."""

FEW_TRIALS = 3
"""Maximum number of trials that a short answer names one by one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCount:
    """Number of trials with one outcome; links to their grid."""

    number: int
    says: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StageStop:
    """Trials that stopped at one stage."""

    number: int
    stage: Stage
    says: str
    keys: tuple[str, ...]
    """The trials, if there are at most :data:`FEW_TRIALS`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question of a reader, and its answer from the run."""

    question: str
    says: str
    """A few words, or a figure."""
    why: tuple[str, ...]
    """The evidence, with denominators."""
    tone: Tone = "plain"
    counts: tuple[OutcomeCount, ...] = ()
    """What went wrong in the trials of :attr:`of`."""
    of: str = ""
    stages: tuple[StageStop, ...] = ()
    """Where trials of :attr:`strategy` stopped."""
    stopped_at: Literal["first_stage", "final_stage"] = "final_stage"
    """Whether :attr:`stages` are those of the first or of the last response."""
    strategy: str = ""
    panel: Panel | None = None
    """The panel whose trials :attr:`counts` and :attr:`stages` count."""


def strategy_answer(
    run: StoredRun, panel: Panel, selection: Selection, found: Sequence[Gap], primaries: Sequence[Primary]
) -> Answer:
    """Return the strategies with the greatest share of repaired cases, with their lead, its certainty and its price."""
    question, lines = f"Which strategy{on_apis(selection.api)}?", panel.lines
    lines_with_cases = [line for line in lines if line.group != "bound" and line.cases]
    plain = contenders(lines) or lines_with_cases
    if not plain:
        return Answer(question=question, says="undecided", why=("No case of this run has a fault that an edit mends.",))
    best = leading(plain)
    if len(best) == len(plain) > 1:
        return Answer(question=question, says="all alike", why=tuple(f"{line.name}: {_right(line)}" for line in best))
    why = [f"{_right(line)}{_within(line)}" if len(best) == 1 else f"{line.name}: {_right(line)}" for line in best]
    cheapest = min(best, key=lambda line: line.first_tokens)
    if len(best) == 1:
        ahead_of = _next_best(selection, best[0], plain)
        after = next(iter(ahead_of), None)
        why += _ahead(ahead_of, best[0], found)
        why += [
            _planned(result)
            for primary in primaries
            for result in primary.results
            if primary.model == selection.solver.model
            and (result.stratum or "") == (selection.api or "")
            and result.treatment.startswith(f"{best[0].name} under ")
        ]
    else:
        after = None
        why.append(f"Cheapest of these: {cheapest.name}")
    if any(column.name == NO_CONTEXT for column in selection.columns if column.group == "control"):
        bare = gap_between(selection, cheapest.name, NO_CONTEXT)
        why += [_against(bare)] if bare is not None else []
    why.append(_price(run, selection, cheapest, after))
    ends = [f"{line.name} {line.right}" for line in lines if line.group == "bound" and line.cases == best[0].cases]
    if ends and selection.policy.measure == "repair_success":
        why.append(f"Bounds: {', '.join(ends)}")
    return Answer(question=question, says=listing([line.name for line in best]), why=tuple(why))


def _right(line: Line) -> str:
    rate = f" ({line.rate})" if line.rate and not line.bounds else ""
    return f"{line.reach} of {counted(line.cases, 'case')} repaired{rate}"


def _within(line: Line) -> str:
    if line.bar is None:
        return ""
    if line.rate is None:
        return f"; 95 % interval {line.bar.low * line.cases / 100:.1f} to {line.bar.high * line.cases / 100:.1f} cases"
    return f"; 95 % interval {line.bar.low:.0f} to {percent(line.bar.high / 100)}"


def _next_best(selection: Selection, best: Line, plain: Sequence[Line]) -> list[Gap]:
    """Return how the best strategy differs from the next one, or from each of those that share the second place."""
    others = sorted((line for line in plain if line is not best), key=lambda line: -line.value / line.cases)
    second = [line for line in others if line.value / line.cases == others[0].value / others[0].cases]
    return [gap for line in second if (gap := gap_between(selection, best.name, line.name)) is not None]


def _ahead(after: Sequence[Gap], best: Line, found: Sequence[Gap]) -> Iterator[str]:
    """Yield the lead of the best strategy over the next ones, and over the reference strategy."""
    base = [gap for gap in found if gap.name == best.name and gap.against not in {other.against for other in after}]
    return map(_against, (*after, *base))


def _against(gap: Gap) -> str:
    difference = gap.difference
    verdict = {"better": "more than chance", "worse": "fewer than chance"}.get(difference.verdict, difference.verdict)
    return f"Against {gap.against}: {difference.won} won, {difference.lost} lost of {difference.cases}, {verdict} (exploratory)"


def _price(run: StoredRun, selection: Selection, line: Line, after: Gap | None) -> str:
    """Return the tokens per trial of a strategy: of the first prompt's context, and of all prompts and responses."""
    about = ABOUT if estimated(run, selection.solver) else ""
    known = [all_tokens(attempts) for attempts in selection.of(_column(selection, line)).column("attempts")]
    spent = [tokens for tokens in known if tokens is not None]
    each = f"; {about}{figure(sum(spent) / len(spent), 0)} prompt and response tokens a trial" if spent else ""
    times = f", {about}{after.tokens:.1f} times those of {after.against}" if spent and after and after.tokens else ""
    return f"Price: context of {line.context_tokens} tokens{each}{times}"


def _column(selection: Selection, line: Line) -> GridColumn:
    return next(column for column in selection.columns if column.name == line.name)


def _planned(result: ContrastResult) -> str:
    against = result.against.partition(" under ")[0]
    if result.undefined or result.difference is None:
        return f"Primary contrast against {against}: no result"
    difference = result.difference
    return f"Primary contrast against {against}: {difference.won} won, {difference.lost} lost, {difference.verdict}"


def policy_answer(selection: Selection, saved: Sequence[Saving]) -> Answer:
    """Return, of the policies that repair most, the one that wastes least, over the trials that every policy has."""
    question, own = "Which policy?", selection.policy.label
    if not saved:
        alone = len(selection.policies) == 1
        why = (
            f"{selection.solver.label} was run under {own} alone" if alone else "No trial is judged under every policy"
        )
        return Answer(question=question, says=own if alone else "undecided", why=(f"{why}.",))
    most = max(0, *(saving.gained - saving.lost for saving in saved))
    fair = [saving for saving in saved if saving.gained - saving.lost == most]
    least = max((saving.wasted_less for saving in fair), default=0.0)
    if most == 0 and least <= 0:
        fair, least = [], 0.0
    best = [saving for saving in fair if saving.wasted_less == least]
    first = [_saved(saving) for saving in best[:1]] or [
        f"Every other policy repairs fewer than {saved[0].against}, or saves nothing"
    ]
    then = [_saved(saving, name=True) for saving in _next(saved, best)]
    over = f"Over {counted(saved[0].trials, 'trial')} of {counted(saved[0].cases, 'case')}, strategies without controls; exploratory"
    answer = listing([saving.policy for saving in best]) if best else saved[0].against
    return Answer(question=question, says=answer, why=(*first, *then, over))


def _next(saved: Sequence[Saving], best: Sequence[Saving]) -> Sequence[Saving]:
    """Return, of the other policies, the one that repairs most and then wastes least."""
    others = [saving for saving in saved if saving not in best]
    return sorted(others, key=lambda saving: (saving.lost - saving.gained, -saving.wasted_less))[:1]


def _saved(saving: Saving, *, name: bool = False) -> str:
    wasted = _wasted(saving)
    who = f"{saving.policy}: " if name else ""
    moved = (
        f"{counted(saving.lost, 'repair')} lost and {saving.gained} won against {saving.against}, of {saving.repairs}"
    )
    return f"{who}{moved}; {figure(wasted)} wasted attempts a trial, not {figure(wasted + saving.wasted_less)}"


def _wasted(saving: Saving) -> float:
    """Return the number of wasted attempts per trial."""
    return (saving.futile + saving.fruitless) / saving.trials


MEANINGS = {
    "harmful": "harmful",
    "plausible": "plausible but wrong",
    "false_warning": "with a false warning",
    "unjudged": "unjudged",
    "crashed": "crashed",
}
"""What goes wrong, in words."""


def failing_answer(panel: Panel, selection: Selection, funnels: Sequence[FunnelLine]) -> Answer:
    """Return where the unsuccessful trials of the leading strategy stopped, then what went wrong under any strategy."""
    question = f"What still fails{on_apis(selection.api)}?"
    plain = contenders(panel.lines)
    best = leading(plain)[0].name if plain else None
    one = next((line for line in funnels if line.strategy == best), None)
    counts, trials = _wrong(selection)
    under = f"Of all {counted(trials, 'trial')} under {selection.policy.label}, of all strategies but controls"
    if one is None:
        return Answer(question=question, says="undecided", why=(), of=under, counts=counts, panel=panel)
    first = selection.policy.measure == "attempt1_success"
    stopped = one.funnel.first if first else one.funnel.final
    wrong: list[tuple[Stage, int]] = [
        (stage, count) for stage, count in stopped.items() if count and stage not in {"right", "open"}
    ]
    still_open = stopped["open"]
    failed = sum(count for _, count in wrong)
    answer = f"{figure(failed)}{f' to {figure(failed + still_open)}' if still_open else ''} of {one.funnel.trials} with {best}"
    keys = _keys_by_stage(selection, one.strategy, first_stage if first else final_stage)
    stages = tuple(
        StageStop(number=count, stage=stage, says=SAYS[stage], keys=keys.get(stage, ())) for stage, count in wrong
    )
    tone: Tone = "open" if still_open else "plain"
    return Answer(
        question=question, says=answer, why=(), of=under, counts=counts, tone=tone, stages=stages, strategy=one.strategy, panel=panel,
        stopped_at="first_stage" if first else "final_stage",
    )  # fmt: skip


def _keys_by_stage(
    selection: Selection, name: str, stage_of: Callable[[TrialRecord], Stage]
) -> dict[Stage, tuple[str, ...]]:
    """Return the trials of a strategy by the stage at which they stopped, for stages with few."""
    column = next(column for column in selection.columns if column.name == name)
    keys: dict[Stage, list[str]] = {}
    for record in selection.of(column).where("kind", lambda kind: kind in EDIT_KINDS):
        keys.setdefault(stage_of(record), []).append(record.key)
    return {stage: tuple(own) for stage, own in keys.items() if len(own) <= FEW_TRIALS}


def _wrong(selection: Selection) -> tuple[tuple[OutcomeCount, ...], int]:
    """Return what went wrong under the headline's policy, without controls, and the number of trials."""
    own = selection.main()
    found: Counter[str] = Counter()
    for (outcome, verdict), count in own.counted("outcome", "verdict").items():
        found[outcome or verdict] += count
    return tuple(
        OutcomeCount(number=found[name], says=meaning, outcome=name) for name, meaning in MEANINGS.items()
    ), len(own)
