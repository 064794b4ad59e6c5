"""The repairer that applies our own suggestion, if there is one. It measures the engine's diagnosis without a model.

It reads the failures of the execution and no text of the prompt, so its response is the same under every strategy.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from mendbench.model.failure import Failure
from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import Prompt, Reply
from mendbench.ports.world import World
from mendbench.repairers.interface import Options
from mendbench.repairers.prompt_reader import Path, spell, walk
from mendbench.repairers.similarity import path_likeness

_PARTS = ("params", "batch")
"""Parts of a node that contain templates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionOnlyRepairer:
    """Replaces the unresolved template in the failed node with the suggested one."""

    name: str = "suggestion-only"
    model: str | None = None

    def reply(self, prompt: Prompt, model_world: World, *, sample: int, times_asked: int) -> Reply:  # noqa: ARG002 (the port's)
        """Return the suggested edits: none if there is no suggestion."""
        view = prompt.view
        edits = (
            []
            if view is None
            else [edit for failure in view.failures for edit in suggested_edits(failure, view.workflow)]
        )
        unique = [edit for at, edit in enumerate(edits) if edit not in edits[:at]]
        return Reply(text=json.dumps({"edits": unique}, ensure_ascii=False))


def suggested_edits(failure: Failure, workflow: JsonObject) -> list[JsonObject]:
    """Return the edits for a failure's suggestion: in its node, or in the outputs if it names no node.

    A suggestion is for one template: of several unresolved ones, the most similar one is replaced.
    """
    good = failure.suggestion
    if good is None or not good.startswith("${") or not failure.unresolved:
        return []
    bad = max(failure.unresolved, key=lambda text: path_likeness(text[2:-1], good[2:-1]))  # of equals the first
    return [
        {**place, "value": text.replace(bad, good)} for place, text in _texts(failure.node_id, workflow) if bad in text
    ]


def _texts(node_id: str | None, workflow: JsonObject) -> Iterator[tuple[JsonObject, str]]:
    """Yield each text that can contain a template, after its place in the notation of edits."""
    if node_id is None:
        yield from (({"path": spell(path)}, text) for path, text in _inside(workflow, ("outputs",)))
        return
    nodes = workflow.get("nodes")
    for node in nodes if isinstance(nodes, list) else ():
        if isinstance(node, dict) and node.get("id") == node_id:
            yield from (({"node": node_id, "path": spell(path)}, text) for path, text in _inside(node, _PARTS))


def _inside(value: JsonObject, names: tuple[str, ...]) -> Iterator[tuple[Path, str]]:
    for name in names:
        held: Json = value.get(name)
        yield from ((path, text) for path, text in walk(held, (name,)) if isinstance(text, str))


def make(options: Options) -> SuggestionOnlyRepairer:  # noqa: ARG001 (it needs none)
    """Return the repairer that applies our own suggestion."""
    return SuggestionOnlyRepairer()
