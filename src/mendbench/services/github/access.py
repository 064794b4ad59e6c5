"""The caller, its permissions, its rate limits, and the repositories that it can see: the checks before any endpoint."""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass

from mendbench.model.exchange import Headers
from mendbench.model.json import JsonObject
from mendbench.services.github.errors import DOCS, RATE_DOCS, SECONDARY_DOCS, GitHubError
from mendbench.services.wire import Call, accepted_writes

CORE_LIMIT, ANONYMOUS_LIMIT, SEARCH_LIMIT = 5000, 60, 30
"""Requests per hour, per hour without a token, and searches per minute
(https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api)."""
_HOUR_S, _MINUTE_S = 3600, 60
_MALFORMED = re.compile(r"\s|\{\{")
_LEVELS = {"read": 1, "write": 2, "admin": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """The caller."""

    login: str | None
    """None without a token."""
    kind: str = "classic"
    """One of classic, fine_grained and app."""
    permissions: JsonObject | None = None
    """Permission to ``read``, ``write`` or ``admin``; None means all permissions."""
    scopes: tuple[str, ...] = ("repo", "user")
    sso: tuple[str, ...] = ()
    """Organisations that the token is authorised for."""

    def may(self, permission: str, level: str) -> bool:
        """Return whether the token has that permission."""
        if self.permissions is None:
            return True
        return _LEVELS.get(str(self.permissions.get(permission)), 0) >= _LEVELS[level]


def authenticate(draft: JsonObject, call: Call, docs: str) -> Access:
    """Return the caller. Reading needs no token.

    Raises:
        GitHubError: 403 without a User-Agent, 401 for a bad token or a write without one.
    """
    if not call.header("user-agent"):
        text = "Missing or invalid User Agent string. See http://developer.github.com/v3/#user-agent-required"
        raise GitHubError(403, text, docs=None)
    given = call.header("authorization")
    if not given:
        if call.method in {"GET", "HEAD"}:
            return Access(login=None, permissions={})
        raise GitHubError(401, "Requires authentication", docs=docs)
    token = _token(given)
    tokens = draft.get("tokens") or {}
    if not token or _MALFORMED.search(token) or (tokens and token not in tokens):
        raise GitHubError(401, "Bad credentials")
    record = (tokens.get(token) if tokens else None) or {}
    if record.get("status") in {"revoked", "expired"}:
        raise GitHubError(401, "Bad credentials")
    return Access(
        login=record.get("login") or draft.get("me") or "ghost",
        kind=record.get("kind", "classic"),
        permissions=record.get("permissions"),
        scopes=tuple(record.get("scopes", ("repo", "user"))),
        sso=tuple(record.get("sso") or ()),
    )


def count_request(draft: JsonObject, access: Access, resource: str, now_ms: int) -> Headers:
    """Return the rate limit headers. Count the request if the state declares that limit.

    Raises:
        GitHubError: 403, the limit is used up. It has the headers too.
    """
    window, declared = _window(draft, access, resource, now_ms // 1000)
    over = declared and window["used"] >= window["limit"]
    if declared and not over:
        window["used"] += 1
    headers = (
        ("x-ratelimit-limit", str(window["limit"])),
        ("x-ratelimit-remaining", str(window["limit"] - window["used"])),
        ("x-ratelimit-reset", str(window["reset"])),
        ("x-ratelimit-used", str(window["used"])),
        ("x-ratelimit-resource", resource),
    )
    if over:
        raise GitHubError(403, _exceeded(draft, access), docs=RATE_DOCS, headers=headers)
    return headers


def check_secondary_limit(draft: JsonObject, number: str) -> None:
    """Report the burst limit as often as the state's ``secondary_limit`` specifies: {times, retry_after, status}.

    ``number`` is the request's id.

    Raises:
        GitHubError: 403 or 429, with Retry-After only if the state gives one.
    """
    limit = draft.get("secondary_limit") or {}
    if not limit or limit.get("times") == 0:
        return
    if limit.get("times") is not None:
        limit["times"] -= 1
    text = (
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. "
        f"If you reach out to GitHub Support for help, please include the request ID {number}."
    )
    wait = limit.get("retry_after")
    headers = (("retry-after", str(wait)),) if wait is not None else ()
    raise GitHubError(int(limit.get("status", 403)), text, docs=SECONDARY_DOCS, headers=headers)


def require_permission(access: Access, permission: str, level: str) -> None:
    """Check that the token has the permission.

    Raises:
        GitHubError: 403. For tokens with permissions, a header names the permission needed.
    """
    if access.may(permission, level):
        return
    headers = (("x-accepted-github-permissions", f"{permission}={level}"),)
    if access.kind == "app":
        raise GitHubError(403, "Resource not accessible by integration", headers=headers)
    if access.kind == "fine_grained":
        raise GitHubError(403, "Resource not accessible by personal access token", headers=headers)
    raise GitHubError(403, "Must have admin rights to Repository.")


def check_sso(draft: JsonObject, access: Access, owner: str) -> None:
    """Check a token against an organisation that enforces SAML (the state's ``saml``: {org: true}).

    Raises:
        GitHubError: 403 with X-GitHub-SSO.
    """
    if not (draft.get("saml") or {}).get(owner) or access.login is None or owner in access.sso:
        return
    text = (
        "Resource protected by organization SAML enforcement. "
        "You must grant your Personal Access token access to this organization."
    )
    url = f"https://github.com/orgs/{owner}/sso"
    raise GitHubError(403, text, docs=DOCS, headers=(("x-github-sso", f"required; url={url}"),))


def find_repo(draft: JsonObject, full_name: str) -> str | None:
    """Return the repository's name in its stored spelling, or None. Names are case-insensitive."""
    return next((name for name in draft.get("repos") or {} if name.lower() == full_name.lower()), None)


def is_visible(draft: JsonObject, access: Access, full_name: str) -> bool:
    """Return whether the caller can see a repository: it is public, or the caller is the owner or a collaborator."""
    record = draft["repos"][full_name]
    if not record.get("private"):
        return True
    people = {login.lower() for login in (full_name.partition("/")[0], *(record.get("collaborators") or {}))}
    return access.login is not None and access.login.lower() in people


def new_name(draft: JsonObject, full_name: str) -> str | None:
    """Return the new name of a renamed repository, or None."""
    renamed = {old.lower(): new for old, new in (draft.get("renamed") or {}).items()}
    found = renamed.get(full_name.lower())
    return find_repo(draft, found) if found else None


def repo_by_id(draft: JsonObject, number: str) -> str | None:
    """Return the name of the repository with that id, or None."""
    repos = draft.get("repos") or {}
    return next((name for name, record in repos.items() if str(record.get("id")) == number), None)


def request_id(digits: str) -> str:
    """Return an id in GitHub's format, made of 29 hex digits."""
    text = digits.upper()
    return f"{text[:4]}:{text[4:9]}:{text[9:15]}:{text[15:21]}:{text[21:29]}"


def _token(given: str) -> str:
    scheme, _, rest = given.partition(" ")
    if scheme.lower() in {"bearer", "token"}:
        return rest.strip()
    if scheme.lower() != "basic":
        return ""
    try:
        return base64.b64decode(rest.strip(), validate=True).decode("utf-8", "replace").partition(":")[2]
    except (binascii.Error, ValueError):
        return ""


def _window(draft: JsonObject, access: Access, resource: str, now_s: int) -> tuple[JsonObject, bool]:
    """Return the rate limit window of a resource, and whether the state declares its limit.

    A declared window comes from the state; it restarts once it has expired. An undeclared window counts the request
    itself and the accepted writes before it, in the current hour or minute.
    """
    span = _MINUTE_S if resource == "search" else _HOUR_S
    limit = SEARCH_LIMIT if resource == "search" else CORE_LIMIT if access.login else ANONYMOUS_LIMIT
    window: JsonObject | None = (draft.get("rate_limits") or {}).get(resource)
    if window is None:
        used = min(1 + accepted_writes(draft), limit)
        return {"limit": limit, "used": used, "reset": (now_s // span + 1) * span}, False
    for name, value in (("limit", limit), ("used", 0), ("reset", now_s + span)):
        window.setdefault(name, value)
    if now_s >= window["reset"]:
        window |= {"used": 0, "reset": now_s + span}
    return window, True


def _exceeded(draft: JsonObject, access: Access) -> str:
    if access.login is None:
        return (
            "API rate limit exceeded for 203.0.113.7. (But here's the good news: "
            "Authenticated requests get a higher rate limit. Check out the documentation for more details.)"
        )
    user = (draft.get("users") or {}).get(access.login) or {}
    return f"API rate limit exceeded for user ID {user.get('id', 12345)}."
