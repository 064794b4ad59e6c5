"""The top of a report: answers to a reader's questions, a sentence for each finding, and the charts behind them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from mendbench.report.charts.chart import Chart, Missing
from mendbench.report.charts.forest import forest
from mendbench.report.charts.success import strata, success
from mendbench.report.charts.tokens import tokens
from mendbench.report.charts.warnings import warnings
from mendbench.report.charts.waste import waste
from mendbench.report.funnels import SAYS, FunnelLine, funnel_lines, reached
from mendbench.report.gaps import Gap, gap_between, gaps, noise
from mendbench.report.kinds import KindTable, kind_table
from mendbench.report.primary import Primary, primary_of
from mendbench.report.saved import Saving, policy_sums, savings, unstopped
from mendbench.report.selection import Selection, headline_totals, select
from mendbench.report.statements import (
    THEMES,
    Statement,
    policy_statements,
    primary_statements,
    strategy_statements,
    trial_statements,
    warning_statements,
)
from mendbench.report.success_by_prompt import PromptSplits, splits_of
from mendbench.report.summary import Summary, estimated, leading
from mendbench.report.tables import ABOUT, Line, Panel, control_panels, headline_panels
from mendbench.report.views import Column, Solver, control_model
from mendbench.report.words import counted, figure, listing, on_apis, percent
from mendbench.results.store import StoredRun
from mendbench.results.totals import HEADLINE_PART, headline_records
from mendbench.scoring.comparing.contrasts import ContrastResult
from mendbench.scoring.counting import all_tokens
from mendbench.scoring.forensics.warning_cost import warning_costs
from mendbench.scoring.funnel import Stage

Tone: TypeAlias = Literal["plain", "open"]

NO_CONTEXT = "none"
"""The control that contains nothing about the error."""

NAMED = 12
"""Trials that a statement links to individually; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Number of trials with one outcome; links to their grid."""

    number: int
    says: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Trials that stopped at one stage."""

    number: int
    stage: Stage
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCharts:
    """The success of one model, a chart for each stratum."""

    solver: Solver
    pictures: tuple[Chart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One question of a reader, and its answer from the run."""

    question: str
    says: str
    """A few words, or a figure."""
    why: tuple[str, ...]
    """The evidence, with denominators."""
    tone: Tone = "plain"
    counts: tuple[Count, ...] = ()
    """Counts of the trials that the last line of :attr:`why` names."""
    stages: tuple[Stop, ...] = ()
    """Where trials of :attr:`strategy` stopped."""
    stopped_at: Literal["first_stage", "final_stage"] = "final_stage"
    """Whether :attr:`stages` are those of the first or of the last response."""
    strategy: str = ""
    panel: Panel | None = None
    """The panel whose trials :attr:`counts` and :attr:`stages` count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """Results of the control model: the same prompts, asked under stricter conditions than those of the main model."""

    solver: Solver
    asked: str
    """How it was asked, in the words of the configuration; may be empty."""
    of: str
    """The policy, and the number of cases."""
    pictures: tuple[Chart, ...]
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """Results of the trials on one stratum of APIs."""

    panel: Panel
    of: str
    """The solver, the policy, and the number of cases."""
    funnels: tuple[FunnelLine, ...]
    stages: tuple[Stage, ...]
    """The stages at which a trial of any strategy stopped."""
    told: PromptSplits | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """Results of trials by kind of case, on one stratum of APIs."""

    of: str
    table: KindTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Statements about one topic."""

    title: str
    note: str
    """What all statements cover; empty if each one states it."""
    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The whole overview."""

    of: str
    """The solver, the policy, and the number of cases."""
    asked: str
    """How the main model was asked, in the words of the configuration; may be empty."""
    control: Control | None
    """None if no control model is configured, or the run has no trial of it."""
    models: tuple[ModelCharts, ...]
    """The main model first; models without trials under the headline's policy are left out."""
    answers: tuple[Answer, ...]
    strata: tuple[Stratum, ...]
    themes: tuple[Theme, ...]
    kinds: tuple[Kinds, ...]
    pictures: tuple[Chart, ...]
    missing: tuple[Missing, ...]
    """Charts whose data is missing."""


def build_overview(run: StoredRun, summary: Summary) -> Overview:
    """Return the overview of a run; empty if the run has no responses."""
    selection = select(run, summary.views)
    if selection is None or not summary.panels:
        return Overview(
            of="",
            asked="",
            control=None,
            models=(),
            answers=(),
            strata=(),
            themes=(),
            kinds=(),
            pictures=(),
            missing=(),
        )
    totals, primary, sums = headline_totals(run), primary_of(run), policy_sums(selection)
    panels = headline_panels(summary.panels)
    strata = [(panel, selection.of_api(panel.api)) for panel in panels]
    found = [gaps(own) for _, own in strata]
    saved, detectors = savings(sums), warning_costs(selection.records)
    funnels = [funnel_lines(own) for _, own in strata]
    about = ABOUT if estimated(run, selection.solver) else ""
    strategies = [
        Theme(
            title=f"{THEMES['strategies']}{on_apis(own.api)}",
            note=f"Under {own.policy.label}, over the cases with an edit fault that both have.",
            statements=tuple(strategy_statements(each, noise(own), primary.tuned, about=about)),
        )
        for each, (_, own) in zip(found, strata, strict=True)
    ]
    statements = (
        *policy_statements(saved),
        *warning_statements(detectors, selection),
        *primary_statements(primary),
        *trial_statements(selection.main(), selection.policy.label),
    )
    drawn = (
        *(forest(each, own) for each, (_, own) in zip(found, strata, strict=True)),
        *(tokens(totals[own.api], own) for _, own in strata),
        waste(saved, unstopped(sums)),
        warnings(detectors, selection),
    )
    return Overview(
        of=_of(selection),
        asked=_asked(run, selection.solver),
        control=_control(run, summary, primary),
        models=tuple(_models(run, summary)),
        answers=(
            *(_strategy(run, panel, own, each, primary) for each, (panel, own) in zip(found, strata, strict=True)),
            *(_failing(panel, own, lines) for lines, (panel, own) in zip(funnels, strata, strict=True)),
            _policy(selection, saved),
        ),
        strata=tuple(
            Stratum(panel=panel, of=_of(own), funnels=lines, stages=reached(lines), told=splits_of(own))
            for lines, (panel, own) in zip(funnels, strata, strict=True)
        ),
        themes=(
            *(one for one in strategies if one.statements),
            *_themes(statements, _notes(selection, saved, primary)),
        ),
        kinds=tuple(
            Kinds(of=_of(own), table=table)
            for own in map(selection.of_api, totals)
            if (table := kind_table(totals[own.api], own)).kinds
        ),
        pictures=tuple(one for one in drawn if isinstance(one, Chart)),
        missing=tuple(one for one in drawn if isinstance(one, Missing)),
    )


def _control(run: StoredRun, summary: Summary, primary: Primary) -> Control | None:
    panels = control_panels(summary.panels, control_model(run))
    selection = select(run, summary.views, [panels[0].solver]) if panels else None
    if selection is None:
        return None
    own = [(panel, selection.of_api(panel.api)) for panel in panels]
    records, solver = headline_records(run.records), selection.solver
    first_only = selection.policy.measure == "attempt1_success"
    found = strata(records, selection.policy, solver)
    return Control(
        solver=solver,
        asked=_asked(run, solver),
        of=f"Under {selection.policy.label}, {counted(len(selection.under(selection.policy).values('case')), 'case')}",
        pictures=tuple(success(stratum, 0, first_only=first_only) for stratum in found),
        answers=(
            *(_strategy(run, panel, each, gaps(each), primary) for panel, each in own),
            *(_failing(panel, each, funnel_lines(each)) for panel, each in own),
        ),
    )


def _asked(run: StoredRun, solver: Solver) -> str:
    return str(((run.run.get("models") or {}).get(solver.model) or {}).get("asked") or "")


def _models(run: StoredRun, summary: Summary) -> Iterator[ModelCharts]:
    records, views = headline_records(run.records), summary.views
    for number, solver in enumerate(views.solvers, start=1):
        drawn = tuple(success(stratum, number) for stratum in strata(records, views.policies[0], solver))
        if drawn:
            yield ModelCharts(solver=solver, pictures=drawn)


def _of(selection: Selection) -> str:
    cases = {*selection.records.values("case"), *selection.ends.values("case")}
    part = set(selection.records.values("part"))
    of = f", the {HEADLINE_PART} part" if part == {HEADLINE_PART} else ""
    over = f"over {counted(len(cases), 'case')}{on_apis(selection.api)}"
    return f"{selection.solver.label} under {selection.policy.label}, {over}{of}"


def _notes(selection: Selection, saved: Sequence[Saving], primary: Primary) -> dict[str, str]:
    notes: dict[str, str] = {}
    if saved:
        trials, cases = counted(saved[0].trials, "trial"), counted(saved[0].cases, "case")
        both = ", private and well-known APIs together" if len(selection.records.values("api")) > 1 else ""
        notes["policies"] = (
            f"Over the {trials} of {cases} that every policy has a verdict on, all strategies without controls{both}."
        )
    if primary.model is not None:
        other = f", not of {selection.solver.label}" if primary.model != selection.solver.model else ""
        notes["primary"] = f"Of {primary.model}{other}, as the corpus's protocol settled them."
    return notes


def _themes(statements: Sequence[Statement], notes: Mapping[str, str]) -> Iterable[Theme]:
    for theme, title in THEMES.items():
        own = tuple(one for one in statements if one.theme == theme)
        if own:
            yield Theme(title=title, note=notes.get(theme, ""), statements=own)


def _strategy(run: StoredRun, panel: Panel, selection: Selection, found: Sequence[Gap], primary: Primary) -> Answer:
    """Return the strategies with the greatest share of repaired cases, with their lead, its certainty and its price."""
    question, lines = f"Which strategy{on_apis(selection.api)}?", panel.lines
    told = [line for line in lines if line.group != "bound" and line.cases]
    plain = [line for line in told if line.group == "strategy"] or told
    if not plain:
        return Answer(question=question, says="not told", why=("No case of this run has a fault that an edit mends.",))
    best = leading(plain)
    if len(best) == len(plain) > 1:
        return Answer(question=question, says="all alike", why=tuple(f"{line.name}: {_right(line)}" for line in best))
    why = [f"{_right(line)}{_within(line)}" if len(best) == 1 else f"{line.name}: {_right(line)}" for line in best]
    cheapest = min(best, key=lambda line: line.first_tokens)
    if len(best) == 1:
        after = _next_best(selection, best[0], plain)
        why += _ahead(after, best[0], found)
        if primary.model == selection.solver.model and not selection.api:
            why += [_planned(one) for one in primary.results if one.treatment.startswith(f"{best[0].name} under ")]
    else:
        after = None
        why.append(f"Cheapest of these: {cheapest.name}")
    if any(column.name == NO_CONTEXT for column in selection.columns if column.group == "control"):
        bare = gap_between(selection, cheapest.name, NO_CONTEXT)
        why += [_against(bare)] if bare is not None else []
    why.append(_price(run, selection, cheapest, after))
    ends = [f"{line.name} {line.right}" for line in lines if line.group == "bound" and line.cases == best[0].cases]
    if ends:
        why.append(f"Floor and ceiling: {', '.join(ends)}")
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


def _next_best(selection: Selection, best: Line, plain: Sequence[Line]) -> Gap | None:
    """Return how the best strategy differs from the next one; None if there is no other."""
    others = sorted((line for line in plain if line is not best), key=lambda line: -line.value / line.cases)
    return gap_between(selection, best.name, others[0].name) if others else None


def _ahead(after: Gap | None, best: Line, found: Sequence[Gap]) -> Iterator[str]:
    """Yield the lead of the best strategy over the next one, and over the reference strategy."""
    base = next((gap for gap in found if gap.name == best.name), None)
    for gap in (after, base if after is None or base is None or base.against != after.against else None):
        if gap is not None:
            yield _against(gap)


def _against(gap: Gap) -> str:
    one = gap.difference
    verdict = {"better": "more than chance", "worse": "fewer than chance"}.get(one.verdict, one.verdict)
    return f"Against {gap.against}: {one.won} won, {one.lost} lost of {one.cases}, {verdict} (exploratory)"


def _price(run: StoredRun, selection: Selection, line: Line, after: Gap | None) -> str:
    """Return the tokens per trial of a strategy: of the first prompt's context, and of all prompts and responses."""
    about = ABOUT if estimated(run, selection.solver) else ""
    known = [all_tokens(attempts) for attempts in selection.of(_column(selection, line)).column("attempts")]
    spent = [tokens for tokens in known if tokens is not None]
    each = f"; {about}{figure(sum(spent) / len(spent), 0)} prompt and response tokens a trial" if spent else ""
    times = f", {about}{after.tokens:.1f} times those of {after.against}" if spent and after and after.tokens else ""
    return f"Price: context of {line.context_tokens} tokens{each}{times}"


def _column(selection: Selection, line: Line) -> Column:
    return next(column for column in selection.columns if column.name == line.name)


def _planned(result: ContrastResult) -> str:
    against = result.against.partition(" under ")[0]
    if result.undefined or result.difference is None:
        return f"Primary contrast against {against}: no result"
    one = result.difference
    return f"Primary contrast against {against}: {one.won} won, {one.lost} lost, {one.verdict}"


def _policy(selection: Selection, saved: Sequence[Saving]) -> Answer:
    """Return, of the policies that repair most, the one that wastes least, over the trials that every policy has."""
    question, own = "Which policy?", selection.policy.label
    if not saved:
        alone = len(selection.policies) == 1
        why = (
            f"{selection.solver.label} was run under {own} alone" if alone else "No trial is judged under every policy"
        )
        return Answer(question=question, says=own if alone else "not told", why=(f"{why}.",))
    most = max(0, *(one.gained - one.lost for one in saved))
    fair = [one for one in saved if one.gained - one.lost == most]
    least = max((one.wasted_less for one in fair), default=0.0)
    if most == 0 and least <= 0:
        fair, least = [], 0.0
    best = [one for one in fair if one.wasted_less == least]
    first = [_saved(one) for one in best[:1]] or [
        f"Every other policy repairs fewer than {saved[0].against}, or saves nothing"
    ]
    then = [_saved(one, name=True) for one in _next(saved, best)]
    over = f"Over {counted(saved[0].trials, 'trial')} of {counted(saved[0].cases, 'case')}, strategies without controls; exploratory"
    says = listing([one.policy for one in best]) if best else saved[0].against
    return Answer(question=question, says=says, why=(*first, *then, over))


def _next(saved: Sequence[Saving], best: Sequence[Saving]) -> Sequence[Saving]:
    """Return, of the other policies, the one that repairs most and then wastes least."""
    others = [one for one in saved if one not in best]
    return sorted(others, key=lambda one: (one.lost - one.gained, -one.wasted_less))[:1]


def _saved(one: Saving, *, name: bool = False) -> str:
    wasted = _wasted(one)
    who = f"{one.policy}: " if name else ""
    moved = f"{counted(one.lost, 'repair')} lost and {one.gained} won against {one.against}, of {one.repairs}"
    return f"{who}{moved}; {figure(wasted)} wasted attempts a trial, not {figure(wasted + one.wasted_less)}"


def _wasted(one: Saving) -> float:
    """Return the number of wasted attempts per trial."""
    return (one.futile + one.fruitless) / one.trials


MEANINGS = {
    "harmful": "harmful",
    "plausible": "plausible but wrong",
    "false_warning": "with a false warning",
    "unjudged": "unjudged",
    "crashed": "crashed",
}
"""What goes wrong, in words."""


def _failing(panel: Panel, selection: Selection, funnels: Sequence[FunnelLine]) -> Answer:
    """Return where the unsuccessful trials of the leading strategy stopped, then what went wrong under any strategy."""
    question = f"What still fails{on_apis(selection.api)}?"
    plain = [line for line in panel.lines if line.group == "strategy" and line.cases]
    best = leading(plain)[0].name if plain else None
    one = next((line for line in funnels if line.strategy == best), None)
    counts, trials = _wrong(selection)
    under = f"All strategies: of {counted(trials, 'trial')} under {selection.policy.label}, controls aside"
    if one is None:
        return Answer(question=question, says="not told", why=(under,), counts=counts, panel=panel)
    first = selection.policy.measure == "attempt1_success"
    stopped = one.funnel.first if first else one.funnel.final
    wrong: list[tuple[Stage, int]] = [
        (stage, count) for stage, count in stopped.items() if count and stage not in {"right", "open"}
    ]
    still_open = stopped["open"]
    failed = sum(count for _, count in wrong)
    says = f"{figure(failed)}{f' to {figure(failed + still_open)}' if still_open else ''} of {one.funnel.trials} with {best}"
    stages = tuple(Stop(number=count, stage=stage, says=SAYS[stage]) for stage, count in wrong)
    tone: Tone = "open" if still_open else "plain"
    return Answer(
        question=question, says=says, why=(under,), counts=counts, tone=tone, stages=stages, strategy=one.strategy, panel=panel,
        stopped_at="first_stage" if first else "final_stage",
    )  # fmt: skip


def _wrong(selection: Selection) -> tuple[tuple[Count, ...], int]:
    """Return what went wrong under the headline's policy, without controls, and the number of trials."""
    own = selection.main()
    found: Counter[str] = Counter()
    for (outcome, verdict), count in own.counted("outcome", "verdict").items():
        found[outcome or verdict] += count
    return tuple(Count(number=found[name], says=says, outcome=name) for name, says in MEANINGS.items()), len(own)
