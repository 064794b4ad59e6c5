"""What the terminal shows of a run: the main model's strategies and policies, in one part of the corpus; a line for each other model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.table import Table

from mendbench.cli.output import plain, write
from mendbench.cli.tables import bar, fits, paragraph, show_tables, show_totals, table
from mendbench.errors import UnknownName
from mendbench.model.json import JsonObject
from mendbench.report.charts.success import Row, rows_of
from mendbench.report.summary import leading, summarise
from mendbench.report.tables import Panel, others
from mendbench.report.views import STRATA, Column, PolicyView, Solver, Views, own_strategies
from mendbench.report.words import on_apis
from mendbench.results.store import StoredRun
from mendbench.results.totals import HEADLINE_PART
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import Treatment

TITLE = "Repair success: cases right within three attempts, of the cases with an edit fault"

EVERYTHING = "--all prints every policy and part"

NOTHING = "-"

_STRATEGY = ("context\ntokens", "plausible", "harmful", "wasted\n/trial")
"""What stands behind the strata. What is not read first stands last: a narrow terminal drops it."""

_POLICY = ("right trials", "wasted\n/trial", "", "futile\n/user case", "wasted")
"""As above."""

_TO = "\N{EN DASH}"


def show_summary(run: StoredRun, part: str | None, *, everything: bool) -> None:
    """Print a run in short; ``part`` is of the corpus, else the one that results are told of. ``everything``: all totals.

    Raises:
        UnknownName: the run has no trial of that part.
    """
    totals: Sequence[JsonObject] = run.run["totals"]
    chosen = _part(totals, part)
    if everything:
        show_totals([one for one in totals if part is None or one["part"] == chosen], TITLE)
        return
    summary, own = summarise(run), [one for one in totals if one["part"] == chosen]
    if part is None or part == HEADLINE_PART:
        write(f"{paragraph(plain(summary.lead))}\n\n")
    main = next((one for one in summary.views.solvers if _policies_of(own, summary.views, one)), None)
    if main is not None:
        records = run.records.where("part", lambda one: one == chosen)
        _show_solver([one for one in own if one["engine"] == main.engine], records, summary.views, main, chosen)
    for panel in others(summary.panels):
        write(f"{paragraph(plain(f'{panel.solver.label}{on_apis(panel.api)}: {_best(panel)}'))}\n")
    write(f"{_broken(run)}\n")
    hidden = len(totals) - _shown(own, summary.views, main)
    if hidden > 0:
        more = f"{hidden} more {'line' if hidden == 1 else 'lines'} of other models, policies and parts; {EVERYTHING}"
        write(f"{paragraph(more)}\n")


def _best(panel: Panel) -> str:
    """Return what the leading strategies of a panel repaired."""
    told = [line for line in panel.lines if line.group != "bound" and line.cases]
    plain_ones = [line for line in told if line.group == "strategy"] or told
    best = leading(plain_ones) if plain_ones else []
    if len(best) > 1 and len({(line.reach, line.cases) for line in best}) == 1:
        return f"{best[0].reach} of {best[0].cases} by each of {len(best)} strategies"
    return " or ".join(f"{line.name} {line.reach} of {line.cases}" for line in best) or NOTHING


def _part(totals: Sequence[JsonObject], part: str | None) -> str | None:
    parts = list(dict.fromkeys(one["part"] for one in totals))
    names = [str(one) for one in parts if one is not None]
    if part is None:
        return parts[0] if parts else None
    if part not in names:
        raise UnknownName("part", part, set(names))
    return part


def _shown(totals: Sequence[JsonObject], views: Views, main: Solver | None) -> int:
    if main is None:
        return 0
    view = _policies_of(totals, views, main)[0]
    return sum(one["repairer"] in views.bounds() or _is(one, main, view) for one in totals)


def _policies_of(totals: Sequence[JsonObject], views: Views, solver: Solver) -> list[PolicyView]:
    return [view for view in views.policies if any(_is(one, solver, view) for one in totals)]


def _show_solver(
    totals: Sequence[JsonObject], records: Records, views: Views, solver: Solver, part: str | None
) -> None:
    policies = _policies_of(totals, views, solver)
    of = f", {part} part" if part else ""
    lines = list(_lines(totals, views, solver, policies[0]))
    right = {column.name: _right(records, column, solver, policies[0]) for column, _ in lines}
    head = f"{solver.label} under {policies[0].label}{of}: cases right after the first response | within three"
    drawn = (_strategies(lines, right, count) for count in range(len(_STRATEGY), 0, -1))
    show_tables([next((made for made in drawn if fits(made)), _strategies(lines, right, 0))], paragraph(plain(head)))
    write("\n")
    if len(policies) > 1:
        tables = (_policies(totals, views, solver, policies, count) for count in range(len(_POLICY), 0, -1))
        found = next((made for made in tables if fits(made)), _policies(totals, views, solver, policies, 1))
        show_tables([found], "By policy, all strategies without controls")
        write("\n")


def _right(records: Records, column: Column, solver: Solver, view: PolicyView) -> dict[str, Row]:
    """Return what a column got right, by stratum."""

    def own(one: Treatment) -> bool:
        if column.group == "bound":
            return one.repairer == column.name and one.engine == solver.engine
        return solver.answers(one) and view.runs(one) and one.strategy == column.name

    return {name: rows[0] for name, rows in rows_of(records.where("treatment", own)).items()}


def _is(total: JsonObject, solver: Solver, view: PolicyView) -> bool:
    return solver.answered(total) and view.ran(total)


def _lines(
    totals: Sequence[JsonObject], views: Views, solver: Solver, view: PolicyView
) -> Iterator[tuple[Column, JsonObject]]:
    for column in views.columns:
        for total in totals:
            bound = column.group == "bound" and total["repairer"] == column.name
            if bound or (column.group != "bound" and _is(total, solver, view) and total["strategy"] == column.name):
                yield column, total


def _strategies(
    lines: Sequence[tuple[Column, JsonObject]], right: Mapping[str, Mapping[str, Row]], count: int
) -> Table:
    """Return the table of the strategies, with so many of the columns behind the strata."""
    cases = {name: max((own[name].cases for own in right.values() if name in own), default=0) for name in STRATA}
    shown = [name for name in STRATA if cases[name]]
    heads = [f"{name}, {cases[name]}\nfirst | in 3" for name in shown]
    made = table("strategy", numbers=(*heads, *_STRATEGY[:count]))
    for at, (column, total) in enumerate(lines):
        scores, own = total["scores"], right[column.name]
        wasted, tokens = scores["wasted"]["value"], scores["context_tokens"]["value"]
        cells = (
            NOTHING if tokens is None else f"{tokens:.0f}", _number(scores["plausible"]["numerator"]),
            _number(scores["harmful"]["numerator"]), NOTHING if wasted is None else f"{wasted:.2f}",
        )  # fmt: skip
        ends = at + 1 < len(lines) and lines[at + 1][0].group != column.group
        strata = (_in_stratum(own.get(name), cases[name]) for name in shown)
        made.add_row(plain(column.name), *strata, *cells[:count], end_section=ends)
    return made


def _in_stratum(row: Row | None, cases: int) -> str:
    if row is None:
        return NOTHING
    of = "" if row.cases == cases else f" /{row.cases}"
    return f"{row.first.short} | {row.within.short}{of}"


def _policies(
    totals: Sequence[JsonObject], views: Views, solver: Solver, policies: Sequence[PolicyView], count: int
) -> Table:
    names = {column.name for column in own_strategies(views.columns)}
    made = _with_bars(table("policy", numbers=_POLICY[:count]))
    found = [
        (view, [one for one in totals if _is(one, solver, view) and one["strategy"] in names]) for view in policies
    ]
    wasted = [_ratio(own, "wasted") for _, own in found]
    most = max((one for one in wasted if one is not None), default=0) or 1
    for (view, own), each in zip(found, wasted, strict=True):
        futile = _ratio(own, "futile")
        cells = (
            _pooled([one["scores"]["repair_success"] for one in own]),
            NOTHING if each is None else f"{each:.2f}", bar(None if each is None else each / most, 12),
            NOTHING if futile is None else f"{futile:.2f}", _number(sum(one["scores"]["wasted"]["numerator"] for one in own)),
        )  # fmt: skip
        made.add_row(plain(view.label), *cells[:count])
    return made


def _with_bars(made: Table) -> Table:
    """Return a table whose columns without a head, which are bars, begin at their left."""
    for column in made.columns:
        if not column.header:
            column.justify = "left"
    return made


def _broken(run: StoredRun) -> str:
    bounds, trials = run.run["bounds"], len(run.rows)
    return f"No verdict: {bounds['unjudged']} unjudged and {bounds['crashed']} crashed, of {trials} {'trial' if trials == 1 else 'trials'}"


def _ratio(totals: Sequence[JsonObject], score: str) -> float | None:
    top, under = (sum(one["scores"][score][end] for one in totals) for end in ("numerator", "denominator"))
    return top / under if under else None


def _pooled(found: Sequence[JsonObject]) -> str:
    """Return the right trials of all of these; where some are open, from what is sure to what it comes to if all of them hold."""
    right, of = (sum(one[end] for one in found) for end in ("numerator", "denominator"))
    if not any(one["bounds"] for one in found):
        return f"{_number(right)}/{of}"
    most = sum(one["bounds"]["high"] * one["denominator"] if one["bounds"] else one["numerator"] for one in found)
    return f"{_number(right)}{_TO}{_number(round(most, 6))}/{of}"


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:.2f}"
