"""The engine port: executes a workflow, in our engine or another."""

from __future__ import annotations

from typing import Protocol, TypeGuard

from mendbench.model.execution import Checkpoint, Execution, Judgement, Observation
from mendbench.model.json import Json, JsonObject
from mendbench.ports.clock import Clock
from mendbench.ports.world import World


class Detector(Protocol):
    """Decides what a noticed failure is: an error that an edit could fix, a warning, or no failure."""

    @property
    def name(self) -> str:
        """What it is called in options, keys and reports."""

    def judge(self, observation: Observation) -> Judgement:
        """Return what the observation means. Never raises, whatever JSON the node returned."""


class ObservingDetector(Detector, Protocol):
    """A detector that also observes: it may find a failure in a response that the engine takes for a success."""

    def failure_in(self, status: int | None, body: Json, method: str) -> str | None:
        """Return the message of the failure in a response, or None. ``method`` is the request's; empty if unknown."""


def observes(detector: Detector | None) -> TypeGuard[ObservingDetector]:
    """Return whether a detector also observes."""
    return hasattr(detector, "failure_in")


VERSION = "1"
"""The version of this port. Runs with different versions are not compared. It increases when the result of the same workflow changes for a
reason outside the engines: what is noticed, what a failure contains, what resuming from a checkpoint means."""


class Engine(Protocol):
    """Executes a workflow."""

    @property
    def name(self) -> str:
        """What it is called in options, keys and reports."""

    def validate(self, workflow: JsonObject, inputs: JsonObject) -> tuple[str, ...]:
        """Return the problems of the document before anything runs, one sentence each; empty if there are none."""

    def execute(
        self,
        workflow: JsonObject,
        inputs: JsonObject,
        world: World,
        *,
        checkpoint: Checkpoint | None,
        detector: Detector | None,
        clock: Clock,
    ) -> Execution:
        """Run the document from its start, or from the checkpoint, to success, to a warning or to an error.

        A document that does not validate ends in ``error`` with ``static_validation`` failures, and sends nothing. ``detector`` None treats
        every observation as an error. An exception in a node's code becomes a failure; ``EffectEscape`` propagates.
        """

    def describe(self, workflow: JsonObject, execution: Execution) -> JsonObject:
        """Return the agent error format's JSON of an execution, sanitised, as the command line and the MCP server return it."""
