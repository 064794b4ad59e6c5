"""Prints a run: the main model's strategies and policies in one part of the corpus, and a line for each other model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mendbench.cli.output import plain, write
from mendbench.cli.tables import bar, paragraph, show_tables
from mendbench.cli.words import NOTHING, TO, counted, decimals, number, span
from mendbench.errors import BadInput, UnknownName
from mendbench.model.json import JsonObject
from mendbench.report.charts.success import Row, rows_of
from mendbench.report.summary import headline, leading
from mendbench.report.table_model import Column, Table, columns
from mendbench.report.tables import Panel
from mendbench.report.views import BOUND_REPAIRERS, STRATA, GridColumn, PolicyView, Solver, Views, own_strategies
from mendbench.report.words import on_apis
from mendbench.results.store import StoredRun
from mendbench.results.totals import HEADLINE_PART
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import EDIT_KINDS, Treatment
from mendbench.values.name_lists import few

TITLE = "Repair success: cases right within three attempts, of the cases with an edit fault"

DETAILS = "--details shows every model, policy and part"

OTHERS = 3
"""Maximum number of lines for the other models: the summary fits a terminal of 24 lines."""

_FAILED_FIX = frozenset({"partly", "plausible", "unrepaired", "harmful"})
"""Outcomes of a fix that does not repair its case. The others can be due to the detector."""

# The most important columns come first: a narrow terminal omits the last ones.
_STRATEGY = ("context\ntokens", "plausible", "harmful", "wasted\n/trial")
"""The columns after the strata."""

_TOTALS = (
    "right",
    "95 %",
    "first\nattempt",
    "wasted\n/trial",
    "plausible",
    "harmful",
    "context\ntokens",
    "facts\nstated",
)


def show_summary(run: StoredRun, part: str | None, *, details: bool) -> None:
    """Print a short summary of a run, or all its totals.

    ``part`` is a part of the corpus; None means the part that results are reported for.

    Raises:
        UnknownName: the run has no trial of that part.
        BadInput: the run has no parts.
    """
    totals: Sequence[JsonObject] = run.run["totals"]
    chosen = shown_part(run, part)
    own = [total for total in totals if total["part"] == chosen]
    results = headline(run)
    main = next((solver for solver in results.views.solvers if _policies_of(own, results.views, solver)), None)
    of_main = [total for total in own if main is not None and total["engine"] == main.engine]
    if details:
        if main is not None:
            _show_policies(of_main, results.views, main)
        show_totals(totals if part is None else own)
        return
    if main is not None:
        records = run.records.where("part", lambda name: name == chosen)
        _show_solver(of_main, records, results.views, main, chosen)
    for panel in results.others[:OTHERS]:
        write(f"{paragraph(plain(f'{panel.solver.label}{on_apis(panel.api)}: {_best(panel)}'))}\n")
    bounds, trials = run.run["bounds"], counted(len(run.rows), "trial")
    missing = f"No verdict: {bounds['unjudged']} unjudged and {bounds['crashed']} crashed, of {trials}."
    write(f"{paragraph(f'{missing} {DETAILS}')}\n")
    if unsolved := _never_right(run.records, chosen):
        write(f"{paragraph(plain(f'Right under no strategy: {few(unsolved)}'))}\n")
    if failing := _failing_fixes(run.records):
        advice = f"`mendbench case check {failing[0]}` says why"
        write(
            f"{paragraph(plain(f'The own fix of a case fails, so its trials show nothing: {few(failing)}; {advice}'))}\n"
        )
    if part is None or part == HEADLINE_PART:
        write(f"\n{paragraph(plain(results.lead))}\n")


def _never_right(records: Records, part: str | None) -> list[str]:
    """Return the cases of a part whose trials are all judged and none right, not even after the first response; bounds do not count."""
    own = records.where("part", lambda name: name == part).where(
        "treatment", lambda one: one.repairer not in BOUND_REPAIRERS
    )
    found = own.counted("case", "verdict", "right_after_first")
    open_or_right = {case for case, verdict, first in found if first or verdict in {"correct", "unjudged"}}
    return sorted({case for case, _, _ in found} - open_or_right)


def _failing_fixes(records: Records) -> list[str]:
    """Return the cases whose reference fix does not repair them, whatever the detector says of it."""
    applied = records.where("treatment", lambda one: one.repairer == "reference").where("kind", EDIT_KINDS.__contains__)
    return sorted({case for case, outcome in applied.counted("case", "outcome") if outcome in _FAILED_FIX})


def show_totals(totals: Sequence[JsonObject]) -> None:
    """Print a run's totals."""
    show_tables(_totals_tables(totals), paragraph(TITLE))


def _totals_tables(totals: Sequence[JsonObject]) -> Iterator[Table]:
    """Yield a table for each part and model; repairers without a model share the last one of the part."""
    for part in dict.fromkeys(total["part"] for total in totals):
        of_part = [total for total in totals if total["part"] == part]
        for model in sorted({total["model"] or "" for total in of_part}, key=lambda name: (not name, name)):
            own = [total for total in of_part if (total["model"] or "") == model]
            engines = {total["engine"] for total in own}
            keys = [*(["engine"] if len(engines) > 1 else []), *([] if model else ["repairer"]), "strategy", "policy"]
            yield Table(
                columns=columns(*keys, wraps=keys, numbers=_TOTALS),
                rows=[(*(str(total[key]) for key in keys), *_total_cells(total["scores"])) for total in own],
                caption=", ".join([*([model] if model else []), *([f"{part} part"] if part else [])]),
                optional=len(_TOTALS) - 1,
            )


def _total_cells(scores: JsonObject) -> tuple[str, ...]:
    interval = scores["repair_success"]["interval"]
    return (
        _right_trials([scores["repair_success"]]),
        f"{interval['low']:.2f}{TO}{interval['high']:.2f}" if interval else NOTHING,
        number(scores["attempt1_success"]["numerator"]),
        decimals(scores["wasted"]["value"]),
        number(scores["plausible"]["numerator"]),
        number(scores["harmful"]["numerator"]),
        decimals(scores["context_tokens"]["value"], 0),
        number(scores["context_recall"]["value"]),
    )


def _best(panel: Panel) -> str:
    """Return what the leading strategies of a panel repaired."""
    measured = [line for line in panel.lines if line.group != "bound" and line.cases]
    strategies = [line for line in measured if line.group == "strategy"] or measured
    best = leading(strategies) if strategies else []
    if len(best) > 1 and len({(line.reach, line.cases) for line in best}) == 1:
        return f"{best[0].reach} of {best[0].cases} by each of {len(best)} strategies"
    return " or ".join(f"{line.name} {line.reach} of {line.cases}" for line in best) or NOTHING


def shown_part(run: StoredRun, part: str | None) -> str | None:
    """Return the part of the corpus that a summary shows: ``part``, else the one that results are reported for.

    Raises:
        UnknownName: the run has no trial of that part.
        BadInput: the run has no parts.
    """
    parts = list(dict.fromkeys(total["part"] for total in run.run["totals"]))
    if part is None:
        return parts[0] if parts else None
    names = {str(name) for name in parts if name is not None}
    if not names:
        raise BadInput(f"--part {part}", "the run has no parts, because its corpus has no split", "leave --part away")
    if part not in names:
        raise UnknownName("part", part, names)
    return part


def _policies_of(totals: Sequence[JsonObject], views: Views, solver: Solver) -> list[PolicyView]:
    return [view for view in views.policies if any(_is(total, solver, view) for total in totals)]


def _show_solver(
    totals: Sequence[JsonObject], records: Records, views: Views, solver: Solver, part: str | None
) -> None:
    policies = _policies_of(totals, views, solver)
    of_part = f", {part} part" if part else ""
    lines = [line for line in _lines(totals, views, solver, policies[0]) if line[0].group != "bound"]
    right = {column.name: _right(records, column, solver, policies[0]) for column, _ in lines}
    title = f"{solver.label} under {policies[0].label}{of_part}: cases right after the first response | within three"
    show_tables([_strategies(lines, right)], paragraph(plain(title)))
    write("\n")


def _show_policies(totals: Sequence[JsonObject], views: Views, solver: Solver) -> None:
    policies = _policies_of(totals, views, solver)
    if len(policies) > 1:
        title = f"{solver.label} by policy, all strategies without controls"
        show_tables([_policies(totals, views, solver, policies)], paragraph(plain(title)))
        write("\n")


def _right(records: Records, column: GridColumn, solver: Solver, view: PolicyView) -> dict[str, Row]:
    """Return what a column got right, by stratum."""

    def own(treatment: Treatment) -> bool:
        if column.group == "bound":
            return treatment.repairer == column.name and treatment.engine == solver.engine
        return solver.answers(treatment) and view.runs(treatment) and treatment.strategy == column.name

    return {name: rows[0] for name, rows in rows_of(records.where("treatment", own)).items()}


def _is(total: JsonObject, solver: Solver, view: PolicyView) -> bool:
    return solver.answered(total) and view.ran(total)


def _lines(
    totals: Sequence[JsonObject], views: Views, solver: Solver, view: PolicyView
) -> Iterator[tuple[GridColumn, JsonObject]]:
    for column in views.columns:
        for total in totals:
            bound = column.group == "bound" and total["repairer"] == column.name
            if bound or (column.group != "bound" and _is(total, solver, view) and total["strategy"] == column.name):
                yield column, total


def _strategies(lines: Sequence[tuple[GridColumn, JsonObject]], right: Mapping[str, Mapping[str, Row]]) -> Table:
    cases = {name: max((own[name].cases for own in right.values() if name in own), default=0) for name in STRATA}
    strata = [name for name in STRATA if cases[name]]
    rows = []
    for column, total in lines:
        scores, own = total["scores"], right[column.name]
        rows.append((
            column.name,
            *(_in_stratum(own.get(name), cases[name]) for name in strata),
            decimals(scores["context_tokens"]["value"], 0),
            number(scores["plausible"]["numerator"]),
            number(scores["harmful"]["numerator"]),
            decimals(scores["wasted"]["value"]),
        ))  # fmt: skip
    groups = [column.group for column, _ in lines]
    return Table(
        columns=columns("strategy", numbers=(*(f"{name}, {cases[name]}\nfirst | in 3" for name in strata), *_STRATEGY)),
        rows=rows,
        optional=len(_STRATEGY),
        gaps=[at for at in range(len(groups) - 1) if groups[at] != groups[at + 1]],
    )


def _in_stratum(row: Row | None, cases: int) -> str:
    if row is None:
        return NOTHING
    of_cases = "" if row.cases == cases else f" /{row.cases}"
    return f"{row.first.short} | {row.within.short}{of_cases}"


def _policies(totals: Sequence[JsonObject], views: Views, solver: Solver, policies: Sequence[PolicyView]) -> Table:
    names = {column.name for column in own_strategies(views.columns)}
    by_policy = [
        [total["scores"] for total in totals if _is(total, solver, view) and total["strategy"] in names]
        for view in policies
    ]
    wasted = [_ratio(scores, "wasted") for scores in by_policy]
    most = max(filter(None, wasted), default=1)
    rows = [
        (
            view.label,
            _right_trials([score["repair_success"] for score in scores]),
            decimals(share),
            bar(None if share is None else share / most, 12),
            decimals(_ratio(scores, "futile")),
            number(sum(score["wasted"]["numerator"] for score in scores)),
        )
        for view, scores, share in zip(policies, by_policy, wasted, strict=True)
    ]
    before, after = columns("policy", numbers=("right trials", "wasted\n/trial")), ("futile\n/user case", "wasted")
    return Table(columns=(*before, Column(""), *columns(numbers=after)), rows=rows, optional=4)


def _ratio(scores: Sequence[JsonObject], name: str) -> float | None:
    numerator, denominator = (sum(score[name][end] for score in scores) for end in ("numerator", "denominator"))
    return numerator / denominator if denominator else None


def _right_trials(shares: Sequence[JsonObject]) -> str:
    """Return the right trials of all trials; where some are open, both bounds of the right ones."""
    right, trials = (sum(share[end] for share in shares) for end in ("numerator", "denominator"))
    most = sum(
        share["bounds"]["high"] * share["denominator"] if share["bounds"] else share["numerator"] for share in shares
    )
    return f"{span(round(right, 6), round(most, 6))}/{trials}"
