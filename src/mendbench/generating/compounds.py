"""Compounds: two breaks of one seed together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

from mendbench.generating.breaks import Break
from mendbench.generating.seed import Seed
from mendbench.model.case import Fault
from mendbench.model.json import JsonObject
from mendbench.values.json_patch import PatchError, apply_patch
from mendbench.verify.patches import patch_between


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """A break that fails as its operator means."""

    broken: Break
    fault: Fault
    ran: frozenset[str]
    """The nodes that succeeded in its first execution."""


Compound = Callable[[Seed, tuple[Fitted, ...]], Iterator[Break]]
"""Yields compounds of breaks that fit."""


def two_faults(seed: Seed, fitted: tuple[Fitted, ...]) -> Iterator[Break]:
    """Yield pairs of broken workflows that fail at different nodes; the later fault shows when the earlier one is repaired."""
    for one, other in combinations(_of(fitted, "edit"), 2):
        first, then = (one, other) if one.broken.node in other.ran else (other, one)
        if first.broken.node not in then.ran or first.broken.operator == then.broken.operator:
            continue
        workflow = _both(seed, first, then)
        if workflow is not None:
            yield _compound("two-faults", first, then, workflow)


def mixed(_seed: Seed, fitted: tuple[Fitted, ...]) -> Iterator[Break]:
    """Yield broken workflows in a world that refuses a later step."""
    for refused in _of(fitted, "user"):
        for one in _of(fitted, "edit"):
            if one.broken.node in refused.ran:
                yield _compound("mixed", one, refused, one.broken.workflow)


COMPOUNDS: dict[str, Compound] = {"two-faults": two_faults, "mixed": mixed}


def _of(fitted: tuple[Fitted, ...], who: str) -> Iterator[Fitted]:
    return (one for one in fitted if one.broken.who == who)


def _compound(operator: str, first: Fitted, then: Fitted, workflow: JsonObject) -> Break:
    what = f"{first.broken.what}; after that, {then.broken.what}"
    return Break(
        operator=operator, what=what, node=first.broken.node, workflow=workflow, state=then.broken.state,
        faults=(first.fault, then.fault), source=f"{first.broken.source}; {then.broken.source}",
    )  # fmt: skip


def _both(seed: Seed, first: Fitted, then: Fitted) -> JsonObject | None:
    try:
        return apply_patch(first.broken.workflow, patch_between(seed.workflow, then.broken.workflow))
    except PatchError:
        return None
