"""The shape of the GitHub state. :mod:`mendbench.services.github.state` describes the keys."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator

from mendbench.services.shape import (
    Count,
    Failures,
    Flag,
    Limit,
    Shape,
    Simulated,
    Status,
    Table,
    Text,
    Texts,
    Whole,
    misfit,
)
from mendbench.values.schema import shown

Role: TypeAlias = Literal["read", "pull", "triage", "write", "push", "maintain", "admin"]
"""A role in a repository. The API also calls ``read`` and ``write`` ``pull`` and ``push``."""
_OpenOrClosed: TypeAlias = Literal["open", "closed"] | None


class Token(Shape):
    """The user, the kind and the permissions of a token."""

    login: Text = None
    kind: Literal["classic", "fine_grained", "app"] | None = None
    permissions: Table[Literal["read", "write", "admin"]] = None
    scopes: Texts = None
    sso: Texts = None
    status: Literal["active", "revoked", "expired"] | None = None


class User(Shape):
    """A user, or an organization."""

    id: Whole = None
    name: Text = None
    type: Text = None
    email: Text = None
    company: Text = None


class Label(Shape):
    """A label."""

    color: Text = None
    description: Text = None


class Milestone(Shape):
    """A milestone."""

    title: Text = None
    description: Text = None
    state: _OpenOrClosed = None
    due_on: Text = None


class Comment(Shape):
    """A comment on an issue."""

    id: int
    user: Text = None
    body: Text = None
    created_at: Text = None


class Issue(Shape):
    """An issue, and the fields that pull requests share."""

    title: Text = None
    body: Text = None
    state: _OpenOrClosed = None
    state_reason: Text = None
    user: Text = None
    labels: Texts = None
    assignees: Texts = None
    milestone: Whole = None
    created_at: Text = None
    updated_at: Text = None
    closed_at: Text = None
    comments: list[Comment] | None = None


class Pull(Issue):
    """A pull request."""

    head: Text = None
    base: Text = None
    draft: Flag = None
    merged: Flag = None


def _file(value: Any) -> Any:
    if not isinstance(value, str) and not (isinstance(value, dict) and value.keys() == {"base64"}):
        raise misfit(f"{shown(value)} is no file", "write its text, or {base64: its bytes}")
    return value


File: TypeAlias = Annotated[Any, AfterValidator(_file)]
"""A file: its text, or ``{base64: its bytes}``."""


class Branch(Shape):
    """A branch."""

    sha: Text = None


class Repo(Shape):
    """A repository."""

    id: Whole = None
    description: Text = None
    private: Flag = None
    archived: Flag = None
    fork: Flag = None
    has_issues: Flag = None
    large: Flag = None
    default_branch: Text = None
    collaborators: Table[Role] = None
    labels: Table[Label] = None
    milestones: Table[Milestone] = None
    issues: Table[Issue] = None
    pulls: Table[Pull] = None
    branches: Table[Branch] = None
    files: Table[Table[File]] = None


class Window(Shape):
    """A rate limit."""

    limit: Count = None
    used: Count = None
    reset: Count = None


class Windows(Shape):
    """The rate limits."""

    core: Window | None = None
    search: Window | None = None


class SecondaryLimit(Limit):
    """The limit on bursts."""

    status: Status = None


class State(Simulated):
    """The whole GitHub state."""

    me: Text = None
    tokens: Table[Token] = None
    users: Table[User] = None
    repos: Table[Repo] = None
    renamed: Table[str] = None
    saml: Table[bool] = None
    rate_limits: Windows | None = None
    secondary_limit: SecondaryLimit | None = None
    failures: Failures = None
