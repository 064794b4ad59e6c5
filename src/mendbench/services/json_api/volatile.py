"""The values that differ between otherwise equal responses: request ids, times, and the count of earlier tries.

A text that a case writes into its state may hold ``{request_id}`` (32 hexadecimal digits), ``{uuid}``, ``{timestamp}`` (RFC 3339),
``{http_date}`` and ``{http_date+20}`` (RFC 9110 section 5.6.7; seconds from now). They depend only on the request, the accepted writes
before it, and the number of the try.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime

from mendbench.exchanges.bodies import parse_body
from mendbench.exchanges.urls import normalise_url
from mendbench.io.canonical_json import digest
from mendbench.model.exchange import Request
from mendbench.model.json import Json, JsonObject
from mendbench.services.wire import accepted_writes, iso_time

TRIES = "tries"
"""Key of a service's state under which tries are counted: digest of a request to how often it was sent since the last
accepted write. It is not part of the service's data: states that differ only here are equal."""

MS_PER_TRY = 1_370
"""The time between two tries of one request in the simulated clock, milliseconds."""

_TOKEN = re.compile(r"\{(request_id|uuid|timestamp|http_date)(?:\+([0-9]{1,6}))?\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """The time and the try number (from 0) of a request."""

    request_id: str
    at_ms: int
    tried: int


def count_try(draft: JsonObject, request: Request) -> int:
    """Count one more try of ``request`` in ``draft`` and return how many came before it since the last accepted write."""
    tries = draft.setdefault(TRIES, {})
    name = _same_request(request)
    tries[name] = int(tries.get(name, 0)) + 1
    return int(tries[name]) - 1


def forget_tries(state: JsonObject) -> JsonObject:
    """Return ``state`` without the counts of tries."""
    return {name: value for name, value in state.items() if name != TRIES}


def moment_of(state: JsonObject, request: Request, now_ms: int, tried: int) -> Moment:
    """Return the moment of a request. Query, body and headers are not part of its id: they may contain a secret."""
    place = normalise_url(request.url).partition("?")[0]
    name = digest([request.method.upper(), place, accepted_writes(state), tried], 32)
    return Moment(request_id=name, at_ms=now_ms + MS_PER_TRY * tried, tried=tried)


def filled(value: Json, moment: Moment) -> Json:
    """Return ``value`` with the moment's values in place of the placeholders."""
    if isinstance(value, str):
        return _TOKEN.sub(lambda found: _value(found, moment), value) if "{" in value else value
    if isinstance(value, dict):
        return {key: filled(item, moment) for key, item in value.items()}
    return [filled(item, moment) for item in value] if isinstance(value, list) else value


def as_uuid(request_id: str) -> str:
    """Return 32 hexadecimal digits as a UUID of version 4 (RFC 9562 section 5.4)."""
    digits = f"{request_id[:12]}4{request_id[13:16]}a{request_id[17:]}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _value(found: re.Match[str], moment: Moment) -> str:
    at_ms = moment.at_ms + 1000 * int(found[2] or 0)
    if found[1] == "request_id":
        return moment.request_id
    if found[1] == "uuid":
        return as_uuid(moment.request_id)
    if found[1] == "timestamp":
        return iso_time(at_ms)
    return format_datetime(datetime.fromtimestamp(at_ms // 1000, UTC), usegmt=True)


def _same_request(request: Request) -> str:
    """Return a digest that is equal for equivalent requests, regardless of the order of headers."""
    headers = sorted([name.lower(), value.strip()] for name, value in request.headers)
    asked: list[Json] = [request.method.upper(), normalise_url(request.url), headers]
    try:
        return digest([*asked, parse_body(request.body, request.header("content-type"))])
    except RecursionError:
        return digest([*asked, digest(request.body)])
