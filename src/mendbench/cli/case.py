"""``mendbench case``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from mendbench import api
from mendbench.cli.corpus import use_corpus
from mendbench.cli.group import App
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

app = App("List, show, create and prove cases.")

Id: TypeAlias = Annotated[str, typer.Argument(metavar="FAMILY/NAME", show_default=False, help="The new case's id.")]
Kind: TypeAlias = Annotated[
    str, typer.Option("--kind", metavar="KIND", help="repairable, needs_user, transient, control or mixed.")
]
Workflow: TypeAlias = Annotated[
    Path | None,
    typer.Option("--workflow", metavar="FILE", help="The failing workflow's JSON file.", show_default=False),
]


@app.command("list")
def list_(
    names: Names = None,
    family: Annotated[
        list[str] | None, typer.Option("--family", metavar="NAME", help="Only cases of this family.")
    ] = None,
    kind: Annotated[list[str] | None, typer.Option("--kind", metavar="KIND", help="Only cases of this kind.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="Only cases with this tag.")] = None,
    level: Annotated[
        list[str] | None, typer.Option("--level", metavar="N", help="Only proved cases of this level, 0 to 5.")
    ] = None,
    stratum: Annotated[
        list[str] | None, typer.Option("--api", metavar="WORD", help="Only cases on well-known or private APIs.")
    ] = None,
    provenance: Annotated[
        list[str] | None,
        typer.Option("--provenance", metavar="WORD", help="Only cases with a simulator, real or live world."),
    ] = None,
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """List the cases. A repeated option matches any of its values; different options must all match."""
    recordings = use_corpus(cases, cassettes)

    from mendbench.cli import case_view

    where = {
        "family": family or (), "kind": kind or (), "tags": tag or (), "level": level or (), "api": stratum or (),
        "recorded_from": provenance or (),
    }  # fmt: skip
    return case_view.show_cases(api.list_cases(tuple(names or ()), cases, recordings, where=where), output)


@app.command("show")
def show(
    case: Annotated[str, typer.Argument(metavar="CASE", help="A case's id.")],
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """Show a case: its workflow, failure, labels and fixes, and the strength of its checks."""
    recordings = use_corpus(cases, cassettes)

    from mendbench.cli import case_view

    return case_view.show_case(api.show_case(case, cases, recordings), output)


@app.command("check")
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
    """Prove that cases measure what they declare.

    The broken workflow must fail as labelled, and the fix must pass. The unchanged workflow, wrong fixes and mutants must
    fail. Two executions must agree. An error in one case does not stop the check of the others.
    """
    from mendbench.cli import case_view, terminal

    recordings = use_corpus(cases, cassettes, record)
    with terminal.progress() as progress:
        checked = api.check_cases(
            tuple(names or ()), cases, recordings,
            record=record, allow_shell=allow_shell, allow_writes=allow_writes, workers=workers, on_progress=progress,
        )  # fmt: skip
    return case_view.show_checked(checked, output)


@app.command("new")
def new(
    case: Id, kind: Kind = "repairable", workflow: Workflow = None, cases: Cases = None, output: Output = Format.text
) -> int:
    """Write a new case with explanatory comments. Missing labels are marked, and `case check` lists them."""
    from mendbench import workflow_app
    from mendbench.cli import case_view

    document = workflow_app.read_workflow(workflow) if workflow else None
    return case_view.show_written(api.new_case(case, cases, kind=kind, workflow=document), output)


@app.command("import")
def import_(
    case: Id,
    recording: Annotated[
        Path,
        typer.Option(
            "--from", metavar="FILE", help="The file that recorded the failure, of a format above.", show_default=False
        ),
    ],
    workflow: Workflow = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            metavar="NAME=VALUE",
            help="An input that the workflow was run with. Secrets are not required. Repeatable.",
        ),
    ] = None,
    kind: Kind = "repairable",
    provenance: Annotated[
        str,
        typer.Option("--provenance", metavar="WORD", help="World of the new case: simulator, real or live."),
    ] = "simulator",
    cases: Cases = None,
    cassettes: Cassettes = None,
    output: Output = Format.text,
) -> int:
    """Create a case from the file that recorded a failure. Credentials are removed.

    Formats, recognised by content: HAR, OpenTelemetry trace (OTLP JSON), MCP JSON-RPC log, n8n execution, `curl -v` transcript, pasted
    HTTP request and response, vcrpy cassette, trace of `workflow run` or of the engine. If neither FILE nor --workflow has the
    workflow, one is written from the requests.
    """
    from mendbench import workflow_app
    from mendbench.cli import case_view

    written = api.import_case(
        case, cases, cassettes, recording=recording,
        workflow=workflow_app.read_workflow(workflow) if workflow else None, inputs=workflow_app.read_inputs(inputs or ()),
        kind=kind, provenance=provenance,
    )  # fmt: skip
    return case_view.show_written(written, output)


@app.command("generate")
def generate(
    seeds: Annotated[
        list[str],
        typer.Argument(metavar="SEED…", help="Ids, families or patterns of working cases.", show_default=False),
    ],
    operators: Annotated[
        list[str] | None,
        typer.Option(
            "--operators", metavar="NAME", help="Only these operators; default: all. Repeatable.", show_default=False
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", min=1, help="At most N cases of each seed.", show_default=False),
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Folder of the new cases and their recordings.")
    ] = Path("generated"),
    cases: Cases = None,
    cassettes: Cassettes = None,
    allow_shell: AllowShell = False,
    workers: Workers = 0,
    output: Output = Format.text,
) -> int:
    """Derive failing cases from working workflows, and write those that are proved.

    A seed is a control, or a repairable case after its fix. An operator breaks one thing in its workflow or its world. A case is written
    if it fails at the intended node, its inverse repairs it, and `case check` holds. Existing cases are kept, so an interrupted command
    can be repeated.
    """
    from mendbench.cli import generate_view, terminal

    recordings = use_corpus(cases, cassettes)
    with terminal.progress() as progress:
        generated = api.generate_cases(
            tuple(seeds), cases, recordings,
            out=out, operators=tuple(operators or ()), limit=limit, allow_shell=allow_shell, workers=workers,
            on_progress=progress,
        )  # fmt: skip
    return generate_view.show_generated(generated, output)


@app.command("secrets")
def secrets(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files, or folders with all their files.")],
    output: Output = Format.text,
) -> int:
    """Report the places of credentials in files, without showing them; exit 1 if there are any. For a pre-commit hook.

    Credentials are recognised by field names and by the formats of providers, in JSON, YAML, cassettes, traces, HAR files and
    plain text; also if they are base64-encoded, percent-encoded, escaped or compressed.
    """
    from mendbench.cli import case_view

    return case_view.show_credentials(api.find_credentials(tuple(paths)), len(paths), output)
