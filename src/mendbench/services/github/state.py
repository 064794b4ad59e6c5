"""The state of the simulated GitHub, and how its objects are shown.

The state is the JSON object that ``seed.json`` shows. :mod:`mendbench.services.github.shape` has all keys; any other key is an error::

    me               the login that calls are made as, unless the token names another
    tokens           {"<token>": {login, kind: classic|fine_grained|app, permissions: {issues: write, …}, scopes: [...],
                     sso: [org], status: revoked|expired}}; empty: every well-formed token is valid with all permissions.
                     A missing ``permissions`` means all.
    users            {login: {id, name, type, email}}
    repos            {"owner/name": {id, private, archived, has_issues, large, default_branch, description,
                       collaborators: {login: role}, labels: {name: {color, description}},
                       milestones: {"1": {title, state}},
                       issues: {"1": {title, body, state, user, labels: [...], assignees: [...], milestone, created_at,
                                      comments: [{id, user, body, created_at}]}},
                       pulls: {"2": {title, body, state, user, head, base, created_at}},
                       branches: {name: {sha}}, files: {branch: {path: text, or {base64: …}}}}}
    renamed          {"old/name": "new/name"}
    saml             {org: true}
    rate_limits      {core: {limit, used, reset}, search: {…}}; reset in seconds since the epoch. A limit that is given
                     here counts every request; the others never run out; their headers count accepted writes
    secondary_limit  {times, retry_after, status}: the number of writes refused; without ``times`` all
    failures         see :mod:`mendbench.services.scripted`
    counters         counts that ids are made from: accepted writes, and the objects they created
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from mendbench.model.exchange import Headers
from mendbench.model.json import Json, JsonObject
from mendbench.services.github.access import Access
from mendbench.services.github.errors import not_found
from mendbench.services.wire import Call, iso_time

API = "https://api.github.com"
SITE = "https://github.com"
_PUSHING = frozenset({"admin", "maintain", "write", "push"})
DEFAULT_COLOR = "ededed"
"""The colour of a label that was created by its first use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An endpoint's response on success."""

    status: int = 200
    body: Json = None
    """None for a response without a body."""
    headers: Headers = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One request that an endpoint handles. The endpoint may change ``draft``, which becomes the new state."""

    draft: JsonObject
    access: Access
    call: Call
    params: dict[str, str]
    """The values of the path's placeholders."""
    body: JsonObject
    docs: str
    """The endpoint's documentation link."""
    now_ms: int
    full_name: str = ""
    """``owner/name`` of the repository, in its stored spelling."""

    @property
    def now(self) -> str:
        """The time in GitHub's format."""
        return iso_time(self.now_ms)

    @property
    def repo(self) -> JsonObject:
        """The repository's record."""
        return cast("JsonObject", self.draft["repos"][self.full_name])

    @property
    def url(self) -> str:
        """The repository's URL in the API."""
        return f"{API}/repos/{self.full_name}"

    def part(self, name: str) -> JsonObject:
        """Return one collection of the repository."""
        found: JsonObject = self.repo.setdefault(name, {})
        return found

    def issue(self) -> JsonObject:
        """Return the record of the issue or pull request that the path names.

        Raises:
            GitHubError: 404, there is none.
        """
        number = self.params["number"]
        record: JsonObject | None = self.part("pulls").get(number) or self.part("issues").get(number)
        if record is None:
            raise not_found(self.docs)
        return record

    def next_number(self) -> str:
        """Return the number of the next issue or pull request."""
        return str(max(map(int, (*self.part("issues"), *self.part("pulls"))), default=0) + 1)


def show_user(draft: JsonObject, login: str) -> JsonObject:
    """Return a user as it appears inside other objects."""
    record = (draft.get("users") or {}).get(login) or {}
    return {
        "login": login,
        "id": record.get("id", 0),
        "url": f"{API}/users/{login}",
        "html_url": f"{SITE}/{login}",
        "type": record.get("type", "User"),
        "site_admin": False,
    }


def show_label(context: Context, name: str) -> JsonObject:
    """Return a label of the repository."""
    labels = context.part("labels")
    record = labels.get(name) or {}
    return {
        "id": 8_100_000_000 + (list(labels).index(name) if name in labels else 0),
        "url": f"{context.url}/labels/{name}",
        "name": name,
        "color": record.get("color", DEFAULT_COLOR),
        "default": False,
        "description": record.get("description"),
    }


def show_milestone(context: Context, number: str) -> JsonObject:
    """Return a milestone of the repository."""
    record = context.part("milestones")[number]
    return {
        "url": f"{context.url}/milestones/{number}",
        "html_url": f"{SITE}/{context.full_name}/milestone/{number}",
        "number": int(number),
        "title": record.get("title", ""),
        "description": record.get("description"),
        "state": record.get("state", "open"),
        "due_on": record.get("due_on"),
    }


def show_issue(context: Context, number: str) -> JsonObject:
    """Return an issue, or a pull request as an issue."""
    pull = context.part("pulls").get(number)
    record = pull or context.part("issues")[number]
    milestone, people = record.get("milestone"), record.get("assignees") or []
    assignees = [show_user(context.draft, login) for login in people]
    kind = "pull" if pull else "issues"
    return {
        "id": 2_900_000_000 + int(number),
        "url": f"{context.url}/issues/{number}",
        "repository_url": context.url,
        "html_url": f"{SITE}/{context.full_name}/{kind}/{number}",
        "number": int(number),
        "state": record.get("state", "open"),
        "state_reason": record.get("state_reason"),
        "title": record.get("title", ""),
        "body": record.get("body"),
        "user": show_user(context.draft, record.get("user", "ghost")),
        "labels": [show_label(context, name) for name in record.get("labels") or []],
        "assignee": assignees[0] if assignees else None,
        "assignees": assignees,
        "milestone": show_milestone(context, str(milestone)) if milestone else None,
        "locked": False,
        "comments": len(record.get("comments") or []),
        "created_at": record.get("created_at", context.now),
        "updated_at": record.get("updated_at", record.get("created_at", context.now)),
        "closed_at": record.get("closed_at"),
        "author_association": "COLLABORATOR",
        **({"pull_request": {"url": f"{context.url}/pulls/{number}"}} if pull else {}),
    }


def show_comment(context: Context, comment: JsonObject) -> JsonObject:
    """Return a comment of the issue that the path names."""
    number = context.params["number"]
    return {
        "id": comment["id"],
        "url": f"{context.url}/issues/comments/{comment['id']}",
        "html_url": f"{SITE}/{context.full_name}/issues/{number}#issuecomment-{comment['id']}",
        "issue_url": f"{context.url}/issues/{number}",
        "user": show_user(context.draft, comment.get("user", "ghost")),
        "body": comment.get("body", ""),
        "created_at": comment.get("created_at", context.now),
        "updated_at": comment.get("created_at", context.now),
    }


def show_pull(context: Context, number: str) -> JsonObject:
    """Return a pull request."""
    record = context.part("pulls")[number]
    branches = context.part("branches")

    def end(name: str) -> JsonObject:
        sha = (branches.get(name) or {}).get("sha", "")
        return {"label": f"{context.full_name.split('/')[0]}:{name}", "ref": name, "sha": sha}

    shown = show_issue(context, number)
    shown.pop("pull_request", None)
    return {
        **shown,
        "url": f"{context.url}/pulls/{number}",
        "draft": bool(record.get("draft")),
        "merged": bool(record.get("merged")),
        "head": end(record.get("head", "")),
        "base": end(record.get("base", "")),
    }


def show_repo(context: Context) -> JsonObject:
    """Return the repository."""
    record, (owner, name) = context.repo, context.full_name.split("/", 1)
    role = (record.get("collaborators") or {}).get(context.access.login or "", "")
    return {
        "id": record.get("id", 0),
        "name": name,
        "full_name": context.full_name,
        "private": bool(record.get("private")),
        "owner": show_user(context.draft, owner),
        "html_url": f"{SITE}/{context.full_name}",
        "description": record.get("description"),
        "fork": bool(record.get("fork")),
        "url": context.url,
        "default_branch": record.get("default_branch", "main"),
        "has_issues": record.get("has_issues", True),
        "archived": bool(record.get("archived")),
        "open_issues_count": sum(i.get("state", "open") == "open" for i in context.part("issues").values()),
        "visibility": "private" if record.get("private") else "public",
        "permissions": {"admin": role == "admin", "push": role in _PUSHING, "pull": True},
    }
