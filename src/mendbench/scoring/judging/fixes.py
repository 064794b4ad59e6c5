"""The fixes of a case, applied to its workflow."""

from __future__ import annotations

import json
from functools import lru_cache

from mendbench.errors import BadInput
from mendbench.model.case import Case, Fix
from mendbench.model.json import JsonObject
from mendbench.scoring.judging.diffs import diff_paths
from mendbench.values.json_patch import PatchError, apply_patch


def right_fixes(case: Case) -> tuple[Fix, ...]:
    """Return all right fixes of a case."""
    return (() if case.fix is None else (case.fix,)) + case.accepts


def mended(case: Case, fix: Fix) -> JsonObject:
    """Return the case's workflow after one of its right fixes. Do not modify the result: it is cached and shared.

    Raises:
        BadInput: the fix does not apply; names the case file, the fix and the operation.
    """
    return _applied(case, fix)[0]


def places_of(case: Case, fix: Fix) -> frozenset[str]:
    """Return the places that a right fix touches, as :func:`mendbench.scoring.judging.diffs.diff_paths` names them.

    Raises:
        BadInput: as :func:`mended`.
    """
    return _applied(case, fix)[1]


def _applied(case: Case, fix: Fix) -> tuple[JsonObject, frozenset[str]]:
    try:
        return _patched(json.dumps(case.workflow), json.dumps(fix.patch))
    except PatchError as error:
        place = "fix" if fix is case.fix else "accepts"
        raise BadInput(f"{case.folder / 'case.yaml'}: {place}", str(error), "mend the patch") from error


@lru_cache(maxsize=512)
def _patched(workflow: str, patch: str) -> tuple[JsonObject, frozenset[str]]:
    before = json.loads(workflow)
    after = apply_patch(before, json.loads(patch))
    return after, diff_paths(before, after)
