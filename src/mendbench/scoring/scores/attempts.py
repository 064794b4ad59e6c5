"""The use of attempts."""

from __future__ import annotations

from mendbench.scoring.counting import Value, mean_of_judged, of_kinds, ratio_of_judged
from mendbench.scoring.records import EDIT_KINDS, TrialRecord
from mendbench.scoring.score import Score, higher, lower


def _labelled(label: str) -> Value:
    return lambda trial: sum(attempt.label == label for attempt in trial.attempts)


def _attempts(trial: TrialRecord) -> int:
    return len(trial.attempts)


def _edits(trial: TrialRecord) -> int:
    return sum(attempt.status == "edited" for attempt in trial.attempts)


SCORES: dict[str, Score] = {
    "attempts": lower("attempts a trial", "judged trials", "attempts", mean_of_judged(_attempts)),
    # Attempts that were made when no edit fault was open, and those that achieved nothing.
    "wasted": lower(
        "wasted attempts a trial", "judged trials", "attempts", mean_of_judged(lambda trial: trial.wasted_attempts)
    ),
    # Attempts that strategy and model failed to use.
    "fruitless": lower(
        "fruitless attempts",
        "judged cases with an edit fault",
        "attempts",
        of_kinds(EDIT_KINDS, mean_of_judged(_labelled("fruitless"))),
    ),
    # Attempts that a policy could have saved.
    "futile": lower(
        "futile attempts a user-only case",
        "judged cases that only the user can mend",
        "attempts",
        of_kinds({"needs_user"}, mean_of_judged(_labelled("futile"))),
    ),
    # The best level that a trial's attempts reached, from an unparsable response (0) to a right workflow (7).
    "progress": higher(
        "best progress level",
        "judged cases with an edit fault",
        "level",
        of_kinds(EDIT_KINDS, mean_of_judged(lambda trial: trial.progress or 0)),
    ),
    # The share of responses, where an edit helps, that produce a valid, changed workflow.
    "usable_responses": higher(
        "usable responses",
        "responses to cases with an edit fault",
        "share",
        of_kinds(EDIT_KINDS, ratio_of_judged(_edits, _attempts)),
    ),
}
