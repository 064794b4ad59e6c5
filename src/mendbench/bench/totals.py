"""What a run adds up to: one row for every combination of strategy, policy and repairer, from its trials' rows alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from mendbench.bench.prices import cost_totals
from mendbench.model.json import JsonObject
from mendbench.model.trial import JsonRow
from mendbench.scoring.stats import wilson

EDIT_KINDS = ("repairable", "mixed")
"""Kinds with a fault that an edit mends: what repair success is counted over."""

TREATMENT = ("engine", "repairer", "model", "strategy", "policy", "detector")

HEADLINE_PART = "test"
"""The part of a split corpus that results are told of: strategies may have been tuned on the other one."""


_PARTS = (HEADLINE_PART, "train", None)
"""In the order of the totals; None for a case that is in no part."""


def totals(rows: Sequence[JsonRow]) -> list[JsonObject]:
    """Return one total for each part of the corpus and treatment, in the order of :data:`TREATMENT`; parts are never pooled.

    Repair success is ``right`` of ``cases``: cases with an edit fault that came out right within three attempts. Nothing leaves the
    denominator; ``unjudged`` trials widen ``bounds`` and ``interval`` instead. With several samples a case counts by its share of
    right ones. What is wasted is known of the ``judged`` trials alone; a first prompt is told whatever became of its trial, so that
    what it held is a mean over all ``first_prompts`` (its facts: over the ``recall_prompts`` of cases that have any).
    """
    groups: dict[tuple[int | str, ...], list[JsonRow]] = defaultdict(list)
    for row in rows:
        groups[
            (
                _PARTS.index(row.get("part")),
                *(row[name] or "" for name in TREATMENT),
            )
        ].append(row)
    return [_total(group) for _, group in sorted(groups.items())]


def headline_rows(rows: Sequence[JsonRow]) -> tuple[JsonRow, ...]:
    """Return the rows that results are told of: those of the test part; all where there are none of it."""
    return tuple(row for row in rows if row.get("part") == HEADLINE_PART) or tuple(rows)


def _total(rows: Sequence[JsonRow]) -> JsonObject:
    edits = [row for row in rows if row["kind"] in EDIT_KINDS]
    right, cases = _share(edits, _verdict("correct")), _count(edits)
    upper = round(right + _share(edits, _verdict("unjudged")), 6)
    interval, method = _interval(edits, right, upper)
    return {
        **{name: rows[0][name] for name in TREATMENT},
        "part": rows[0].get("part"),
        "cases": cases,
        "right": right,
        "bounds": {"lower": right, "upper": upper},
        "interval": interval,
        "interval_method": method,
        "first_attempt": _share(edits, lambda row: bool(row["right_after_first"])),
        "outcomes": _counts(row["outcome"] or row["verdict"] for row in rows),
        "kinds": {kind: _kind(rows, kind) for kind in sorted({row["kind"] for row in rows})},
        "attempts": sum(len(row["attempts"]) for row in rows),
        **_waste(rows),
        **_prompts(rows),
        "prompt_tokens": sum(row["prompt_tokens"] or 0 for row in rows),
        "completion_tokens": sum(row["completion_tokens"] or 0 for row in rows),
        **cost_totals(rows),
        "derived": sum(row["derived"] for row in rows),
        "unjudged": sum(row["verdict"] == "unjudged" for row in rows),
        "crashed": sum(row["verdict"] == "crashed" for row in rows),
    }


def _interval(edits: Sequence[JsonRow], lower: float, upper: float) -> tuple[JsonObject | None, str]:
    """Return the interval of the share of right cases, and how it was made or why there is none."""
    cases = _count(edits)
    if not cases:
        return None, "none: no case with an edit fault"
    if len(edits) > cases:
        return None, "none: several samples of a case are not independent of each other"
    interval: JsonObject = {"low": wilson(round(lower), cases).low, "high": wilson(round(upper), cases).high}
    return (
        interval,
        "Wilson, 95 %" if lower == upper else "Wilson, 95 %: from the lower bound's low to the upper bound's high",
    )


def is_judged(row: JsonRow) -> bool:
    """Return whether a trial has a verdict on what happened in it."""
    return row["verdict"] in {"correct", "incorrect"}


def _waste(rows: Sequence[JsonRow]) -> JsonObject:
    judged = [row for row in rows if is_judged(row)]
    futile = [row for row in judged if row["kind"] == "needs_user"]
    return {
        "judged": len(judged),
        "judged_attempts": sum(len(row["attempts"]) for row in judged),
        "wasted_attempts": sum(row["wasted_attempts"] for row in judged),
        "wasted_per_trial": _mean(row["wasted_attempts"] for row in judged),
        "futile_per_user_case": _mean(sum(a["label"] == "futile" for a in row["attempts"]) for row in futile),
    }


def _prompts(rows: Sequence[JsonRow]) -> JsonObject:
    tokens = [row["attempts"][0]["context_tokens"] for row in rows if row["attempts"]]
    recall = [row["context_recall"] for row in rows if row["context_recall"] is not None]
    return {
        "first_prompts": len(tokens),
        "context_tokens": _mean(tokens),
        "recall_prompts": len(recall),
        "context_recall": _mean(recall),
    }


def _kind(rows: Sequence[JsonRow], kind: str) -> JsonObject:
    own = [row for row in rows if row["kind"] == kind]
    return {"cases": _count(own), "right": _share(own, _verdict("correct"))}


def _count(rows: Iterable[JsonRow]) -> int:
    return len({row["case"] for row in rows})


def _verdict(name: str) -> Callable[[JsonRow], bool]:
    return lambda row: row["verdict"] == name


def _share(rows: Sequence[JsonRow], holds: Callable[[JsonRow], bool]) -> float | int:
    """Return in how many cases something holds, a case with several samples by the share of them."""
    by_case: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        by_case[row["case"]].append(holds(row))
    share = round(sum(fmean(found) for found in by_case.values()), 6)  # thirds add up to ones again
    return int(share) if share == int(share) else share


def _counts(names: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for name in names:
        found[name] += 1
    return dict(sorted(found.items()))


def _mean(values: Iterable[float | int]) -> float | None:
    found = list(values)
    return round(fmean(found), 3) if found else None
