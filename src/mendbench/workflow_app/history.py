"""The history of a run."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from mendbench.model.execution import Execution
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Prompt
from mendbench.model.trial import Attempt, StopReason
from mendbench.repair.rollout import Event
from mendbench.runtime.trace import TracedExecution
from mendbench.workflow_app.choices import Resume, RunState


@dataclass(slots=True)
class Story:
    """The history so far. It is kept outside the loop, so that an aborted run leaves its trace."""

    given: JsonObject
    """The document that the run began with."""
    document: JsonObject
    """The current document."""
    inputs: JsonObject
    """The current inputs."""
    phase: int = 0
    """Number of executions that the world has seen begin. It identifies their traffic."""
    ran: list[TracedExecution] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    """All of them, each with the phase as its number."""
    choices: list[JsonObject] = field(default_factory=list)
    stop: StopReason | None = None

    def hear(self, event: Event) -> None:
        """Note an execution or an attempt."""
        if isinstance(event, Execution):
            self._note(event)
        elif isinstance(event, Prompt):
            self.phase += 1
        else:
            self.attempts.append(replace(event, number=self.phase))
            if event.execution is not None and event.candidate is not None:
                self.document = event.candidate
                self._note(event.execution)

    def go_on(self, resume: Resume) -> None:
        """Apply a choice's changes to the document and the inputs."""
        self.document, self.inputs = resume.document, resume.inputs

    def end(self, execution: Execution) -> None:
        """Replace the last execution after a choice has resolved the warning that stopped it."""
        self.ran[-1] = replace(self.ran[-1], execution=execution)
        self.stop = None if self.stop is None else "warned"

    @property
    def last(self) -> TracedExecution:
        """The last execution; an empty one if none ended."""
        return self.ran[-1] if self.ran else TracedExecution(
            attempt=0, document=self.given, execution=Execution(outcome="error", nodes=())
        )  # fmt: skip

    @property
    def standing(self) -> RunState:
        """The state of the run."""
        return RunState(document=self.last.document, inputs=self.inputs, execution=self.last.execution)

    @property
    def repaired(self) -> bool:
        """Whether a repairer's edit has run."""
        return any(attempt.execution is not None for attempt in self.attempts)

    @property
    def edited(self) -> bool:
        """Whether a repairer or a choice has changed the document."""
        return self.repaired or self.last.document != self.given

    def _note(self, execution: Execution) -> None:
        self.ran.append(
            TracedExecution(attempt=self.phase, document=self.document, execution=execution, inputs=self.inputs)
        )
