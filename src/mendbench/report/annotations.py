"""A run as GitHub's workflow commands, which annotate the files of a pull request.

Format, escapes and file: "Workflow commands for GitHub Actions". GitHub shows 10 errors and 10 warnings per step
("REST API endpoints for check runs").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mendbench.report.findings import LEVELS, Level, RunFinding
from mendbench.report.reasons import reason, story, treatment_name, trial_name
from mendbench.results.store import StoredRun
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import treatment_of

SHOWN = 10
"""Annotations per level; GitHub drops the rest."""

_COUNTED_AS: Level = "notice"

_WHERE = "all are in the run's report"

MESSAGE = 4_000
"""Maximum characters of a message: GitHub cuts longer ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePlace:
    """Where a case is in the repository."""

    file: str
    """Relative to the repository's root, with slashes."""
    line: int


Places: TypeAlias = Callable[[str], CasePlace | None]
"""Maps a case to its place; None if no file of the repository contains it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One annotation."""

    level: Level
    title: str
    message: str
    case: str | None = None


def annotation_lines(
    run: StoredRun, places: Places, *, findings: Sequence[RunFinding] | None = None
) -> tuple[str, ...]:
    """Return the lines that annotate the run's cases, at most ten per level, and a line that counts the rest.

    With ``findings``, as a gate returns them, the lines report only these. Without them, each case with trials that are not right is
    reported once: as an error if a trial has no verdict, else as a warning.
    """
    notes = list(_of_cases(run) if findings is None else _of_findings(run, findings))
    by_level = {level: [note for note in notes if note.level == level] for level in LEVELS}
    crowded = any(len(own) > SHOWN for own in by_level.values())
    room = {level: SHOWN - int(crowded and level == _COUNTED_AS) for level in LEVELS}
    lines = [command(note, places) for level, own in by_level.items() for note in own[: room[level]]]
    left = {level: len(own) - room[level] for level, own in by_level.items() if len(own) > room[level]}
    if left:
        counts = " and ".join(f"{count} more {level}{'' if count == 1 else 's'}" for level, count in left.items())
        lines.append(command(Note(level=_COUNTED_AS, title="mendbench", message=f"{counts}; {_WHERE}"), places))
    return tuple(lines)


def command(note: Note, places: Places) -> str:
    """Return a note as a workflow command, always on one line."""
    place = places(note.case) if note.case is not None else None
    where = {"file": place.file, "line": str(place.line)} if place is not None else {}
    stated = ",".join(f"{name}={_property(value)}" for name, value in {**where, "title": note.title}.items())
    return f"::{note.level} {stated}::{_data(note.message[:MESSAGE])}"


def _of_findings(run: StoredRun, findings: Sequence[RunFinding]) -> Iterator[Note]:
    for finding in findings:
        row = None if finding.key is None else run.row(finding.key)
        about = trial_name(row) if row is not None else finding.key or finding.case
        yield Note(
            level=finding.level,
            title=finding.title,
            message="\n".join(
                [f"{about}: {finding.message}" if about else finding.message, *([story(row, run.texts)] if row else [])]
            ),
            case=row["case"] if row is not None else finding.case,
        )


def _of_cases(run: StoredRun) -> Iterator[Note]:
    by_case: dict[str, Records] = run.records.by("case")
    for case in sorted(by_case):
        wrong = by_case[case].where("verdict", lambda verdict: verdict != "correct")
        if not len(wrong):
            continue
        open_ones = wrong.where("verdict", lambda verdict: verdict != "incorrect")
        shown = run.rows[(open_ones if len(open_ones) else wrong).places()[0]]
        counts = f"{len(wrong)} of {len(by_case[case])} trials are not right"
        without = f", {len(open_ones)} of them without a verdict" if len(open_ones) else ""
        yield Note(
            level="error" if len(open_ones) else "warning",
            title=case,
            message=f"{counts}{without}; {treatment_name(treatment_of(shown))}: {reason(shown, run.texts)}",
            case=case,
        )


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
