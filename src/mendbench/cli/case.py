"""``mendbench case``."""

from __future__ import annotations

from typing import Annotated

import typer

from mendbench.cli.options import Cases, Cassettes, Format, Names, Output

app = typer.Typer(help="Look at cases, and prove them.", no_args_is_help=True)


@app.command("list")
def list_(names: Names = None, cases: Cases = None, cassettes: Cassettes = None, output: Output = Format.text) -> int:
    """List the cases."""
    from mendbench import api
    from mendbench.cli import screen

    return screen.show_cases(api.list_cases(tuple(names or ()), cases, cassettes), output)


@app.command("check")
def check(
    names: Names = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    record: Annotated[
        str, typer.Option("--record", help="Record mode of the world: none, new_episodes or all.")
    ] = "none",
    allow_shell: Annotated[
        bool, typer.Option("--allow-shell", help="Let shell nodes run, sandboxed, while recording.")
    ] = False,
    workers: Annotated[int, typer.Option("--workers", min=0, help="Processes; 0 for one a core.")] = 0,
    output: Output = Format.text,
) -> int:
    """Prove cases: broken fails as labelled, the fix passes, no edit and wrong fixes and mutants fail, twice the same."""
    from mendbench import api
    from mendbench.cli import screen

    with screen.progress() as progress:
        proofs = api.check_cases(
            tuple(names or ()), cases, cassettes,
            record=record, allow_shell=allow_shell, workers=workers, on_progress=progress,
        )  # fmt: skip
    return screen.show_proofs(proofs, output)
