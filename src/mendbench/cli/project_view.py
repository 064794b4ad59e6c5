"""Prints what ``mendbench init`` wrote, and the health of a repository."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from mendbench.api import Health, Initialised
from mendbench.cli.case_view import say_problems
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import plain, write, write_json
from mendbench.cli.tables import show_tables
from mendbench.report.table_model import Table, columns

NEXT = (
    ("mendbench run", "replay what is configured; reports/latest/index.html is the report"),
    ("mendbench gate --update", "accept the results; commit baseline.tsv"),
    ("mendbench gate", "in CI: fails if repair is worse than accepted"),
)
"""The commands after ``mendbench init``, and what each is for."""


def show_initialised(done: Initialised, output: Format) -> int:
    """Print the files, the proof of the example and the next commands; exit 1 if the example does not hold."""
    proved = done.example is None or done.example.held
    if output is Format.json:
        files = {name: [path.as_posix() for path in paths] for name, paths in asdict(done.files).items()}
        cases = [] if done.example is None else [case.document() for case in done.example.cases]
        write_json({**files, "cases": cases})
        return Exit.DONE if proved else Exit.FAILED
    for path in done.files.written:
        write(f"wrote {path}\n")
    for path in done.files.kept:
        lacks = "" if path not in done.files.foreign else "; it does not call mendbench yet: see docs/ci.md"
        write(f"kept {path}: it existed{lacks}\n")
    for case in done.example.cases if done.example else ():
        write(f"proved {case.case}\n" if case.held else f"{case.case} does not hold\n")
        say_problems(case)
    write("\nNext:\n")
    for command, purpose in NEXT:
        write(f"  {command:<24} # {purpose}\n")
    return Exit.DONE if proved else Exit.FAILED


def show_health(parts: Sequence[Health], output: Format) -> int:
    """Print the parts of a repository, one line each; exit 1 if one is broken."""
    if output is Format.json:
        write_json([asdict(part) for part in parts])
    else:
        rows = [(part.part, part.status, plain(part.found), part.remedy) for part in parts]
        show_tables([Table(columns=columns("part", "status", "found", "do", wraps=("found", "do")), rows=rows)])
    return Exit.FAILED if any(part.status == "broken" for part in parts) else Exit.DONE
