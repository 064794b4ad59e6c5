"""What ``run.json`` says of a run's trials: all of it follows from their rows, whoever made them."""

from __future__ import annotations

from collections.abc import Sequence

from mendbench.bench.totals import totals
from mendbench.model.json import JsonObject
from mendbench.model.trial import JsonRow


def told_by_rows(rows: Sequence[JsonRow]) -> JsonObject:
    """Return the part of ``run.json`` that the trials alone decide."""
    return {
        "trials": len(rows),
        "totals": totals(rows),
        "bounds": {
            "unjudged": sum(row["verdict"] == "unjudged" for row in rows),
            "crashed": sum(row["verdict"] == "crashed" for row in rows),
        },
    }
