"""The GitHub service: the order of GitHub's checks, and the response headers.

The order: route, User-Agent (403), token (401), rate limit, repository (301/307, or 404 with the generic link), SAML,
permission (403), archived (403), issues disabled (410), JSON (400), schema (422 without ``errors``), model (422 with
``errors``). The relative order of permission, 410 and the schema check is an assumption.
"""

from __future__ import annotations

import copy

from mendbench.model.exchange import Headers, Request, Response
from mendbench.model.json import JsonObject
from mendbench.services.github.access import (
    Access,
    authenticate,
    check_secondary_limit,
    check_sso,
    count_request,
    find_repo,
    is_visible,
    new_name,
    repo_by_id,
    request_id,
    require_permission,
)
from mendbench.services.github.errors import DOCS, REDIRECT_DOCS, GitHubError, not_found
from mendbench.services.github.normalisation import normalised
from mendbench.services.github.routes import ROUTES, Route
from mendbench.services.github.schema import read_body
from mendbench.services.github.state import API, Context, Reply
from mendbench.services.scripted import next_failure
from mendbench.services.wire import Call, json_response, left_by, load_seed, match_path, read_call, request_digest

_REFUSED_MS = 82
"""The response time if no endpoint ran."""
_BY_ID_PARTS = 2
"""``/repositories/<id>``."""
_DECLARED_LIMITS = ("rate_limits", "secondary_limit")
"""Parts of the state that count requests, including refused ones, where a case declares them."""


class GitHub:
    """GitHub's REST API. :mod:`mendbench.services.github.state` documents its state."""

    name = "github"
    hosts: tuple[str, ...] = ("api.github.com",)

    def seed(self) -> dict[str, object]:
        """Return an organisation with a few repositories, and the people who work on them."""
        return load_seed(__package__ or "")

    def response(self, state: dict[str, object], request: Request, now_ms: int) -> tuple[dict[str, object], Response]:
        """Return the state after ``request`` and GitHub's response."""
        draft: JsonObject = copy.deepcopy(state)
        call = read_call(request)
        number = request_id(request_digest(draft, request, 29))
        found = _route(draft, call)
        keys = [f"{call.method} {call.path}", *([found[0].key] if found else [])]
        planned = next_failure(draft, keys)
        if planned and not planned.applied:
            return draft, planned.response
        changed = copy.deepcopy(draft)
        response = _respond(changed, call, found, now_ms, number)
        left = left_by(request, response, draft, changed)
        left |= {name: changed[name] for name in _DECLARED_LIMITS if name in changed}
        return left, planned.response if planned else response

    def canonical(self, request: Request) -> Request | None:
        """Return the normalised request."""
        return normalised(request)


def _route(draft: JsonObject, call: Call) -> tuple[Route, dict[str, str]] | None:
    """Return the endpoint of a call and its parameters. ``/repositories/<id>/…`` is ``/repos/<owner>/<name>/…``."""
    segments = call.segments
    if segments[0] == "repositories" and len(segments) >= _BY_ID_PARTS:
        known = repo_by_id(draft, segments[1])
        segments = ("repos", *known.split("/", 1), *segments[2:]) if known else segments
    method = "GET" if call.method == "HEAD" else call.method
    for route in ROUTES:
        params = match_path(route.path, segments) if route.method == method else None
        if params is not None:
            return route, params
    return None


def _respond(
    draft: JsonObject, call: Call, found: tuple[Route, dict[str, str]] | None, now_ms: int, number: str
) -> Response:
    route = found[0] if found else None
    headers: Headers = (("x-github-media-type", "github.v3; format=json"), ("x-github-request-id", number))
    try:
        access = authenticate(draft, call, route.docs_url if route else DOCS)
        if access.login and access.kind == "classic":
            headers = (*headers, ("x-oauth-scopes", ", ".join(access.scopes)))
        headers = (*headers, *count_request(draft, access, route.resource if route else "core", now_ms))
        if found is None:
            raise not_found()
        context = _admit(draft, call, access, found, now_ms, number)
        reply = found[0].run(context)
    except GitHubError as refusal:
        reply = Reply(status=refusal.status, body=refusal.body(), headers=refusal.headers)
        return _response(call, reply, headers, _REFUSED_MS)
    return _response(call, reply, headers, found[0].elapsed_ms)


def _admit(
    draft: JsonObject, call: Call, access: Access, found: tuple[Route, dict[str, str]], now_ms: int, number: str
) -> Context:
    """Run all checks before the endpoint itself, and return the endpoint's call.

    Raises:
        GitHubError: a check fails.
    """
    route, params = found
    writes = call.method not in {"GET", "HEAD"}
    full_name = ""
    if "repo" in params:
        full_name = _repository(draft, call, access, f"{params['owner']}/{params['repo']}")
        record = draft["repos"][full_name]
        check_sso(draft, access, full_name.split("/")[0])
        if writes or record.get("private"):
            require_permission(access, route.permission, "write" if writes else "read")
        if writes and record.get("archived"):
            raise GitHubError(403, "Repository was archived so is read-only.", docs=route.docs_url)
        if route.needs_issues and record.get("has_issues") is False:
            raise GitHubError(410, "Issues has been disabled in this repository.", docs=route.docs_url)
    if writes:
        check_secondary_limit(draft, number)
    body = read_body(call, route.fields, route.docs_url, array_as=route.array_as) if writes else {}
    return Context(
        draft=draft,
        access=access,
        call=call,
        params=params,
        body=body,
        docs=route.docs_url,
        now_ms=now_ms,
        full_name=full_name,
    )


def _repository(draft: JsonObject, call: Call, access: Access, given: str) -> str:
    """Return the repository's current name. An old name redirects; a repository that the caller cannot see is not found."""
    known = find_repo(draft, given)
    if known is None:
        renamed = new_name(draft, given)
        if renamed is not None and is_visible(draft, access, renamed):
            raise _moved(draft, call, renamed)
        raise not_found()
    if not is_visible(draft, access, known):
        raise not_found()
    return known


def _moved(draft: JsonObject, call: Call, full_name: str) -> GitHubError:
    tail = "/".join(call.path.removeprefix("/").split("/")[3:])
    url = f"{API}/repositories/{draft['repos'][full_name].get('id', 0)}{'/' + tail if tail else ''}"
    status = 301 if call.method in {"GET", "HEAD"} else 307
    extra: JsonObject = {"url": url, "documentation_url": REDIRECT_DOCS}
    return GitHubError(status, "Moved Permanently", docs=None, extra=extra, headers=(("location", url),))


def _response(call: Call, reply: Reply, headers: Headers, elapsed_ms: int) -> Response:
    own = {name for name, _ in reply.headers}
    every = (*(pair for pair in headers if pair[0] not in own), *reply.headers)
    if reply.body is None or call.method == "HEAD":
        return Response(status=reply.status, headers=every, elapsed_ms=elapsed_ms)
    return json_response(reply.status, reply.body, elapsed_ms=elapsed_ms, headers=every)
