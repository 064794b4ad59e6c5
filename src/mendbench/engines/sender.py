"""Finds the node that sent a request if the engine does not report it: the best match by method and URL."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from mendbench.exchanges.urls import normalise_url
from mendbench.model.exchange import Request
from mendbench.model.json import Json
from mendbench.model.workflow import Node, Workflow
from mendbench.runtime.outline import MCP, tool_in

_TEMPLATE = re.compile(r"\$\{[^}]*\}")
_BODY_METHODS = "POST"


@dataclass(frozen=True, slots=True)
class _Likeness:
    node: str
    method: str | None
    """None for any."""
    pattern: re.Pattern[str]
    literal: int
    """How many of its characters are not part of a template: the more, the more reliable."""


def guesser(workflow: Workflow) -> Callable[[Request], str | None]:
    """Return a function that finds the node of a workflow that sent a request; it returns None if no node fits."""
    known = tuple(found for node in workflow.nodes if (found := _likeness(node)) is not None)

    def guess(request: Request) -> str | None:
        url = _without_query(request.url)
        fits = [
            likeness
            for likeness in known
            if likeness.method in (None, request.method.upper()) and likeness.pattern.fullmatch(url)
        ]
        return max(fits, key=lambda likeness: likeness.literal).node if fits else None

    return guess


def _likeness(node: Node) -> _Likeness | None:
    if node.type == "http":
        return _http(node)
    if node.type == "shell":
        return _Likeness(node.id, None, re.compile(r"shell://.*", re.DOTALL), 1)
    named = tool_in(node.type) or (node.params.get("server"), node.params.get("tool")) if _calls_mcp(node) else None
    if named is None or not all(isinstance(part, str) for part in named):
        return None
    server, tool = (quote(str(part), safe="") for part in named)
    return _Likeness(node.id, None, re.compile(re.escape(f"mcp://{server}/{tool}")), len(server) + len(tool))


def _calls_mcp(node: Node) -> bool:
    return node.type == MCP or tool_in(node.type) is not None


def _http(node: Node) -> _Likeness | None:
    url, method = node.params.get("url"), node.params.get("method")
    if not isinstance(url, str):
        return None
    parts = _TEMPLATE.split(url.partition("?")[0])
    literal = [_path_normal(part) for part in parts]
    pattern = re.compile("[^?#]*".join(re.escape(part) for part in literal) + "/?")
    return _Likeness(node.id, _method(method, node.params.get("body")), pattern, sum(map(len, literal)))


def _method(method: Json, body: Json) -> str | None:
    if isinstance(method, str):
        return None if _TEMPLATE.search(method) else method.upper()
    return "GET" if body is None else _BODY_METHODS


def _path_normal(part: str) -> str:
    return normalise_url(part).rstrip("/") if urlsplit(part).scheme and urlsplit(part).netloc else part


def _without_query(url: str) -> str:
    return normalise_url(url).partition("?")[0]
