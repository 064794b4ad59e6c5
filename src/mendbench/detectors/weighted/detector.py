"""The detector: observes, weighs, and says how sure it is."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mendbench.detectors._wording import worded
from mendbench.detectors.structural import DETECTOR as STRUCTURAL
from mendbench.detectors.weighted.evidence import ReadResponse
from mendbench.detectors.weighted.observing import finding
from mendbench.detectors.weighted.opening import parsed_text
from mendbench.detectors.weighted.weighing import weigh
from mendbench.model.execution import Judgement, Observation
from mendbench.model.json import Json

RESPONSES = frozenset({"http", "envelope", "mcp", "llm"})
"""Kinds of observation that are an API's response. The others report a machine or a workflow, and are judged as ``structural`` does."""


@dataclass(frozen=True, slots=True)
class Weighted:
    """Weighs statuses, codes, phrases, pointers at fields, headers and the run's own data."""

    name: str = "weighted"

    def failure_in(self, status: int | None, body: Json, method: str) -> str | None:
        """Return the message of the failure in a response, or None."""
        found = finding(status, body, method)
        return _message(found) if found.failed else None

    def judge(self, observation: Observation) -> Judgement:
        """Return what the observation means, with its confidence and evidence."""
        if observation.kind not in RESPONSES:
            return STRUCTURAL.judge(observation)
        body = observation.body
        if body is None and isinstance(observation.outputs, dict):
            body = next(
                (observation.outputs[slot] for slot in ("response", "result") if observation.outputs.get(slot)), None
            )
        status = observation.status if isinstance(observation.status, int) else None
        found = finding(status, body, observation.method)
        if not found.failed and observation.kind in {"envelope", "http"}:
            return Judgement(state="success", message=observation.message, evidence=found.evidence)
        if not found.failed:
            found = replace(found, failed=True, parts=(body,))
        headers = observation.headers if isinstance(observation.headers, dict) else {}
        weighed = weigh(found, status, headers, observation.message, observation.other_identifier)
        is_error = weighed.odds > -UNCLEAR
        return Judgement(
            state="error" if is_error else "warning",
            message=observation.message if is_error else _warning(observation, found),
            confidence=weighed.confidence,
            evidence=weighed.evidence,
        )


UNCLEAR = 0.01
"""Log odds below which an edit is improbable. An unclear failure is an error: a missed warning costs one attempt, a false one a repair."""

DETECTOR = Weighted()


def _message(found: ReadResponse) -> str:
    part = found.parts[0] if found.parts else None
    if isinstance(part, str) and part.lstrip()[:1] in {"{", "["}:
        part = parsed_text(part)
    return worded(part)


def _warning(observation: Observation, found: ReadResponse) -> str:
    """Return the warning as ``structural`` words it; for a failure that it does not read, the response's own message."""
    judged = STRUCTURAL.judge(observation)
    if judged.state == "warning":
        return judged.message
    status = f" ({observation.status})" if observation.status is not None and found.opened.form != "empty" else ""
    return f"API error{status}: {_message(found)}"
