"""The repairer that changes nothing: the lower bound for all others."""

from __future__ import annotations

from dataclasses import dataclass

from mendbench.model.prompt import Prompt, Reply
from mendbench.ports.world import World
from mendbench.repairers.interface import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class NoopRepairer:
    """Responds without an edit."""

    name: str = "noop"
    model: str | None = None

    def reply(self, prompt: Prompt, model_world: World, *, sample: int, times_asked: int) -> Reply:  # noqa: ARG002 (the port's)
        """Return a response with no edits."""
        return Reply(text='{"edits": []}')


def make(options: Options) -> NoopRepairer:  # noqa: ARG001 (it needs none)
    """Return the repairer that changes nothing."""
    return NoopRepairer()
