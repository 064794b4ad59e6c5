"""The results that depend only on the facts about a trial, both for a new trial and for one of an old run."""

from __future__ import annotations

from dataclasses import dataclass

from mendbench.model.trial import AttemptLabel
from mendbench.model.verdict import Verdict
from mendbench.scoring.judging.attempts import AttemptFacts, label_of, wasted
from mendbench.scoring.judging.outcomes import Facts, verdict_of
from mendbench.scoring.judging.progress import ProgressFacts, progress_of
from mendbench.scoring.records import EDIT_KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFacts:
    """All facts about a trial."""

    verdict: Facts
    attempts: tuple[AttemptFacts, ...]
    """One for each attempt."""
    levels: tuple[ProgressFacts, ...]
    """One for each attempt; empty if no edit is right."""
    first_right: bool | None
    """Checks and variants hold for the first attempt's workflow, and neither it nor the first two executions did harm,
    whatever happened after. None: it did not run, or the case has no edit fault."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """All results that follow from the facts."""

    verdict: Verdict
    labels: tuple[AttemptLabel, ...]
    """One for each attempt."""
    progress: tuple[int, ...]
    """One progress level for each attempt; empty if no edit is right."""
    wasted: int
    right_after_first: bool
    """If the case has an edit fault: the first attempt's workflow is right. Otherwise: the trial is right, with a single
    attempt."""


def ruling(facts: TrialFacts) -> Ruling:
    """Return the results that follow from the facts about a trial."""
    verdict = verdict_of(facts.verdict)
    labels = tuple(label_of(attempt) for attempt in facts.attempts)
    needs_none = facts.verdict.kind not in EDIT_KINDS
    alone = needs_none and verdict.verdict == "correct" and len(labels) == 1
    return Ruling(
        verdict=verdict,
        labels=labels,
        progress=tuple(progress_of(level) for level in facts.levels),
        wasted=wasted(labels),
        right_after_first=alone if facts.first_right is None else facts.first_right,
    )
