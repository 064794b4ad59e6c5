"""What the terminal shows of cases and of their proofs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from mendbench.api import CaseList, CheckedCorpus, Written
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, say, write, write_json
from mendbench.cli.tables import show_tables
from mendbench.errors import BadInput, LiveRefused
from mendbench.model.json import Json, JsonObject
from mendbench.report.table_model import Table, columns
from mendbench.verify.checking import Checked

SHOWN = 160
"""Characters of one value that are shown of a failure; all of them with ``--format json``."""

_FATES = ("killed", "survived", "accepted", "missed", "invalid")


def show_cases(listed: CaseList, output: Format) -> int:
    """Print cases, and how many there are of which kind and family; exit 2 if some cannot be read."""
    if output is Format.json:
        write_json(list(listed.rows))
    else:
        rows = [
            (
                row["case"], row["kind"], row["difficulty"], ", ".join(sorted(set(row["recorded_from"].values()))),
                row["title"], _share(row["mutation_score"]),
            )
            for row in listed.rows
        ]  # fmt: skip
        texts = ("case", "kind", "difficulty", "world", "title")
        show_tables([Table(columns=columns(*texts, wraps=("title",), numbers=("mutation score",)), rows=rows)])
        write(f"\n{_counted(listed.counts)}\n")
    for problem in listed.broken:
        say(str(problem))
    return Exit.USAGE if listed.broken else Exit.DONE


def show_checked(checked: CheckedCorpus, output: Format) -> int:
    """Print what became of cases, and what that amounts to.

    Exit 1 if one does not hold, and 2 if one holds a credential or a live API would have to be sent what may not be sent.
    """
    summary = checked.summary
    if output is Format.json:
        left = [str(one) for one in checked.left]
        write_json({"summary": summary, "cases": [one.document() for one in checked.cases], "left": left})
        return _checked_exit(checked)
    shape = columns("case", "kind", "holds", numbers=("killed", "survived", "invalid", "missed", "seconds"))
    proofs = Table(columns=shape, rows=[_row(case) for case in checked.cases])
    show_tables([proofs], "Proof of the corpus, and what became of mutants of the fix")
    if len(checked.cases) > 1:
        write("\n")
        show_tables([_by_mutant(summary)], "Mutants by kind")
    for line in _summed(summary):
        write(f"{line}\n")
    for one in checked.cases:
        if one.proof is not None and one.proof.dropped:
            count = one.proof.dropped
            write(f"{one.case}: deleted {count} recorded exchange{'' if count == 1 else 's'} that nothing uses\n")
    for checked_case in checked.cases:
        _say_problems(checked_case)
    for problem in checked.left:
        say(str(problem))
    return _checked_exit(checked)


def _checked_exit(checked: CheckedCorpus) -> Exit:
    if any(one.refused or any(isinstance(problem, LiveRefused) for problem in one.problems) for one in checked.cases):
        return Exit.USAGE
    return Exit.DONE if checked.held else Exit.FAILED


def show_case(document: JsonObject, output: Format) -> int:
    """Print all that there is to see of one case."""
    if output is Format.json:
        write_json(document)
    else:
        write("\n".join(_lines(document)) + "\n")
    return Exit.DONE


def show_credentials(found: Sequence[BadInput], paths: int, output: Format) -> int:
    """Print where credentials stand; exit 1 if there are any."""
    if output is Format.json:
        write_json([{"place": one.place, "found": one.found, "hint": one.hint} for one in found])
        return Exit.FAILED if found else Exit.DONE
    for one in found:
        say(str(one))
    if not found:
        write(f"no credentials in {paths} {'path' if paths == 1 else 'paths'}\n")
    return Exit.FAILED if found else Exit.DONE


def show_written(written: Written, output: Format) -> int:
    """Print what was made of a new case, what was kept and dropped, and what to do next."""
    if output is Format.json:
        write_json(written.document())
        return Exit.DONE
    for path in written.files:
        write(f"wrote {path}\n")
    if written.kept:
        write(f"kept {len(written.kept)}: {', '.join(map(plain, written.kept))}\n")
    for one in written.dropped:
        write(f"dropped {plain(one.what)}: {plain(one.why)}\n")
    for note in written.notes:
        write(f"note: {plain(note)}\n")
    write(f"{written.labels} labels are missing; `{written.check}` says which\n")
    return Exit.DONE


def _row(one: Checked) -> tuple[str, ...]:
    holds = "yes" if one.held else "NO"
    if one.proof is None:
        return one.case, "-", holds, "-", "-", "-", "-", "-"
    fates = [mutant.fate for mutant in one.proof.mutants]
    counts = [str(fates.count(fate)) for fate in ("killed", "survived", "invalid", "missed")]
    return one.case, one.proof.kind, holds, *counts, f"{one.proof.seconds:.1f}"


def _by_mutant(summary: JsonObject) -> Table:
    rows = [
        (kind, *(str(row[fate]) for fate in _FATES), _share(row["share"])) for kind, row in summary["by_mutant"].items()
    ]
    return Table(columns=columns("mutant", numbers=(*_FATES, "mutation_score")), rows=rows)


def _summed(summary: JsonObject) -> Iterator[str]:
    """Yield the summary's lines."""
    mutation_score, seconds = summary["mutation_score"], summary["seconds"]
    judged = mutation_score["killed"] + mutation_score["survived"]
    killed = f"{mutation_score['killed']}/{judged} mutants killed" if judged else "no mutants"
    yield f"\n{summary['held']} of {summary['cases']} cases proved; {killed}"
    yield _counted(summary["counts"])
    beside = ", ".join(f"{mutation_score[fate]} {fate}" for fate in ("survived", "accepted", "missed", "invalid"))
    yield f"mutation score: {_share(mutation_score['share'])}; beside it: {beside}"
    if seconds["median"] is not None:
        yield f"seconds a case: {seconds['median']:.1f} (median)"


def _say_problems(one: Checked) -> None:
    for problem in one.problems:
        say(str(problem))
    for finding in one.failed:
        say(f"{one.case}: {finding.what}: does not hold; {finding.why}")
    for mutant in one.proof.mutants if one.proof else ():
        if mutant.fate == "survived":
            say(f"{one.case}: mutant survives: {mutant.what}")


def _counted(counts: JsonObject) -> str:
    cases = counts["cases"]
    parts = [f"{cases} {'case' if cases == 1 else 'cases'}"]
    parts += [", ".join(f"{number} {word}" for word, number in counts[of].items()) for of in ("kind", "family")]
    parts.append("world: " + ", ".join(f"{number} {word}" for word, number in counts["recorded_from"].items()))
    return "; ".join(part for part in parts if part)


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}" if value in (0, 1) else f"{value:.1%}"


def _lines(case: JsonObject) -> Iterator[str]:
    """Yield the lines of one case."""
    yield plain(f"{case['case']}  {case['kind']}, {case['difficulty']}, group {case['group']}")
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
    told = ", ".join(f"{number} {fate}" for fate, number in case["mutants"].items())
    yield f"  {'holds' if case['proved'] else 'does NOT hold'}; mutation score {_share(case['mutation_score'])}; mutants: {told or 'none'}"
    yield from (f"  mutant survives: {plain(what)}" for what in case["survivors"])
    yield from (f"  {plain(one['what'])}: {plain(one['why'])}" for one in case["open"])


def _graph_lines(graph: Sequence[JsonObject]) -> Iterator[str]:
    """Yield one line a node; an edge is written out where it does not simply lead to the next line."""
    wide = max((len(str(row["node"])) for row in graph), default=0)
    kinds = max((len(str(row["type"])) for row in graph), default=0)
    for at, row in enumerate(graph):
        following = graph[at + 1]["node"] if at + 1 < len(graph) else None
        marks = [f"cause of {', '.join(row['cause_of'])}"] if row["cause_of"] else []
        marks += [f"{', '.join(row['surfaces'])} shows here"] if row["surfaces"] else []
        state = row["state"] or row["labelled"] or "-"
        said = f"  <- {'; '.join(marks)}" if marks else ""
        yield plain(f"  {row['node']!s:<{wide}}  {row['type']!s:<{kinds}}  {state}{said}").rstrip()
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
    for warned in case["warnings"]:
        yield plain(f"  {warned['node_id']}: warning: {warned['message']}")
    if not (case["not_recorded"] or case["failures"] or case["warnings"]):
        yield "  none"


def _truth_lines(case: JsonObject) -> Iterator[str]:
    for fault in case["faults"]:
        where = f"cause {', '.join(fault['cause']) or '-'}, shows at {fault['surfaces']}"
        yield plain(f"  fault {fault['id']}: {fault['state']}, {fault['who']}; {where}")
        yield plain(f"    {fault['evidence']}")
        if fault["facts"]:
            yield plain(f"    to be told: {', '.join(fault['facts'])}")
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
    for name, of in (("right too", "accepts"), ("wrong", "wrong_fixes")):
        for fix in case[of]:
            yield f"  {name}: {plain(fix['why'])}"
            yield from (f"    {_operation(operation)}" for operation in fix["patch"])


def _operation(operation: Mapping[str, Json]) -> str:
    value = f" = {_short(operation['value'])}" if "value" in operation else ""
    source = f" from {operation['from']}" if "from" in operation else ""
    return plain(f"{operation.get('op')} {operation.get('path')}{source}{value}")


def _short(value: Json) -> str:
    said = plain(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str))
    return said if len(said) <= SHOWN else f"{said[:SHOWN]}… ({len(said)} characters)"
