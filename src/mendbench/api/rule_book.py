"""How far the rule book agrees with a recorded model: it is a smoke test, and no measure of a strategy."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from mendbench.api.settings import RunOptions, open_context
from mendbench.api.strategies import main_model
from mendbench.api.trials import Bench
from mendbench.config.config_file import load_config
from mendbench.errors import BadInput
from mendbench.report.views import RULE_BOOK
from mendbench.results.store import StoredRun
from mendbench.scoring.records import EDIT_KINDS, TrialRecord

MIN_PAIRS, MAX_PAIRS = 10, 100
"""Trials that are compared: enough for a figure, and a few seconds of replay."""

POLICY = "first-answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """First responses of the rule book beside those of a model to the same prompts."""

    model: str
    pairs: int
    agree: int
    """Pairs in which both are right, or neither is."""
    model_right: int
    rules_right: int


def rule_book_agreement(stored: StoredRun, options: RunOptions) -> Agreement | None:
    """Return how far the rule book's trials of a run agree with the recorded main model; None if there is too little to compare.

    Raises:
        BadInput: a case or recording cannot be used.
    """
    loaded = load_config()
    model = main_model(loaded)
    if model is None:
        return None
    trials = {
        (one.case, one.treatment.strategy): one
        for one in stored.records
        if one.treatment.repairer == RULE_BOOK and one.kind in EDIT_KINDS and one.judged
    }
    if len(trials) < MIN_PAIRS:
        return None
    context = open_context(loaded, RunOptions(cases=options.cases, cassettes=options.cassettes), tolerant=True)
    found: list[tuple[bool, bool]] = []
    with closing(Bench(Path.cwd(), loaded, options, context)) as bench:
        for (case, strategy), own in sorted(trials.items())[:MAX_PAIRS]:
            try:
                other = bench.run(bench.key(case, strategy=strategy, policy=POLICY, repairer="chat", model=model))
            except BadInput:
                continue
            if other.judged:
                found.append((_is_right(own), _is_right(other.record)))
    if len(found) < MIN_PAIRS:
        return None
    return Agreement(
        model=model,
        pairs=len(found),
        agree=sum(own == other for own, other in found),
        model_right=sum(other for _, other in found),
        rules_right=sum(own for own, _ in found),
    )


def _is_right(record: TrialRecord) -> bool:
    return bool(record.right_after_first)
