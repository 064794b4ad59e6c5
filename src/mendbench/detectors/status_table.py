"""A table of HTTP statuses and nothing else: what a detector has to beat."""

from __future__ import annotations

from dataclasses import dataclass

from mendbench.model.execution import Judgement, Observation

WARNED = frozenset({401, 402, 403, 404, 407, 408, 409, 410, 423, 425, 429, 451, *range(500, 600)}) - {501, 505}
"""Statuses that name credentials, rights, limits, missing resources, conflicts or outages (RFC 9110 section 15)."""

_SUCCEEDED = range(200, 300)


@dataclass(frozen=True, slots=True)
class StatusTable:
    """A warning for a status of :data:`WARNED`, a success for 2xx, an error for anything else."""

    name: str = "status-table"

    def judge(self, observation: Observation) -> Judgement:
        """Return what the status alone means."""
        status = observation.status
        if status in _SUCCEEDED:
            return Judgement(state="success", message=observation.message)
        if status in WARNED:
            return Judgement(state="warning", message=f"API error ({status})")
        return Judgement(state="error", message=observation.message)


DETECTOR = StatusTable()
