"""What a run adds up to: one row for every combination of strategy, policy and repairer, from its trials' rows alone."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from mendbench.bench.prices import cost_totals
from mendbench.model.json import JsonObject
from mendbench.model.trial import JsonRow
from mendbench.scoring.records import JUDGED, TrialRecord, records_of
from mendbench.scoring.score import Score, measures
from mendbench.scoring.scores import all_scores

TREATMENT = ("engine", "repairer", "model", "strategy", "policy", "detector")

HEADLINE_PART = "test"
"""The part of a split corpus that results are told of: strategies may have been tuned on the other one."""

_PARTS = (HEADLINE_PART, "train", None)
"""In the order of the totals; None for a case that is in no part."""


def totals(rows: Sequence[JsonRow]) -> list[JsonObject]:
    """Return one total for each part of the corpus and treatment, in the order of :data:`TREATMENT`; parts are never pooled.

    A total has every score (see :mod:`mendbench.scoring.scores`) under ``scores``, and what its trials used up together. Where cases
    are among them that were chosen to catch the detector out, ``scores_without_adversarial`` has the scores of the others.
    """
    groups: dict[tuple[int | str, ...], list[JsonRow]] = defaultdict(list)
    for row in rows:
        groups[(_PARTS.index(row.get("part")), *(row[name] or "" for name in TREATMENT))].append(row)
    scores = all_scores() if rows else {}
    return [_total(group, scores) for _, group in sorted(groups.items())]


def headline_rows(rows: Sequence[JsonRow]) -> tuple[JsonRow, ...]:
    """Return the rows that results are told of: those of the test part; all where there are none of it."""
    return tuple(row for row in rows if row.get("part") == HEADLINE_PART) or tuple(rows)


def is_judged(row: JsonRow) -> bool:
    """Return whether a trial has a verdict on what happened in it."""
    return row["verdict"] in JUDGED


def _total(rows: Sequence[JsonRow], scores: Mapping[str, Score]) -> JsonObject:
    records = records_of(rows)
    fair = [record for record in records if record.treatment.detector not in record.adversarial_to]
    return {
        **{name: rows[0][name] for name in TREATMENT},
        "part": rows[0].get("part"),
        "trials": len(rows),
        "outcomes": dict(sorted(Counter(row["outcome"] or row["verdict"] for row in rows).items())),
        "scores": _documents(scores, records),
        **({"scores_without_adversarial": _documents(scores, fair)} if len(fair) < len(records) else {}),
        "prompt_tokens": sum(row["prompt_tokens"] or 0 for row in rows),
        "completion_tokens": sum(row["completion_tokens"] or 0 for row in rows),
        **cost_totals(rows),
        "derived": sum(row["derived"] for row in rows),
    }


def _documents(scores: Mapping[str, Score], records: Iterable[TrialRecord]) -> JsonObject:
    return {name: measure.document() for name, measure in measures(scores, records).items()}
