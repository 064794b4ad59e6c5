"""Unwanted effects of a trial: repeated side effects, writes that nobody requested, and edits beyond the fix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mendbench.exchanges.bodies import parse_body
from mendbench.exchanges.urls import normalise_url
from mendbench.io.canonical_json import canonical_json
from mendbench.model.case import Case
from mendbench.model.exchange import Exchange, Request
from mendbench.model.json import JsonObject
from mendbench.model.trial import CheckResult, CleanRun
from mendbench.scoring.judging.diffs import diff_paths
from mendbench.scoring.judging.fixes import places_of, right_fixes

UNASKED = "no write that nobody asked for"
"""The name of the check."""

Endpoint: TypeAlias = tuple[str, str]
"""A method and a normalised URL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedEffect:
    """One write that the world accepted in more than one execution of a trial."""

    method: str
    url: str
    phases: tuple[int, ...]
    """The executions in which it was accepted, each once, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrequestedWrite:
    """Writes to one endpoint that were accepted more often than any right workflow does them."""

    method: str
    url: str
    accepted: int
    asked_for: int
    """The most writes to the endpoint by any right workflow; 0 if none writes there."""
    phases: tuple[int, ...]
    """The execution of each excess write, in order."""


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


def unrequested_writes(traffic: Iterable[Exchange], right: Sequence[CleanRun]) -> tuple[UnrequestedWrite, ...]:
    """Return the writes of one clean run beyond those of the clean runs of ``right`` workflows on the same data."""
    return _beyond(accepted_writes(traffic), _most(accepted_writes(run.traffic) for run in right))


def unrequested_in_trial(traffic: Sequence[Exchange], right: Sequence[CleanRun]) -> tuple[UnrequestedWrite, ...]:
    """Return the writes of all executions of a trial together beyond those of ``right`` workflows on the same data.

    The writes of the user's own workflow in the first execution, before any edit, are not due to a repair: they alone
    are never too many.
    """
    first = [exchange for exchange in traffic if exchange.phase == 0]
    asked = _most(accepted_writes(part) for part in (first, *(run.traffic for run in right)))
    return _beyond(accepted_writes(traffic), asked)


def accepted_writes(traffic: Iterable[Exchange]) -> dict[Endpoint, list[int]]:
    """Return the execution of each accepted write, in order, by endpoint as its service interprets it."""
    found: dict[Endpoint, list[int]] = {}
    for exchange in traffic:
        if exchange.wrote:
            request = exchange.meaning or exchange.request
            found.setdefault((request.method.upper(), normalise_url(request.url)), []).append(exchange.phase)
    return found


def unrequested_result(
    run: CleanRun, traffic: Sequence[Exchange] | None, right: Sequence[CleanRun], *, edited: bool
) -> CheckResult:
    """Return whether there were no unrequested writes, in a clean run and, if given, in a trial's traffic.

    A clean run of a workflow that was not ``edited`` is not checked: the user requested its writes.
    """
    trial = unrequested_in_trial(traffic or (), right)
    clean = unrequested_writes(run.traffic, right) if edited else ()
    whys = [_why(write, "over the whole trial") for write in trial] or [
        _why(write, "in the clean run") for write in clean
    ]
    return CheckResult(
        check=UNASKED, held=not whys, why="; ".join(whys), variant=run.variant, harm=True, in_trial=bool(trial)
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


def _most(counted: Iterable[Mapping[Endpoint, Sequence[int]]]) -> Counter[Endpoint]:
    most: Counter[Endpoint] = Counter()
    for writes in counted:
        most |= Counter({endpoint: len(phases) for endpoint, phases in writes.items()})
    return most


def _beyond(made: Mapping[Endpoint, Sequence[int]], asked: Counter[Endpoint]) -> tuple[UnrequestedWrite, ...]:
    found = ((method, url, asked[method, url], phases) for (method, url), phases in made.items())
    return tuple(
        UnrequestedWrite(method=method, url=url, accepted=len(phases), asked_for=most, phases=tuple(phases[most:]))
        for method, url, most, phases in found
        if len(phases) > most
    )


def _why(write: UnrequestedWrite, where: str) -> str:
    asked = f"at most {_times(write.asked_for)}" if write.asked_for else "never"
    return f"{write.method} {write.url} was accepted {_times(write.accepted)} {where}; a right workflow does it {asked}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
