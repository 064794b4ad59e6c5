"""Clean runs of a case's right workflows: what may be written to the world, and how often."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeAlias

from mendbench.model.case import Case, Variant
from mendbench.model.json import JsonObject
from mendbench.model.trial import CleanRun
from mendbench.scoring.judging.fixes import mended

Runner: TypeAlias = Callable[[JsonObject, Variant | None], CleanRun]
"""Runs a workflow from its start in a fresh world, on the case's own data or on a variant's."""


def right_workflows(case: Case) -> tuple[JsonObject, ...]:
    """Return the right workflows: the results of all right fixes; the user's own workflow if no edit is needed.

    Raises:
        BadInput: a fix does not apply.
    """
    fixes = (*((case.fix,) if case.fix else ()), *case.accepts)
    right = tuple(mended(case, fix) for fix in fixes)
    return right if case.fix else (case.workflow, *right)


def known_as(case: Case, workflow: JsonObject) -> str | None:
    """Return the role of a workflow in its case: the broken one, or the result of a right fix. None for any other.

    Raises:
        BadInput: a fix does not apply.
    """
    known = [("the broken workflow" if case.fix else "the workflow", case.workflow)]
    known += [("the fix", mended(case, case.fix))] if case.fix else []
    known += [("an accepted fix", mended(case, fix)) for fix in case.accepts]
    own = json.dumps(workflow)
    return next((name for name, one in known if json.dumps(one) == own), None)


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
