"""Reads a prompt from its text alone: the workflow from the frame, everything else from the context."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import Prompt

Path: TypeAlias = tuple[str | int, ...]
"""Keys and indices inside a node."""

_WORKFLOW = re.compile(r"^# Workflow\n```json\n(.*?)\n```$", re.DOTALL | re.MULTILINE)
_FENCED = re.compile(r"^(`{3,})json\n(.*?)\n\1$", re.DOTALL | re.MULTILINE)
_TEMPLATE = re.compile(r"\$\{([^{}$]+)\}")
_TROUBLE = re.compile(
    r"unresolved|not found|could not|does ?n[o']t exist|no such|non-existent|undefined", re.IGNORECASE
)
_BULLET = re.compile(r"^\s*[-•*]\s+`?([A-Za-z_][\w.\[\]\-]*)")
_SHOWN = re.compile(r"(?:available_fields\[\d+\]: |upstream_data\.)([\w.\[\]\-]+)")
_PATHS = re.compile(r"[A-Za-z_][\w\-]*(?:\.[\w\-]+|\[\d+\])*")
_NODE_LINES = tuple(
    re.compile(rf"{label}\s*:\s*([\w\-]+)\s*$", re.MULTILINE)
    for label in (r"\*\*Node\*\*", r"^errors\[0\]\.node_id", r"failed_node", r"Failed at node", r"\bNode", r"node_id")
)
"""Places where contexts name the failed node, the most certain first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptContent:
    """The content of a prompt."""

    workflow: JsonObject
    text: str
    """The context, each JSON document in it replaced by lines ``path: value``."""

    @property
    def nodes(self) -> dict[str, JsonObject]:
        """Return the workflow's nodes by id."""
        listed = self.workflow.get("nodes")
        objects = [node for node in listed if isinstance(node, dict)] if isinstance(listed, list) else []
        return {str(node["id"]): node for node in objects if "id" in node}

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the names of the workflow's inputs."""
        declared = self.workflow.get("inputs")
        return tuple(declared) if isinstance(declared, dict) else ()

    @property
    def node_id(self) -> str | None:
        """Return the id of the failed node, if the context names one in the workflow."""
        for pattern in _NODE_LINES:
            for name in pattern.findall(self.text):
                if name in self.nodes:
                    return str(name)
        return None

    @property
    def node(self) -> JsonObject | None:
        """Return the failed node's own object."""
        return None if self.node_id is None else self.nodes[self.node_id]

    def unresolved(self) -> tuple[str, ...]:
        """Return the expressions of the templates that the context reports as unresolved, in order, each once."""
        found = [name for line in self.text.splitlines() if _TROUBLE.search(line) for name in _TEMPLATE.findall(line)]
        return tuple(dict.fromkeys(found))

    def available(self) -> tuple[str, ...]:
        """Return the available paths that the context lists, in order, each once."""
        return tuple(dict.fromkeys(_available(self.text)))


def read_prompt(prompt: Prompt) -> PromptContent | None:
    """Return the content of a prompt, or None if its frame contains no workflow."""
    for body in _WORKFLOW.findall(prompt.frame):
        workflow = _parsed(body)
        if isinstance(workflow, dict) and "nodes" in workflow:
            return PromptContent(workflow=workflow, text=_plain(prompt.context.text))
    return None


def walk(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Yield every scalar inside a value, with its path."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        yield path, value
        return
    for key, item in items:
        yield from walk(item, (*path, key))


def spell(path: Path) -> str:
    """Return a path in the notation of the response format: ``params.body.rows[0]``."""
    parts = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return "".join(parts).removeprefix(".")


def _plain(text: str) -> str:
    whole = _parsed(text)
    if isinstance(whole, dict | list):
        return _lines(whole)
    return _FENCED.sub(lambda found: _lines(_parsed(found.group(2))) or found.group(0), text)


def _lines(value: Json) -> str:
    return "\n".join(f"{spell(path)}: {item}" for path, item in walk(value))


def _parsed(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _available(text: str) -> Iterator[str]:
    listing = False
    for line in text.splitlines():
        if found := _SHOWN.search(line):
            yield found.group(1)
        elif found := re.search(r"\bavailable\b[^:]*:(.*)", line, re.IGNORECASE):
            listing = True
            yield from _PATHS.findall(found.group(1))
        elif listing and (found := _BULLET.match(line)):
            yield found.group(1)
        else:
            listing = False
