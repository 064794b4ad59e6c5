"""What a run adds up to: one row for every combination of strategy, policy and repairer, from its trials' rows alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean

from mendbench.model.json import JsonObject
from mendbench.model.trial import JsonRow
from mendbench.scoring.stats import wilson

EDIT_KINDS = ("repairable", "mixed")
"""Kinds with a fault that an edit mends: what repair success is counted over."""

TREATMENT = ("engine", "repairer", "model", "strategy", "policy", "detector")


def totals(rows: Sequence[JsonRow]) -> list[JsonObject]:
    """Return one total for each treatment, in the order of :data:`TREATMENT`.

    Repair success is ``right`` of ``cases``: cases with an edit fault that came out right within three attempts. Nothing leaves the
    denominator; ``unjudged`` trials widen ``bounds`` instead. With several samples a case counts by its share of right ones.
    """
    groups: dict[tuple[str, ...], list[JsonRow]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] or "" for name in TREATMENT)].append(row)
    return [_total(group) for _, group in sorted(groups.items())]


def _total(rows: Sequence[JsonRow]) -> JsonObject:
    edits = [row for row in rows if row["kind"] in EDIT_KINDS]
    futile = [row for row in rows if row["kind"] == "needs_user"]
    right, cases = _share(edits, "correct"), _count(edits)
    unjudged = _share(edits, "unjudged")
    low, high = wilson(round(right), cases) if cases else (None, None)
    return {
        **{name: rows[0][name] for name in TREATMENT},
        "cases": cases,
        "right": right,
        "bounds": {"lower": right, "upper": right + unjudged},
        "interval": None if low is None else {"low": low, "high": high, "method": "Wilson, 95 %"},
        "first_attempt": sum(bool(row["right_after_first"]) for row in edits),
        "outcomes": _counts(row["outcome"] or row["verdict"] for row in rows),
        "kinds": {kind: _kind(rows, kind) for kind in sorted({row["kind"] for row in rows})},
        "attempts": sum(len(row["attempts"]) for row in rows),
        "wasted_attempts": sum(row["wasted_attempts"] or 0 for row in rows),
        "futile_per_user_case": _mean(sum(a["label"] == "futile" for a in row["attempts"]) for row in futile),
        "context_tokens": _mean(row["attempts"][0]["context_tokens"] for row in rows if row["attempts"]),
        "context_recall": _mean(row["context_recall"] for row in rows if row["context_recall"] is not None),
        "prompt_tokens": sum(row["prompt_tokens"] or 0 for row in rows),
        "completion_tokens": sum(row["completion_tokens"] or 0 for row in rows),
        "derived": sum(row["derived"] for row in rows),
        "unjudged": sum(row["verdict"] == "unjudged" for row in rows),
        "crashed": sum(row["verdict"] == "crashed" for row in rows),
    }


def _kind(rows: Sequence[JsonRow], kind: str) -> JsonObject:
    own = [row for row in rows if row["kind"] == kind]
    return {"cases": _count(own), "right": _share(own, "correct")}


def _count(rows: Iterable[JsonRow]) -> int:
    return len({row["case"] for row in rows})


def _share(rows: Sequence[JsonRow], verdict: str) -> float | int:
    """Return over how many cases the verdict fell, a case with several samples by the share of them."""
    by_case: dict[str, list[bool]] = defaultdict(list)
    for row in rows:
        by_case[row["case"]].append(row["verdict"] == verdict)
    share = sum(fmean(found) for found in by_case.values())
    return int(share) if share == int(share) else share


def _counts(names: Iterable[str]) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for name in names:
        found[name] += 1
    return dict(sorted(found.items()))


def _mean(values: Iterable[float | int]) -> float | None:
    found = list(values)
    return round(fmean(found), 3) if found else None
