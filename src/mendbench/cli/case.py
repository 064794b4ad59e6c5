"""``mendbench case``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from mendbench.cli.corpus import use_corpus
from mendbench.cli.exits import coded
from mendbench.cli.group import Commands
from mendbench.cli.options import (
    AllowShell,
    AllowWrites,
    Cases,
    Cassettes,
    Format,
    Names,
    Output,
    Record,
    Workers,
)

app = typer.Typer(cls=Commands, help="Look at cases, make new ones, and prove them.")

Id: TypeAlias = Annotated[str, typer.Argument(metavar="FAMILY/NAME", show_default=False, help="The new case's id.")]
Kind: TypeAlias = Annotated[
    str, typer.Option("--kind", metavar="KIND", help="repairable, needs_user, transient, control or mixed.")
]
Workflow: TypeAlias = Annotated[
    Path | None,
    typer.Option("--workflow", metavar="FILE", help="The failing workflow's JSON file.", show_default=False),
]


def list_(
    names: Names = None,
    family: Annotated[
        list[str] | None, typer.Option("--family", metavar="NAME", help="Only cases of this family.")
    ] = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", metavar="KIND", help="Only cases of this kind.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="Only cases with this tag.")] = None,
    difficulty: Annotated[
        list[str] | None, typer.Option("--difficulty", metavar="WORD", help="Only easy, middle or hard ones.")
    ] = None,
    stratum: Annotated[
        list[str] | None, typer.Option("--api", metavar="WORD", help="Only cases on well-known or on private APIs.")
    ] = None,
    provenance: Annotated[
        list[str] | None,
        typer.Option("--provenance", metavar="WORD", help="Only cases with a simulator, real or live world."),
    ] = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """List the cases. An option that is given twice takes either; two options have to hold both."""
    recordings = use_corpus(cases, cassettes)

    from mendbench import api
    from mendbench.cli import case_view

    where = {
        "family": family or (), "kind": kind or (), "tags": tag or (), "difficulty": difficulty or (), "api": stratum or (),
        "recorded_from": provenance or (),
    }  # fmt: skip
    return case_view.show_cases(api.list_cases(tuple(names or ()), cases, recordings, where=where), output)


def show(
    case: Annotated[str, typer.Argument(metavar="CASE", help="A case's id.")],
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """Show a case: its workflow, how it fails, what is true, its fixes, and how strong its checks are."""
    recordings = use_corpus(cases, cassettes)

    from mendbench import api
    from mendbench.cli import case_view

    return case_view.show_case(api.show_case(case, cases, recordings), output)


def check(
    names: Names = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    record: Record = "none",
    allow_shell: AllowShell = False,
    allow_writes: AllowWrites = False,
    workers: Workers = 0,
    output: Output = Format.text,
) -> int:
    """Prove that cases measure what they say.

    The broken workflow fails as labelled; the fix passes; no edit, wrong fixes and mutants fail; and all of it twice
    the same. What is wrong with one case keeps nobody from the others.
    """
    recordings = use_corpus(cases, cassettes, record)

    from mendbench import api
    from mendbench.cli import case_view, terminal

    with terminal.progress() as progress:
        checked = api.check_cases(
            tuple(names or ()), cases, recordings,
            record=record, allow_shell=allow_shell, allow_writes=allow_writes, workers=workers, on_progress=progress,
        )  # fmt: skip
    return case_view.show_checked(checked, output)


def new(
    case: Id, kind: Kind = "repairable", workflow: Workflow = None, cases: Cases = None, output: Output = Format.text
) -> int:
    """Write a new case with comments that teach; every label that is missing is marked, and `case check` lists them."""
    from mendbench import api, workflow_app
    from mendbench.cli import case_view

    document = workflow_app.read_workflow(workflow) if workflow else None
    return case_view.show_written(api.new_case(case, cases, kind=kind, workflow=document), output)


def import_(
    case: Id,
    workflow: Workflow = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            "--trace", metavar="FILE", help="A trace: of `workflow run`, or of the engine.", show_default=False
        ),
    ] = None,
    cassette: Annotated[
        Path | None,
        typer.Option("--cassette", metavar="FILE", help="A cassette of vcrpy, YAML or JSON.", show_default=False),
    ] = None,
    har: Annotated[
        Path | None, typer.Option("--har", metavar="FILE", help="A HAR file, as browsers write it.", show_default=False)
    ] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input", metavar="NAME=VALUE", help="What the workflow was run with. Secrets need not be given."
        ),
    ] = None,
    kind: Kind = "repairable",
    provenance: Annotated[
        str,
        typer.Option("--provenance", metavar="WORD", help="What the new case answers from: simulator, real or live."),
    ] = "simulator",
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """Write a case from what happened: credentials are taken out, and only the exchanges that the workflow uses are kept."""
    from mendbench import api, workflow_app
    from mendbench.cli import case_view

    written = api.import_case(
        case, cases, cassettes, trace=trace, cassette=cassette, har=har,
        workflow=workflow_app.read_workflow(workflow) if workflow else None, inputs=workflow_app.read_inputs(inputs or ()),
        kind=kind, provenance=provenance,
    )  # fmt: skip
    return case_view.show_written(written, output)


def secrets(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files, or folders with all that is in them.")],
    output: Output = Format.text,
) -> int:
    """Say where credentials stand in files, without showing them; exit 1 if there are any. Made for a pre-commit hook.

    Told by the names of fields and by the shapes that providers give them, in JSON, YAML, cassettes, traces, HAR files and
    texts, also in base64, percent-encoded, escaped or compressed.
    """
    from mendbench import api
    from mendbench.cli import case_view

    return case_view.show_credentials(api.find_credentials(tuple(paths)), len(paths), output)


app.command("list")(coded(list_))
app.command("show")(coded(show))
app.command("new")(coded(new))
app.command("import")(coded(import_))
app.command("check")(coded(check))
app.command("secrets")(coded(secrets))
