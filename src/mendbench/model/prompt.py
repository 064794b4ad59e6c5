"""Prompts to a repairer, and its responses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from mendbench.model.execution import Execution
from mendbench.model.failure import Failure
from mendbench.model.json import JsonObject

SectionLabel: TypeAlias = Literal["raw", "state", "derived"]
"""raw: from the API. state: from the run's data. derived: our own diagnosis."""


EarlierResult: TypeAlias = Literal["unusable", "invalid", "unchanged", "same_failure", "other_failure"]
"""unusable: no edits could be read. invalid: the edited workflow is not valid. unchanged: the edits changed nothing. The others ran, and
failed: with or without the same ``full`` signature as before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierAttempt:
    """What became of an earlier response of the same trial."""

    number: int
    """From 1."""
    reply: str
    """The text of the response."""
    result: EarlierResult
    problem: str | None
    """Why it was unusable or invalid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """All data that a strategy may see. It does not contain the case and its truth."""

    request: str
    workflow: JsonObject
    """The document in this attempt."""
    execution: Execution
    agent: JsonObject
    """The agent error format's JSON of this execution, always sanitised."""
    attempts: tuple[EarlierAttempt, ...] = ()
    """The earlier attempts of the trial. They depend on no policy, so policies still share prompts."""

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The failures of the execution."""
        return self.execution.failures


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of a strategy's context."""

    name: str
    label: SectionLabel
    text: str
    cut: bool = False
    """Whether the budget removed some or all of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A strategy's rendering of one execution."""

    strategy: str
    sections: tuple[Section, ...]
    tokens: int
    """Estimated, see :func:`mendbench.strategies.tokens.estimate`."""

    @property
    def text(self) -> str:
        """The context block of the prompt."""
        return "\n\n".join(section.text for section in self.sections if section.text)

    @property
    def truncated(self) -> bool:
        """Whether anything was cut to fit the budget."""
        return any(section.cut for section in self.sections)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One whole prompt: the frame, which is the same for all strategies, and then the context."""

    system: str
    frame: str
    context: Context
    view: View | None = field(default=None, compare=False, repr=False)
    """The data behind the context, for a repairer that reads data instead of text. It is never sent."""

    @property
    def user(self) -> str:
        """The user message. The context comes last, so that a server's prefix cache serves all strategies of a case."""
        return f"{self.frame}\n\n{self.context.text}" if self.context.text else self.frame


ReplyStatus: TypeAlias = Literal["answered", "cut", "prompt_too_long"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A repairer's response."""

    text: str
    status: ReplyStatus = "answered"
    """cut: it hit its token limit. prompt_too_long: the model's server refused the prompt for its length."""
    model: str | None = None
    prompt_tokens: int | None = None
    """As the model reported them; None if it did not, or there was no model."""
    completion_tokens: int | None = None
    model_request: str | None = None
    """Digest of the model request that this responds to."""
    elapsed_ms: int = 0
