"""``mendbench detectors``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mendbench import api
from mendbench.cli.group import App
from mendbench.cli.options import Format, Output

app = App("Evaluate the detectors of failures on labelled API responses, and explain what they find.")


@app.command("evaluate")
def evaluate(
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE.jsonl]",
            help="Labelled responses, one JSON object a line: service, status, headers, body, truth. Without it: the shipped set.",
        ),
    ] = None,
    detectors: Annotated[
        list[str] | None, typer.Option("--detector", metavar="NAME", help="A detector; may be repeated.")
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model", metavar="NAME", help="A model whose labels were imported, beside the detectors; may be repeated."
        ),
    ] = None,
    unsure: Annotated[
        float | None,
        typer.Option(
            "--unsure",
            metavar="P",
            min=0.5,
            max=1,
            show_default=False,
            help="Score the first detector also with the model's labels of noticed failures that it is less sure of than P.",
        ),
    ] = None,
    output: Output = Format.text,
) -> int:
    """Compare detectors with the labels: what failed, and whether an edit of the workflow could help."""
    from mendbench.cli import detectors_view

    found = api.evaluate_detectors(file, tuple(detectors or ()), tuple(models or ()), unsure)
    return detectors_view.show_evaluation(found, output)


@app.command("explain")
def explain(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Responses, one JSON object a line; labels are optional.")
    ],
    detector: Annotated[str, typer.Option("--detector", metavar="NAME", help="The detector.")] = "weighted",
    output: Output = Format.text,
) -> int:
    """Show the state of each response, its confidence, and the evidence."""
    from mendbench.cli import detectors_view

    return detectors_view.show_explanations(api.explain_responses(file, detector), output)
