"""Whether simulated services give the answers that are recorded of them, and if not, the first difference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import WORLD, Recordings
from mendbench.exchanges.bodies import parse_body
from mendbench.io.canonical_json import canonical_json
from mendbench.model.exchange import Exchange, Response
from mendbench.model.json import Json, JsonObject
from mendbench.recording.recorder import Recorder
from mendbench.scoring.judging.checks import short
from mendbench.scoring.judging.diffs import MISSING, Missing, escape
from mendbench.scoring.judging.matching import same
from mendbench.verify.bench import ProofParts

Difference = tuple[str, Json | Missing, Json | Missing]
"""A JSON pointer, the recorded value and the simulator's; :data:`MISSING` where one of them has none."""


class _RealOnly(Recordings):
    """A case's recordings without the responses of its simulated services, which have to respond again."""

    def __init__(self, folder_of: Recordings, simulated: frozenset[str]) -> None:
        super().__init__(folder_of.folder)
        self._simulated = simulated

    def world(self, key: str, *, fresh: bool = False):  # type: ignore[no-untyped-def]  # noqa: ANN202
        entry = super().world(key, fresh=fresh)
        return None if entry is not None and entry.service in self._simulated else entry


def disagreements(bench: ProofParts, fixed: JsonObject | None) -> tuple[str, ...]:
    """Return one text for each exchange that a simulated service would answer differently now, each once.

    It names the exchange (method, URL, key, its number in ``world.yaml`` from 1) and the first difference.
    """
    simulated = frozenset(name for name, source in bench.case.recorded_from.items() if source == "simulator")
    if not simulated:
        return ()
    apart = replace(bench, recorder=Recorder(), runs={})
    keys = [entry.key for entry in cassette.load(bench.recordings.folder / WORLD)]
    found: dict[str, None] = {}
    for workflow in [bench.case.workflow, *([fixed] if fixed else [])]:
        for variant in (None, *bench.case.variants):
            recorded = bench.clean(workflow, variant).traffic
            fresh = apart.fresh(workflow, variant, _RealOnly(bench.recordings, simulated)).traffic
            found.update(
                (_described(one, other.response, keys), None)
                for one, other in zip(recorded, fresh, strict=False)
                if one.response != other.response
            )
    return tuple(found)


def difference(recorded: Response, fresh: Response) -> str:
    """Return the first difference of two different responses, with both values."""
    return stated(_first_of(recorded, fresh), "in the recording", "from the simulator")


def stated(found: Difference, then: str, now: str) -> str:
    """Return a difference in words, with where each value stands."""
    path, old, new = found
    return f"{path} is {_shown(old)} {then} and {_shown(new)} {now}"


def _described(recorded: Exchange, fresh: Response, keys: list[str]) -> str:
    where = f"key {recorded.key}"
    if recorded.key in keys:
        where += f", exchange {keys.index(recorded.key) + 1} of {WORLD}"
    request = recorded.request
    return f"{request.method} {request.url} ({where}): {difference(recorded.response, fresh)}"


def _first_of(recorded: Response, fresh: Response) -> Difference:
    """Return the first difference of two different responses: in status, fault, body, headers or time."""
    if recorded.status != fresh.status:
        return "status", recorded.status, fresh.status
    if recorded.fault != fresh.fault:
        return "fault", recorded.fault, fresh.fault
    bodies = [parse_body(one.body, one.header("content-type")) for one in (recorded, fresh)]
    inside = first_in_body(bodies[0], bodies[1])
    if inside is not None:
        return inside
    for name in dict.fromkeys(name for name, _ in (*recorded.headers, *fresh.headers)):
        old, new = (", ".join(value for key, value in one.headers if key == name) for one in (recorded, fresh))
        if old != new:
            return f"header {name}", old or MISSING, new or MISSING
    if recorded.elapsed_ms != fresh.elapsed_ms:
        return "elapsed_ms", recorded.elapsed_ms, fresh.elapsed_ms
    return "the text of the body or the order of the headers", repr(recorded.body), repr(fresh.body)


def first_in_body(old: Json, new: Json) -> Difference | None:
    """Return the first difference of two parsed bodies; None if they are the same."""
    found = next(_differences(old, new, ""), None)
    return None if found is None else (f"body {found[0]}".rstrip(), found[1], found[2])


def _differences(old: Json, new: Json, at: str) -> Iterator[Difference]:
    """Yield the places in which two JSON values differ, in the order of the first."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in {**old, **new}:
            place, left, right = f"{at}/{escape(key)}", old.get(key, MISSING), new.get(key, MISSING)
            if isinstance(left, Missing) or isinstance(right, Missing):
                yield place, left, right
            else:
                yield from _differences(left, right, place)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (left, right) in enumerate(zip(old, new, strict=True)):
            yield from _differences(left, right, f"{at}/{number}")
    elif not same(old, new):
        yield at, old, new


def _shown(value: Json | Missing) -> str:
    return "absent" if isinstance(value, Missing) else short(canonical_json(value))
