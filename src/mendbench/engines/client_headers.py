"""Headers that HTTP client libraries add by themselves: they are not part of a request unless its node names them.

The other headers that clients add never matter: ``User-Agent``, ``Accept-Encoding``, ``Accept: */*``, and those of the connection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from mendbench.model.exchange import Request
from mendbench.model.workflow import Node, Workflow

_ANY = None
_ADDED: Mapping[str, frozenset[str] | None] = {
    # The Fetch standard, as Node, undici and Deno follow it, and what browsers also send.
    "accept-language": frozenset({"*"}),
    "sec-fetch-dest": _ANY,
    "sec-fetch-mode": _ANY,
    "sec-fetch-site": _ANY,
    "sec-fetch-user": _ANY,
    "accept": frozenset({
        "application/json, text/plain, */*",  # axios
        "text/html, image/gif, image/jpeg, */*; q=0.2",  # Java's HttpURLConnection
        "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",  # the same, of earlier releases
    }),
}  # fmt: skip
"""The lower-case values that clients set on a header by themselves; :data:`_ANY` for a header that only clients set. Values that a
workflow's author could mean are not listed: an engine that repairs by itself may add a header that the given workflow does not name."""

_TYPE = "content-type"
"""Describes the body. Without a body it has no meaning, but axios and aiohttp send it anyway."""

NamedBy = Callable[[str | None], frozenset[str]]
"""Returns the headers, in lower case, that a node names; for None, the headers that any node names."""


def headers_named(workflow: Workflow) -> NamedBy:
    """Return a function that gives the headers named by the nodes of a workflow."""
    by_node = {node.id: _named(node) for node in workflow.nodes}
    every = frozenset[str]().union(*by_node.values())
    return lambda node: every if node is None else by_node.get(node, every)


def without_client_headers(request: Request, named: frozenset[str]) -> Request:
    """Return the request without the headers that a client adds by itself, except the ``named`` ones."""
    kept = tuple(
        (name, value)
        for name, value in request.headers
        if name.lower() in named or not _by_itself(name.lower(), value, request.body)
    )
    return replace(request, headers=kept)


def _named(node: Node) -> frozenset[str]:
    headers = node.params.get("headers")
    if isinstance(headers, dict):
        return frozenset(str(name).lower() for name in headers)
    return frozenset() if headers is None else frozenset({*_ADDED, _TYPE})  # a template: it may name any header


def _by_itself(name: str, value: str, body: bytes) -> bool:
    if name == _TYPE:
        return not body
    values = _ADDED.get(name, frozenset())
    return values is _ANY or value.strip().lower() in values
