"""Whole runs of a workflow against a scripted world and a scripted model."""

from __future__ import annotations

from mendbench.io.virtual_clock import VirtualClock
from mendbench.workflow_app import Outside, RunOptions, run_workflow
from tests.fakes.engine import FakeWorld, completion


class Model:
    """Answers every model request with the next text."""

    def __init__(self, *texts):
        self.texts, self.asked = list(texts), 0

    def send(self, request, *, node=None):
        self.asked += 1
        return completion(self.texts.pop(0))

    def traffic(self):
        return ()

    def begin_execution(self):
        """One more attempt."""


def run(workflow, responses, *texts, **options):
    """Return the run, its world, its model and its events. ``texts`` are the model's responses."""
    clock, model, events = VirtualClock(), Model(*texts), []
    world = FakeWorld(responses, clock)
    outside = Outside(world=world, model_world=model, clock=clock)
    options = RunOptions(**{"auto_repair": True, **options})
    return run_workflow(workflow, options, on_event=events.append, outside=outside), world, model, events
