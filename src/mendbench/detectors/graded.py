"""The ``structural`` detector with severities: what was refused for now is tried again, a partial success goes on.

All other detectors give critical warnings only. Under this one an execution may send more, and go further, than under the others: a
run that uses it needs recordings of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mendbench.api_errors.envelopes import SUCCESSES, failure_in
from mendbench.detectors.structural import DETECTOR as STRUCTURAL
from mendbench.detectors.structural.temporary_refusals import refused_for_now
from mendbench.model.execution import Judgement, Observation, Severity


@dataclass(frozen=True, slots=True)
class Graded:
    """Asks ``mend``, and grades its warnings."""

    name: str = "graded"

    def judge(self, sighting: Observation) -> Judgement:
        """Return what the sighting means, and how grave a warning it is."""
        judgement = STRUCTURAL.judge(sighting)
        return replace(judgement, severity=_severity(sighting)) if judgement.state == "warning" else judgement


DETECTOR = Graded()


def _severity(sighting: Observation) -> Severity:
    """Return ``info`` where a part was done, ``retry`` where nothing was and nobody has waited yet: HTTP nodes wait by themselves."""
    if sighting.kind not in {"envelope", "mcp"}:
        return "critical"
    if _is_partial(sighting):
        return "info"
    return "retry" if refused_for_now(sighting) else "critical"


def _is_partial(sighting: Observation) -> bool:
    """Return whether the response, whose status is a success, tells of a part that was done beside what was refused."""
    if sighting.status is not None and sighting.status not in SUCCESSES:
        return False
    found = failure_in(sighting.body)
    return found is not None and found.partial
