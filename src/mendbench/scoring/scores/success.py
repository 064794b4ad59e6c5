"""Success: shares of right trials."""

from __future__ import annotations

from collections.abc import Collection

from mendbench.scoring.counting import (
    SAMPLES,
    chance,
    of_kinds,
    ratio_of_judged,
    repair_success_where,
    share_of_samples,
)
from mendbench.scoring.records import EDIT_KINDS, TrialRecord
from mendbench.scoring.score import Counting, Score, higher
from mendbench.scoring.statistics.exact import pass_at_k, pass_hat_k

_SAMPLED = "cases with an edit fault and three samples"


def _right(kinds: Collection[str]) -> Counting:
    return of_kinds(kinds, share_of_samples(lambda trial: trial.right))


def _green(trial: TrialRecord) -> bool:
    return trial.end == "success" and trial.edited


SCORES: dict[str, Score] = {
    # The share of cases with an edit fault that are right within three attempts.
    "repair_success": higher("repair success", "cases with an edit fault", "share", _right(EDIT_KINDS)),
    # An edit mends everything.
    "repairable_success": higher("repairable cases right", "cases that an edit mends", "share", _right({"repairable"})),
    # An edit mends a part, and the rest has to be reported to the user.
    "mixed_success": higher("mixed cases right", "cases that an edit mends in part", "share", _right({"mixed"})),
    # Only the user can help: nothing is edited, nothing forbidden is sent, and the end reports the fault.
    "needs_user_success": higher(
        "user-only cases right", "cases that only the user can mend", "share", _right({"needs_user"})
    ),
    # A retry helps: the workflow recovered unedited, or retries were exhausted and the fault is reported.
    "transient_success": higher(
        "transient cases right", "cases that another try cures", "share", _right({"transient"})
    ),
    # Nothing is wrong: nothing is edited, and no warning is given.
    "control_success": higher("controls right", "cases with nothing wrong", "share", _right({"control"})),
    # Cases whose first response makes the workflow pass, whatever happened after it.
    "attempt1_success": higher(
        "right after the first response",
        "cases with an edit fault",
        "share",
        of_kinds(EDIT_KINDS, share_of_samples(lambda trial: bool(trial.right_after_first))),
    ),
    # Repair success where the first prompt's context contained all facts.
    "success_all_facts": higher(
        "right, all facts in prompt",
        "cases with an edit fault and all facts in prompt",
        "share",
        repair_success_where(lambda trial: trial.context_recall == 1),
    ),
    # Repair success where the first prompt's context left out a fact.
    "success_missing_facts": higher(
        "right, a fact missing",
        "cases with an edit fault and a fact missing from the prompt",
        "share",
        repair_success_where(lambda trial: trial.context_recall is not None and trial.context_recall < 1),
    ),
    # Repair success where our diagnosis did not give away the fix: the first prompt has the fix's new value as data, or not at all.
    "success_not_handed": higher(
        "right, fix not given away",
        "cases with an edit fault and a fix not given away",
        "share",
        repair_success_where(lambda trial: trial.leaks not in {None, "derived"}),
    ),
    # The share of right samples, over the same cases as pass_k and pass_hat_k.
    "pass_1": higher("pass@1", _SAMPLED, "share", chance(pass_at_k, 1)),
    # The probability that at least one of k samples is right.
    "pass_k": higher("pass@3", _SAMPLED, "share", chance(pass_at_k, SAMPLES)),
    # The probability that all of k samples are right.
    "pass_hat_k": higher("pass^3", _SAMPLED, "share", chance(pass_hat_k, SAMPLES)),
    # Trust in green: the share of right trials among those that end in success after an edit.
    "green_right": higher(
        "green and right",
        "trials that an edit made green",
        "share",
        ratio_of_judged(lambda trial: _green(trial) and trial.right, _green),
    ),
}
