"""Prints what `case generate` wrote and rejected."""

from __future__ import annotations

from collections import Counter

from mendbench.api import GeneratedCases
from mendbench.cli.exits import Exit
from mendbench.cli.options import Format
from mendbench.cli.output import say, write, write_json
from mendbench.cli.tables import show_tables
from mendbench.cli.words import counted
from mendbench.report.table_model import Table, columns

SHOWN = 160
"""Maximum number of characters of a reason; ``--format json`` has all."""


def show_generated(generated: GeneratedCases, output: Format) -> int:
    """Print the new cases, the number of breaks by operator, and why others were rejected; exit 1 if a seed does not work."""
    if output is Format.json:
        write_json(generated.document())
    else:
        kept = [one for one in generated.cases if one.case is not None]
        for one in kept:
            write(f"{one.case}: {one.title}{' (there already)' if one.fate == 'exists' else ''}\n")
        rejected = Counter((one.operator, one.why[:SHOWN]) for one in generated.cases if one.case is None)
        shape = columns("operator", "rejected because", wraps=("rejected because",), numbers=("breaks",))
        if rejected:
            write("\n")
            rows = [(operator, why, str(count)) for (operator, why), count in sorted(rejected.items())]
            show_tables([Table(columns=shape, rows=rows)])
        write(f"\n{counted(len(kept), 'case')} of {counted(len(generated.cases), 'break')}\n")
        if kept:
            where = f"--cases {generated.target.cases} --cassettes {generated.target.cassettes}"
            write(f"Edit them by hand before you use them. Check them with: mendbench case check {where}\n")
    for problem in generated.problems:
        say(str(problem))
    return Exit.FAILED if generated.problems else Exit.DONE
