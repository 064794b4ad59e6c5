"""Prints cases and their proofs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import get_args

from mendbench.api import CaseList, CheckedCorpus, Written
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, say, write, write_json
from mendbench.cli.tables import show_tables
from mendbench.cli.words import NOTHING, counted
from mendbench.errors import BadInput, LiveRefused
from mendbench.model.json import Json, JsonObject
from mendbench.report.table_model import Table, columns
from mendbench.verify.checking import CheckedCase
from mendbench.verify.proof import NO_SURVIVOR, Fate, MutantFate

SHOWN = 160
"""Maximum number of characters shown of a value; ``--format json`` has all."""

MOST_INVALID = 3
"""Invalid mutants that are shown; ``--format json`` has all."""

_FATES = get_args(Fate)


def show_cases(listed: CaseList, output: Format) -> int:
    """Print cases and their number by kind and family; exit 2 if some cannot be read."""
    if output is Format.json:
        write_json(list(listed.rows))
    else:
        rows = [
            (
                row["case"], row["kind"], _level(row["level"]), ", ".join(sorted(set(row["recorded_from"].values()))),
                row["title"], _share(row["mutation_score"]),
            )
            for row in listed.rows
        ]  # fmt: skip
        texts = ("case", "kind", "level", "world", "title")
        show_tables([Table(columns=columns(*texts, wraps=("title",), numbers=("mutation score",)), rows=rows)])
        write(f"\n{_counts(listed.counts)}\n")
    for problem in listed.broken:
        say(str(problem))
    return Exit.USAGE if listed.broken else Exit.DONE


def _level(level: int | None) -> str:
    """Return a level as a text; a dash for a case that no edit repairs, or that is not proved."""
    return "-" if level is None else str(level)


def show_checked(checked: CheckedCorpus, output: Format) -> int:
    """Print the proofs of cases, and their summary.

    Exit 1 if a proof fails, and 2 if a case has a credential or a request may not be sent to a live API.
    """
    summary = checked.summary
    if output is Format.json:
        left = [str(error) for error in checked.left]
        write_json({"summary": summary, "cases": [case.document() for case in checked.cases], "left": left})
        return _checked_exit(checked)
    read = [case for case in checked.cases if case.read]
    if read:
        shape = columns("case", "kind", "holds", numbers=("killed", "survived", "invalid", "missed", "seconds"))
        proofs = Table(columns=shape, rows=[_row(case) for case in read])
        show_tables([proofs], "Proof of the corpus, and the mutants of the fix")
        if len(read) > 1:
            write("\n")
            show_tables([_by_mutant(summary)], "Mutants by kind")
        for line in _summed(summary):
            write(f"{line}\n")
    for line in (*_unread(summary), *_noted(read, summary)):
        write(f"{line}\n")
    for case in checked.cases:
        if case.proof is not None and case.proof.dropped:
            write(f"{case.case}: deleted {counted(case.proof.dropped, 'recorded exchange')} that nothing uses\n")
    for case in checked.cases:
        say_problems(case)
    for problem in checked.left:
        say(str(problem))
    return _checked_exit(checked)


def _checked_exit(checked: CheckedCorpus) -> Exit:
    if any(case.refused or any(isinstance(error, LiveRefused) for error in case.problems) for case in checked.cases):
        return Exit.USAGE
    return Exit.DONE if checked.held else Exit.FAILED


def show_case(document: JsonObject, output: Format) -> int:
    """Print all details of a case."""
    if output is Format.json:
        write_json(document)
    else:
        write("\n".join(_lines(document)) + "\n")
    return Exit.DONE


def show_credentials(found: Sequence[BadInput], paths: int, output: Format) -> int:
    """Print the places of credentials; exit 1 if there are any."""
    if output is Format.json:
        write_json([{"place": error.place, "found": error.found, "hint": error.hint} for error in found])
    elif found:
        for error in found:
            say(str(error))
    else:
        write(f"no credentials in {counted(paths, 'path')}\n")
    return Exit.FAILED if found else Exit.DONE


def show_written(written: Written, output: Format) -> int:
    """Print the files of a new case, what was kept and dropped, and what to do next."""
    if output is Format.json:
        write_json(written.document())
        return Exit.DONE
    for path in written.files:
        write(f"wrote {path}\n")
    if written.kept:
        write(f"kept {len(written.kept)}: {', '.join(map(plain, written.kept))}\n")
    for dropped in written.dropped:
        write(f"dropped {plain(dropped.what)}: {plain(dropped.why)}\n")
    for note in written.notes:
        write(f"note: {plain(note)}\n")
    write(f"{written.labels} labels are missing; `{written.check}` lists them\n")
    return Exit.DONE


def _row(case: CheckedCase) -> tuple[str, ...]:
    holds = "yes" if case.held else "NO"
    if case.proof is None:
        return case.case, NOTHING, holds, *[NOTHING] * 5
    fates = [mutant.fate for mutant in case.proof.valid_mutants]
    shown: tuple[Fate, ...] = ("killed", "survived", "invalid", "missed")
    silent = case.proof.mutants and not fates  # the reference fix does not pass
    counts = [NOTHING if silent else str(fates.count(fate)) for fate in shown]
    return case.case, case.proof.kind, holds, *counts, f"{case.proof.seconds:.1f}"


def _by_mutant(summary: JsonObject) -> Table:
    rows = [
        (kind, *(str(row[fate]) for fate in _FATES), _share(row["share"])) for kind, row in summary["by_mutant"].items()
    ]
    return Table(columns=columns("mutant", numbers=(*_FATES, "mutation_score")), rows=rows)


def _unread(summary: JsonObject) -> Iterator[str]:
    labels = summary["missing_labels"]
    are = f"{counted(labels, 'label')} {'is' if labels == 1 else 'are'} missing"
    if summary["unread"]:
        yield f"{counted(summary['unread'], 'case')} not read{f': {are}' if labels else ''}"


def _noted(read: Sequence[CheckedCase], summary: JsonObject) -> Iterator[str]:
    """Yield what fails nothing and still says how far the proofs reach."""
    if summary["without_facts"]:
        yield f"{counted(summary['without_facts'], 'fault')} without facts: nothing measures whether a prompt states what their fix needs"
    if summary["unchecked_fixes"]:
        are = "wrong fix is" if summary["unchecked_fixes"] == 1 else "wrong fixes are"
        yield f"{summary['unchecked_fixes']} {are} refuted only because any edit is wrong here"
    for case in read:
        if case.note:
            yield plain(f"{case.case}: note: {case.note}")
    mutants = [(case.case, mutant) for case in read if case.proof for mutant in case.proof.valid_mutants]
    invalid = [(name, mutant) for name, mutant in mutants if mutant.fate == "invalid"]
    for name, mutant in invalid if len(invalid) <= MOST_INVALID else ():
        yield plain(f"{name}: invalid mutant: {mutant.what}: {mutant.why}")


def _summed(summary: JsonObject) -> Iterator[str]:
    mutation_score, seconds = summary["mutation_score"], summary["seconds"]
    judged = mutation_score["killed"] + mutation_score["survived"]
    killed = f"{mutation_score['killed']}/{judged} mutants killed" if judged else "no mutant judged"
    yield f"\n{summary['held']} of {summary['cases']} cases proved; {killed}"
    yield _counts(summary["counts"])
    beside = ", ".join(f"{mutation_score[fate]} {fate}" for fate in ("survived", "accepted", "missed", "invalid"))
    yield f"mutation score: {_share(mutation_score['share'])}; beside it: {beside}"
    if summary["unproved"]:
        yield f"{len(summary['unproved'])} unproved (live): they depend on responses that were not requested from the live API"
    if seconds["median"] is not None:
        yield f"seconds a case: {seconds['median']:.1f} (median)"


def say_problems(case: CheckedCase) -> None:
    """Write what is wrong with a case to standard error, one line each."""
    for problem in case.problems:
        say(str(problem))
    for finding in case.failed:
        if finding.what != NO_SURVIVOR:  # each survivor has a line of its own
            say(f"{case.case}: {finding.what}: does not hold; {finding.why}")
    for what, why in case.unproved:
        say(f"{case.case}: unproved (live): {what}; {why}")
    for mutant in case.proof.mutants if case.proof else ():
        if mutant.fate == "survived":
            _say_survivor(case.case, mutant)


def _say_survivor(case: str, mutant: MutantFate) -> None:
    """Print a surviving mutant, what to do, and its patch as an item of ``accepts``: JSON is YAML too."""
    say(
        f"{case}: mutant survives: {mutant.what}; every check holds for it. If it is wrong, make a check stricter, or set `only: true`"
        " in a request check so that the body has no other keys. If it is right, paste the next line under accepts:"
    )
    item = {"why": mutant.what, "patch": list(mutant.patch)}
    say(f"- {json.dumps(item, ensure_ascii=False)}")


def _counts(counts: JsonObject) -> str:
    parts = [counted(counts["cases"], "case")]
    parts += [", ".join(f"{number} {word}" for word, number in counts[of].items()) for of in ("kind", "family")]
    parts.append("world: " + ", ".join(f"{number} {word}" for word, number in counts["recorded_from"].items()))
    return "; ".join(part for part in parts if part)


def _share(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.0%}" if value in (0, 1) else f"{value:.1%}"


def _lines(case: JsonObject) -> Iterator[str]:
    yield plain(f"{case['case']}  {case['kind']}, level {_level(case['level'])}, group {case['group']}")
    yield f"  {plain(case['title'])}"
    sources = ", ".join(f"{name} ({source})" for name, source in case["recorded_from"].items())
    yield f"  world: {plain(sources)}; tags: {plain(', '.join(case['tags']) or 'none')}; source: {plain(case['source'])}"
    yield f"\nRequest\n  {plain(case['request'])}"
    yield "\nWorkflow, and its first execution"
    yield from _graph_lines(case["graph"])
    yield "\nFailure"
    yield from _failure_lines(case)
    yield "\nTruth"
    yield from _truth_lines(case)
    yield "\nFixes"
    yield from _fix_lines(case)
    yield "\nProof"
    mutants = ", ".join(f"{number} {fate}" for fate, number in case["mutants"].items())
    holds = "holds" if case["proved"] else "does NOT hold"
    yield f"  {holds}; mutation score {_share(case['mutation_score'])}; mutants: {mutants or 'none'}"
    yield from (f"  mutant survives: {plain(what)}" for what in case["survivors"])
    yield from (f"  {plain(gap['what'])}: {plain(gap['why'])}" for gap in case["open"])


def _graph_lines(graph: Sequence[JsonObject]) -> Iterator[str]:
    """Yield one line per node. Edges are shown unless they are default edges to the next node."""
    names, types = (max((len(str(row[key])) for row in graph), default=0) for key in ("node", "type"))
    for at, row in enumerate(graph):
        following = graph[at + 1]["node"] if at + 1 < len(graph) else None
        marks = [f"cause of {', '.join(row['cause_of'])}"] if row["cause_of"] else []
        marks += [f"{', '.join(row['surfaces'])} shows here"] if row["surfaces"] else []
        state = row["state"] or row["labelled"] or "-"
        note = f"  <- {'; '.join(marks)}" if marks else ""
        yield plain(f"  {row['node']!s:<{names}}  {row['type']!s:<{types}}  {state}{note}").rstrip()
        leads_on = any(edge["node"] == following and edge["action"] == "default" for edge in row["to"])
        for edge in row["to"]:
            if edge["node"] != following or edge["action"] != "default":
                action = "" if edge["action"] == "default" else f" on {edge['action']}"
                yield plain(f"    ->{action} {edge['node']}")
        if following is not None and leads_on:
            yield "    |"


def _failure_lines(case: JsonObject) -> Iterator[str]:
    if case["not_recorded"]:
        yield f"  {plain(case['not_recorded'])}"
    for failure in case["failures"]:
        fixable = "" if failure.get("fixable", False) else ", no edit helps"
        yield plain(f"  {failure.get('node_id')}: {failure['message']}  ({failure['category']}{fixable})")
        for name in ("status_code", "raw_response", "mcp_error", "shell_stderr", "unresolved", "suggestion"):
            if name in failure:
                yield f"    {name}: {_short(failure[name])}"
    for warning in case["warnings"]:
        yield plain(f"  {warning['node_id']}: warning: {warning['message']}")
    if not (case["not_recorded"] or case["failures"] or case["warnings"]):
        yield "  none"


def _truth_lines(case: JsonObject) -> Iterator[str]:
    for fault in case["faults"]:
        where = f"cause {', '.join(fault['cause']) or '-'}, shows at {fault['surfaces']}"
        yield plain(f"  fault {fault['id']}: {fault['state']}, {fault['who']}; {where}")
        yield plain(f"    {fault['evidence']}")
        if fault["facts"]:
            yield plain(f"    facts: {', '.join(fault['facts'])}")
    yield f"  ends in {case['expect']['final']}"
    yield from (f"  check: {plain(check)}" for check in case["checks"])
    for variant in case["variants"]:
        yield plain(f"  variant {variant['name']}: ends in {variant['final']}")
        yield from (f"    check: {plain(check)}" for check in variant["checks"])


def _fix_lines(case: JsonObject) -> Iterator[str]:
    if case["fix"] is None:
        yield "  no edit is right"
    else:
        yield from (f"  right: {_operation(operation)}" for operation in case["fix"])
    for name, key in (("right too", "accepts"), ("wrong", "wrong_fixes")):
        for fix in case[key]:
            yield f"  {name}: {plain(fix['why'])}"
            yield from (f"    {_operation(operation)}" for operation in fix["patch"])


def _operation(operation: Mapping[str, Json]) -> str:
    value = f" = {_short(operation['value'])}" if "value" in operation else ""
    source = f" from {operation['from']}" if "from" in operation else ""
    return plain(f"{operation.get('op')} {operation.get('path')}{source}{value}")


def _short(value: Json) -> str:
    text = plain(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"
