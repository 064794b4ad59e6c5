"""Write the result of a probe: as cases, and as a page."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from mendbench.api.cases import check_cases
from mendbench.api.probing import refuse_unwritable
from mendbench.api.settings import Progress
from mendbench.errors import BadInput
from mendbench.importing.scaffold import refuse_existing
from mendbench.io.files import folder_beside, move_folder, why_unwritable, write_atomically
from mendbench.io.temporary_folders import scratch
from mendbench.probing.cases import write_cases
from mendbench.probing.result import NotRun, Probe
from mendbench.report.probe_page import render_probe
from mendbench.verify.checking import CheckedCase


@dataclass(frozen=True, slots=True, kw_only=True)
class Emitted:
    """The cases that were made of a probe."""

    cases: tuple[str, ...]
    """Ids of the cases: each is written and proved."""
    cases_dir: Path
    cassettes_dir: Path
    left: tuple[NotRun, ...]
    """Refused calls without a case, and why."""

    @property
    def check(self) -> str:
        """The command that proves them again."""
        return f"mendbench case check --cases {self.cases_dir} --cassettes {self.cassettes_dir}"


def refuse_outputs(cases_dir: Path | None, page: Path | None) -> None:
    """Refuse places of cases and of a page, before a server starts.

    Raises:
        BadInput: the cases' folder has something in it, or is no folder, or the page cannot be written.
    """
    if (
        cases_dir is not None
        and cases_dir.exists()
        and not (cases_dir.is_dir() and next(cases_dir.iterdir(), None) is None)
    ):
        found = "a folder with something in it" if cases_dir.is_dir() else "a file"
        raise BadInput(f"--emit-cases {cases_dir}", found, "name a new or an empty folder")
    if page is not None:
        refuse_unwritable(f"--html {page}", page)


def emit_cases(found: Probe, cases_dir: Path, *, on_progress: Progress) -> Emitted:
    """Write a case for each refused call, and its recording into the folder ``cassettes`` beside ``cases_dir``.

    A case that its proof refutes is not written.

    Raises:
        BadInput: a case exists already, or a folder cannot be written to.
    """
    cassettes_dir = cases_dir.parent / "cassettes"
    with scratch("cases") as made:
        cases, cassettes = made / "cases", made / "cassettes"
        written, left = write_cases(found, cases, cassettes)
        refuse_existing(*(folder / one.id for one in written for folder in (cases_dir, cassettes_dir)))
        wrong: dict[str, str] = {}
        if written:
            checked = check_cases((), cases, cassettes, workers=1, on_progress=on_progress)
            wrong = {one.case: "; ".join(_reasons(one)) for one in checked.cases if not one.held}
        held = [one for one in written if one.id not in wrong]
        for one in held:
            _moved(cassettes / one.id, cassettes_dir / one.id)
            _moved(cases / one.id, cases_dir / one.id)
    left += tuple(
        NotRun(what=one.broken, why=f"no case: its proof fails: {wrong[one.id]}") for one in written if one.id in wrong
    )
    return Emitted(cases=tuple(one.id for one in held), cases_dir=cases_dir, cassettes_dir=cassettes_dir, left=left)


def _reasons(one: CheckedCase) -> list[str]:
    findings = one.proof.findings if one.proof is not None else ()
    return [*map(str, one.problems), *(f"{each.what}: {each.why}" for each in findings if each.held is False)]


def _moved(made: Path, folder: Path) -> None:
    """Copy a folder into place.

    Raises:
        BadInput: it cannot be written.
    """
    try:
        with folder_beside(folder.parent.parent / folder.name) as beside:
            shutil.copytree(made, beside, dirs_exist_ok=True)
            move_folder(beside, folder)
    except OSError as error:
        raise BadInput(str(folder), why_unwritable(error), "name another folder with --emit-cases") from None


def write_probe_page(found: Probe, path: Path) -> None:
    """Write a probe as one HTML page.

    Raises:
        BadInput: the file cannot be written.
    """
    try:
        write_atomically(path, render_probe(found))
    except OSError as error:
        raise BadInput(f"--html {path}", why_unwritable(error), "name another file") from None
