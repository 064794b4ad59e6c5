"""The totals of a run: one for each part of the corpus and treatment, computed from the trials' records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

from mendbench.config.prices import cost_totals
from mendbench.model.json import JsonObject
from mendbench.model.trial import TrialRow
from mendbench.scoring.counting import completion_tokens, prompt_tokens
from mendbench.scoring.record_table import Records
from mendbench.scoring.records import JUDGED, AttemptRecord, TrialRecord
from mendbench.scoring.score import Score, measures
from mendbench.scoring.scores import all_scores

TREATMENT = ("engine", "repairer", "model", "strategy", "policy", "detector")

HEADLINE_PART = "test"
"""The part of a split corpus that results are reported for: strategies may have been tuned on the other one."""

_PARTS = (HEADLINE_PART, "train", None)
"""In the order of the totals; None for a case that is in no part."""


def totals(records: Records, names: Collection[str] | None = None) -> list[JsonObject]:
    """Return one total for each part of the corpus and treatment, in the order of :data:`TREATMENT`; parts are never pooled.

    A total has under ``scores`` every score (see :mod:`mendbench.scoring.scores`), or only those in ``names``. It also has the sums of
    what its trials used: ``prompt_tokens`` and ``completion_tokens`` only if they are known for every response. If some of its cases are
    adversarial to the detector, ``scores_without_adversarial`` has the scores of the others.
    """
    groups = {
        (_PARTS.index(part), *treatment.order()): group
        for part, own in records.by("part").items()
        for treatment, group in own.by("treatment").items()
    }
    every = all_scores() if len(records) else {}
    scores = {name: one for name, one in every.items() if names is None or name in names}
    return [_total(group, scores) for _, group in sorted(groups.items(), key=lambda one: one[0])]


def headline_records(records: Records) -> Records:
    """Return the trials that results are reported for: those of the test part, or all if it has none."""
    headline = records.where("part", lambda part: part == HEADLINE_PART)
    return headline if len(headline) else records


def is_judged(row: TrialRow) -> bool:
    """Return whether a trial was judged."""
    return row["verdict"] in JUDGED


def _total(records: Records, scores: Mapping[str, Score]) -> JsonObject:
    first = records[0]
    fair = records.where("adversarial_to", lambda detectors: first.treatment.detector not in detectors)
    outcomes: Counter[str] = Counter()
    for (outcome, verdict), count in records.counted("outcome", "verdict").items():
        outcomes[outcome or verdict] += count
    return {
        **{name: getattr(first.treatment, name) for name in TREATMENT},
        "part": first.part,
        "trials": len(records),
        "outcomes": dict(sorted(outcomes.items())),
        "scores": _documents(scores, records),
        **({"scores_without_adversarial": _documents(scores, fair)} if len(fair) < len(records) else {}),
        **_tokens("prompt_tokens", prompt_tokens, records),
        **_tokens("completion_tokens", completion_tokens, records),
        **cost_totals(attempt.cost_usd for attempts in records.column("attempts") for attempt in attempts),
        "derived": sum(records.column("derived")),
    }


def _tokens(name: str, of: Callable[[Iterable[AttemptRecord]], float | None], records: Records) -> JsonObject:
    """Return the token sum of all trials under ``name``, or nothing if a trial's are unknown: readers of a run do not accept null."""
    found = [of(attempts) for attempts in records.column("attempts")]
    known = [tokens for tokens in found if tokens is not None]
    return {name: sum(known)} if len(known) == len(found) else {}


def _documents(scores: Mapping[str, Score], records: Iterable[TrialRecord]) -> JsonObject:
    return {name: measure.document() for name, measure in measures(scores, records).items()}
