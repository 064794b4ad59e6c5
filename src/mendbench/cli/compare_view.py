"""What the terminal shows of a comparison: changed trials first, then one verdict, then the scores behind it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rich.table import Table

from mendbench.api.comparing import ALL, ComparedTreatments, Comparison, Elsewhere
from mendbench.api.sides import NONE
from mendbench.cli.compare_words import cases, counted, few, figure, gap, interval, primary, sentence, verdict
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, write, write_json
from mendbench.cli.tables import fits, show_whole_words, table
from mendbench.model.json import JsonObject
from mendbench.report.tables import FEW
from mendbench.report.views import MAIN_POLICY
from mendbench.scoring.comparing.changes import Change, Direction, Ending
from mendbench.scoring.comparing.comparison import Difference
from mendbench.scoring.comparing.contrasts import ContrastResult
from mendbench.scoring.comparing.pairing import FIELDS
from mendbench.scoring.records import Treatment

FIRST: tuple[Direction, ...] = ("newly failing", "newly passing")
"""What is listed before anything else."""

MAX_ROWS = 12
"""Pairs of treatments that are shown beside the main one."""

PLURALS = {
    "engine": "engines", "repairer": "repairers", "model": "models", "strategy": "strategies", "policy": "policies",
    "detector": "detectors",
}  # fmt: skip

_COLUMNS = ("A", "B", "B less A", "95 %", "won:lost:tied", "cases\n+ needed")
"""What is not read first stands last: a narrow terminal drops it."""

_STILL = ("alike", "undefined")
"""Verdicts on scores that have no line of their own."""

MAX_HEADS = 3
"""Scores that stand side by side; more of them have a table each."""

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
    others = [one for one in comparison.treatments if not one.main]
    if others:
        _show_others(comparison, others)
    _write_lines(_foot(comparison))
    return Exit.DONE


def show_primary(found: Sequence[ContrastResult], output: Format) -> int:
    """Print what became of the primary contrasts of a run."""
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
    moved = [f"{field} {_of(shown.a, field)} {ARROW} {_of(shown.b, field)}" for field in shown.differs]
    yield f"Differs: {', '.join(moved) or 'no treatment'}"
    yield f"Same: {', '.join(_same(comparison, shown))}"
    paired = " and ".join(f"{counted(count, 'case')} {_part(part)}" for part, count in comparison.cases.items())
    pooled = " (all parts together)" if comparison.part == ALL else ""
    trials, still_open, same = (
        sum(getattr(one, name) for one in pairs) for name in ("trials", "open", "same_responses")
    )
    unjudged = f", {still_open} without a verdict on a side" if still_open else ""
    yield f"Paired: {paired}{pooled}; {counted(trials, 'pair')} of trials, {same} with the same responses{unjudged}"
    yield ""


def _same(comparison: Comparison, shown: ComparedTreatments) -> Iterator[str]:
    """Yield the fields in which the two sides do not differ: the value, or how many there are."""
    varied = _varied(comparison)
    for field in FIELDS:
        values = {_of(one.a, field) for one in comparison.treatments}
        if field in varied:
            yield f"{len(values)} {PLURALS[field]}"
        elif field not in shown.differs and len(values) == 1:
            yield f"{field} {values.pop()}"


def _changes(comparison: Comparison, room: int) -> Iterator[str]:
    groups: dict[object, list[Change]] = {}
    for change in comparison.changes:
        groups.setdefault(_likeness(change), []).append(change)
    for group in groups.values():
        group.sort(key=lambda change: change.b.policy != MAIN_POLICY)
    listed = _dealt(tuple(groups.values()), room)
    counts = Counter(change.direction for change in comparison.changes)
    for direction in dict.fromkeys((*FIRST, *counts)):
        title = "otherwise ended differently" if direction == "otherwise" else direction
        yield f"{title.capitalize()}: {counted(counts[direction], 'trial') if counts[direction] else 'none'}"
        for group in listed:
            if group[0].direction == direction:
                yield from _listed(comparison, group)
    if left := len(comparison.changes) - sum(len(group) for group in listed):
        yield f"{left} not listed; --trials {len(groups)} lists all"
    yield from (_not_shown(one) for one in comparison.elsewhere)
    yield ""


def _not_shown(one: Elsewhere) -> str:
    told = [
        f"{counted(count, 'trial')} {_part(one.part)} newly {verb}{'s' if count == 1 else ''}"
        for count, verb in ((one.newly_failing, "fail"), (one.newly_passing, "pass"))
        if count
    ]
    return f"Not shown: {', '.join(told)}; --part {one.part}"


def _likeness(change: Change) -> object:
    """Return what makes changes one line: policies that replay the same responses often come to the same outcome."""
    outcomes = (_outcome(change.before), _outcome(change.after))
    sides = [(one.engine, one.repairer, one.model, one.strategy) for one in (change.a, change.b)]
    return (change.direction, change.case, change.sample, change.responses == "other responses", *sides, *outcomes)


def _dealt(groups: Sequence[list[Change]], room: int) -> list[list[Change]]:
    """Return what is listed: half of the room for newly failing and half for newly passing ones; what is left, for any."""
    failing, passing = ([one for one in groups if one[0].direction == direction] for direction in FIRST)
    other = [one for one in groups if one[0].direction not in FIRST]
    first = min(len(failing), max(room - room // 2, room - len(passing)))
    second = min(len(passing), room - first)
    return [*failing[:first], *passing[:second], *other[: room - first - second]]


def _listed(comparison: Comparison, group: Sequence[Change]) -> Iterator[str]:
    change = group[0]
    before, after = change.before, change.after
    told = (_outcome, _stopped, _wasted)
    moves = [tell(before) if tell(before) == tell(after) else f"{tell(before)} {ARROW} {tell(after)}" for tell in told]
    names = ("", "stopped: ", "wasted ")
    words = [name + move for name, move in zip(names, moves, strict=True)]
    words.append(change.responses)
    yield f"  {change.case}{_under(comparison, group)}: {'; '.join(words)}"
    yield f"    {comparison.links(change)[1]}"


def _outcome(ending: Ending) -> str:
    return ending.outcome or ending.verdict


def _stopped(ending: Ending) -> str:
    return ending.stop_reason


def _wasted(ending: Ending) -> str:
    return "?" if ending.wasted_attempts is None else str(ending.wasted_attempts)


def _under(comparison: Comparison, group: Sequence[Change]) -> str:
    """Return what tells the treatment of changed trials from the others that are compared; the line is of the first of them."""
    first, *others = group
    values = [_of(first.b, field) for field in _varied(comparison)]
    also = dict.fromkeys(_of(other.b, "policy") for other in others if other.b.policy != first.b.policy)
    values += [f"sample {first.sample}"] if first.sample else []
    words = [", ".join(values)] if values else []
    words += [f"also {few(also)}"] if also else []
    return f" ({'; '.join(words)})" if words else ""


def _show_main(comparison: Comparison, pair: ComparedTreatments) -> None:
    lead = next((one for one in pair.differences if one.score == "repair_success"), next(iter(pair.differences), None))
    if lead is None:
        return
    model = f"{_of(pair.b, 'model')}, " if "model" in _varied(comparison) else ""
    write(f"{plain(f'{lead.title.capitalize()}, {model}{_policy(pair)}: {sentence(lead)}')}\n\n")
    told = [one for one in pair.differences if one.verdict not in _STILL]
    if told:
        drawn = (_score_table(told, count) for count in range(len(_COLUMNS), 1, -1))
        show_whole_words([next((made for made in drawn if fits(made)), _score_table(told, 1))])
    for name in _STILL:
        own = [one for one in pair.differences if one.verdict == name]
        titles = [f"{one.title} ({cases(one)} cases)" if one.left_out else one.title for one in own]
        if titles:
            write(f"{name.capitalize()}: {plain(', '.join(titles))}\n")


def _score_table(told: Sequence[Difference], count: int) -> Table:
    """Return the table of some scores with so many of the columns."""
    made = table("score", "B is", wraps=("score", "B is"), numbers=_COLUMNS[:count])
    for one in told:
        cells = (
            figure(one, one.a), figure(one, one.b), gap(one), interval(one), f"{one.won}:{one.lost}:{one.tied}", cases(one)
        )  # fmt: skip
        made.add_row(plain(one.title), verdict(one), *cells[:count])
    return made


def _policy(pair: ComparedTreatments) -> str:
    return f"{pair.a.policy} {ARROW} {pair.b.policy}" if "policy" in pair.differs else f"under {pair.b.policy}"


def _show_others(comparison: Comparison, others: Sequence[ComparedTreatments]) -> None:
    """Print the other pairs of treatments in which a trial changed; the rest is counted."""
    fields, moved = _varied(comparison), [one for one in others if one.changed]
    titles = [plain(one.title) for one in others[0].differences]
    whole = _pairs_table(fields, moved[:MAX_ROWS], range(len(titles)))
    apart = len(titles) > MAX_HEADS or not fits(whole)
    still = [at for at in range(len(titles)) if apart and all(one.differences[at].verdict in _STILL for one in moved)]
    told = [at for at in range(len(titles)) if at not in still]
    found = [_pairs_table(fields, moved[:MAX_ROWS], [at]) for at in told] if apart else [whole]
    write("\n" if comparison.main else "")
    if moved:
        show_whole_words(found, "Other pairs of treatments" if comparison.main else "Pairs of treatments")
    if moved and still:
        write(f"\nAlike or undefined in all of them: {', '.join(titles[at] for at in still)}\n")
    if len(moved) > MAX_ROWS:
        write(f"{counted(len(moved) - MAX_ROWS, 'more pair')} of treatments; narrow A and B to see them\n")
    if alike := len(others) - len(moved):
        write(f"{counted(alike, 'pair')} of treatments in which no trial changed\n")


def _pairs_table(fields: Sequence[str], pairs: Sequence[ComparedTreatments], scores: Sequence[int]) -> Table:
    """Return the table of some pairs of treatments, with the scores at some places."""
    titles = [plain(pairs[0].differences[at].title) for at in scores] if pairs else []
    heads = [head for title in titles for head in (f"{title}\nA {ARROW} B", "\nB is")]
    made = table(*fields, *heads, wraps=fields, numbers=("trials\nchanged",))
    for one in pairs:
        cells = [cell for at in scores for cell in (_moved(one.differences[at]), one.differences[at].verdict)]
        made.add_row(*(plain(_of(one.b, field)) for field in fields), *cells, str(one.changed))
    return made


def _moved(one: Difference) -> str:
    before, after = figure(one, one.a), figure(one, one.b)
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
    for one in comparison.unpaired:
        if one.reason != "no such case":
            other = "B" if one.side == "A" else "A"
            yield f"Not paired: {counted(one.trials, 'trial')} of {one.side}, {one.reason} in {other}: {few(one.names, '; ')}"
    for note in comparison.notes:
        yield f"Note: {note}"


def _about_few(comparison: Comparison) -> str:
    shown: Sequence[Difference] = comparison.main.differences if comparison.main else ()
    small = any(one.unit == "share" and one.cases < FEW and one.interval for one in shown)
    return f"Shares of fewer than {FEW} cases are told in cases." if small else ""


def _varied(comparison: Comparison) -> list[str]:
    """Return the fields in which the pairs of treatments differ from each other; a policy's own detector goes without saying."""
    values = {field: {_of(one.b, field) for one in comparison.treatments} for field in FIELDS}
    told = [field for field, own in values.items() if len(own) > 1]
    own_detectors = len({(one.b.policy, one.b.detector) for one in comparison.treatments}) == len(values["policy"])
    return [field for field in told if field != "detector" or not own_detectors]


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
