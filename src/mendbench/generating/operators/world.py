"""Operators on the world: the workflow is right, and the API refuses it for a reason that an edit cannot change, or for a while."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

from mendbench.corpus.declared_services import state_of
from mendbench.exchanges.urls import host_of
from mendbench.generating.breaks import Break
from mendbench.generating.seed import Seed
from mendbench.model.case import Who
from mendbench.model.json import JsonObject
from mendbench.services import hosts_of

_REVOKED = {"slack": "revoked", "github": "revoked", "chat": "revoked", "sheets": "expired", "payments": "expired"}
"""The status of a token that a service no longer takes."""

_SCRIPTED = frozenset({"slack", "github", "chat", "payments", "sheets", "json_api"})
"""Services whose state can declare failures by request: see :mod:`mendbench.services.scripted`."""

_SAYS = {
    "revoked-token": "revoked|expired|invalid|credentials|Unauthorized|401",
    "missing-scope": "scope|permission|not accessible|403",
    "archived": "archived",
    "outage-passes": "503|[Uu]navailable",
    "outage-stays": "503|[Uu]navailable",
    "rate-limit-passes": "429|Too Many Requests",
}
"""What the user must learn: one of the words by which services name the refusal."""


def revoked_token(seed: Seed) -> Iterator[Break]:
    """Yield worlds in which a token of the workflow is revoked."""
    for service in _services(seed):
        tokens = state_of(seed.case, None, service).get("tokens") or {}
        if service in _REVOKED and tokens:
            patch: JsonObject = {"tokens": {token: {"status": _REVOKED[service]} for token in tokens}}
            yield _of(seed, "revoked-token", service, patch, "user", f"The token for {service} was revoked")


def missing_scope(seed: Seed) -> Iterator[Break]:
    """Yield worlds in which the token lacks one scope."""
    for service in _services(seed):
        for token, about in (state_of(seed.case, None, service).get("tokens") or {}).items():
            for scope in (about or {}).get("scopes") or ():
                left = [one for one in about["scopes"] if one != scope]
                patch: JsonObject = {"tokens": {token: {"scopes": left}}}
                yield _of(seed, "missing-scope", service, patch, "user", f"The token for {service} lacks {scope}")


def archived(seed: Seed) -> Iterator[Break]:
    """Yield worlds in which the target of the writes is archived."""
    for service, table, flag in (("slack", "channels", "is_archived"), ("github", "repos", "archived")):
        if service in _services(seed):
            for name in state_of(seed.case, None, service).get(table) or {}:
                patch: JsonObject = {table: {name: {flag: True}}}
                yield _of(seed, "archived", service, patch, "user", f"{name} on {service} is archived")


def outage_passes(seed: Seed) -> Iterator[Break]:
    """Yield worlds in which a request fails once with 503, and the next try succeeds."""
    failure = {"status": 503, "body": {"message": "Service Unavailable"}, "times": 1}
    yield from _failing(seed, "outage-passes", failure, "retry", "answers 503 once, then recovers")


def outage_stays(seed: Seed) -> Iterator[Break]:
    """Yield worlds in which a request always fails with 503."""
    failure = {"status": 503, "body": {"message": "Service Unavailable"}, "times": None}
    yield from _failing(seed, "outage-stays", failure, "user", "is down")


def rate_limit_passes(seed: Seed) -> Iterator[Break]:
    """Yield worlds in which a request is refused once with 429 and Retry-After."""
    failure = {"status": 429, "headers": {"Retry-After": "20"}, "body": {"message": "Too Many Requests"}, "times": 1}
    yield from _failing(seed, "rate-limit-passes", failure, "retry", "is rate-limited once")


def _failing(seed: Seed, operator: str, failure: JsonObject, who: Who, what: str) -> Iterator[Break]:
    for service in (name for name in _services(seed) if name in _SCRIPTED):
        hosts = hosts_of(service, state_of(seed.case, None, service))
        sent = [(one.request.method, one.request.url) for one in seed.run.traffic if host_of(one.request.url) in hosts]
        for method, url in dict.fromkeys(sent):
            path = urlsplit(url).path
            request = path.rpartition("/")[2] if service == "slack" else f"{method} {path}"
            patch: JsonObject = {"failures": {request: [failure]}}
            yield _of(
                seed, operator, service, _under_api(seed, service, url, patch), who, f"{service} {what} ({request})"
            )


def _under_api(seed: Seed, service: str, url: str, patch: JsonObject) -> JsonObject:
    """Return a patch of a service's state below the API of a URL, if the service has several."""
    apis = state_of(seed.case, None, service).get("apis") or {}
    own = (name for name, api in apis.items() if host_of(url) in {api.get("host"), *(api.get("hosts") or ())})
    name = next(own, None) if service == "json_api" else None
    return patch if name is None else {"apis": {name: patch}}


def _of(seed: Seed, operator: str, service: str, patch: JsonObject, who: Who, what: str) -> Break:
    return Break(
        operator=operator, what=what, node="", workflow=seed.workflow, state={service: patch}, who=who, says=_SAYS.get(operator, ""),
        source="refusals that no edit of the request changes" if who == "user" else "failures that pass",
    )  # fmt: skip


def _services(seed: Seed) -> tuple[str, ...]:
    """Return the simulated services of a seed."""
    return tuple(name for name, source in seed.case.recorded_from.items() if source == "simulator")
