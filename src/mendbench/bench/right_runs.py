"""Clean runs of a case's right workflows: what may be written to the world, and how often."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from mendbench.model.case import Case, Variant
from mendbench.model.json import JsonObject
from mendbench.model.trial import CleanRun
from mendbench.replay.recordings import TRAJECTORIES, WORLD, RecordMode
from mendbench.scoring.fixes import mended

Runner: TypeAlias = Callable[[JsonObject, Variant | None], CleanRun]
"""Runs a workflow from its start in a fresh world, on the case's own data or on a variant's."""


def right_workflows(case: Case) -> tuple[JsonObject, ...]:
    """Return the workflows that are right: after each right fix; the one that the user wrote where no edit is needed.

    Raises:
        BadInput: a fix does not apply.
    """
    fixes = (*((case.fix,) if case.fix else ()), *case.accepts)
    right = tuple(mended(case, fix) for fix in fixes)
    return right if case.fix else (case.workflow, *right)


def right_runs(case: Case, runner: Runner) -> dict[str | None, tuple[CleanRun, ...]]:
    """Return the clean runs of all right workflows by the name of the variant; None is the case's own data.

    Raises:
        BadInput: a fix does not apply.
        ReplayMiss: an exchange that a run needs is not recorded.
    """
    workflows = right_workflows(case)
    return {
        variant.name if variant else None: tuple(runner(workflow, variant) for workflow in workflows)
        for variant in (None, *case.variants)
    }


def kept_right_runs(
    case: Case, runner: Runner, *, engine: str, folder: Path, mode: RecordMode
) -> Mapping[str | None, tuple[CleanRun, ...]]:
    """Return :func:`right_runs`, made once per process for a case, an engine, and a state of the recordings in ``folder``.

    Raises:
        BadInput, ReplayMiss: as :func:`right_runs`.
    """
    stamps = tuple(_stamp(folder / name) for name in (WORLD, TRAJECTORIES))
    return _kept(_Wanted(case.id, case.digest, engine, folder, mode, stamps, case, runner))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What decides the runs, and beside it what makes them."""

    case_id: str
    digest: str
    engine: str
    folder: Path
    mode: RecordMode
    stamps: tuple[tuple[int, int], ...]
    case: Case = field(compare=False)
    runner: Runner = field(compare=False)


@lru_cache(maxsize=256)
def _kept(wanted: _Wanted) -> Mapping[str | None, tuple[CleanRun, ...]]:
    return right_runs(wanted.case, wanted.runner)


def _stamp(path: Path) -> tuple[int, int]:
    """Return when a file was written and how long it is; zeros if it is not there."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
