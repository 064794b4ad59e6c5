"""Exports of a run: JUnit XML, Markdown, CSV, Parquet, and GitHub's step summary and annotations."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from mendbench.api.comparing import Comparison, compare
from mendbench.api.gating import gate
from mendbench.config.config_file import load_config
from mendbench.errors import BadInput
from mendbench.io.files import append_durably, why_unwritable, write_atomically
from mendbench.report import data_frames as report_frames
from mendbench.report.annotations import CasePlace, Places, annotation_lines
from mendbench.report.data_frames import csv_files, parquet_files
from mendbench.report.findings import RunJudgement
from mendbench.report.junit import junit as junit_of
from mendbench.report.markdown import STEP_SUMMARY
from mendbench.report.markdown import markdown as markdown_of
from mendbench.report.verdict_findings import judgement_of_changes, judgement_of_gate
from mendbench.results.store import StoredRun, read_run
from mendbench.scoring.gating.result import GateResult

if TYPE_CHECKING:
    import pandas as pd

Against: TypeAlias = str | Path | GateResult | Comparison | RunJudgement
"""What a run is compared with: a baseline's file, another run's folder, or an existing result."""

_Data = TypeVar("_Data", str, str | bytes)

SUMMARY_VARIABLE = "GITHUB_STEP_SUMMARY"
"""The environment variable that names the file of a step's summary."""

_STARTS = ("faults:", "checks:")
"""Lines of a case file for an annotation, in order of preference."""


def export(
    run: str | Path | StoredRun, *, junit: Path | None = None, markdown: Path | None = None, csv: Path | None = None,
    parquet: Path | None = None, github: bool = False, against: Against | None = None,
) -> tuple[Path, ...]:  # fmt: skip
    """Write a run to the named files, and return the files written.

    ``csv`` and ``parquet`` are folders with a file for each table. ``github`` appends to the summary of the current GitHub step.
    With ``against`` the JUnit file is red only for what became worse, and the Markdown begins with the changes. Everything is
    rendered before anything is written, and every file is complete or absent.

    Raises:
        BadInput: there is no run, a file cannot be written or is in a run's folder, pyarrow is missing, the step's summary is missing
        or full; or ``against`` cannot be used (see :func:`mendbench.api.gate` and :func:`mendbench.api.compare`).
    """
    stored = run if isinstance(run, StoredRun) else read_run(Path(run))
    judgement = judged(stored, against)
    made: dict[Path, str | bytes] = {}
    if junit is not None:
        made[junit] = junit_of(stored, judgement=judgement)
    if markdown is not None:
        made[markdown] = markdown_of(stored, judgement=judgement)
    for folder, tables in ((csv, csv_files), (parquet, parquet_files)):
        if folder is not None:
            made |= {folder / name: data for name, data in tables(stored).items()}
    for path in made:
        _refuse_inside(path, stored.folder)
    summary = _step_summary(stored, judgement) if github else None
    for path, data in made.items():
        _written(path, data, write_atomically)
    if summary is not None:
        place, text = summary
        _written(place, text, append_durably)
    return (*made, *(() if summary is None else (summary[0],)))


def annotate(run: str | Path | StoredRun, *, against: Against | None = None) -> tuple[str, ...]:
    """Return the lines that let GitHub annotate the cases of a run, to be printed in a step.

    With ``against`` they report only what became worse.

    Raises:
        BadInput: there is no run, or ``against`` cannot be used.
    """
    stored = run if isinstance(run, StoredRun) else read_run(Path(run))
    judgement = judged(stored, against)
    return annotation_lines(stored, _places(), findings=None if judgement is None else judgement.findings)


def data_frames(run: str | Path | StoredRun) -> dict[str, pd.DataFrame]:
    """Return a run as pandas data frames: trials, attempts, nodes and scores.

    Raises:
        BadInput: there is no run.
    """
    return report_frames.data_frames(run if isinstance(run, StoredRun) else read_run(Path(run)))


def judged(run: StoredRun, against: Against | None) -> RunJudgement | None:
    """Return the judgement on a run compared with ``against``; None without ``against``.

    Raises:
        BadInput: there is nothing at the path, or the gate or the comparison cannot use it.
    """
    if isinstance(against, str | Path):
        place = Path(against)
        if not place.exists():
            raise BadInput(str(place), "no such file or folder", "name a baseline's file or a run's folder")
        against = compare(place, run.folder, part="all") if place.is_dir() else gate(run, baseline=place)
    if isinstance(against, GateResult):
        return judgement_of_gate(against)
    if isinstance(against, Comparison):
        trials = sum(one.trials for one in against.treatments)
        return judgement_of_changes(against.changes, trials=trials, against=str(against.a.side.folder))
    return against


def _refuse_inside(path: Path, folder: Path) -> None:
    """Refuse a file in the run's folder: the next run replaces the folder, and refuses one with other files."""
    if folder.resolve() in path.resolve().parents:
        raise BadInput(str(path), "it lies in the folder of the run", f"write beside {folder}: a run replaces it whole")


def _step_summary(run: StoredRun, judgement: RunJudgement | None) -> tuple[Path, str]:
    named = os.environ.get(SUMMARY_VARIABLE)
    if not named:
        hint = "leave --github-summary away outside GitHub Actions, or write the same with --markdown FILE"
        raise BadInput(SUMMARY_VARIABLE, "not set", hint)
    place = Path(named)
    there = place.stat().st_size if place.is_file() else 0
    gap = "\n\n" if there else ""
    text = markdown_of(run, judgement=judgement, limit=STEP_SUMMARY - there - len(gap))
    if not text:
        raise BadInput(
            str(place), f"{there} bytes of {STEP_SUMMARY} are in it already", "let a step of its own do this"
        )
    return place, gap + text


def _written(path: Path, data: _Data, write: Callable[[Path, _Data], None]) -> None:
    try:
        write(path, data)
    except OSError as error:
        raise BadInput(str(path), why_unwritable(error), "name another place") from None


def _places() -> Places:
    """Return where the cases are in the repository, relative to its root."""
    here = Path.cwd()
    loaded = load_config(here)
    cases = (here / "cases" if loaded.packaged else loaded.cases_dir).resolve()
    root = _repository(here, os.environ)

    def place(case: str) -> CasePlace | None:
        path = cases / case / "case.yaml"
        if root not in path.parents or not path.is_file():
            return None
        return CasePlace(file=path.relative_to(root).as_posix(), line=_line(path))

    return place


def _repository(here: Path, environment: Mapping[str, str]) -> Path:
    """Return the root of the repository: from the CI's environment, else the nearest git repository, else ``here``."""
    named = environment.get("GITHUB_WORKSPACE")
    if named:
        return Path(named).resolve()
    return next((one for one in (here, *here.parents) if (one / ".git").exists()), here).resolve()


def _line(path: Path) -> int:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return next((lines.index(name) + 1 for name in _STARTS if name in lines), 1)
