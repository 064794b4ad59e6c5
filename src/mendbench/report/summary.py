"""What a run says on its first screen, as data: what was run, what came out, and what is missing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mendbench.bench.results import StoredRun
from mendbench.bench.rows import whole
from mendbench.bench.totals import headline_records
from mendbench.model.json import Json
from mendbench.model.trial import JsonRow
from mendbench.report.reasons import PLAIN_ENGINE
from mendbench.report.selection import headline_totals
from mendbench.report.tables import FEW, Line, Panel, PolicyTable, panels, policy_tables
from mendbench.report.views import Views, views_of
from mendbench.report.words import counted, figure, listing
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import EDIT_KINDS

LISTED = 12
"""Trials without a verdict that are named one by one; the rest is counted."""

_SOURCES = {"real": "real servers", "simulator": "simulated services", "live": "live services", "mock": "mock servers"}

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
    """The same line by line, where it is long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A trial without a verdict, and why."""

    key: str
    verdict: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """What is missing from a run."""

    trials: int
    unjudged: int
    crashed: int
    bounds: tuple[tuple[str, Line], ...]
    """Where it was run, and the line that has bounds for want of a verdict."""
    listed: tuple[Open, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The first screen."""

    lead: str
    provenance: str
    """How much was run, and where the recorded answers come from."""
    facts: tuple[Fact, ...]
    digests: tuple[Fact, ...]
    gaps: Gaps | None
    few: bool
    """Whether counts stand for rates, because there are fewer than :data:`FEW` cases with an edit fault."""
    views: Views
    panels: tuple[Panel, ...]
    policies: tuple[PolicyTable, ...]


def summarise(run: StoredRun) -> Summary:
    """Return what the first screen of a run's report shows."""
    views, told = views_of(run), headline_records(run.records)
    tables = panels(headline_totals(run), views)
    edits = {case for case, kind in told.counted("case", "kind") if kind in EDIT_KINDS}
    digests = run.run.get("digests") or {}
    return Summary(
        lead=_lead(tables[0]) if tables else "",
        provenance=_recorded(run.records, run.run.get("mendbench_version")) + _elsewhere(run),
        facts=tuple(_facts(run, views)),
        digests=tuple(Fact(name=name, value=_digest(digests[name])) for name in sorted(digests)),
        gaps=_gaps(run, tables),
        few=len(edits) < FEW,
        views=views,
        panels=tables,
        policies=policy_tables(told, views),
    )


def _lead(panel: Panel) -> str:
    """Return the headline in words. Strategies are ranked by their share: not all need have been run on the same cases."""
    plain = [line for line in panel.lines if line.group == "strategy"] or list(panel.lines)
    every = [line for line in plain if line.cases]
    if not every:
        return "No case of this run has a fault that an edit mends, so there is no repair success to tell."
    told = [line for line in every if line.bounds is None]
    if not told:
        return _open_lead(panel, every)
    high, low = max(told, key=_share), min(told, key=_share)
    text = f"Under {panel.policy.label}, {panel.solver.label} repaired {high.right} of {high.cases} cases"
    if len(told) == 1:
        text += f" told by {high.name}"
    elif _share(high) == _share(low):
        text += ", whichever strategy told it the error"
    else:
        best = [line.name for line in told if (_share(line), line.cases) == (_share(high), high.cases)]
        of = "" if low.cases == high.cases else f" of {low.cases}"
        text += f" at best ({_listing(best)}) and {low.right}{of} at worst"
    alone = next((line for line in panel.lines if line.name == "none"), None)
    if alone is not None and alone not in plain:
        of = "" if alone.cases == high.cases else f" of {alone.cases}"
        text += f"; {alone.bounds or alone.right}{of} without any error context"
    left = len(every) - len(told)
    return f"{text}; {not_judged(left)}." if left else f"{text}."


def _open_lead(panel: Panel, lines: Sequence[Line]) -> str:
    """Return the headline where each strategy has a trial that may still turn out either way, so that none is best."""
    if len(lines) > 1:
        who = panel.solver.label
        return f"Under {panel.policy.label}, which strategy helps {who} most is not known: {not_judged(len(lines))}."
    (only,) = lines
    text = f"Under {panel.policy.label}, {panel.solver.label} repaired {only.bounds} of {only.cases} cases"
    return f"{text} told by {only.name}, whatever becomes of the unjudged trials."


def not_judged(count: int) -> str:
    """Return that so many strategies have a trial that may still turn out either way."""
    return f"{counted(count, 'strategy', 'strategies')} {'is' if count == 1 else 'are'} not fully judged yet"


def _share(line: Line) -> float:
    return line.value / line.cases


def _facts(run: StoredRun, views: Views) -> list[Fact]:
    records = run.records
    kinds = {case: kind for case, kind in records.counted("case", "kind")}  # noqa: C416 - the pairs are keys of what is counted
    counted = Counter(kinds.values())
    told = [f"{counted[kind]} {meaning}" for kind, meaning in KINDS.items() if counted[kind]]
    samples = len(records.values("sample"))
    version = run.run.get("mendbench_version")
    facts = [
        Fact(name="Cases", value=f"{len(kinds)}: {', '.join(told)}"),
        Fact(
            name="Trials",
            value=f"{len(records)}{f', {samples} samples each' if samples > 1 else ''}, by mendbench {version}",
        ),
        Fact(name="Told of", value=_told_of(records)),
        Fact(name="Answered by", value=_listing([solver.label for solver in views.solvers])),
        Fact(name="Strategies", value=_listing([one.name for one in views.columns if one.group != "bound"])),
        Fact(name="Policies", value=_listing([view.label for view in views.policies])),
        Fact(name="World", value=_provenance(records), items=_services(records)),
        Fact(name="Engines", value=_engines(run)),
        Fact(name="Left out", value=_left_out(run)),
    ]
    return [fact for fact in facts if fact.value]


def _elsewhere(run: StoredRun) -> str:
    """Return what is to be said of engines that are not ours; nothing where there are none."""
    engines, left = _engines(run), _left_out(run)
    return (f" Engines: {engines}." if engines else "") + (f" {left}." if left else "")


def _engines(run: StoredRun) -> str:
    """Return the engines with their versions, where there is another one than ours."""
    told = run.run.get("engines") or {}
    if not set(told) - {PLAIN_ENGINE}:
        return ""
    return listing([" ".join([name, own.get("version") or "of no version"]) for name, own in told.items()])


def _left_out(run: StoredRun) -> str:
    """Return how many cases each engine cannot express: they are in no denominator."""
    counted = Counter(one["engine"] for one in run.run.get("left_out") or ())
    shown = [f"{engine} cannot express {count} case{'' if count == 1 else 's'}" for engine, count in counted.items()]
    return listing(shown) if shown else ""


def _digest(value: Json) -> str:
    """Return a digest, or what stands in its place, in words."""
    if not isinstance(value, dict):
        return str(value)
    told = (f"{name}: {_digest(held)}" if isinstance(held, dict) else f"{name} {held}" for name, held in value.items())
    return ", ".join(told)


def _services(records: Records) -> tuple[str, ...]:
    """Return a line for each service: where its answers come from, and in how many cases."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for sources, case in records.counted("recorded_from", "case"):
        for service, source in sources:
            found[service, source].add(case)
    lines = [
        f"{service} (a {_SOURCES[source][:-1]})" if source in _SOURCES else f"{service} ({source})"
        for service, source in sorted(found)
    ]
    told = tuple(
        f"{line}: {counted(len(found[place]), 'case')}" for line, place in zip(lines, sorted(found), strict=True)
    )
    if not told:
        return ()
    derived = sum(records.column("derived"))
    said = f"{figure(derived)} answers derived, the others recorded" if derived else "every answer recorded"
    return (*told, f"A case may have several of them; {said}.")


def _recorded(records: Records, version: Json) -> str:
    """Return how much was run, of which part the figures are told, and where the answers of the world come from."""
    if not len(records):
        return ""
    cases, told = set(records.values("case")), set(headline_records(records).values("case"))
    of = "" if cases == told else f", told of the {counted(len(told), 'case')} of the test part"
    sources: dict[str, set[str]] = defaultdict(set)
    for pairs, case in records.counted("recorded_from", "case"):
        for _, source in pairs:
            sources[source].add(case)
    worlds = [f"{_SOURCES.get(name, name)} in {counted(len(sources[name]), 'case')}" for name in sorted(sources)]
    derived = sum(records.column("derived"))
    text = f"{counted(len(records), 'trial')} of {counted(len(cases), 'case')}{of}, replayed from recordings by mendbench {version}."
    if worlds:
        text += f" The world's answers come from {listing(worlds)}"
        text += f"; {figure(derived)} stood in no recording and were derived." if derived else "."
    return text


def _told_of(records: Records) -> str:
    """Return which part of a split corpus the figures are told of; nothing where all trials are."""
    told = headline_records(records)
    if len(told) == len(records):
        return ""
    cases, of = len(told.values("case")), len(records.values("case"))
    others = "the others may have been looked at while a strategy was tuned, and stand in the grid alone"
    return f"{cases} of the {of} cases, the test part; {others}"


def _provenance(records: Records) -> str:
    """Return where the world's answers come from, in cases, and how many stood in no cassette."""
    found: dict[str, set[str]] = defaultdict(set)
    for sources, case in records.counted("recorded_from", "case"):
        for service, source in sources:
            found[f"{service} from {source}"].add(case)
    derived = sum(records.column("derived"))
    told = "; ".join(
        f"{name} ({len(found[name])} {'case' if len(found[name]) == 1 else 'cases'})" for name in sorted(found)
    )
    said = (
        f"{derived} answers derived by simulated services, the others recorded" if derived else "every answer recorded"
    )
    return f"{told}; {said}" if told else said


def _gaps(run: StoredRun, tables: Sequence[Panel]) -> Gaps | None:
    records = run.records
    missing = records.where("verdict", lambda verdict: verdict in {"unjudged", "crashed"})
    if not len(missing):
        return None
    bounds = {
        ("" if line.group == "bound" else f"{panel.solver.label}, {panel.policy.label}", line): None
        for panel in tables
        for line in panel.lines
        if line.bounds
    }
    return Gaps(
        trials=len(records),
        unjudged=missing.counted("verdict")["unjudged",],
        crashed=missing.counted("verdict")["crashed",],
        bounds=tuple(bounds),
        listed=tuple(
            Open(key=row["key"], verdict=row["verdict"], says=_says(row, run.texts))
            for row in (run.rows[place] for place in missing.places()[:LISTED])
        ),
    )


def _says(row: JsonRow, texts: Mapping[str, str]) -> str:
    problem: Json = whole(row["problem"], texts)
    return str(problem["message"]) if problem else ""


def _listing(names: Sequence[str]) -> str:
    return ", ".join(names)
