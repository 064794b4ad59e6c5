"""The first screen of a run's report, as data: what was run, the results, and what is missing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mendbench.errors import UnknownName
from mendbench.model.json import Json
from mendbench.model.trial import TrialRow
from mendbench.report.charts.break_even import break_even
from mendbench.report.charts.chart import Chart
from mendbench.report.primary import models_planned_for
from mendbench.report.reasons import PLAIN_ENGINE
from mendbench.report.selection import headline_totals
from mendbench.report.tables import (
    FEW,
    Line,
    Panel,
    PolicyTable,
    control_panels,
    headline_panels,
    others,
    panels,
    policy_tables,
)
from mendbench.report.views import RULE_BOOK, Solver, Views, control_model, views_of
from mendbench.report.words import counted, figure, listing, on_apis
from mendbench.results.store import StoredRun
from mendbench.results.totals import headline_records
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import EDIT_KINDS, Treatment
from mendbench.strategies.frame import DEFAULT_FRAME, frame_digest
from mendbench.strategies.interface import parts_of
from mendbench.trial.long_texts import whole

_ROUNDED = 1e-6
"""Shares that differ by less are equal: bounds are stored rounded."""

_SOURCES = {"real": "real servers", "simulator": "simulated services", "live": "live services", "mock": "mock servers"}

_BY = {"first-answer": "By its first response"}
"""Policies in words, where the name alone says too little."""

KINDS = {
    "repairable": "that an edit mends",
    "mixed": "that an edit mends in part and the user must finish",
    "needs_user": "that only the user can mend",
    "transient": "that another try cures",
    "control": "with nothing wrong",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One line about what was run."""

    name: str
    value: str
    items: tuple[str, ...] = ()
    """The same line by line, if it is long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A trial of the main model without a verdict, and why."""

    key: str
    verdict: str
    says: str
    also: tuple[tuple[str, str], ...]
    """The other policies under which the same trial is open, with its keys there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """What is missing from a run."""

    trials: int
    unjudged: int
    crashed: int
    main: str
    """The main model."""
    listed: tuple[Open, ...]
    """All open trials of the main model."""
    others: tuple[tuple[str, int], ...]
    """The number of open trials of each other model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The first screen."""

    lead: str
    caveats: tuple[str, ...]
    """Limits of conclusions about the main model: how it was queried, what is exploratory, notes from the configuration."""
    provenance: str
    """How much was run, and where the recorded responses come from."""
    facts: tuple[Fact, ...]
    digests: tuple[Fact, ...]
    gaps: Gaps | None
    few: bool
    """Whether counts replace rates, because there are fewer than :data:`FEW` cases with an edit fault."""
    views: Views
    panels: tuple[Panel, ...]
    policies: tuple[tuple[PolicyTable, Chart | None], ...]
    """Each solver's policies, with the chart of what they save and lose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The results of a run in short."""

    lead: str
    views: Views
    others: tuple[Panel, ...]
    """The tables of the other solvers under the headline's policy."""


def summarise(run: StoredRun) -> Summary:
    """Return the first screen of a run's report."""
    views, headline = views_of(run), headline_records(run.records)
    tables = panels(headline_totals(run), views)
    edits = {case for case, kind in headline.counted("case", "kind") if kind in EDIT_KINDS}
    digests = run.run.get("digests") or {}
    return Summary(
        lead=_lead(control_panels(tables, control_model(run)) or headline_panels(tables)),
        caveats=tuple(_caveats(run, views)),
        provenance=_recorded(run.records, run.run.get("mendbench_version")) + _elsewhere(run),
        facts=tuple(_facts(run, views)),
        digests=tuple(Fact(name=name, value=_digest(digests[name])) for name in sorted(digests)),
        gaps=_gaps(run, views),
        few=len(edits) < FEW,
        views=views,
        panels=tables,
        policies=tuple((table, break_even(table, at)) for at, table in enumerate(policy_tables(headline, views))),
    )


def headline(run: StoredRun) -> Headline:
    """Return the results under the headline's policy, and those of the control model: all that a terminal shows."""
    views, control = views_of(run), control_model(run)
    first = views.policies[:1]

    def wanted(treatment: Treatment) -> bool:
        own = treatment.model == control or any(view.runs(treatment) for view in first)
        return own or treatment.repairer in views.bounds()

    tables = panels(headline_totals(run, wanted), views)
    lead = _lead(control_panels(tables, control) or headline_panels(tables))
    return Headline(lead=lead, views=views, others=others(tables))


def _lead(found: Sequence[Panel]) -> str:
    """Return the headline in words, a sentence for each stratum of APIs. The rule book never heads a report."""
    if found and found[0].solver.repairer == RULE_BOOK:
        return (
            "Only the rule book responded: a smoke test, which shows that the prompts of a strategy can be used. "
            "It does not rank strategies as models do (docs/findings.md)."
        )
    sentences = [(panel, _repaired(panel)) for panel in found]
    if not any(text for _, text in sentences):
        return "No case of this run has a fault that an edit mends, so there is no repair success." if found else ""
    who = f"{_BY.get(found[0].policy.policy) or f'Under {found[0].policy.label}'}, {found[0].solver.label}"
    if len(sentences) == 1:
        return f"{who}{on_apis(found[0].api)} {sentences[0][1]}."
    return " ".join([f"{who}:", *(f"On {panel.api} APIs it {text}." for panel, text in sentences)])


def _repaired(panel: Panel) -> str:
    """Return what was repaired with each strategy, ranked by share, since strategies may have been run on different cases."""
    lines = [line for line in panel.lines if line.group != "bound" and line.cases]
    plain = sorted(contenders(lines), key=_share, reverse=True) or lines
    if not plain:
        return ""
    leaders = leading(plain)
    each = [f"{line.name} ({_of_cases(line)})" for line in leaders]
    if len(leaders) > 1 and len({_of_cases(line) for line in leaders}) == 1:
        each = [f"{listing([line.name for line in leaders])} ({_of_cases(leaders[0])} each)"]
    if len(plain) == 1:
        text = f"repaired {_of_cases(plain[0])} with {plain[0].name}"
    elif len(leaders) == 1:
        text = f"repaired {_of_cases(leaders[0])} with {leaders[0].name}, the most"
    elif any(line.bounds for line in leaders):
        text = f"repaired most with {' or '.join(each)}; unjudged trials leave open with which"
    elif len({(line.right, line.cases) for line in plain}) == 1:
        text = f"repaired {_of_cases(plain[0])} with every strategy"
    else:
        text = f"repaired most with {each[0] if len(each) == 1 else listing(each)}"
    rest = [f"{line.name} {line.reach}{_otherwise(line, leaders[0])}" for line in plain if line not in leaders]
    text += f"; then {listing(rest)}" if rest else ""
    alone = next((line for line in lines if line.name == "none" and line not in plain), None)
    if alone is not None:
        text += f"; without any error context {alone.reach}{_otherwise(alone, leaders[0])}"
    return text


def _caveats(run: StoredRun, views: Views) -> Iterator[str]:
    solver = next(iter(views.solvers), None)
    if solver is None or solver.model is None:
        return
    model = (run.run.get("models") or {}).get(solver.model) or {}
    if model.get("sampling") == "unknown":
        yield f"{solver.model}: sampling parameters unknown, so there is no pass@k, latency or cost."
    if model.get("asked"):
        yield f"Asked {model['asked']}."
    if estimated(run, solver):
        yield "Token counts are estimates (≈)."
    if solver.model not in models_planned_for(run):
        yield "Everything about this model is exploratory: no contrast was specified for it beforehand."
    report = run.run.get("report") or {}
    if report.get("note") and report.get("main_model") == solver.model:
        yield str(report["note"])


def estimated(run: StoredRun, solver: Solver) -> bool:
    """Return whether token counts of a solver's trials are estimates."""
    pairs = run.records.counted("treatment", "tokens_estimated")
    return any(guessed and solver.answers(treatment) for treatment, guessed in pairs)


def contenders(lines: Iterable[Line]) -> list[Line]:
    """Return the lines of the strategies, and of variations that repair more than each of them of as many cases."""
    ran = [line for line in lines if line.cases]
    plain = [line for line in ran if line.group == "strategy"]
    most, cases = max(map(_share, plain), default=1), max((line.cases for line in plain), default=0)
    return [*plain, *(one for one in ran if one.group == "variation" and one.cases == cases and _share(one) > most)]


def leading(lines: Sequence[Line]) -> list[Line]:
    """Return the line with the greatest share, and those that equal it or may still exceed it once their open trials are judged."""
    best = max(lines, key=_share)
    share = _share(best)
    return [
        best,
        *(
            line
            for line in lines
            if line is not best and (_share(line) == share or line.most / line.cases > share + _ROUNDED)
        ),
    ]


def _of_cases(line: Line) -> str:
    return f"{line.reach} of {counted(line.cases, 'case')}"


def _otherwise(line: Line, other: Line) -> str:
    return "" if line.cases == other.cases else f" of {line.cases}"


def _share(line: Line) -> float:
    return line.value / line.cases


def _facts(run: StoredRun, views: Views) -> list[Fact]:
    records = run.records
    kinds = {case: kind for case, kind in records.counted("case", "kind")}  # noqa: C416 - the pairs are keys of what is counted
    counted = Counter(kinds.values())
    by_kind = [f"{counted[kind]} {meaning}" for kind, meaning in KINDS.items() if counted[kind]]
    samples = len(records.values("sample"))
    version = run.run.get("mendbench_version")
    facts = [
        Fact(name="Cases", value=f"{len(kinds)}: {', '.join(by_kind)}"),
        Fact(
            name="Trials",
            value=f"{len(records)}{f', {samples} samples each' if samples > 1 else ''}, by mendbench {version}",
        ),
        Fact(name="Covers", value=_covered(records)),
        Fact(name="Answered by", value=", ".join([solver.label for solver in views.solvers])),
        Fact(name="Strategies", value=", ".join([column.name for column in views.columns if column.group != "bound"])),
        Fact(name="Frames", value=", ".join(sorted(_frames(views)))),
        Fact(name="Policies", value=", ".join([view.label for view in views.policies])),
        Fact(name="World", value=_provenance(records), items=_services(records)),
        Fact(name="Engines", value=_engines(run)),
        Fact(name="Left out", value=_left_out(run)),
    ]
    return [fact for fact in facts if fact.value]


def _frames(views: Views) -> set[str]:
    """Return the frames of the prompts, the shipped ones with their digests. A strategy names its own if it is not the default."""
    names = {parts_of(one.name).frame or DEFAULT_FRAME for one in views.columns if one.group != "bound"}
    return {_with_digest(name) for name in names}


def _with_digest(frame: str) -> str:
    try:
        return f"{frame} ({frame_digest(frame)})"
    except UnknownName:  # a user's own: its folder is not known here
        return frame


def _elsewhere(run: StoredRun) -> str:
    """Return the notes on external engines; empty if there are none."""
    engines, left = _engines(run), _left_out(run)
    return (f" Engines: {engines}." if engines else "") + (f" {left}." if left else "")


def _engines(run: StoredRun) -> str:
    """Return the engines with their versions, if there is an external one."""
    engines = run.run.get("engines") or {}
    if not set(engines) - {PLAIN_ENGINE}:
        return ""
    return listing([" ".join([name, own.get("version") or "of no version"]) for name, own in engines.items()])


def _left_out(run: StoredRun) -> str:
    """Return how many cases each engine cannot express: no denominator includes them."""
    counted = Counter(entry["engine"] for entry in run.run.get("left_out") or ())
    shown = [f"{engine} cannot express {count} case{'' if count == 1 else 's'}" for engine, count in counted.items()]
    return listing(shown) if shown else ""


def _digest(value: Json) -> str:
    """Return a digest, or what replaces it, in words."""
    if not isinstance(value, dict):
        return str(value)
    parts = (f"{name}: {_digest(held)}" if isinstance(held, dict) else f"{name} {held}" for name, held in value.items())
    return ", ".join(parts)


def _cases_by_service(records: Records) -> dict[tuple[str, str], set[str]]:
    """Return the cases of each service and origin of its responses, sorted."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for sources, case in records.counted("recorded_from", "case"):
        for service, source in sources:
            found[service, source].add(case)
    return dict(sorted(found.items()))


def _services(records: Records) -> tuple[str, ...]:
    """Return a line for each service: the origin of its responses, and the number of cases."""
    lines = []
    for (service, source), cases in _cases_by_service(records).items():
        origin = f"a {_SOURCES[source][:-1]}" if source in _SOURCES else source
        lines.append(f"{service} ({origin}): {counted(len(cases), 'case')}")
    if not lines:
        return ()
    derived = sum(records.column("derived"))
    rest = f"{figure(derived)} responses derived, the others recorded" if derived else "every response recorded"
    return (*lines, f"A case may have several of them; {rest}.")


def _recorded(records: Records, version: Json) -> str:
    """Return how much was run, which part the figures cover, and where the responses of the world come from."""
    if not len(records):
        return ""
    cases, covered = set(records.values("case")), set(headline_records(records).values("case"))
    of = "" if cases == covered else f"; results cover the {counted(len(covered), 'case')} of the test part"
    sources: dict[str, set[str]] = defaultdict(set)
    for (_, source), own in _cases_by_service(records).items():
        sources[source] |= own
    worlds = [f"{_SOURCES.get(name, name)} in {counted(len(sources[name]), 'case')}" for name in sorted(sources)]
    derived = sum(records.column("derived"))
    text = f"{counted(len(records), 'trial')} of {counted(len(cases), 'case')}{of}, replayed from recordings by mendbench {version}."
    if worlds:
        text += f" The world's responses come from {listing(worlds)}"
        text += " (some cases use both)" if sum(map(len, sources.values())) > len(cases) else ""
        text += f"; simulated services computed {figure(derived)} of them, for changed requests." if derived else "."
    return text


def _covered(records: Records) -> str:
    """Return which part of a split corpus the figures cover; empty if they cover all trials."""
    covered = headline_records(records)
    if len(covered) == len(records):
        return ""
    cases, of = len(covered.values("case")), len(records.values("case"))
    others = "the others may have been used to tune a strategy, and are only in the grid"
    return f"{cases} of the {of} cases, the test part; {others}"


def _provenance(records: Records) -> str:
    """Return where the world's responses come from, in cases, and how many were in no cassette."""
    derived = sum(records.column("derived"))
    rest = (
        f"{derived} responses derived by simulated services, the others recorded"
        if derived
        else "every response recorded"
    )
    services = [
        f"{service} from {source} ({len(cases)} case{'' if len(cases) == 1 else 's'})"
        for (service, source), cases in _cases_by_service(records).items()
    ]
    return "; ".join([*services, rest])


def _gaps(run: StoredRun, views: Views) -> Gaps | None:
    missing = run.records.where("verdict", lambda verdict: verdict in {"unjudged", "crashed"})
    if not missing:
        return None
    by_solver = {solver.label: missing.where("treatment", solver.answers) for solver in views.solvers}
    main = next(iter(by_solver), "")
    others = {label: len(own) for label, own in by_solver.items() if label != main and own}
    bounds = len(missing) - sum(map(len, by_solver.values()))
    return Gaps(
        trials=len(run.records),
        unjudged=missing.counted("verdict")["unjudged",],
        crashed=missing.counted("verdict")["crashed",],
        main=main,
        listed=tuple(_listed(run, by_solver[main])) if by_solver else (),
        others=(*others.items(), *((("bounds", bounds),) if bounds else ())),
    )


def _listed(run: StoredRun, missing: Records) -> Iterator[Open]:
    """Yield the trials without a verdict; those that differ only in the policy are one entry."""
    alike: dict[tuple[Json, ...], list[TrialRow]] = defaultdict(list)
    for place in missing.places():
        row = run.rows[place]
        alike[row["case"], row["strategy"], row["sample"], row["verdict"]].append(row)
    for first, *rest in alike.values():
        yield Open(
            key=first["key"],
            verdict=first["verdict"],
            says=_says(first, run.texts),
            also=tuple((row["policy"], row["key"]) for row in rest),
        )


def _says(row: TrialRow, texts: Mapping[str, str]) -> str:
    problem: Json = whole(row["problem"], texts)
    return str(problem["message"]) if problem else ""
