"""The ports of the repair loop: strategies and repairers."""

from __future__ import annotations

from typing import Protocol

from mendbench.model.json import JsonObject
from mendbench.model.prompt import Context, Prompt, Reply, View
from mendbench.ports.world import World


class PromptFrame(Protocol):
    """Renders what is the same for all strategies of a comparison."""

    def render(self, request: str, workflow: JsonObject, problem: str | None = None) -> tuple[str, str]:
        """Return the text before the context's heading, and the heading."""


class Strategy(Protocol):
    """Renders failures as text for the repairer."""

    @property
    def name(self) -> str:
        """What it is called in options, keys and reports."""

    @property
    def title(self) -> str:
        """A short description."""

    @property
    def source(self) -> str:
        """The document of the specification that defines it."""

    @property
    def frame(self) -> PromptFrame:
        """The frame of its prompts."""

    def render(self, view: View, budget: int) -> Context:
        """Return the context block, cut to ``budget`` tokens by the declared order of its sections."""


class Repairer(Protocol):
    """Responds to prompts."""

    @property
    def name(self) -> str:
        """What it is called in options, keys and reports."""

    @property
    def model(self) -> str | None:
        """The model that it uses, or None."""

    def reply(self, prompt: Prompt, model_world: World, *, sample: int, times_asked: int) -> Reply:
        """Return the response to ``prompt``.

        ``asks`` responds to requests to ``model://…``; ``times_asked`` counts how often this trial has sent the same prompt before.

        Raises:
            ReplayMiss: the response is not recorded and live requests are not permitted.
        """
