"""A policy: a named set of detector, failure signature, stop rules and limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

SignatureName: TypeAlias = Literal["full", "prefix40"]

MAX_RESPONSES = 3
"""At most this many responses in a trial, in every policy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The stop rules of a trial."""

    name: str
    title: str
    detector: str | None
    """Name of the detector; None treats every observation as an error."""
    signature: SignatureName | None
    """Stops when two executions in a row have the same one; None never does."""
    patterns: bool = False
    """Stops when three executions in a row fail with errors of one category."""
    max_responses: int = MAX_RESPONSES
