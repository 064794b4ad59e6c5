"""What follows from the facts about a trial, and from nothing else: for a trial that was just run and for one of an old run alike."""

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
    """All that is asked about a trial."""

    verdict: Facts
    attempts: tuple[AttemptFacts, ...]
    """One for each attempt."""
    levels: tuple[ProgressFacts, ...]
    """One for each attempt; none where no edit is right."""
    first_right: bool | None
    """Checks and variants hold for the first attempt's workflow, and nothing that it or the first two executions did
    was harm, whatever happened after. None: it did not run, or the case has nothing that an edit mends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """All that follows from them."""

    verdict: Verdict
    labels: tuple[AttemptLabel, ...]
    """One for each attempt."""
    progress: tuple[int, ...]
    """One progress level for each attempt; none where no edit is right."""
    wasted: int
    right_after_first: bool
    """Where an edit mends something: the first attempt's workflow is right. Elsewhere: the trial is, and with a single
    attempt."""


def ruling(facts: TrialFacts) -> Ruling:
    """Return what follows from the facts about a trial."""
    verdict = verdict_of(facts.verdict)
    labels = tuple(label_of(one) for one in facts.attempts)
    needs_none = facts.verdict.kind not in EDIT_KINDS
    alone = needs_none and verdict.verdict == "correct" and len(labels) == 1
    return Ruling(
        verdict=verdict,
        labels=labels,
        progress=tuple(progress_of(one) for one in facts.levels),
        wasted=wasted(labels),
        right_after_first=alone if facts.first_right is None else facts.first_right,
    )
