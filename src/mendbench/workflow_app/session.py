"""A running workflow: executed, repaired, and continued from every warning for which the user chooses an action."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from mendbench.config.tables import Config
from mendbench.model.execution import Checkpoint
from mendbench.model.json import JsonObject
from mendbench.model.policy import Policy
from mendbench.ports.engine import Detector, Engine
from mendbench.ports.repair import Repairer, Strategy
from mendbench.repair.rollout import Event, Rollout
from mendbench.repair.stop_rules import repair
from mendbench.runtime.events import NodeEvent
from mendbench.secrets.redaction import Redactor
from mendbench.strategies import Budget
from mendbench.workflow_app.choices import (
    CREATE_FIRST,
    MAX_CHOICES,
    Choice,
    Choose,
    Ended,
    Impossible,
    Resume,
    after,
    recorded,
    stopped,
)
from mendbench.workflow_app.history import Story
from mendbench.workflow_app.live_environment import Outside
from mendbench.workflow_app.observed_engine import WatchedEngine

NO_REQUEST = "Not given. Make the workflow do what its nodes and its inputs are evidently meant to do."
"""The prompt's request if the user gave none."""

RunEvent: TypeAlias = NodeEvent | Event
"""Events of a running workflow: each node's start and end; each execution, prompt and attempt."""

Repairing: TypeAlias = tuple[Strategy, Repairer, Budget]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunParts:
    """The components of a run."""

    engine: WatchedEngine
    inputs: JsonObject
    redactor: Redactor
    rules: Policy
    detector: Detector | None
    config: Config
    repairing: Repairing | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkflowSession:
    """A running workflow."""

    parts: RunParts
    story: Story
    reach: Outside
    request: str | None
    """The purpose of the workflow, in the user's words."""
    secrets: Mapping[str, str]
    """Secret inputs, each with the environment variable that contains it."""
    on_event: Callable[[RunEvent], None] | None

    def whole(self, choose: Choose | None) -> None:
        """Run from the start, and continue from every warning until the user chooses to stop."""
        self._on(None)
        problem: str | None = None
        for _ in range(0 if choose is None else MAX_CHOICES):
            found = stopped(
                self.story.standing, secrets=self.secrets, redact=self.parts.redactor.value,
                repairer=self.parts.repairing is not None, problem=problem,
            )  # fmt: skip
            if found is None or choose is None:
                return
            choice = choose(found)
            followed = after(self.story.standing, choice, self.parts.engine.validate)
            problem = followed.problem if isinstance(followed, Impossible) else None
            if isinstance(followed, Impossible):
                continue
            self.story.choices.append(recorded(found.node_id, choice, self.parts.redactor.value))
            if choice.name == "stop":
                return
            self._follow(choice, followed)

    def _follow(self, choice: Choice, followed: Resume | Ended) -> None:
        if isinstance(followed, Ended):
            self.story.end(followed.execution)
        elif choice.name == "create" and self.parts.repairing is not None:
            self._created(self.parts.repairing, followed)
        else:
            self.story.go_on(followed)
            self.story.phase += 1
            self.reach.world.begin_execution()
            self.reach.model_world.begin_execution()
            self._on(followed.checkpoint)

    def _on(self, checkpoint: Checkpoint | None) -> None:
        """Execute, and repair if requested: from the start, or from a checkpoint."""
        parts, story = self.parts, self.story
        if parts.repairing is None:
            self._hear(
                parts.engine.execute(
                    story.document, story.inputs, self.reach.world,
                    checkpoint=checkpoint, detector=parts.detector, clock=self.reach.clock,
                )
            )  # fmt: skip
            return
        engine = parts.engine if checkpoint is None else parts.engine.resumed(checkpoint)
        left = max(0, parts.rules.max_responses - len(story.attempts))
        request = self.request or NO_REQUEST
        self._repair(parts.repairing, engine, request, replace(parts.rules, max_responses=left), self._hear)

    def _created(self, repairing: Repairing, resume: Resume) -> None:
        """Call the repairer once, although a warning stopped the run, and run the repaired workflow."""
        done = replace(self.story.last.execution, outcome="error", checkpoint=resume.checkpoint)
        engine = self.parts.engine.resumed(resume.checkpoint, done)
        request = f"{self.request or NO_REQUEST} {CREATE_FIRST}"
        rules = replace(self.parts.rules, max_responses=1)
        self._repair(repairing, engine, request, rules, lambda event: None if event is done else self._hear(event))

    def _repair(
        self, repairing: Repairing, engine: Engine, request: str, rules: Policy, hear: Callable[[Event], None]
    ) -> None:
        how, who, budget = repairing
        rollout = Rollout(
            workflow=self.story.document, inputs=self.story.inputs, request=request, engine=engine,
            world=self.reach.world, model_world=self.reach.model_world, strategy=how, repairer=who,
            detector=self.parts.detector, clock=self.reach.clock, budget=budget, on_event=hear,
        )  # fmt: skip
        self.story.stop = repair(rollout, rules).stop_reason

    def _hear(self, event: Event) -> None:
        self.story.hear(event)
        if self.on_event is not None:
            self.on_event(event)
