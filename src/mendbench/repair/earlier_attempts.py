"""What became of the earlier attempts of a trial, as strategies may show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mendbench.model.execution import Execution
from mendbench.model.policy import SignatureName
from mendbench.model.prompt import EarlierAttempt, EarlierResult
from mendbench.model.trial import Attempt
from mendbench.repair.signature import signature

SIGNATURE: SignatureName = "full"
"""The signature by which a failure is the same as before. It is fixed, so that prompts depend on no policy."""


def earlier_attempts(first: Execution, attempts: Sequence[Attempt]) -> tuple[EarlierAttempt, ...]:
    """Return the attempts after the execution ``first``, each with its result."""
    return tuple(
        EarlierAttempt(number=attempt.number, reply=attempt.reply.text, result=result, problem=attempt.problem)
        for attempt, result in zip(attempts, _results(first, attempts), strict=True)
    )


def _results(first: Execution, attempts: Sequence[Attempt]) -> Iterator[EarlierResult]:
    before = first
    for attempt in attempts:
        if attempt.execution is not None:
            same = signature(attempt.execution, SIGNATURE) == signature(before, SIGNATURE)
            before = attempt.execution
            yield "same_failure" if same else "other_failure"
        elif attempt.status == "unchanged":
            yield "unchanged"
        else:
            yield "invalid" if attempt.status == "invalid" else "unusable"
