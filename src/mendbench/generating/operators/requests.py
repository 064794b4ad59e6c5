"""Operators on an HTTP request's method and path."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mendbench.generating.breaks import Break, value_at, with_value
from mendbench.generating.seed import Seed
from mendbench.runtime.templates import Place

_METHODS = {"POST": "PUT", "PUT": "POST", "PATCH": "POST", "DELETE": "POST"}
_ROUTES = "requests to a route that the API does not have"


def wrong_path(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which a URL's path lacks the version, or has a singular where the API has a plural."""
    for node, place in _param(seed, "url"):
        url = str(value_at(seed.workflow, place))
        head, slashes, rest = url.partition("://")
        host, *segments = rest.split("/")
        for at, segment in enumerate(segments):
            if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]*", segment):
                continue
            version = re.fullmatch(r"v\d+", segment)
            plural = segment.endswith("s") and not segment.endswith("ss")
            if not version and not plural:
                continue
            wrong = [*segments[:at], *([] if version else [segment[:-1]]), *segments[at + 1 :]]
            what = (
                f"{node} leaves out {segment} in the path"
                if version
                else f"{node} sends to {wrong[at]}, and the path has {segment}"
            )
            new = f"{head}{slashes}{'/'.join([host, *wrong])}"
            yield Break(
                operator="wrong-path", what=what, node=node, workflow=with_value(seed.workflow, place, new),
                cause=(node,), facts=(segment,), source=_ROUTES, category="execution_failure",
            )  # fmt: skip


def wrong_method(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which a write has another method."""
    for node, place in _param(seed, "method"):
        method = str(value_at(seed.workflow, place)).upper()
        if method in _METHODS:
            what = f"{node} sends {_METHODS[method]}, and the API takes {method}"
            workflow = with_value(seed.workflow, place, _METHODS[method])
            yield Break(
                operator="wrong-method", what=what, node=node, workflow=workflow, cause=(node,), facts=(method,),
                source=_ROUTES, category="execution_failure",
            )  # fmt: skip


def _param(seed: Seed, name: str) -> Iterator[tuple[str, Place]]:
    for at, node in seed.nodes():
        if node.get("type") == "http" and isinstance(node.get("params"), dict) and name in node["params"]:
            yield node["id"], ("nodes", at, "params", name)
