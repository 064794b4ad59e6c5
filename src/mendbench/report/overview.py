"""The top of a report: answers to a reader's questions, a sentence for each finding, and the charts behind them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mendbench.errors import BadInput, UnknownName
from mendbench.repair.policies import policy
from mendbench.report.answers import Answer, failing_answer, policy_answer, strategy_answer
from mendbench.report.charts.chart import Chart, Missing
from mendbench.report.charts.forest import forest
from mendbench.report.charts.success import strata, success
from mendbench.report.charts.tokens import tokens
from mendbench.report.charts.warnings import warnings
from mendbench.report.charts.waste import waste
from mendbench.report.funnels import FunnelLine, funnel_lines, reached
from mendbench.report.gaps import gaps, noise
from mendbench.report.kinds import ClassTable, kind_table, level_table
from mendbench.report.primary import Primary, primaries_of, tuned_in
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
from mendbench.report.summary import Summary, estimated
from mendbench.report.tables import ABOUT, Panel, control_panels, headline_panels
from mendbench.report.views import Solver, Views, control_model
from mendbench.report.words import counted, listing, on_apis
from mendbench.results.store import StoredRun
from mendbench.results.totals import HEADLINE_PART, headline_records
from mendbench.scoring.forensics.warning_cost import warning_costs
from mendbench.scoring.funnel import Stage
from mendbench.trial.strategies import trial_strategy

NAMED = 12
"""Trials that a statement links to individually; the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCharts:
    """The success of one model, a chart for each stratum."""

    solver: Solver
    pictures: tuple[Chart, ...]


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
    splits: PromptSplits | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kinds:
    """Results of trials by kind of case and by level, on one stratum of APIs."""

    of: str
    kinds: ClassTable
    levels: ClassTable


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
    terms: tuple[tuple[str, str], ...]
    """The strategies, the policies and other words of the first screens, each with its meaning."""
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
            terms=(),
            missing=(),
        )
    totals, primaries, sums = headline_totals(run), primaries_of(run), policy_sums(selection)
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
            statements=tuple(strategy_statements(each, noise(own), tuned_in(run), about=about)),
        )
        for each, (_, own) in zip(found, strata, strict=True)
    ]
    statements = (
        *policy_statements(saved),
        *warning_statements(detectors, selection),
        *primary_statements(primaries),
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
        control=_control(run, summary, primaries),
        models=tuple(_models(run, summary)),
        answers=(
            *(
                strategy_answer(run, panel, own, each, primaries)
                for each, (panel, own) in zip(found, strata, strict=True)
            ),
            *(failing_answer(panel, own, lines) for lines, (panel, own) in zip(funnels, strata, strict=True)),
            policy_answer(selection, saved),
        ),
        strata=tuple(
            Stratum(panel=panel, of=_of(own), funnels=lines, stages=reached(lines), splits=splits_of(own))
            for lines, (panel, own) in zip(funnels, strata, strict=True)
        ),
        themes=(
            *(one for one in strategies if one.statements),
            *_themes(statements, _notes(selection, saved, primaries)),
        ),
        kinds=tuple(
            Kinds(of=_of(own), kinds=kinds, levels=level_table(own))
            for own in map(selection.of_api, totals)
            if (kinds := kind_table(totals[own.api], own)).classes
        ),
        pictures=tuple(picture for picture in drawn if isinstance(picture, Chart)),
        terms=tuple(_terms(summary.views)),
        missing=tuple(picture for picture in drawn if isinstance(picture, Missing)),
    )


_TERMS = (
    ("edit fault", "a fault of the workflow that an edit mends; other cases need the user, or nothing"),
    (
        "private, well-known API",
        "whether an engineer who knows the public API could name the fix without seeing the error",
    ),
    ("won, lost", "cases that only this strategy repaired, and cases that only the other one repaired"),
    ("unjudged", "without a verdict, because a recording is missing"),
    ("harmful", "did something forbidden, repeated or unrequested"),
    (
        "noop, suggestion-only, reference",
        "no repair, the engine's own suggestion, and the right fix: bounds, under their own policy",
    ),
)


def _terms(views: Views) -> Iterator[tuple[str, str]]:
    for column in views.columns:
        if column.group != "bound":
            with contextlib.suppress(UnknownName, BadInput):
                yield column.name, trial_strategy(column.name).title
    for view in views.policies:
        with contextlib.suppress(UnknownName):
            yield view.policy, policy(view.policy).title
    yield from _TERMS


def _control(run: StoredRun, summary: Summary, primaries: Sequence[Primary]) -> Control | None:
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
            *(strategy_answer(run, panel, each, gaps(each), primaries) for panel, each in own),
            *(failing_answer(panel, each, funnel_lines(each)) for panel, each in own),
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


def _notes(selection: Selection, saved: Sequence[Saving], primaries: Sequence[Primary]) -> dict[str, str]:
    notes: dict[str, str] = {}
    if saved:
        trials, cases = counted(saved[0].trials, "trial"), counted(saved[0].cases, "case")
        both = ", private and well-known APIs together" if len(selection.records.values("api")) > 1 else ""
        notes["policies"] = (
            f"Over the {trials} of {cases} that every policy has a verdict on, all strategies without controls{both}."
        )
    if primaries:
        models = listing(list(dict.fromkeys(primary.model for primary in primaries)))
        other = (
            "" if selection.solver.model in {one.model for one in primaries} else f", not of {selection.solver.label}"
        )
        held = dict(pair for primary in primaries for pair in primary.detectors)
        detectors = "".join(f" The detector of {policy} is {detector}." for policy, detector in held.items())
        protocols = "protocol" if len(primaries) == 1 else "protocols"
        notes["primary"] = f"Of {models}{other}, as fixed in the corpus's {protocols}.{detectors}"
    return notes


def _themes(statements: Sequence[Statement], notes: Mapping[str, str]) -> Iterable[Theme]:
    for theme, title in THEMES.items():
        own = tuple(statement for statement in statements if statement.theme == theme)
        if own:
            yield Theme(title=title, note=notes.get(theme, ""), statements=own)
