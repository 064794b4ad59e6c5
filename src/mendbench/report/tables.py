"""The figures of a report: one line for each strategy under one policy, and one for each policy."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from mendbench.model.json import JsonObject
from mendbench.repair.policies import is_policy, policy
from mendbench.report.views import BOUND_REPAIRERS, MAIN_POLICY, Group, PolicyView, Solver, Views, own_strategies
from mendbench.report.words import figure, percent
from mendbench.scoring.counting import completion_tokens, prompt_tokens
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import EDIT_KINDS, TrialRecord
from mendbench.scoring.score import measure
from mendbench.scoring.scores import score
from mendbench.values.interning import NUMBERS

FEW = 20
"""Number of cases below which a share is shown as a count: one case would change the rate by more than five points."""

NOTHING = "\N{EN DASH}"

ABOUT = "≈ "
"""Prefix of an estimated token count."""

_OPEN = "95 % interval, whatever becomes of the unjudged trials,"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """Repair success as drawn, in per cent of the cases."""

    low: float
    point: float
    high: float
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Totals of one strategy, control or bound under one policy. Figures are texts, ready for display."""

    name: str
    group: Group
    note: str
    right: str
    cases: int
    rate: str | None
    """None if there are fewer than :data:`FEW` cases."""
    bounds: str | None
    """None if every trial was judged."""
    bar: Bar | None
    """None if there is no interval."""
    interval_says: str
    """How the interval was made, or why there is none."""
    first: str
    plausible: float
    harmful: float
    judged: int
    """Cases with a verdict; waste is known only for these."""
    attempts: float
    """Attempts in the judged cases; a case with several samples counts with their mean."""
    wasted: float
    wasted_per_trial: str
    context_tokens: str
    first_tokens: float
    """The same as a number; 0 if no prompt was made."""
    context_recall: str
    first_prompts: int
    """Cases that reached a prompt; the context is measured on these."""
    value: float
    """Right cases as a number."""
    most: float
    """The same, if every open trial turns out right."""

    @property
    def reach(self) -> str:
        """Right cases, in words: a range if open cases can still turn out right."""
        return self.bounds or self.right


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """The lines of one solver under one policy, over the cases of one stratum of APIs."""

    solver: Solver
    policy: PolicyView
    title: str
    lines: tuple[Line, ...]
    api: str = ""
    """The stratum of APIs of the cases; empty if the run has only one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyLine:
    """Totals of one policy over the trials that every policy has; waste covers those judged under each policy."""

    label: str
    title: str
    right: int
    """Right trials of cases with an edit fault."""
    of: int
    open: int
    """Trials of these cases without a verdict."""
    lost: str
    gained: str
    """Trials of these cases that this policy gets right and :data:`MAIN_POLICY` does not."""
    attempts: int
    saved: int | None
    """Attempts fewer than under :data:`MAIN_POLICY`; None without that policy, and for it."""
    net_lost: int | None
    """Trials lost less those gained; None as above."""
    price: str
    """Attempts saved for each repair lost, net: what one repair must be worth at most for the policy to pay."""
    wasted: int
    futile_per_user: str
    prompt_tokens: str
    """Tokens of all prompts; :data:`NOTHING` if those of one prompt are not known."""
    completion_tokens: str
    """As above, of the responses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyTable:
    """One solver's policies side by side."""

    solver: Solver
    trials: int
    cases: int
    judged: int
    """Trials with a verdict under every policy: attempts, waste and tokens are counted over these."""
    lines: tuple[PolicyLine, ...]


def panels(found: Mapping[str, Sequence[JsonObject]], views: Views) -> tuple[Panel, ...]:
    """Return one table for each solver, policy and stratum with totals, the headline's first.

    A stratum without a case that an edit can fix is left out, unless there is no other.
    """
    made: list[Panel] = []
    for solver in views.solvers:
        for view in views.policies:
            title, strata = _policy_title(view.policy), list[Panel]()
            for api, own in found.items():
                lines = tuple(_lines(own, views, solver, view))
                if any(line.group != "bound" for line in lines):
                    strata.append(Panel(solver=solver, policy=view, title=title, lines=lines, api=api))
            made += [panel for panel in strata if any(line.cases for line in panel.lines)] or strata[:1]
    return tuple(made)


def headline_panels(found: Sequence[Panel]) -> tuple[Panel, ...]:
    """Return the panels of the first solver under the headline's policy: one for each stratum."""
    return tuple(panel for panel in found if (panel.solver, panel.policy) == (found[0].solver, found[0].policy))


def control_panels(found: Sequence[Panel], model: str | None) -> tuple[Panel, ...]:
    """Return the panels of the control model under its first policy: one for each stratum; empty if the run has no such model."""
    own = [panel for panel in found if model is not None and panel.solver.model == model]
    return tuple(panel for panel in own if panel.policy == own[0].policy)


def others(found: Sequence[Panel]) -> tuple[Panel, ...]:
    """Return the panels of the other solvers under the headline's policy."""
    first = found[0] if found else None
    return tuple(panel for panel in found if first and panel.policy == first.policy and panel.solver != first.solver)


def _lines(found: Sequence[JsonObject], views: Views, solver: Solver, view: PolicyView) -> Iterable[Line]:
    for column in views.columns:
        for total in found:
            if column.group == "bound":
                if total["repairer"] == column.name and total["engine"] == solver.engine:
                    note = f"{BOUND_REPAIRERS[column.name]}, under {total['policy']}"
                    yield _line(total, column.name, "bound", note, NOTHING, view.measure)
            elif total["strategy"] == column.name and solver.answered(total) and view.ran(total):
                yield _line(
                    total, column.name, column.group, "", _first_attempt(found, solver, column.name), view.measure
                )


def _line(total: JsonObject, name: str, group: Group, note: str, first: str, measure: str) -> Line:
    scores = total["scores"]
    success, wasted, recall = scores[measure], scores["wasted"]["value"], scores["context_recall"]["value"]
    tokens, cases, right = scores["context_tokens"], success["denominator"], success["numerator"]
    return Line(
        name=name,
        group=group,
        note=note,
        right=number(right),
        cases=cases,
        rate=percent(success["value"]) if cases >= FEW else None,
        bounds=_reach(success) if success["bounds"] else None,
        bar=_bar(success) if success["interval"] else None,
        interval_says=success["method"],
        first=first,
        plausible=_hundredths(scores["plausible"]["numerator"]),
        harmful=_hundredths(scores["harmful"]["numerator"]),
        judged=scores["wasted"]["cases"],
        attempts=_hundredths(scores["attempts"]["numerator"]),
        wasted=_hundredths(scores["wasted"]["numerator"]),
        wasted_per_trial=NOTHING if wasted is None else f"{wasted:.2f}",
        context_tokens=NOTHING if tokens["value"] is None else f"{ABOUT}{tokens['value']:.0f}",
        first_tokens=tokens["value"] or 0,
        context_recall=NOTHING if recall is None else percent(recall),
        first_prompts=tokens["cases"],
        value=right,
        most=success["bounds"]["high"] * cases if success["bounds"] else right,
    )


def _bar(success: JsonObject) -> Bar:
    cases, share = success["denominator"], success["value"]
    low, high = success["interval"]["low"], success["interval"]["high"]
    name = _OPEN if success["bounds"] else "95 % interval"
    if cases < FEW:
        text = f"{number(success['numerator'])} of {cases}; {name} {low * cases:.1f} to {high * cases:.1f} cases"
    else:
        text = f"{percent(share)} of {cases}; {name} {percent(low)} to {percent(high)}"
    return Bar(low=round(100 * low, 1), point=round(100 * share, 1), high=round(100 * high, 1), says=text)


def _first_attempt(found: Sequence[JsonObject], solver: Solver, strategy: str) -> str:
    """Return attempt-1 success under the policy that only the limit stops."""
    own = (total for total in found if solver.answered(total) and total["strategy"] == strategy)
    first = next((total["scores"]["attempt1_success"] for total in own if total["policy"] == MAIN_POLICY), None)
    return f"{_reach(first)} / {first['denominator']}" if first and first["denominator"] else NOTHING


def _reach(measure: JsonObject) -> str:
    """Return a share's numerator; with open trials, the range from the certain number to the number if all of them are right."""
    sure, bounds = number(measure["numerator"]), measure["bounds"]
    return f"{sure} to {number(round(bounds['high'] * measure['denominator'], 6))}" if bounds else sure


def _hundredths(value: float) -> float:
    """Return a count for display: an integer, or rounded to two decimals if samples of a case were averaged."""
    return int(value) if value == int(value) else round(value, 2)


def policy_tables(records: Records, views: Views) -> tuple[PolicyTable, ...]:
    """Return the comparison of policies for each solver that was run under more than one."""
    made = (_policy_table(records, views, solver) for solver in views.solvers)
    return tuple(table for table in made if len(table.lines) > 1)


_COMPARABLE = 0.5
"""Policies are compared over the trials that all of them have: one with fewer than this share of the most is left out."""


@dataclass(slots=True, kw_only=True)
class _Sum:
    """Running totals of one policy."""

    right: int = 0
    of: int = 0
    open: int = 0
    lost: int = 0
    gained: int = 0
    attempts: int = 0
    wasted: int = 0
    prompt_tokens: float | None = 0
    completion_tokens: float | None = 0
    judged_places: array[int] = field(default_factory=lambda: array(NUMBERS))
    """Places of the trials judged under every policy."""

    def add(self, place: int, own: TrialRecord, unstopped: TrialRecord | None, *, judged: bool) -> None:
        """Add a trial that every policy has. ``judged``: it is judged under each of them."""
        if own.kind in EDIT_KINDS:
            self.of += 1
            self.right += own.right
            self.open += own.verdict == "unjudged"
            if unstopped is not None and "unjudged" not in {own.verdict, unstopped.verdict}:
                self.lost += unstopped.right > own.right
                self.gained += own.right > unstopped.right
        if judged:
            self.judged_places.append(place)
            self.attempts += len(own.attempts)
            self.wasted += own.wasted_attempts or 0
            self.prompt_tokens = _added(self.prompt_tokens, prompt_tokens(own.attempts))
            self.completion_tokens = _added(self.completion_tokens, completion_tokens(own.attempts))


def _added(one: float | None, other: float | None) -> float | None:
    """Return a sum; None if one of the summands is not known."""
    return None if one is None or other is None else one + other


def _policy_table(records: Records, views: Views, solver: Solver) -> PolicyTable:
    names = {column.name for column in own_strategies(views.columns)}
    own = records.where("treatment", lambda treatment: solver.answers(treatment) and treatment.strategy in names)
    by_view = {view: own.where("treatment", view.runs) for view in views.policies}
    most = max(map(len, by_view.values()), default=0)
    sums = {view: _Sum() for view, held in by_view.items() if held and len(held) >= _COMPARABLE * most}
    unstopped = next((view for view in sums if view.policy == MAIN_POLICY), None)
    cases: set[str] = set()
    trials = judged = 0
    for case, places in shared_trials({view: by_view[view] for view in sums}):
        each = {view: own.standing(at) for view, at in places.items()}
        is_judged = all(standing.judged for standing in each.values())
        cases.add(case)
        trials, judged = trials + 1, judged + is_judged
        other = None if unstopped is None else each[unstopped]
        for view, total in sums.items():
            total.add(places[view], each[view], other, judged=is_judged)
    reference = None if unstopped is None else sums[unstopped]
    lines = tuple(_policy_line(view, total, own, reference) for view, total in sums.items() if trials)
    return PolicyTable(solver=solver, trials=trials, cases=len(cases), judged=judged, lines=lines)


def shared_trials(by_view: Mapping[PolicyView, Records]) -> Iterator[tuple[str, dict[PolicyView, int]]]:
    """Yield each trial that every policy has, in the order of case, strategy and sample: its case, and its place under each policy."""
    by_case: dict[PolicyView, dict[str, Records]] = {view: records.by("case") for view, records in by_view.items()}
    for case in sorted(set.intersection(*map(set, by_case.values()))) if by_case else ():
        found = {view: held[case].by_strategy() for view, held in by_case.items()}
        for strategy in sorted(set.intersection(*map(set, found.values()))):
            places = {view: held[strategy] for view, held in found.items()}
            for sample in sorted(set.intersection(*map(set, places.values()))):
                yield case, {view: at[sample] for view, at in places.items()}


def _policy_line(view: PolicyView, found: _Sum, own: Records, reference: _Sum | None) -> PolicyLine:
    futile = measure(score("futile"), own.only(found.judged_places)).value
    about = ABOUT if any(own.column("tokens_estimated")) else ""
    alone = reference is None or view.policy == MAIN_POLICY
    saved = None if reference is None or alone else reference.attempts - found.attempts
    net_lost = None if alone else found.lost - found.gained
    return PolicyLine(
        label=view.label,
        title=_policy_title(view.policy),
        right=found.right,
        of=found.of,
        open=found.open,
        lost=NOTHING if alone else str(found.lost),
        gained=NOTHING if alone else str(found.gained),
        attempts=found.attempts,
        saved=saved,
        net_lost=net_lost,
        price=NOTHING if saved is None or not net_lost or net_lost < 0 else f"{saved / net_lost:.1f}",
        wasted=found.wasted,
        futile_per_user=NOTHING if futile is None else f"{futile:.2f}",
        prompt_tokens=_tokens(found.prompt_tokens, about),
        completion_tokens=_tokens(found.completion_tokens, about),
    )


def _tokens(count: float | None, about: str) -> str:
    return NOTHING if count is None else f"{about}{figure(count)}"


def _policy_title(name: str) -> str:
    return policy(name).title if is_policy(name) else ""


def number(value: float) -> str:
    """Return a count as text: an integer, or two decimals if samples of a case were averaged."""
    return str(int(value)) if value == int(value) else f"{value:.2f}"
