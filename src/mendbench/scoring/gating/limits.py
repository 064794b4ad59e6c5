"""Limits: bounds on a score, for each treatment and each part of the corpus.

A limit is compared with the value itself, not with its interval. While trials are unjudged, a limit holds or is broken only if no
verdict on them could change that.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal

from mendbench.errors import BadInput, UnknownName
from mendbench.scoring.comparing.paired_counts import applies
from mendbench.scoring.gating.result import Limit, LimitResult, LimitSelection
from mendbench.scoring.records import Treatment, TrialRecord
from mendbench.scoring.score import Measure, case_counts, measure
from mendbench.scoring.scores import score, score_names

_FIELDS = {
    "engines": "engine",
    "strategies": "strategy",
    "policies": "policy",
    "repairers": "repairer",
    "models": "model",
}
"""Fields of a selection, and the field of a treatment that each selects by."""


def read_limits(given: Mapping[str, float], place: str) -> tuple[Limit, ...]:
    """Return limits from their names: ``max_`` or ``min_`` and a score's name. ``place`` is their place in the configuration.

    Raises:
        BadInput: a name has another prefix, or the score cannot reach the bound: it is below 0, or above 1 for a share.
        UnknownName: there is no such score.
    """
    return tuple(_limit(name, bound, f"{place}.{name}") for name, bound in sorted(given.items()))


def _limit(name: str, bound: float, place: str) -> Limit:
    side, _, score_name = name.partition("_")
    if side not in {"max", "min"}:
        example = name if name in score_names() else "wasted"
        hint = f"begin it with max_ or min_ before a score's name, such as max_{example}"
        raise BadInput(place, f"a limit named {name!r}", hint)
    if score_name not in score_names():
        raise UnknownName("score", score_name, score_names(), place)
    if score(score_name).unit == "share" and not 0 <= bound <= 1:
        raise BadInput(place, f"{bound:g} for a share", "give a number from 0 to 1")
    if bound < 0:
        raise BadInput(place, f"{bound:g} for what is never below 0", "give a number from 0 on")
    return Limit(name=name, score=score_name, side="max" if side == "max" else "min", bound=bound)


def check_limits(
    limits: Sequence[Limit], records: Sequence[TrialRecord], selection: LimitSelection
) -> tuple[LimitResult, ...]:
    """Return the result of each limit for each selected treatment, in each part of the corpus.

    Raises:
        UnknownName: the selection names something that the run does not have.
        BadInput: nothing is selected, or a score is undefined for everything selected.
    """
    if not limits:
        return ()
    groups = _selected(records, selection)
    found: list[LimitResult] = []
    for limit in limits:
        results = [_checked(limit, part, treatment, own) for (part, treatment), own in groups.items()]
        if all(result.status == "undefined" for result in results):
            defined = [
                name
                for name in score_names()
                if any(measure(score(name), own).value is not None for own in groups.values())
            ]
            what = f"a limit on a score that is {results[0].measure.undefined}: so it is in this run"
            raise BadInput(
                f"{selection.place}.limits.{limit.name}",
                what,
                f"take it out, or one of: {', '.join(defined) or 'none'}",
            )
        found += results
    return tuple(found)


def _checked(limit: Limit, part: str | None, treatment: Treatment, records: Sequence[TrialRecord]) -> LimitResult:
    own = score(limit.score)
    measured = measure(own, records)
    unjudged = [record for record in records if record.verdict == "unjudged"]
    # What a score leaves out and would count once judged has no bound.
    unbounded = applies(own, unjudged) - case_counts(own, unjudged).keys()
    status = "open" if unbounded else _status(limit, measured)
    return LimitResult(limit=limit, part=part, treatment=treatment, measure=measured, status=status)


def _status(limit: Limit, measured: Measure) -> Literal["holds", "broken", "open", "undefined"]:
    if measured.value is None:
        return "undefined"
    ends = measured.bounds or (measured.value, measured.value)
    kept = [end <= limit.bound + 1e-9 if limit.side == "max" else end >= limit.bound - 1e-9 for end in ends]
    return "holds" if all(kept) else "open" if any(kept) else "broken"


def _selected(
    records: Sequence[TrialRecord], selection: LimitSelection
) -> dict[tuple[str | None, Treatment], list[TrialRecord]]:
    """Return the trials that limits apply to, by part of the corpus and treatment, in the order of a run's totals."""
    for name, of in _FIELDS.items():
        known = {getattr(record.treatment, of) for record in records}
        for unknown in [value for value in getattr(selection, name) if value not in known]:
            raise UnknownName(of, unknown, sorted(known - {None}), f"{selection.place}.{name}")
    groups: dict[tuple[str | None, Treatment], list[TrialRecord]] = defaultdict(list)
    for record in records:
        if _chosen(record, selection):
            groups[record.part, record.treatment].append(record)
    if not groups:
        raise BadInput(selection.place, "limits, and no trial that is selected for them", "select what the run has")
    return dict(sorted(groups.items(), key=lambda item: (item[0][0] != "test", item[0][0] or "", item[0][1].order())))


def _chosen(record: TrialRecord, selection: LimitSelection) -> bool:
    if selection.part is not None and record.part != selection.part:
        return False
    if not selection.repairers and record.treatment.repairer in selection.bounds:
        return False
    wanted = ((getattr(selection, name), getattr(record.treatment, of)) for name, of in _FIELDS.items())
    return all(not names or own in names for names, own in wanted)
