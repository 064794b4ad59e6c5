"""The incident that a case was imported from: what its workflow sent, and what the API answered.

It stands in ``incident.json`` beside ``case.yaml``, so that a simulated world can be compared with it. Trials do not read it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mendbench.errors import BadInput
from mendbench.exchanges.bodies import parse_body
from mendbench.exchanges.urls import normalise_url, split_url
from mendbench.io.json_documents import load_json
from mendbench.io.reading import MAX_RECORDING, read_text
from mendbench.model.exchange import Exchange
from mendbench.model.json import Json, JsonObject

INCIDENT = "incident.json"

_SCHEMES = frozenset({"http", "https", "mcp"})
"""Schemes of requests to services, which can be simulated."""

_REMEDY = "delete the file if the case is no longer about that incident"


def incident_of(traffic: Iterable[Exchange]) -> tuple[JsonObject, ...]:
    """Return the exchanges with services, in their order: ``method, url, body, status, fault, response``."""
    return tuple(
        {
            "method": exchange.request.method, "url": normalise_url(exchange.request.url), "body": _body(exchange.request),
            "status": exchange.response.status, "fault": exchange.response.fault, "response": _body(exchange.response),
        }
        for exchange in traffic
        if split_url(exchange.request.url).scheme.lower() in _SCHEMES
    )  # fmt: skip


def incident_text(incident: Iterable[JsonObject]) -> str:
    """Return the content of ``incident.json``."""
    return json.dumps(list(incident), indent=1, ensure_ascii=False) + "\n"


def read_incident(folder: Path) -> tuple[JsonObject, ...]:
    """Return the incident of the case in a folder; empty if there is none.

    Raises:
        BadInput: the file is broken.
    """
    path = folder / INCIDENT
    if not path.is_file():
        return ()
    value = load_json(read_text(path, MAX_RECORDING, _REMEDY), str(path))
    if not isinstance(value, list) or not all(
        isinstance(one, dict) and {"method", "url"} <= one.keys() for one in value
    ):
        raise BadInput(str(path), "no list of exchanges with method and url", _REMEDY)
    return tuple(value)


def unlike_incident(
    incident: Iterable[JsonObject], traffic: Iterable[Exchange]
) -> tuple[JsonObject, Exchange | None] | None:
    """Return the first exchange of an incident that a run does not repeat, and what the run had instead; None if it repeats all."""
    left = list(traffic)
    for seen in incident:
        now = next((exchange for exchange in left if _asks(exchange) == _asked(seen)), None)
        if now is None:
            return seen, None
        left.remove(now)
        if (now.response.status, now.response.fault, _body(now.response)) != (
            seen.get("status"), seen.get("fault"), seen.get("response"),
        ):  # fmt: skip
            return seen, now
    return None


def _asks(exchange: Exchange) -> tuple[Json, ...]:
    return exchange.request.method, normalise_url(exchange.request.url), _body(exchange.request)


def _asked(seen: JsonObject) -> tuple[Json, ...]:
    return seen["method"], seen["url"], seen.get("body")


def _body(message: Any) -> Json:
    return parse_body(message.body, message.header("content-type"))
