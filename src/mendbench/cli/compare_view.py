"""Prints a comparison: changed trials first, then one verdict, then the scores behind it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from mendbench.api.comparing import ALL, ComparedTreatments, Comparison, Elsewhere
from mendbench.api.sides import NONE
from mendbench.cli.compare_words import cases, figure, gap, interval, primary, sentence, verdict
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, write, write_json
from mendbench.cli.tables import fits, show_tables
from mendbench.cli.words import counted
from mendbench.model.json import JsonObject
from mendbench.report.table_model import Table, columns
from mendbench.report.tables import FEW
from mendbench.report.views import MAIN_POLICY
from mendbench.scoring.comparing.changes import Change, Direction, Ending
from mendbench.scoring.comparing.comparison import Difference
from mendbench.scoring.comparing.contrasts import ContrastResult
from mendbench.scoring.comparing.pairing import FIELDS
from mendbench.scoring.records import Treatment
from mendbench.values.name_lists import few

FIRST: tuple[Direction, ...] = ("newly failing", "newly passing")
"""The changes that are listed first."""

MAX_ROWS = 12
"""Pairs of treatments that are shown in addition to the main one."""

PLURALS = {
    "engine": "engines", "repairer": "repairers", "model": "models", "strategy": "strategies", "policy": "policies",
    "detector": "detectors",
}  # fmt: skip

_COLUMNS = ("A", "B", "B less A", "95 %", "won:lost:tied", "cases\n+ needed")
"""The most important columns come first: a narrow terminal omits the last ones."""

_STILL = ("alike", "undefined")
"""Scores with these verdicts are named together, without a row."""

MAX_HEADS = 3
"""Scores that one table shows side by side; if there are more, each has its own table."""

ARROW = "\N{RIGHTWARDS ARROW}"


def show(comparison: Comparison, output: Format, room: int) -> int:
    """Print a comparison, with at most ``room`` of its changed trials."""
    if output is Format.json:
        write_json(_document(comparison))
        return Exit.DONE
    _write_lines(_head(comparison))
    _write_lines(_changes(comparison, room))
    if comparison.main is not None:
        _show_main(comparison, comparison.main)
    others = [pair for pair in comparison.treatments if not pair.main]
    if others:
        _show_others(comparison, others)
    _write_lines(_foot(comparison))
    return Exit.DONE


def show_primary(found: Sequence[ContrastResult], output: Format) -> int:
    """Print the results of a run's primary contrasts."""
    if output is Format.json:
        write_json([dataclasses.asdict(result) for result in found])
    else:
        _write_lines(primary(result) for result in found)
    return Exit.INCOMPLETE if any(result.undefined for result in found) else Exit.DONE


def _write_lines(lines: Iterable[str]) -> None:
    write("".join(f"{plain(line)}\n" for line in lines))


def _head(comparison: Comparison) -> Iterator[str]:
    for name, side in (("A", comparison.a), ("B", comparison.b)):
        yield f"{name}  {side.side.folder}{''.join(f', {field} {value}' for field, value in side.side.only.items())}"
    pairs = comparison.treatments
    shown = comparison.main or pairs[0]
    changed = [f"{field} {_of(shown.a, field)} {ARROW} {_of(shown.b, field)}" for field in shown.differs]
    yield f"Differs: {', '.join(changed) or 'no treatment'}"
    yield f"Same: {', '.join(_same(comparison, shown))}"
    paired = " and ".join(f"{counted(count, 'case')} {_part(part)}" for part, count in comparison.cases.items())
    pooled = " (all parts together)" if comparison.part == ALL else ""
    trials, still_open, same = (
        sum(getattr(pair, name) for pair in pairs) for name in ("trials", "open", "same_responses")
    )
    unjudged = f", {still_open} without a verdict on a side" if still_open else ""
    yield f"Paired: {paired}{pooled}; {counted(trials, 'pair')} of trials, {same} with the same responses{unjudged}"
    yield ""


def _same(comparison: Comparison, shown: ComparedTreatments) -> Iterator[str]:
    """Yield the fields in which the two sides are equal: the value, or the number of values."""
    varied = _varied(comparison)
    for field in FIELDS:
        values = {_of(pair.a, field) for pair in comparison.treatments}
        if field in varied:
            yield f"{len(values)} {PLURALS[field]}"
        elif field not in shown.differs and len(values) == 1:
            yield f"{field} {values.pop()}"


def _changes(comparison: Comparison, room: int) -> Iterator[str]:
    groups: dict[object, list[Change]] = {}
    for change in comparison.changes:
        groups.setdefault(_identity(change), []).append(change)
    for group in groups.values():
        group.sort(key=lambda change: change.b.policy != MAIN_POLICY)
    listed = _selected(tuple(groups.values()), room)
    counts = Counter(change.direction for change in comparison.changes)
    for direction in dict.fromkeys((*FIRST, *counts)):
        title = "otherwise ended differently" if direction == "otherwise" else direction
        yield f"{title.capitalize()}: {counted(counts[direction], 'trial') if counts[direction] else 'none'}"
        for group in listed:
            if group[0].direction == direction:
                yield from _listed(comparison, group)
    if left := len(comparison.changes) - sum(len(group) for group in listed):
        yield f"{left} not listed; --trials {len(groups)} lists all"
    yield from map(_not_shown, comparison.elsewhere)
    yield ""


def _not_shown(elsewhere: Elsewhere) -> str:
    counts = [
        f"{counted(count, 'trial')} {_part(elsewhere.part)} newly {verb}{'s' if count == 1 else ''}"
        for count, verb in ((elsewhere.newly_failing, "fail"), (elsewhere.newly_passing, "pass"))
        if count
    ]
    return f"Not shown: {', '.join(counts)}; --part {elsewhere.part}"


def _identity(change: Change) -> object:
    """Return a value that is equal for changes of one line: policies that replay the same responses often have the same outcome."""
    outcomes = (_outcome(change.before), _outcome(change.after))
    sides = [(side.engine, side.repairer, side.model, side.strategy) for side in (change.a, change.b)]
    return (change.direction, change.case, change.sample, change.responses == "other responses", *sides, *outcomes)


def _selected(groups: Sequence[list[Change]], room: int) -> list[list[Change]]:
    """Return the groups that are listed: half of the room for newly failing and half for newly passing ones, the rest for any."""
    failing, passing = ([group for group in groups if group[0].direction == direction] for direction in FIRST)
    other = [group for group in groups if group[0].direction not in FIRST]
    first = min(len(failing), max(room - room // 2, room - len(passing)))
    second = min(len(passing), room - first)
    return [*failing[:first], *passing[:second], *other[: room - first - second]]


def _listed(comparison: Comparison, group: Sequence[Change]) -> Iterator[str]:
    change = group[0]
    moves = [
        label + (before if before == after else f"{before} {ARROW} {after}")
        for label, before, after in zip(
            ("", "stopped: ", "wasted "), _ending(change.before), _ending(change.after), strict=True
        )
    ]
    yield f"  {change.case}{_under(comparison, group)}: {'; '.join([*moves, change.responses])}"
    yield f"    {comparison.links(change)[1]}"


def _ending(ending: Ending) -> tuple[str, str, str]:
    wasted = "?" if ending.wasted_attempts is None else str(ending.wasted_attempts)
    return _outcome(ending), ending.stop_reason, wasted


def _outcome(ending: Ending) -> str:
    return ending.outcome or ending.verdict


def _under(comparison: Comparison, group: Sequence[Change]) -> str:
    """Return the fields that identify the treatments of a group; its line describes the first one."""
    first, *others = group
    values = [_of(first.b, field) for field in _varied(comparison)]
    also = dict.fromkeys(_of(other.b, "policy") for other in others if other.b.policy != first.b.policy)
    values += [f"sample {first.sample}"] if first.sample else []
    words = [", ".join(values)] if values else []
    words += [f"also {few(also)}"] if also else []
    return f" ({'; '.join(words)})" if words else ""


def _show_main(comparison: Comparison, pair: ComparedTreatments) -> None:
    if not pair.differences:
        return
    lead = next((score for score in pair.differences if score.score == "repair_success"), pair.differences[0])
    model = f"{_of(pair.b, 'model')}, " if "model" in _varied(comparison) else ""
    write(f"{plain(f'{lead.title.capitalize()}, {model}{_policy(pair)}: {sentence(lead)}')}\n\n")
    moved = [score for score in pair.differences if score.verdict not in _STILL]
    if moved:
        show_tables([_score_table(moved)])
    for verdict_ in _STILL:
        own = [score for score in pair.differences if score.verdict == verdict_]
        titles = [f"{score.title} ({cases(score)} cases)" if score.left_out else score.title for score in own]
        if titles:
            write(f"{verdict_.capitalize()}: {plain(', '.join(titles))}\n")


def _score_table(scores: Sequence[Difference]) -> Table:
    rows = [
        (
            score.title, verdict(score), figure(score, score.a), figure(score, score.b), gap(score), interval(score),
            f"{score.won}:{score.lost}:{score.tied}", cases(score),
        )
        for score in scores
    ]  # fmt: skip
    shape = columns("score", "B is", wraps=("score", "B is"), numbers=_COLUMNS)
    return Table(columns=shape, rows=rows, optional=len(_COLUMNS) - 1)


def _policy(pair: ComparedTreatments) -> str:
    return f"{pair.a.policy} {ARROW} {pair.b.policy}" if "policy" in pair.differs else f"under {pair.b.policy}"


def _show_others(comparison: Comparison, others: Sequence[ComparedTreatments]) -> None:
    """Print the other pairs of treatments in which a trial changed, and the number of the rest."""
    fields, moved = _varied(comparison), [pair for pair in others if pair.changed]
    titles = [plain(score.title) for score in others[0].differences]
    places = range(len(titles))
    together = _pairs_table(fields, moved[:MAX_ROWS], places)
    apart = len(titles) > MAX_HEADS or not fits(together)
    still = [at for at in places if apart and all(pair.differences[at].verdict in _STILL for pair in moved)]
    tables = [_pairs_table(fields, moved[:MAX_ROWS], [at]) for at in places if at not in still] if apart else [together]
    write("\n" if comparison.main else "")
    if moved:
        show_tables(tables, "Other pairs of treatments" if comparison.main else "Pairs of treatments")
    if moved and still:
        write(f"\nAlike or undefined in all of them: {', '.join(titles[at] for at in still)}\n")
    if len(moved) > MAX_ROWS:
        write(f"{counted(len(moved) - MAX_ROWS, 'more pair')} of treatments; narrow A and B to see them\n")
    if alike := len(others) - len(moved):
        write(f"{counted(alike, 'pair')} of treatments in which no trial changed\n")


def _pairs_table(fields: Sequence[str], pairs: Sequence[ComparedTreatments], places: Sequence[int]) -> Table:
    """Return the table of some pairs of treatments, with the scores at some places."""
    titles = [pairs[0].differences[at].title for at in places] if pairs else []
    headings = [heading for title in titles for heading in (f"{title}\nA {ARROW} B", "\nB is")]
    rows = [
        (
            *(_of(pair.b, field) for field in fields),
            *(cell for at in places for cell in (_move(pair.differences[at]), pair.differences[at].verdict)),
            str(pair.changed),
        )
        for pair in pairs
    ]
    return Table(columns=columns(*fields, *headings, wraps=fields, numbers=("trials\nchanged",)), rows=rows)


def _move(score: Difference) -> str:
    before, after = figure(score, score.a), figure(score, score.b)
    return before if before == after else f"{before} {ARROW} {after}"


def _foot(comparison: Comparison) -> Iterator[str]:
    yield ""
    for result in comparison.primary:
        yield primary(result)
    what = "All else is" if comparison.primary else "All of this is"
    yield f"{what} exploratory: intervals and counts, no p-values. {_about_few(comparison)}".rstrip()
    for name, side in (("A", comparison.a), ("B", comparison.b)):
        if side.alone:
            yield f"Left out: {counted(len(side.alone), 'case')} only in {name}: {few(side.alone)}"
    for unpaired in comparison.unpaired:
        if unpaired.reason != "no such case":
            other, names = "B" if unpaired.side == "A" else "A", few(unpaired.names, "; ")
            yield f"Not paired: {counted(unpaired.trials, 'trial')} of {unpaired.side}, {unpaired.reason} in {other}: {names}"
    for note in comparison.notes:
        yield f"Note: {note}"


def _about_few(comparison: Comparison) -> str:
    shown: Sequence[Difference] = comparison.main.differences if comparison.main else ()
    small = any(score.unit == "share" and score.cases < FEW and score.interval for score in shown)
    return f"Shares of fewer than {FEW} cases are shown in cases." if small else ""


def _varied(comparison: Comparison) -> list[str]:
    """Return the fields that differ between the pairs of treatments, without detectors that follow from the policy."""
    values = {field: {_of(pair.b, field) for pair in comparison.treatments} for field in FIELDS}
    by_policy = len({(pair.b.policy, pair.b.detector) for pair in comparison.treatments}) == len(values["policy"])
    return [field for field, own in values.items() if len(own) > 1 and (field != "detector" or not by_policy)]


def _of(treatment: Treatment, field: str) -> str:
    return str(getattr(treatment, field) or NONE)


def _part(name: str) -> str:
    return "in no part" if name == NONE else f"of the {name} part"


def _document(comparison: Comparison) -> JsonObject:
    changes = [
        {**dataclasses.asdict(change), "links": dict(zip("ab", comparison.links(change), strict=True))}
        for change in comparison.changes
    ]
    return {**dataclasses.asdict(comparison), "changes": changes}
