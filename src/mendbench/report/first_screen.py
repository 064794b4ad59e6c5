"""What a report says before anything else: three answers, a sentence for each finding, and the pictures behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias

from mendbench.bench.results import StoredRun
from mendbench.bench.totals import HEADLINE_PART
from mendbench.model.json import JsonObject
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
from mendbench.report.saved import Saving, savings, unstopped
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
from mendbench.report.summary import Summary
from mendbench.report.tables import Line
from mendbench.report.words import counted, figure, listing, percent
from mendbench.scoring.comparing.contrasts import ContrastResult
from mendbench.scoring.forensics.warning_cost import warning_costs

Tone: TypeAlias = Literal["plain", "bad", "open"]

NAMED = 12
"""Trials that a statement links to one by one; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question of a reader, and what the run answers."""

    asks: str
    says: str
    """A few words, or a figure."""
    why: tuple[str, ...]
    """What it rests on, with denominators."""
    tone: Tone = "plain"


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
    found, controls, saved = gaps(selection), noise(selection), savings(selection)
    detectors = warning_costs(selection.records)
    main = tuple(chain.from_iterable(selection.of(column) for column in selection.treated()))
    statements = (
        *primary_statements(primary),
        *strategy_statements(found, controls, primary.tuned),
        *policy_statements(saved),
        *warning_statements(detectors, selection),
        *context_statements(recall_counts(totals, selection)),
        *trial_statements(main, selection.policy.label),
    )
    drawn = (
        forest(found, selection),
        tokens(totals, selection),
        attempts(selection),
        waste(saved, unstopped(selection)),
        warnings(detectors, selection),
        recall(totals, selection),
    )
    return FirstScreen(
        of=_of(selection),
        answers=(
            _strategy(summary, found, primary),
            _policy(selection, saved),
            _broken(run, selection, totals),
        ),
        themes=tuple(_themes(statements, _notes(selection, saved))),
        kinds=kind_table(totals, selection),
        pictures=tuple(one for one in drawn if isinstance(one, Picture)),
        missing=tuple(one for one in drawn if isinstance(one, Missing)),
    )


def _of(selection: Selection) -> str:
    cases = {one.case for one in (*selection.records, *selection.ends)}
    part = {one.part for one in selection.records}
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
    most = max(line.value / line.cases for line in plain)
    best = [line for line in plain if line.value / line.cases == most]
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
        return f"Primary contrast against {against}: no result yet"
    one = result.difference
    return f"Primary contrast against {against}: {one.won} won, {one.lost} lost, {one.verdict}"


def _policy(selection: Selection, saved: Sequence[Saving]) -> Answer:
    """Return the policy that wastes least of those that repair most, over the trials that every policy has."""
    asks = "Which policy?"
    if not saved:
        return Answer(
            asks=asks, says=selection.policy.label, why=("No other policy was run beside it to hold it against.",)
        )  # fmt: skip
    most = max(0, *(one.gained - one.lost for one in saved))
    fair = [one for one in saved if one.gained - one.lost == most]
    if not fair:
        return Answer(
            asks=asks,
            says=saved[0].against,
            why=(f"Every other policy loses some of its {counted(saved[0].repairs, 'repair')}.",),
        )
    best = max(one.wasted_less for one in fair)
    names = [one.policy for one in fair if one.wasted_less == best]
    one = next(one for one in fair if one.policy in names)
    beside = [each for each in saved[:1] if each.policy not in names]
    total, before = one.futile + one.fruitless, one.futile + one.fruitless + one.wasted_less * one.trials
    return Answer(
        asks=asks,
        says=listing(names),
        why=(
            f"{figure(total / one.trials)} wasted attempts a trial; {one.against} {figure(before / one.trials)}"
            + "".join(f", {each.policy} {figure((each.futile + each.fruitless) / each.trials)}" for each in beside),
            f"{counted(one.repairs - one.lost + one.gained, 'repair')}, {one.against} {one.repairs}: {one.lost} lost, {one.gained} gained",
            f"Over {counted(one.trials, 'trial')} of {counted(one.cases, 'case')}, strategies without controls; exploratory",
        ),
    )


def _broken(run: StoredRun, selection: Selection, totals: Sequence[JsonObject]) -> Answer:
    """Return what is without a verdict in the whole run, and what went wrong unnoticed under the headline's policy."""
    names = {column.name for column in selection.treated()}
    own = [
        one
        for one in totals
        if selection.solver.answered(one) and selection.policy.ran(one) and one["strategy"] in names
    ]
    trials = sum(one["trials"] for one in own)
    counts = {
        name: sum(one["outcomes"].get(name, 0) for one in own) for name in ("harmful", "plausible", "false_warning")
    }
    bounds = _bounds(run)
    opened = bounds["unjudged"] + bounds["crashed"]
    whole = len(run.rows)
    alarms = counted(counts["false_warning"], "false warning")
    unnoticed = f"{counts['harmful']} harmful, {counts['plausible']} plausible but wrong, {alarms}"
    why = (
        f"{bounds['unjudged']} unjudged and {bounds['crashed']} crashed, of {counted(whole, 'trial')}",
        f"{unnoticed}, of {counted(trials, 'trial')} under {selection.policy.label}",
    )
    if opened:
        return Answer(asks="What broke?", says=f"{counted(opened, 'trial')} without a verdict", why=why, tone="open")
    if any(counts.values()):
        meanings = {"harmful": "harmful", "plausible": "plausible but wrong", "false_warning": "false warnings"}
        says = next(f"{figure(counts[name])} {words}" for name, words in meanings.items() if counts[name])
        return Answer(asks="What broke?", says=says, why=why, tone="bad" if counts["harmful"] else "plain")
    return Answer(asks="What broke?", says="nothing", why=why)


def _bounds(run: StoredRun) -> JsonObject:
    return {name: sum(row["verdict"] == name for row in run.rows) for name in ("unjudged", "crashed")}
