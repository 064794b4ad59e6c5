"""What ``mendbench gate`` prints: the verdict, then what it rests on, worst first."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from mendbench.api.gating import SelfTest
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, write, write_json
from mendbench.results.acceptance import Update
from mendbench.scoring.gating.result import Finding, GateResult, LimitResult
from mendbench.scoring.gating.words import ending_words, finding_words, limit_words, shift_words, treatment_words

SHOWN = {"fail": 20, "open": 10, "show": 10}
"""Trials told one by one, of each level; ``--format json`` and the report have them all."""

OTHERS = 4
"""Treatments that are named of which the same is to be told."""

_HEADS = {"fail": "fails the gate", "open": "cannot be told", "show": "told, and decides nothing"}


def show_gate(result: GateResult, output: Format) -> int:
    """Print what the gate says, and return its exit code."""
    if output is Format.json:
        write_json(result.document())
    else:
        write("".join(f"{line}\n" for line in _lines(result)))
    return result.exit_code


def show_update(update: Update, output: Format) -> int:
    """Print what accepting a run did."""
    if output is Format.json:
        write_json(dataclasses.asdict(update))
        return Exit.DONE
    counts = f"{update.added} added, {update.removed} removed, {update.changed} changed"
    kept = f", {update.kept} kept though the run does not tell of them" if update.kept else ""
    did = (
        f"accepted: {counts}{kept}; {update.trials} trials"
        if update.written
        else f"as it was: {update.trials} trials{kept}"
    )
    write(f"{plain(update.place)} {did}\n")
    if update.replaced:
        write(f"all of the old file was replaced, for it could not be read: {plain(update.replaced)}\n")
    if update.removed:
        write(
            f"{update.removed} of its lines are gone, for the run has no such trials; after a narrower run, --partial keeps them\n"
        )
    return Exit.DONE


def show_self_test(tested: SelfTest, output: Format) -> int:
    """Print how often the gate raised an alarm over nothing; exit 1 if it ever did."""
    if output is Format.json:
        write_json({**dataclasses.asdict(tested), "rate": tested.rate})
    else:
        write(
            f"{tested.alarms} false alarms in {tested.times} gates over {tested.judged} of {tested.trials} trials: {tested.rate:.1%}\n"
        )
        for key in tested.unstable[: SHOWN["fail"]]:
            write(f"  not alike every time: {plain(key)}\n")
        _more(len(tested.unstable) - SHOWN["fail"])
    return Exit.FAILED if tested.alarms or tested.unstable else Exit.DONE


def _more(count: int) -> None:
    if count > 0:
        write(f"  and {count} more\n")


def _lines(result: GateResult) -> Iterator[str]:
    yield plain(result.headline)
    yield from (f"  {plain(note)}" for note in result.notes)
    yield from _block(
        "not comparable", (f"{one.what}: {one.before} -> {one.after}; {one.hint}" for one in result.differences)
    )
    limits = sorted(result.limits, key=lambda one: ("broken", "open", "undefined", "holds").index(one.status))
    yield from _block("limits", (limit_words(one) for one in limits if one.status != "holds"))
    yield from _block("answered again", (shift_words(shift) for shift in result.shifts))
    for level, head in _HEADS.items():
        groups = _alike(one for one in result.findings if one.level == level)
        if groups:
            yield ""
            yield f"{head}:"
            for group in groups[: SHOWN[level]]:
                yield from _told(group, whole=level != "show")
            rest = sum(len(group) for group in groups[SHOWN[level] :])
            if rest:
                yield f"  and {rest} more; --format json has them all"
    yield from _block("limits that hold", _holding([one for one in limits if one.status == "holds"]))


def _holding(limits: Sequence[LimitResult]) -> Iterator[str]:
    """Yield each limit at the treatment that it is nearest to failing on, and how many it holds for besides."""
    by_name: dict[str, list[LimitResult]] = {}
    for one in limits:
        by_name.setdefault(one.limit.name, []).append(one)
    for own in by_name.values():
        nearest = min(own, key=lambda one: abs((one.measure.value or 0) - one.limit.bound))
        more = f"; so too for {len(own) - 1} other treatments" if len(own) > 1 else ""
        yield f"{limit_words(nearest)}{more}"


def _block(head: str, lines: Iterable[str]) -> Iterator[str]:
    told = [f"  {plain(line)}" for line in lines]
    if told:
        yield from ("", f"{head}:", *told)


def _alike(findings: Iterable[Finding]) -> list[tuple[Finding, ...]]:
    """Return findings, those together that tell the same of one case under several treatments."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for one in findings:
        groups.setdefault((one.change, one.trial.case, ending_words(one), *one.why[:1]), []).append(one)
    return [tuple(group) for group in groups.values()]


def _told(group: tuple[Finding, ...], *, whole: bool) -> Iterator[str]:
    first, others = group[0], [treatment_words(one) for one in group[1:]]
    yield f"  {plain(finding_words(first))}"
    if others:
        yield f"    so too in {len(others)}: {plain('; '.join(others[:OTHERS]))}{'; ...' if len(others) > OTHERS else ''}"
    if whole:
        yield from (f"    {plain(line)}" for line in first.why)
        if first.link:
            yield f"    {plain(first.link)}"
