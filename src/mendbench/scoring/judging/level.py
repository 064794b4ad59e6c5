"""The level of a case: how far its fix is from what the first execution shows. No strategy is rendered for it.

0: a misspelling, and the right name is listed. 1: the error names the value. 2: the value is a path among the listed fields. 3: it is in
the request or the workflow. 4: it is only in the data of earlier nodes. 5: two faults, a cause at an earlier node, more than two edits, or
a value that has to be derived because it is in none of these.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterator, Mapping
from typing import Final

from mendbench.io.canonical_json import canonical_json
from mendbench.model.case import Case, Fix, Level
from mendbench.model.execution import Execution
from mendbench.model.failure import Failure
from mendbench.model.json import JsonObject
from mendbench.runtime.templates import templates_in
from mendbench.scoring.judging.recall import Needle, new_values, readings
from mendbench.strategies.frame import build_frame
from mendbench.values.json_patch import node_ids

FARTHEST: Final[Level] = 5
MOST_EDITS = 2
"""Operations of a fix below level 5."""
ALIKE = 0.75
"""Similarity of two names above which one counts as a misspelling of the other: ``labels`` and ``lables``, not ``name`` and ``title``."""

_ELSEWHERE = frozenset(
    {"available_fields", "request_sent", "upstream", "upstream_data", "suggestion", "earlier", "unresolved"}
)
"""Fields of a failure that are none of its error message: lists of fields, data of earlier nodes, our own diagnosis."""


def level_of(case: Case, first: Execution) -> Level | None:
    """Return the level of a case, from its first execution; None if no edit is right."""
    if case.fix is None:
        return None
    edits = [fault for fault in case.faults if fault.who == "edit"]
    upstream = any(fault.surfaces not in fault.cause for fault in edits)
    if len(edits) > 1 or upstream or len(case.fix.patch) > MOST_EDITS:
        return FARTHEST
    places = _places(case, first)
    needed = new_values(case.workflow, case.fix) or tuple(_removed(case.fix))
    levels: list[Level] = [
        next((at for at, forms in places.items() if one.found_in(forms)), FARTHEST) for one in needed
    ]
    level: Level = max(levels, default=1)
    listed = level in {1, 2} and _is_misspelling(case.workflow, case.fix, needed)
    return 0 if listed else level


def _places(case: Case, first: Execution) -> Mapping[Level, tuple[str, ...]]:
    """Return the texts of each level, the nearest level first."""
    reported = "\n".join(canonical_json(_reported(failure)) for failure in first.failures)
    fields = "\n".join(field for failure in first.failures for field in failure.available_fields or ())
    failed = {failure.node_id for failure in first.failures}
    earlier = "\n".join(canonical_json(one.outputs) for one in first.nodes if one.node_id not in failed)
    frame = build_frame(case.request, case.workflow, None)
    return {1: readings(reported), 2: readings(fields), 3: readings(frame), 4: readings(earlier)}


def _reported(failure: Failure) -> JsonObject:
    return {name: value for name, value in dataclasses.asdict(failure).items() if name not in _ELSEWHERE}


def _removed(fix: Fix) -> Iterator[Needle]:
    """Yield the names that a fix without new values removes or moves away from."""
    for operation in fix.patch:
        path = str(operation.get("from", operation.get("path", "")))
        yield Needle(text=path.rpartition("/")[2])


def _is_misspelling(workflow: JsonObject, fix: Fix, needed: tuple[Needle, ...]) -> bool:
    """Return whether each needed name is close to one that the workflow has and the fix replaces."""
    old = [
        step for template in templates_in(workflow) for step in (template.root, *template.path) if isinstance(step, str)
    ]
    old += [str(one.get("from", one.get("path", ""))).rpartition("/")[2] for one in fix.patch]
    names = set(old) - set(node_ids(workflow))
    return all(difflib.get_close_matches(one.text, names - {one.text}, n=1, cutoff=ALIKE) for one in needed)
