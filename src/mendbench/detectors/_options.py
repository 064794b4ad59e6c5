"""Options of a detector that are part of its name: a threshold, and when it begins."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mendbench.errors import BadInput
from mendbench.model.execution import Judgement, Observation
from mendbench.model.json import Json
from mendbench.ports.engine import Detector, ObservingDetector, observes

AFTER_FIRST = "~later"
"""Ends the name of a detector that the first execution does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Optioned:
    """A detector with options."""

    name: str
    inner: Detector
    threshold: float = 0.0
    """A warning of a lower confidence is an error. One without a confidence is a warning."""
    after_first: bool = False
    """Whether the first execution of a trial has no detector."""

    def judge(self, observation: Observation) -> Judgement:
        """Return what the detector says, with an error for a warning that is not sure enough."""
        judged = self.inner.judge(observation)
        if judged.state != "warning" or judged.confidence is None or judged.confidence >= self.threshold:
            return judged
        return replace(judged, state="error", message=observation.message)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservingOptioned(Optioned):
    """The same for a detector that observes."""

    observer: ObservingDetector

    def failure_in(self, status: int | None, body: Json, method: str) -> str | None:
        """Return the message of the failure in a response, or None."""
        return self.observer.failure_in(status, body, method)


def with_options(inner: Detector, name: str, threshold: str | None) -> Detector:
    """Return a detector with the options in ``name``; ``threshold`` is the text after ``@``, None if there is none.

    Raises:
        BadInput: the threshold is not a number from 0.5 to 1.
    """
    least = 0.0 if threshold is None else _probability(name, threshold)
    after_first = name.endswith(AFTER_FIRST)
    if observes(inner):
        return ObservingOptioned(name=name, inner=inner, observer=inner, threshold=least, after_first=after_first)
    return Optioned(name=name, inner=inner, threshold=least, after_first=after_first)


def first_of(detector: Detector | None) -> Detector | None:
    """Return the detector of a trial's first execution."""
    return None if isinstance(detector, Optioned) and detector.after_first else detector


def _probability(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.5 <= value <= 1:  # noqa: PLR2004 (a state is the more probable one)
        raise BadInput(f"detector {name}", f"threshold {text!r}", "write a confidence from 0.5 to 1 after the @")
    return value
