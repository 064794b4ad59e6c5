"""The engine port: what executes a workflow, ours or another."""

from __future__ import annotations

from typing import Protocol

from mendbench.model.execution import Checkpoint, Execution, Judgement, Observation
from mendbench.model.json import JsonObject
from mendbench.ports.clock import Clock
from mendbench.ports.world import World


class Detector(Protocol):
    """Decides what a noticed failure is: an error that an edit could help, a warning, or no failure at all."""

    @property
    def name(self) -> str:
        """What it is called in options, keys and reports."""

    def judge(self, sighting: Observation) -> Judgement:
        """Return what the sighting means. Never raises, whatever JSON the node returned."""


VERSION = "1"
"""Of this port: runs through different ones are not compared. It is raised when an execution tells something else of the same workflow
for a reason that is no engine's: what is noticed, what a failure holds, what resuming from a checkpoint means."""


class Engine(Protocol):
    """What executes a workflow."""

    @property
    def name(self) -> str:
        """What it is called in options, keys and reports."""

    def validate(self, workflow: JsonObject, inputs: JsonObject) -> tuple[str, ...]:
        """Return what is wrong with the document before anything runs, one sentence each; empty if nothing is."""

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

        A document that does not validate ends in ``error`` with ``static_validation`` failures, and sends nothing. ``detector`` None
        takes every sighting for an error. What a node's own code raises becomes a failure; ``EffectEscape`` passes through.
        """

    def describe(self, workflow: JsonObject, execution: Execution) -> JsonObject:
        """Return the agent error format's JSON of an execution, sanitised: the same as the command line and the MCP server give."""
