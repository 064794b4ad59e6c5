"""A trial: case x engine x strategy x policy x repairer x sample, from first execution to verdict."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from mendbench.model.exchange import Exchange
from mendbench.model.execution import Execution, State
from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import Prompt, Reply

ResponseStatus: TypeAlias = Literal[
    "edited", "unchanged", "invalid", "unparsable", "declined", "cut", "prompt_too_long"
]
"""What became of a response: a valid changed workflow, the same workflow, one that does not validate, nothing readable, cannot_fix."""

StopReason: TypeAlias = Literal[
    "succeeded", "warned", "no_progress", "pattern", "attempts_exhausted", "validation_failed", "declined",
    "prompt_too_long", "crashed", "unjudged",
]  # fmt: skip
"""no_progress: two executions in a row had the same signature, or a response changed nothing. pattern: three in a row
failed with errors of one category. attempts_exhausted: the limit. validation_failed: the limit, and no response could be
used (each was unparsable, invalid or cut)."""

AttemptLabel: TypeAlias = Literal["productive", "harmful", "plausible", "informative", "futile", "fruitless"]


SELF_REPAIR = "itself"
"""Strategy, policy and repairer of an engine that repairs by itself: none of ours is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialKey:
    """What tells one trial from another."""

    case: str
    strategy: str
    policy: str
    repairer: str
    """``chat``, ``rules``, ``reference``, ``noop``, …"""
    model: str | None = None
    engine: str = "mendbench"
    detector: str | None = None
    """The detector really used: the policy's, or the one that replaced it."""
    sample: int = 0

    def order(self) -> tuple[str, ...]:
        """Return what rows are sorted by."""
        parts = (self.case, self.engine, self.repairer, self.model, self.strategy, self.policy, self.detector)
        return (*(part or "" for part in parts), f"{self.sample:06d}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One prompt, one response, one changed workflow, one resumed execution."""

    number: int
    """From 1."""
    prompt: Prompt
    reply: Reply
    status: ResponseStatus
    repeat: bool = False
    """Whether the very same prompt was asked before in this trial."""
    problem: str | None = None
    """Why the response was unparsable or invalid, as the next prompt tells it."""
    candidate: JsonObject | None = None
    """The workflow after the response's edits; None if there is none."""
    execution: Execution | None = None
    """The resumed execution of the candidate; None if it did not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """Everything that happened in a trial, before any of it is judged."""

    first: Execution
    attempts: tuple[Attempt, ...]
    stop_reason: StopReason
    end: State
    """The outcome of the last execution."""
    workflow: JsonObject
    """The last candidate that ran, or the broken workflow if none did."""
    traffic: tuple[Exchange, ...]
    """All exchanges with the world, over all executions of the trial, in order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanRun:
    """One clean run of the final workflow in a fresh world, on the case's own data or on a variant's."""

    variant: str | None
    execution: Execution
    traffic: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """Whether one check held, and if not why."""

    check: str
    """One line that names the check: ``request POST https://…``."""
    held: bool
    why: str = ""
    variant: str | None = None
    harm: bool = False
    """Whether its failing makes the trial harmful."""
    in_trial: bool = False
    """Whether it failed for what the trial did, and not only for what a clean run does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a trial has no judgement: the text that a user sees, and what it is about."""

    kind: Literal["unjudged", "crashed"]
    message: str
    detail: JsonObject = field(default_factory=dict)


JsonRow: TypeAlias = dict[str, Json]
"""One line of ``trials.jsonl``: see :mod:`mendbench.trial.row` for its fields."""
