"""The ports of the repair loop: strategies and repairers."""

from __future__ import annotations

from typing import Protocol

from mendbench.model.prompt import Context, Prompt, Reply, View
from mendbench.ports.world import World


class Strategy(Protocol):
    """How failures become text for the repairer."""

    @property
    def name(self) -> str:
        """What it is called in options, keys and reports."""

    @property
    def title(self) -> str:
        """What it is, in a few words."""

    @property
    def source(self) -> str:
        """Which document of the specification it is taken from."""

    def render(self, view: View, budget: int) -> Context:
        """Return the context block, at most ``budget`` tokens of it, cut by the declared order of its sections."""


class Repairer(Protocol):
    """What answers a prompt."""

    @property
    def name(self) -> str:
        """What it is called in options, keys and reports."""

    @property
    def model(self) -> str | None:
        """The model that it asks; None if there is none."""

    def reply(self, prompt: Prompt, model_world: World, *, sample: int, times_asked: int) -> Reply:
        """Return the response to ``prompt``.

        ``asks`` answers requests to ``model://…``; ``times_asked`` counts how often this trial has asked the same prompt before.

        Raises:
            ReplayMiss: the response is not recorded and may not be asked live.
        """
