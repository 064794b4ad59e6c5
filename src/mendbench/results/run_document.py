"""What ``run.json`` says of a run's trials: all of it follows from their records, whoever made them."""

from __future__ import annotations

from mendbench.model.json import JsonObject
from mendbench.results.totals import totals
from mendbench.scoring.record_table import Records


def totals_of_trials(records: Records) -> JsonObject:
    """Return the part of ``run.json`` that the trials alone decide."""
    verdicts = records.counted("verdict")
    return {
        "trials": len(records),
        "totals": totals(records),
        "bounds": {
            "unjudged": verdicts["unjudged",],
            "crashed": verdicts["crashed",],
        },
    }
