"""The repairer that knows the case's own fix: the upper bound for all others, and part of the corpus's proof."""

from __future__ import annotations

import json
from dataclasses import dataclass

from mendbench.model.json import JsonObject
from mendbench.model.prompt import Prompt, Reply
from mendbench.ports.world import World
from mendbench.repairers.interface import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceRepairer:
    """Responds with a given JSON Patch, or that no edit is right."""

    patch: tuple[JsonObject, ...] | None
    """None if the case has no fix."""
    name: str = "reference"
    model: str | None = None

    def reply(self, prompt: Prompt, model_world: World, *, sample: int, times_asked: int) -> Reply:  # noqa: ARG002 (the port's)
        """Return ``{"patch": [...]}``, or ``{"cannot_fix": …}``."""
        if self.patch is None:
            return Reply(text=json.dumps({"cannot_fix": "no change of the workflow is right"}))
        return Reply(text=json.dumps({"patch": list(self.patch)}, ensure_ascii=False))


def make(options: Options) -> ReferenceRepairer:
    """Return the repairer that responds with ``options.patch``."""
    return ReferenceRepairer(patch=options.patch)
