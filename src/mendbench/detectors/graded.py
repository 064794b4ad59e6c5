"""The ``mend`` detector with severities: a warning that time may cure is tried again, a partial success goes on.

All other detectors give critical warnings only. Under this one an execution may send more, and go further, than under the others: a
run that uses it needs recordings of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from mendbench.detectors.mend import DETECTOR as MEND
from mendbench.detectors.mend import words
from mendbench.kit.backoff import TRANSIENT_STATUSES
from mendbench.model.execution import Judgement, Severity, Sighting
from mendbench.model.json import Json

_MULTI_STATUS = 207
"""RFC 4918 section 13: of several operations, each has a status of its own."""


@dataclass(frozen=True, slots=True)
class Graded:
    """Asks ``mend``, and grades its warnings."""

    name: str = "graded"

    def judge(self, sighting: Sighting) -> Judgement:
        """Return what the sighting means, and how grave a warning it is."""
        judgement = MEND.judge(sighting)
        return replace(judgement, severity=_severity(sighting)) if judgement.state == "warning" else judgement


DETECTOR = Graded()


def _severity(sighting: Sighting) -> Severity:
    if sighting.status == _MULTI_STATUS or _is_partial(sighting.body):
        return "info"
    return "retry" if _may_pass(sighting) else "critical"


def _may_pass(sighting: Sighting) -> bool:
    """Return whether time may cure it and nobody has waited yet: HTTP nodes wait for busy statuses by themselves."""
    if sighting.kind not in {"envelope", "mcp"}:
        return False
    text = f"{sighting.message}\n{sighting.body}"[: words.MAX_TEXT]
    said = words.LIMITS.search(text) or words.OUTAGE.search(text)
    return bool(said) or sighting.status in TRANSIENT_STATUSES


def _is_partial(body: Json) -> bool:
    """Return whether a GraphQL answer has data beside its errors (GraphQL specification, section 7.1)."""
    if not isinstance(body, dict) or not isinstance(body.get("errors"), list):
        return False
    data = body.get("data")
    return isinstance(data, dict) and any(value is not None for value in data.values())
