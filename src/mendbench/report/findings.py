"""The findings of a gate, or of a comparison with another run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["error", "warning", "notice"]

Status: TypeAlias = Literal["passed", "failed", "open"]
"""open: undecided, so a build must not pass."""

LEVELS: tuple[Level, ...] = ("error", "warning", "notice")
"""From most to least severe."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinding:
    """One finding about a run."""

    level: Level
    """error: the build must fail. warning: needs attention. notice: for information."""
    title: str
    """A few words: ``newly failing``, ``limit max_wasted``."""
    message: str
    key: str | None = None
    """The key of the trial; None if the finding is about the whole run."""
    case: str | None = None
    """The case; None if there is none, or if the trial implies it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunJudgement:
    """The verdict of a gate or a comparison about a run, with its findings."""

    status: Status
    verdict: str
    """One line: ``2 trials got worse``."""
    notes: tuple[str, ...] = ()
    """Further notes: how much was compared, and what was not."""
    findings: tuple[RunFinding, ...] = ()

    @property
    def failing(self) -> frozenset[str]:
        """The keys of the trials that fail the build."""
        return frozenset(
            finding.key for finding in self.findings if finding.level == "error" and finding.key is not None
        )
