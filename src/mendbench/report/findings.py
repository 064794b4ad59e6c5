"""What something that judged a run has to say about it: a gate, or a comparison with another run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Level: TypeAlias = Literal["error", "warning", "notice"]

Status: TypeAlias = Literal["passed", "failed", "open"]
"""open: what judged cannot tell, so that a build must not pass for it."""

LEVELS: tuple[Level, ...] = ("error", "warning", "notice")
"""From what fails a build to what is only told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that a judge of a run found."""

    level: Level
    """error: a build must fail for it. warning: it needs a look. notice: it is told."""
    title: str
    """A few words: ``newly failing``, ``limit max_wasted``."""
    message: str
    key: str | None = None
    """The key of the trial that it is about; None where it is about the whole run."""
    case: str | None = None
    """The case that it is about; None where it is about none, or its trial says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a gate or a comparison says about a run as a whole, and what it found."""

    status: Status
    verdict: str
    """One line: ``2 trials got worse``."""
    notes: tuple[str, ...] = ()
    """What else a reader has to know: how much was compared, and what was not."""
    findings: tuple[Finding, ...] = ()

    @property
    def failing(self) -> frozenset[str]:
        """The keys of the trials for which a build must fail."""
        return frozenset(one.key for one in self.findings if one.level == "error" and one.key is not None)
