"""``mendbench case``."""

from __future__ import annotations

import typer

from mendbench.cli.exits import coded
from mendbench.cli.group import Commands
from mendbench.cli.options import (
    AllowShell,
    Cases,
    Cassettes,
    Format,
    Names,
    Output,
    Record,
    Workers,
    existing_cassettes,
)

app = typer.Typer(cls=Commands, help="Look at cases, and prove them.")


def list_(names: Names = None, cases: Cases = None, cassettes: Cassettes = None, output: Output = Format.text) -> int:
    """List the cases."""
    recordings = existing_cassettes(cassettes, "none")

    from mendbench import api
    from mendbench.cli import screen

    return screen.show_cases(api.list_cases(tuple(names or ()), cases, recordings), output)


def check(
    names: Names = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    record: Record = "none",
    allow_shell: AllowShell = False,
    workers: Workers = 0,
    output: Output = Format.text,
) -> int:
    """Prove that cases measure what they say.

    The broken workflow fails as labelled; the fix passes; no edit, wrong fixes and mutants fail; and all of it twice
    the same.
    """
    recordings = existing_cassettes(cassettes, record)

    from mendbench import api
    from mendbench.cli import screen

    with screen.progress() as progress:
        proofs = api.check_cases(
            tuple(names or ()), cases, recordings,
            record=record, allow_shell=allow_shell, workers=workers, on_progress=progress,
        )  # fmt: skip
    return screen.show_proofs(proofs, output)


app.command("list")(coded(list_))
app.command("check")(coded(check))
