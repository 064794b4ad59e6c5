"""Every score of every treatment of a run, those of each part of the corpus by themselves: they are never pooled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from mendbench.model.trial import JsonRow
from mendbench.scoring.records import Treatment, TrialRecord, records_of
from mendbench.scoring.score import Measure, measures
from mendbench.scoring.scores import all_scores


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreLine:
    """One score of one treatment over one part of the corpus."""

    part: str | None
    """None for cases that are in no part."""
    treatment: Treatment
    score: str
    measure: Measure


def score_lines(rows: Sequence[JsonRow]) -> tuple[ScoreLine, ...]:
    """Return all scores, by part, treatment and name."""
    groups: dict[tuple[str, tuple[str, ...]], list[TrialRecord]] = defaultdict(list)
    for record in records_of(rows):
        groups[record.part or "", record.treatment.order()].append(record)
    scores = all_scores() if groups else {}
    return tuple(
        ScoreLine(part=own[0].part, treatment=own[0].treatment, score=name, measure=measure)
        for _, own in sorted(groups.items())
        for name, measure in sorted(measures(scores, own).items())
    )
