"""Unwanted effects of a trial: repeated side effects, and edits beyond the fix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mendbench.exchanges.bodies import parse_body
from mendbench.exchanges.urls import normalise_url
from mendbench.io.canonical_json import canonical_json
from mendbench.model.case import Case
from mendbench.model.exchange import Exchange, Request
from mendbench.model.json import JsonObject
from mendbench.scoring.judging.diffs import diff_paths
from mendbench.scoring.judging.fixes import places_of, right_fixes


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedEffect:
    """One write that the world accepted in more than one execution of a trial."""

    method: str
    url: str
    phases: tuple[int, ...]
    """The executions in which it was accepted, each once, in order."""


def repeated_effects(traffic: Sequence[Exchange]) -> tuple[RepeatedEffect, ...]:
    """Return the writes (equal method, normalised URL and body) that were accepted in more than one execution.

    A write is any exchange that changed the world, whatever its method. Equivalent spellings count as one write. Repeats
    within one execution do not count.
    """
    phases: dict[tuple[str, str, str], list[int]] = {}
    for exchange in traffic:
        if exchange.wrote:
            seen = phases.setdefault(_identity(exchange.meaning or exchange.request), [])
            if exchange.phase not in seen:
                seen.append(exchange.phase)
    return tuple(
        RepeatedEffect(method=method, url=url, phases=tuple(seen))
        for (method, url, _), seen in phases.items()
        if len(seen) > 1
    )


def collateral_edits(case: Case, workflow: JsonObject) -> tuple[str, ...]:
    """Return the places in which ``workflow`` differs from the broken one beyond what the fix touches, sorted.

    The nearest right fix counts: the one that leaves the fewest places. A place above or below one that the fix touches
    belongs to the fix. If no edit is right, every edit is collateral.

    Raises:
        BadInput: a fix does not apply.
    """
    made = diff_paths(case.workflow, workflow)
    candidates = [
        tuple(sorted(path for path in made if not any(_related(path, other) for other in touched)))
        for touched in (places_of(case, fix) for fix in right_fixes(case))
    ]
    return min(candidates, key=len) if candidates else tuple(sorted(made))


def _identity(request: Request) -> tuple[str, str, str]:
    body = parse_body(request.body, request.header("content-type"))
    return request.method.upper(), normalise_url(request.url), canonical_json(body)


def _related(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")
