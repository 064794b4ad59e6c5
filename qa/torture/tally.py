"""What was tried, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One thing that was tried: its kind, how to try it again in a line, and what went wrong (None: it was survived)."""

    kind: str
    what: str
    failure: str | None = None


class Part(Protocol):
    """A module of this package that can be tried."""

    LONG: int
    """How many attempts of each kind the long version makes."""

    def attempts(self, count: int, seed: int) -> Iterator[Attempt]:
        """Try ``count`` things of each kind, drawn from ``seed``; where a kind has a fixed list, all of it."""
        ...


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts of one part by kind, and every failure."""

    tried: dict[str, int] = field(default_factory=dict)
    failures: list[Attempt] = field(default_factory=list)

    def add(self, attempt: Attempt) -> None:
        """Count one attempt."""
        self.tried[attempt.kind] = self.tried.get(attempt.kind, 0) + 1
        if attempt.failure is not None:
            self.failures.append(attempt)

    def survived(self, kind: str) -> int:
        """Return how many attempts of ``kind`` were survived."""
        return self.tried[kind] - sum(failure.kind == kind for failure in self.failures)


def failures(attempts: Iterable[Attempt]) -> list[Attempt]:
    """Return the attempts that were not survived, for a test to compare with an empty list.

    Raises:
        AssertionError: nothing was tried at all.
    """
    tally = Tally()
    for attempt in attempts:
        tally.add(attempt)
    assert tally.tried, "nothing was tried"
    return tally.failures
