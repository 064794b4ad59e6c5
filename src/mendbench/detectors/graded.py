"""The ``structural`` detector with severities: temporary refusals are retried, and the run continues after a partial success.

All other detectors give critical warnings only. With this one, an execution may send more requests and get further, so a run that uses it
needs its own recordings.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mendbench.api_errors.envelopes import SUCCESSES, failure_in
from mendbench.detectors.structural import DETECTOR as STRUCTURAL
from mendbench.detectors.structural.temporary_refusals import refused_for_now
from mendbench.model.execution import Judgement, Observation, Severity


@dataclass(frozen=True, slots=True)
class Graded:
    """Uses the ``structural`` detector and grades its warnings."""

    name: str = "graded"

    def judge(self, observation: Observation) -> Judgement:
        """Return what the observation means, with the severity of a warning."""
        judgement = STRUCTURAL.judge(observation)
        return replace(judgement, severity=_severity(observation)) if judgement.state == "warning" else judgement


DETECTOR = Graded()


def _severity(observation: Observation) -> Severity:
    """Return ``info`` after a partial success and ``retry`` after a temporary refusal, except for HTTP nodes, which retry themselves."""
    if observation.kind not in {"envelope", "mcp"}:
        return "critical"
    if _is_partial(observation):
        return "info"
    return "retry" if refused_for_now(observation) else "critical"


def _is_partial(observation: Observation) -> bool:
    """Return whether a response with a success status reports both a refused part and one that was done."""
    if observation.status is not None and observation.status not in SUCCESSES:
        return False
    found = failure_in(observation.body)
    return found is not None and found.partial
