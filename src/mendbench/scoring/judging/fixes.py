"""What a case's fixes make of its workflow."""

from __future__ import annotations

from mendbench.errors import BadInput
from mendbench.kit.patching import PatchError, apply_patch
from mendbench.model.case import Case, Fix
from mendbench.model.json import JsonObject


def mended(case: Case, fix: Fix) -> JsonObject:
    """Return the case's workflow after one of its right fixes; the case is left as it was.

    Raises:
        BadInput: the fix does not apply; names the case file, the fix and the operation.
    """
    try:
        return apply_patch(case.workflow, fix.patch)
    except PatchError as error:
        place = "fix" if fix is case.fix else "accepts"
        raise BadInput(f"{case.folder / 'case.yaml'}: {place}", str(error), "mend the patch") from error
