"""What the terminal shows of a run: which strategy, which policy, and how it went by kind. One part of the corpus, one policy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from mendbench.bench.results import StoredRun
from mendbench.bench.totals import HEADLINE_PART
from mendbench.cli.output import plain, write
from mendbench.cli.tables import bar, fits, paragraph, show_tables, show_totals, table
from mendbench.errors import UnknownName
from mendbench.model.json import JsonObject
from mendbench.report.summary import summarise
from mendbench.report.views import Column, PolicyView, Solver, Views, own_strategies

TITLE = "Repair success: cases right within three attempts, of the cases with an edit fault"

EVERYTHING = "--all prints every policy and part"

NOTHING = "-"

_STRATEGY = ("right", "", "95 %", "context\ntokens", "plausible", "harmful", "wasted\n/trial")
"""What is not read first stands last: a narrow terminal drops it."""

_POLICY = ("right trials", "wasted\n/trial", "", "futile\n/user case", "wasted")
"""As above."""

_KINDS = ("repairable", "mixed", "needs_user", "transient", "control")

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
    summary = summarise(run)
    if part is None or part == HEADLINE_PART:
        write(f"{paragraph(plain(summary.lead))}\n\n")
    own = [one for one in totals if one["part"] == chosen]
    for solver in summary.views.solvers:
        _show_solver([one for one in own if one["engine"] == solver.engine], summary.views, solver, chosen)
    write(f"{_broken(run)}\n")
    hidden = len(totals) - _shown(own, summary.views)
    if hidden > 0:
        more = f"{hidden} more {'line' if hidden == 1 else 'lines'} of other policies and parts; {EVERYTHING}"
        write(f"{paragraph(more)}\n")


def _part(totals: Sequence[JsonObject], part: str | None) -> str | None:
    parts = list(dict.fromkeys(one["part"] for one in totals))
    names = [str(one) for one in parts if one is not None]
    if part is None:
        return parts[0] if parts else None
    if part not in names:
        raise UnknownName("part", part, set(names))
    return part


def _shown(totals: Sequence[JsonObject], views: Views) -> int:
    policies = views.policies[:1]
    return sum(one["repairer"] in views.bounds() or any(view.ran(one) for view in policies) for one in totals)


def _show_solver(totals: Sequence[JsonObject], views: Views, solver: Solver, part: str | None) -> None:
    policies = [view for view in views.policies if any(_is(one, solver, view) for one in totals)]
    if not policies:
        return
    of = f", {part} part" if part else ""
    lines = list(_lines(totals, views, solver, policies[0]))
    cases = max((one["scores"]["repair_success"]["denominator"] for _, one in lines), default=0)
    head = f"{solver.label} under {policies[0].label}{of}: repairs, of {cases} cases with an edit fault"
    drawn = (_strategies(lines, count) for count in range(len(_STRATEGY), 0, -1))
    show_tables([next((made for made in drawn if fits(made)), _strategies(lines, 1))], paragraph(plain(head)))
    write("\n")
    if len(policies) > 1:
        tables = (_policies(totals, views, solver, policies, count) for count in range(len(_POLICY), 0, -1))
        found = next((made for made in tables if fits(made)), _policies(totals, views, solver, policies, 1))
        show_tables([found], "By policy, all strategies without controls")
        write("\n")
    show_tables(
        _by_kind(lines), paragraph(f"By kind of case, under {plain(policies[0].label)}: kinds are never added up")
    )
    write("\n")


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


def _strategies(lines: Sequence[tuple[Column, JsonObject]], count: int) -> Table:
    made = _with_bars(table("strategy", numbers=_STRATEGY[:count]))
    for at, (column, total) in enumerate(lines):
        scores = total["scores"]
        success = scores["repair_success"]
        wasted, tokens = scores["wasted"]["value"], scores["context_tokens"]["value"]
        cells = (
            _share(success), bar(success["value"], 12), _interval(success), NOTHING if tokens is None else f"{tokens:.0f}",
            _number(scores["plausible"]["numerator"]), _number(scores["harmful"]["numerator"]),
            NOTHING if wasted is None else f"{wasted:.2f}",
        )  # fmt: skip
        ends = at + 1 < len(lines) and lines[at + 1][0].group != column.group
        made.add_row(plain(column.name), *cells[:count], end_section=ends)
    return made


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


def _by_kind(lines: Sequence[tuple[Column, JsonObject]]) -> list[Table]:
    """Return the kinds side by side; in two tables where the terminal has no room for one."""
    shown = [name for name in _KINDS if any(one["scores"][f"{name}_success"]["denominator"] for _, one in lines)]
    whole = _kinds_table(lines, shown)
    half = (len(shown) + 1) // 2
    return (
        [whole]
        if fits(whole) or not shown[half:]
        else [_kinds_table(lines, one) for one in (shown[:half], shown[half:])]
    )


def _kinds_table(lines: Sequence[tuple[Column, JsonObject]], kinds: Sequence[str]) -> Table:
    made = table("strategy", numbers=kinds)
    for column, total in lines:
        made.add_row(plain(column.name), *(_share(total["scores"][f"{name}_success"]) for name in kinds))
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


def _share(success: JsonObject) -> str:
    return _pooled([success]) if success["denominator"] else NOTHING


def _pooled(found: Sequence[JsonObject]) -> str:
    """Return the right trials of all of these; where some are open, from what is sure to what it comes to if all of them hold."""
    right, of = (sum(one[end] for one in found) for end in ("numerator", "denominator"))
    if not any(one["bounds"] for one in found):
        return f"{_number(right)}/{of}"
    most = sum(one["bounds"]["high"] * one["denominator"] if one["bounds"] else one["numerator"] for one in found)
    return f"{_number(right)}{_TO}{_number(round(most, 6))}/{of}"


def _interval(success: JsonObject) -> str:
    found = success["interval"]
    return f"{found['low']:.2f}{_TO}{found['high']:.2f}" if found else NOTHING


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else f"{value:.2f}"
