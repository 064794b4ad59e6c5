"""The fixes of a case, applied to its workflow."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache

from mendbench.errors import BadInput
from mendbench.model.case import Case, Fix
from mendbench.model.json import JsonObject
from mendbench.scoring.judging.diffs import diff_paths
from mendbench.values.json_patch import PatchError, apply_patch


def mended(case: Case, fix: Fix) -> JsonObject:
    """Return the case's workflow after one of its right fixes. Do not modify the result: it is cached and shared.

    Raises:
        BadInput: the fix does not apply; names the case file, the fix and the operation.
    """
    return _applied(case, fix).workflow


def places_of(case: Case, fix: Fix) -> frozenset[str]:
    """Return the places that a right fix touches, as :func:`mendbench.scoring.judging.diffs.diff_paths` names them.

    Raises:
        BadInput: as :func:`mended`.
    """
    return _applied(case, fix).places


def _applied(case: Case, fix: Fix) -> _Applied:
    decides = json.dumps([case.workflow, list(fix.patch)])
    return _kept(_Wanted(decides, case=case, fix=fix))


@dataclass(frozen=True, slots=True)
class _Applied:
    workflow: JsonObject
    places: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Cache key of an applied fix. Only ``decides`` is compared; the other fields are for error messages."""

    decides: str
    case: Case = field(compare=False, kw_only=True)
    fix: Fix = field(compare=False, kw_only=True)


@lru_cache(maxsize=512)
def _kept(wanted: _Wanted) -> _Applied:
    case, fix = wanted.case, wanted.fix
    try:
        changed = apply_patch(case.workflow, fix.patch)
    except PatchError as error:
        place = "fix" if fix is case.fix else "accepts"
        raise BadInput(f"{case.folder / 'case.yaml'}: {place}", str(error), "mend the patch") from error
    return _Applied(changed, diff_paths(case.workflow, changed))
