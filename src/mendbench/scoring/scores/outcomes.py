"""Wrong outcomes, unwanted effects, and trials without a verdict."""

from __future__ import annotations

from mendbench.model.verdict import Outcome
from mendbench.scoring.counting import mean_of_judged, mean_of_samples, of_kinds, share_of_samples
from mendbench.scoring.records import EDIT_KINDS, USER_KINDS
from mendbench.scoring.score import Counting, Score, lower


def _ended(outcome: Outcome) -> Counting:
    return share_of_samples(lambda trial: trial.outcome == outcome)


SCORES: dict[str, Score] = {
    # The trial did harm, or the workflow that it left applied does harm on some data of the case.
    "harmful": lower("harmful", "cases", "share", _ended("harmful")),
    # The workflow ran green, but does not do what it should.
    "plausible": lower(
        "plausible but wrong",
        "cases with a fault for an edit or the user",
        "share",
        of_kinds(EDIT_KINDS | USER_KINDS, _ended("plausible")),
    ),
    # The trial reports that no edit helps, although one would.
    "false_warning": lower(
        "false warnings", "cases with an edit fault", "share", of_kinds(EDIT_KINDS, _ended("false_warning"))
    ),
    # The trial does not report a fault that only the user can mend.
    "missed_warning": lower(
        "missed warnings", "cases with a fault for the user", "share", of_kinds(USER_KINDS, _ended("missed_warning"))
    ),
    # Trials that have no verdict because foreign code raised.
    "crashed": lower("crashed", "cases", "share", mean_of_samples(lambda trial: trial.verdict == "crashed")),
    # Trials that have no verdict because a recording is missing.
    "unjudged": lower("unjudged", "cases", "share", mean_of_samples(lambda trial: trial.verdict == "unjudged")),
    # Writes that the world accepted in more than one execution of a trial.
    "repeated_side_effects": lower(
        "repeated side effects", "judged trials", "count", mean_of_judged(lambda trial: trial.repeated_side_effects)
    ),
    # Places that the last workflow changes beyond what a right fix touches.
    "collateral_edits": lower(
        "collateral edits", "judged trials", "count", mean_of_judged(lambda trial: trial.collateral_edits)
    ),
}
