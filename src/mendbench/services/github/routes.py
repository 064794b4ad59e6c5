"""GitHub's endpoints: the parameters, the permission and the handler of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mendbench.services.github import code, issues, labels, search
from mendbench.services.github.errors import DOCS
from mendbench.services.github.schema import Field
from mendbench.services.github.state import Context, Reply

_REPO = "/repos/{owner}/{repo}"
_LABELS = Field(name="labels", types=("array",), items=("string", "object"))
_TEXT = Field(name="body", types=("string", "null"))
_ISSUE_FIELDS = (
    _TEXT,
    _LABELS,
    Field(name="assignees", types=("array",), items=("string",)),
    Field(name="assignee", types=("string", "null")),
    Field(name="milestone", types=("integer", "string", "null")),
)
_STATE = Field(name="state", types=("string",), members=("open", "closed"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One endpoint."""

    method: str
    path: str
    run: Callable[[Context], Reply]
    docs: str
    """Its page in the documentation, below https://docs.github.com/rest."""
    permission: str = "metadata"
    fields: tuple[Field, ...] = ()
    array_as: str | None = None
    """The property that a bare array in the body stands for."""
    resource: str = "core"
    """The rate limit that it counts against."""
    needs_issues: bool = False
    """Whether it fails for a repository without issues."""
    elapsed_ms: int = 130

    @property
    def key(self) -> str:
        """``METHOD /path`` as declared."""
        return f"{self.method} {self.path}"

    @property
    def docs_url(self) -> str:
        """The documentation link of its errors."""
        return f"{DOCS}/{self.docs}"


def _issue(method: str, tail: str, run: Callable[[Context], Reply], docs: str, *fields: Field, ms: int = 0) -> Route:
    writes = method != "GET"
    return Route(
        method=method,
        path=f"{_REPO}{tail}",
        run=run,
        docs=f"issues/{docs}",
        permission="issues",
        fields=fields,
        needs_issues=writes,
        array_as="labels" if tail.endswith("/labels") and "number" in tail else None,
        elapsed_ms=ms or (240 if writes else 135),
    )


def _code(method: str, tail: str, run: Callable[[Context], Reply], docs: str, *fields: Field, grant: str) -> Route:
    elapsed = 232 if method != "GET" else 118
    return Route(
        method=method, path=f"{_REPO}{tail}", run=run, docs=docs, permission=grant, fields=fields, elapsed_ms=elapsed
    )


_NAME = Field(name="name", types=("string",), required=True)
_COLOR = (Field(name="color", types=("string",)), Field(name="description", types=("string", "null")))
_TITLE = Field(name="title", types=("string", "integer"), required=True)

ROUTES: tuple[Route, ...] = (
    _code("GET", "", code.get_repo, "repos/repos#get-a-repository", grant="metadata"),
    _issue("GET", "/issues", issues.list_issues, "issues#list-repository-issues"),
    _issue("POST", "/issues", issues.create_issue, "issues#create-an-issue", _TITLE, *_ISSUE_FIELDS),
    _issue("GET", "/issues/{number}", issues.get_issue, "issues#get-an-issue"),
    _issue(
        "PATCH", "/issues/{number}", issues.update_issue, "issues#update-an-issue",
        Field(name="title", types=("string", "integer")), _STATE,
        Field(name="state_reason", types=("string", "null")), *_ISSUE_FIELDS,
    ),
    _issue("GET", "/issues/{number}/comments", issues.list_comments, "comments#list-issue-comments"),
    _issue(
        "POST", "/issues/{number}/comments", issues.create_comment, "comments#create-an-issue-comment",
        Field(name="body", types=("string",), required=True), ms=221,
    ),
    _issue("GET", "/issues/{number}/labels", labels.list_issue_labels, "labels#list-labels-for-an-issue"),
    _issue("POST", "/issues/{number}/labels", labels.add_issue_labels, "labels#add-labels-to-an-issue", _LABELS),
    _issue("PUT", "/issues/{number}/labels", labels.replace_issue_labels, "labels#set-labels-for-an-issue", _LABELS),
    _issue("DELETE", "/issues/{number}/labels", labels.remove_issue_labels, "labels#remove-all-labels-from-an-issue"),
    _issue(
        "DELETE", "/issues/{number}/labels/{name}", labels.remove_issue_label, "labels#remove-a-label-from-an-issue"
    ),
    _issue(
        "POST", "/issues/{number}/assignees", issues.add_assignees, "assignees#add-assignees-to-an-issue",
        Field(name="assignees", types=("array",), items=("string",)),
    ),
    _issue("GET", "/labels", labels.list_labels, "labels#list-labels-for-a-repository"),
    _issue("POST", "/labels", labels.create_label, "labels#create-a-label", _NAME, *_COLOR),
    _issue("GET", "/labels/{name}", labels.get_label, "labels#get-a-label"),
    _issue("GET", "/milestones", issues.list_milestones, "milestones#list-milestones"),
    _issue("GET", "/assignees", issues.list_assignees, "assignees#list-assignees"),
    _issue("GET", "/assignees/{assignee}", issues.check_assignee, "assignees#check-if-a-user-can-be-assigned"),
    _code("GET", "/branches", code.list_branches, "branches/branches#list-branches", grant="contents"),
    _code("GET", "/branches/{branch*}", code.get_branch, "branches/branches#get-a-branch", grant="contents"),
    _code("GET", "/contents", code.get_contents, "repos/contents#get-repository-content", grant="contents"),
    _code("GET", "/contents/{path*}", code.get_contents, "repos/contents#get-repository-content", grant="contents"),
    _code(
        "PUT", "/contents/{path*}", code.put_contents, "repos/contents#create-or-update-file-contents",
        Field(name="message", types=("string",), required=True),
        Field(name="content", types=("string",), required=True),
        Field(name="sha", types=("string", "null")),
        Field(name="branch", types=("string",)),
        grant="contents",
    ),
    _code("GET", "/pulls", code.list_pulls, "pulls/pulls#list-pull-requests", grant="pull_requests"),
    _code(
        "POST", "/pulls", code.create_pull, "pulls/pulls#create-a-pull-request",
        Field(name="title", types=("string",), required=True),
        Field(name="head", types=("string",), required=True),
        Field(name="base", types=("string",), required=True),
        _TEXT, Field(name="draft", types=("boolean",)),
        grant="pull_requests",
    ),
    _code("GET", "/pulls/{number}", code.get_pull, "pulls/pulls#get-a-pull-request", grant="pull_requests"),
    _code(
        "PATCH", "/pulls/{number}", code.update_pull, "pulls/pulls#update-a-pull-request",
        Field(name="title", types=("string",)), _TEXT, _STATE, Field(name="base", types=("string",)),
        grant="pull_requests",
    ),
    Route(
        method="GET", path="/search/issues", run=search.search_issues, resource="search", elapsed_ms=246,
        docs="search/search#search-issues-and-pull-requests",
    ),
    Route(method="GET", path="/user", run=code.get_user, docs="users/users#get-the-authenticated-user", elapsed_ms=88),
    Route(method="GET", path="/users/{login}", run=code.get_user, docs="users/users#get-a-user", elapsed_ms=94),
)  # fmt: skip
"""Matched in order."""
