"""The part of ``run.json`` that follows from the records of the trials."""

from __future__ import annotations

from mendbench.model.json import JsonObject
from mendbench.results.totals import totals
from mendbench.scoring.record_table import Records


def totals_of_trials(records: Records) -> JsonObject:
    """Return the part of ``run.json`` that depends only on the trials."""
    verdicts = records.counted("verdict")
    return {
        "trials": len(records),
        "totals": totals(records),
        "bounds": {
            "unjudged": verdicts["unjudged",],
            "crashed": verdicts["crashed",],
        },
    }
