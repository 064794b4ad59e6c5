"""What a report says before anything else: three answers, a sentence for each finding, and the pictures behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mendbench.bench.results import StoredRun
from mendbench.bench.totals import HEADLINE_PART, headline_records
from mendbench.report.gaps import AGAINST, Gap, gaps, noise
from mendbench.report.kinds import KindTable, kind_table
from mendbench.report.pictures.attempts import attempts
from mendbench.report.pictures.forest import forest
from mendbench.report.pictures.picture import Missing, Picture
from mendbench.report.pictures.recall import recall, recall_counts
from mendbench.report.pictures.tokens import tokens
from mendbench.report.pictures.warnings import warnings
from mendbench.report.pictures.waste import waste
from mendbench.report.primary import Primary, primary_of
from mendbench.report.saved import Saving, policy_sums, savings, unstopped
from mendbench.report.selection import Selection, headline_totals, select
from mendbench.report.statements import (
    THEMES,
    Statement,
    context_statements,
    policy_statements,
    primary_statements,
    strategy_statements,
    trial_statements,
    warning_statements,
)
from mendbench.report.summary import Summary, not_judged
from mendbench.report.tables import Line
from mendbench.report.words import counted, figure, listing, percent
from mendbench.scoring.comparing.contrasts import ContrastResult
from mendbench.scoring.forensics.warning_cost import warning_costs

Tone: TypeAlias = Literal["plain", "bad", "open"]

NAMED = 12
"""Trials that a statement links to one by one; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Trials of one outcome; their grid can be opened."""

    number: int
    says: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question of a reader, and what the run answers."""

    asks: str
    says: str
    """A few words, or a figure."""
    why: tuple[str, ...]
    """What it rests on, with denominators."""
    tone: Tone = "plain"
    counts: tuple[Count, ...] = ()
    """Trials that it counts, each of those that the first line of :attr:`why` names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Statements about one thing."""

    title: str
    note: str
    """What all of them are of; empty where each says it."""
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstScreen:
    """All of it."""

    of: str
    """Whose trials it tells of, under which policy, and how many cases they are of."""
    answers: tuple[Answer, ...]
    themes: tuple[Theme, ...]
    kinds: KindTable | None
    pictures: tuple[Picture, ...]
    missing: tuple[Missing, ...]
    """Pictures whose data is not there."""


def first_screen(run: StoredRun, summary: Summary) -> FirstScreen:
    """Return what a run says first; nothing where nobody answered in it."""
    selection = select(run, summary.views)
    if selection is None or not summary.panels:
        return FirstScreen(of="", answers=(), themes=(), kinds=None, pictures=(), missing=())
    totals, primary = headline_totals(run), primary_of(run)
    found, controls, sums = gaps(selection), noise(selection), policy_sums(selection)
    saved = savings(sums)
    detectors = warning_costs(selection.records)
    statements = (
        *primary_statements(primary),
        *strategy_statements(found, controls, primary.tuned),
        *policy_statements(saved),
        *warning_statements(detectors, selection),
        *context_statements(recall_counts(totals, selection)),
        *trial_statements(selection.main(), selection.policy.label),
    )
    drawn = (
        forest(found, selection),
        tokens(totals, selection),
        attempts(selection),
        waste(saved, unstopped(sums)),
        warnings(detectors, selection),
        recall(totals, selection),
    )
    return FirstScreen(
        of=_of(selection),
        answers=(
            _strategy(summary, found, primary),
            _policy(selection, saved),
            _broken(run, selection),
        ),
        themes=tuple(_themes(statements, _notes(selection, saved))),
        kinds=kind_table(totals, selection),
        pictures=tuple(one for one in drawn if isinstance(one, Picture)),
        missing=tuple(one for one in drawn if isinstance(one, Missing)),
    )


def _of(selection: Selection) -> str:
    cases = {*selection.records.values("case"), *selection.ends.values("case")}
    part = set(selection.records.values("part"))
    of = f", the {HEADLINE_PART} part" if part == {HEADLINE_PART} else ""
    return f"{selection.solver.label} under {selection.policy.label}, over {counted(len(cases), 'case')}{of}"


def _notes(selection: Selection, saved: Sequence[Saving]) -> dict[str, str]:
    notes = {"strategies": f"Under {selection.policy.label}, over the cases with an edit fault that both have."}
    if saved:
        trials, cases = counted(saved[0].trials, "trial"), counted(saved[0].cases, "case")
        notes["policies"] = (
            f"Over the {trials} of {cases} that every policy has a verdict on, all strategies without controls."
        )
    return notes


def _themes(statements: Sequence[Statement], notes: Mapping[str, str]) -> Iterable[Theme]:
    for theme, title in THEMES.items():
        own = tuple(one for one in statements if one.theme == theme)
        if own:
            yield Theme(title=title, note=notes.get(theme, ""), statements=own)


def _strategy(summary: Summary, found: Sequence[Gap], primary: Primary) -> Answer:
    """Return the strategies that repair the greatest share of their cases, under the headline's policy."""
    asks = "Which strategy?"
    told = [line for line in summary.panels[0].lines if line.group != "bound" and line.cases]
    plain = [line for line in told if line.group == "strategy"] or told
    if not plain:
        return Answer(asks=asks, says="not told", why=("No case of this run has a fault that an edit mends.",))
    ranked = [line for line in plain if line.bounds is None] or plain
    most = max(line.value / line.cases for line in ranked)
    best = [line for line in ranked if line.value / line.cases == most]
    if len(best) == len(plain) > 1:
        return Answer(asks=asks, says="all alike", why=(f"Each repairs {_right(best[0])}.",))
    why = [f"{_right(line)}{_within(line)}" for line in best[:1]]
    if len(best) > 1:
        why = [f"Each repairs {_right(best[0])}."]
    why += [_against(gap) for gap in found if gap.name in {line.name for line in best}]
    why += [
        _planned(one)
        for one in primary.results
        if len(best) == 1 and one.treatment.startswith(f"{best[0].name} under ")
    ]
    if len(ranked) < len(plain):
        why.append(f"{not_judged(len(plain) - len(ranked))}: not ranked")
    ends = [f"{line.name} {line.right}" for line in summary.panels[0].lines if line.group == "bound"]
    if ends:
        why.append(f"Floor and ceiling: {', '.join(ends)}")
    return Answer(asks=asks, says=listing([line.name for line in best]), why=tuple(why))


def _right(line: Line) -> str:
    rate = f" ({line.rate})" if line.rate else ""
    bounds = f", {line.bounds} once all are judged" if line.bounds else ""
    return f"{line.right} of {counted(line.cases, 'case')} repaired{rate}{bounds}"


def _within(line: Line) -> str:
    if line.bar is None:
        return ""
    if line.rate is None:
        return f"; 95 % interval {line.bar.low * line.cases / 100:.1f} to {line.bar.high * line.cases / 100:.1f} cases"
    return f"; 95 % interval {line.bar.low:.0f} to {percent(line.bar.high / 100)}"


def _against(gap: Gap) -> str:
    one = gap.difference
    verdict = {"better": "more than chance", "worse": "fewer than chance"}.get(one.verdict, one.verdict)
    return f"Against {AGAINST}: {one.won} won, {one.lost} lost of {one.cases}, {verdict} (exploratory)"


def _planned(result: ContrastResult) -> str:
    against = result.against.partition(" under ")[0]
    if result.undefined or result.difference is None:
        return f"Primary contrast against {against}: no result"
    one = result.difference
    return f"Primary contrast against {against}: {one.won} won, {one.lost} lost, {one.verdict}"


def _policy(selection: Selection, saved: Sequence[Saving]) -> Answer:
    """Return the headline's policy, and which one wastes least of those that repair most, over the trials that every policy has."""
    asks, own = "Which policy?", selection.policy.label
    if not saved:
        return Answer(asks=asks, says=own, why=("No other policy was run beside it to hold it against.",))
    before = _wasted(saved[0]) + saved[0].wasted_less
    mine = next((one for one in saved if one.policy == own), None)
    told = (f"{figure(before)} wasted attempts a trial", counted(saved[0].repairs, "repair"))
    if mine is not None:
        moved = f"{mine.lost} lost, {mine.gained} gained"
        told = (
            f"{figure(_wasted(mine))} wasted attempts a trial; {mine.against} {figure(before)}",
            f"{counted(mine.repairs - mine.lost + mine.gained, 'repair')}, {mine.against} {mine.repairs}: {moved}",
        )
    over = f"Over {counted(saved[0].trials, 'trial')} of {counted(saved[0].cases, 'case')}, strategies without controls; exploratory"
    return Answer(
        asks=asks, says=own, why=(*told, _least(own, mine, saved), f"{over}. The report is told under {own}.")
    )


def _wasted(one: Saving) -> float:
    """Return wasted attempts a trial."""
    return (one.futile + one.fruitless) / one.trials


def _least(own: str, mine: Saving | None, saved: Sequence[Saving]) -> str:
    """Return which policy wastes least of those that repair most, and how little the headline's differs."""
    most = max(0, *(one.gained - one.lost for one in saved))
    fair = [one for one in saved if one.gained - one.lost == most]
    if not fair:
        return f"Every policy but {saved[0].against} loses some of its {counted(saved[0].repairs, 'repair')}"
    best = max(one.wasted_less for one in fair)
    names = [one.policy for one in fair if one.wasted_less == best]
    if own in names:
        return "No other that repairs as many wastes less"
    fewer = figure(best - (mine.wasted_less if mine else 0))
    more = most - (mine.gained - mine.lost if mine else 0)
    also = f", with {counted(more, 'repair')} more" if more else ""
    return f"Least waste of those that repair most: {listing(names)}, {fewer} fewer a trial{also}"


MEANINGS = {
    "unjudged": "unjudged",
    "crashed": "crashed",
    "harmful": "harmful",
    "plausible": "plausible but wrong",
    "false_warning": "with a false warning",
}
"""What breaks, as it is told."""


def _broken(run: StoredRun, selection: Selection) -> Answer:
    """Return what has no verdict and what went wrong unnoticed, under the headline's policy; then what the rest has open."""
    names = {column.name for column in selection.treated()}
    records = run.records
    own = headline_records(records).where(
        "treatment",
        lambda one: selection.solver.answers(one) and selection.policy.runs(one) and one.strategy in names,
    )
    found: Counter[str] = Counter()
    for (outcome, verdict), count in own.counted("outcome", "verdict").items():
        found[outcome or verdict] += count
    counts = tuple(Count(number=found[name], says=says, outcome=name) for name, says in MEANINGS.items())
    whole, mine = (told["unjudged",] + told["crashed",] for told in (one.counted("verdict") for one in (records, own)))
    why = [f"Of {counted(len(own), 'trial')} under {selection.policy.label}, controls aside"]
    if whole > mine:
        why.append(f"In the whole run {whole} of {counted(len(records), 'trial')} have no verdict")
    asks = "What broke?"
    if whole:
        says = f"{counted(mine or whole, 'trial')} without a verdict"
        return Answer(asks=asks, says=says, why=tuple(why), counts=counts, tone="open")
    worst = next((one for one in counts if one.number), None)
    if worst is None:
        return Answer(asks=asks, says="nothing", why=tuple(why), counts=counts)
    tone: Tone = "bad" if worst.outcome == "harmful" else "plain"
    return Answer(asks=asks, says=f"{figure(worst.number)} {worst.says}", why=tuple(why), counts=counts, tone=tone)
