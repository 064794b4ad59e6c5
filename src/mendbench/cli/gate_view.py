"""Prints the results of ``mendbench gate``: the verdict, then the reasons, worst first."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from mendbench.api.gating import SelfTest
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, write, write_json
from mendbench.cli.words import counted
from mendbench.results.acceptance import Update
from mendbench.scoring.gating.result import GateResult, LimitResult, TrialChange
from mendbench.scoring.gating.verdict_texts import (
    ending_words,
    finding_words,
    limit_words,
    shift_words,
    treatment_words,
)
from mendbench.values.name_lists import MAX_NAMES, few

SHOWN = {"fail": 20, "open": 10, "show": 10}
"""Trials that are shown of each level; ``--format json`` and the report have all."""

_HEADS = {"fail": "fails the gate", "open": "inconclusive", "show": "shown, without effect on the verdict"}


def show_gate(result: GateResult, output: Format) -> int:
    """Print the result of the gate, and return its exit code."""
    if output is Format.json:
        write_json(result.document())
    else:
        write("".join(f"{line}\n" for line in _lines(result)))
    return result.exit_code


def show_update(update: Update, output: Format) -> int:
    """Print the changes of the baseline."""
    if output is Format.json:
        write_json(dataclasses.asdict(update))
        return Exit.DONE
    counts = f"{update.added} added, {update.removed} removed, {update.changed} changed"
    kept = f", {update.kept} kept although they are not in the run" if update.kept else ""
    if update.written:
        write(
            f"{plain(update.place)} accepted: {counts}{kept}; {counted(update.trials, 'trial')}, {update.right} of them right\n"
        )
    else:
        write(
            f"{plain(update.place)} is unchanged: {counted(update.trials, 'trial')}, {update.right} of them right{kept}\n"
        )
    if update.unguarded:
        write(f"right under no strategy, so that no loss can be noticed there: {plain(few(update.unguarded))}\n")
    if update.replaced:
        write(f"the whole old file was replaced, because it could not be read: {plain(update.replaced)}\n")
    if update.removed:
        why = "because the run does not have these trials; after a narrower run, --partial keeps them"
        write(f"{update.removed} of its lines were removed, {why}\n")
    return Exit.DONE


def show_self_test(tested: SelfTest, output: Format) -> int:
    """Print the number of false alarms; exit 1 if there are any."""
    if output is Format.json:
        write_json({**dataclasses.asdict(tested), "rate": tested.rate})
    else:
        write(
            f"{tested.alarms} false alarms in {tested.times} gates over {tested.judged} of {tested.trials} trials: {tested.rate:.1%}\n"
        )
        for key in tested.unstable[: SHOWN["fail"]]:
            write(f"  not alike every time: {plain(key)}\n")
        if len(tested.unstable) > SHOWN["fail"]:
            write(f"  and {len(tested.unstable) - SHOWN['fail']} more\n")
    return Exit.FAILED if tested.alarms or tested.unstable else Exit.DONE


def _lines(result: GateResult) -> Iterator[str]:
    yield plain(result.headline)
    yield from (f"  {plain(note)}" for note in result.notes)
    differences = [f"{digest.what}: {digest.before} -> {digest.after}; {digest.hint}" for digest in result.differences]
    yield from _block("not comparable", differences)
    limits = sorted(result.limits, key=lambda limit: ("broken", "open", "undefined", "holds").index(limit.status))
    yield from _block("limits", [limit_words(limit) for limit in limits if limit.status != "holds"])
    yield from _block("answered again", [shift_words(shift) for shift in result.shifts])
    for level, head in _HEADS.items():
        groups = _grouped(finding for finding in result.findings if finding.level == level)
        lines = [line for group in groups[: SHOWN[level]] for line in _group_lines(group, details=level != "show")]
        if rest := sum(len(group) for group in groups[SHOWN[level] :]):
            lines.append(f"and {rest} more; --format json has them all")
        yield from _block(head, lines)
    yield from _block("limits that hold", list(_holding([limit for limit in limits if limit.status == "holds"])))


def _holding(limits: Sequence[LimitResult]) -> Iterator[str]:
    """Yield each limit for the treatment that is nearest to breaking it, with the number of other treatments."""
    by_name: dict[str, list[LimitResult]] = {}
    for result in limits:
        by_name.setdefault(result.limit.name, []).append(result)
    for own in by_name.values():
        nearest = min(own, key=lambda result: abs((result.measure.value or 0) - result.limit.bound))
        more = f"; also for {counted(len(own) - 1, 'other treatment')}" if len(own) > 1 else ""
        yield f"{limit_words(nearest)}{more}"


def _block(head: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield from ("", f"{head}:", *(f"  {plain(line)}" for line in lines))


def _grouped(findings: Iterable[TrialChange]) -> list[tuple[TrialChange, ...]]:
    """Return groups of findings with the same text for one case under several treatments."""
    groups: dict[tuple[str, ...], list[TrialChange]] = {}
    for finding in findings:
        key = (finding.change, finding.trial.case, ending_words(finding), *finding.why[:1])
        groups.setdefault(key, []).append(finding)
    return [tuple(group) for group in groups.values()]


def _group_lines(group: tuple[TrialChange, ...], *, details: bool) -> Iterator[str]:
    first, others = group[0], [treatment_words(finding) for finding in group[1:]]
    yield finding_words(first)
    if others:
        more = "; ..." if len(others) > MAX_NAMES else ""
        yield f"  also in {len(others)}: {'; '.join(others[:MAX_NAMES])}{more}"
    if details:
        yield from (f"  {line}" for line in (*first.why, *([first.link] if first.link else [])))
    elif first.change == "facts":
        yield from (f"  {line}" for line in first.why[:1])
