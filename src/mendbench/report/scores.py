"""Every score of every treatment of a run, separately for each part of the corpus: parts are never pooled."""

from __future__ import annotations

from dataclasses import dataclass

from mendbench.scoring.record_table import Records
from mendbench.scoring.records import Treatment
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


def score_lines(records: Records) -> tuple[ScoreLine, ...]:
    """Return all scores, by part, treatment and name."""
    groups = [
        (part, treatment, own)
        for part, of_part in records.by("part").items()
        for treatment, own in of_part.by("treatment").items()
    ]
    scores = all_scores() if groups else {}
    return tuple(
        ScoreLine(part=part, treatment=treatment, score=name, measure=measure)
        for part, treatment, own in sorted(groups, key=lambda group: (group[0] or "", group[1].order()))
        for name, measure in sorted(measures(scores, own).items())
    )
