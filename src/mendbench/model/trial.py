"""A trial: case x engine x strategy x policy x repairer x sample, from first execution to verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from mendbench.model.exchange import Exchange
from mendbench.model.execution import Execution, State
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Prompt, Reply

if TYPE_CHECKING:
    from mendbench.model.trial_row import TrialRow as TrialRow  # noqa: PLC0414 - exported
else:  # the definition takes 6 ms to import, and only its readers need it
    TrialRow = dict

ResponseStatus: TypeAlias = Literal[
    "edited", "unchanged", "invalid", "unparsable", "declined", "cut", "prompt_too_long"
]
"""The result of a response: a valid changed workflow, the same workflow, one that does not validate, nothing readable, cannot_fix."""

StopReason: TypeAlias = Literal[
    "succeeded", "warned", "no_progress", "pattern", "attempts_exhausted", "validation_failed", "declined",
    "prompt_too_long", "crashed", "unjudged",
]  # fmt: skip
"""no_progress: two consecutive executions had the same signature, or a response changed nothing. pattern: three in a row failed with errors
of one category. attempts_exhausted: the limit was reached. validation_failed: the limit was reached without a usable response (each was
unparsable, invalid or cut)."""

AttemptLabel: TypeAlias = Literal["productive", "harmful", "plausible", "informative", "futile", "fruitless"]

Where: TypeAlias = Literal["frame", "raw", "state", "derived", "nowhere"]
"""Where a prompt contains a value: the frame, or the sections of a label."""

SELF_REPAIR = "itself"
"""Strategy, policy and repairer of an engine that repairs by itself, without ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialKey:
    """The key of a trial."""

    case: str
    strategy: str
    policy: str
    repairer: str
    """``chat``, ``rules``, ``reference``, ``noop``, …"""
    model: str | None = None
    engine: str = "mendbench"
    detector: str | None = None
    """The effective detector: the policy's, or the one that replaced it."""
    sample: int = 0

    def order(self) -> tuple[str, ...]:
        """Return the sort key of rows."""
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
    """Whether this trial has sent the same prompt before."""
    problem: str | None = None
    """Why the response was unparsable or invalid, as stated in the next prompt."""
    candidate: JsonObject | None = None
    """The workflow after the response's edits, or None."""
    execution: Execution | None = None
    """The resumed execution of the candidate; None if it did not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """Everything that happened in a trial, before judgement."""

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
    """Whether one check passed, and if not, why."""

    check: str
    """One line that names the check: ``request POST https://…``."""
    held: bool
    why: str = ""
    variant: str | None = None
    harm: bool = False
    """Whether its failure makes the trial harmful."""
    in_trial: bool = False
    """Whether it failed because of the trial's actions, and not only those of a clean run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Why a trial has no judgement: the message to the user, and its subject."""

    kind: Literal["unjudged", "crashed"]
    message: str
    detail: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The results of a trial, as it is judged. A trial with a ``problem`` is not judged and needs nothing else."""

    trajectory: Trajectory | None
    clean: tuple[CleanRun, ...] = ()
    """Clean runs of the final workflow, on the case's own data and on every variant."""
    attempt_clean: Mapping[int, CleanRun]
    """Clean runs of each executed candidate on the case's own data, by attempt number. 0 is the broken workflow; the last candidate may be
    left out."""
    first_clean: tuple[CleanRun, ...] = ()
    """Clean runs of the first attempt's candidate on every variant. Required if it ran, is not the last executed one, and the case has an
    edit fault."""
    right: Mapping[str | None, tuple[CleanRun, ...]] = field(default_factory=dict)
    """Clean runs of all right workflows, by variant name (None: the case's own data)."""
    model_requests: tuple[str, ...] = ()
    """Digests of the model requests that got a response."""
    problem: Problem | None = None
