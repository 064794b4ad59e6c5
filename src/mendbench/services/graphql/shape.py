"""The shape of the state of the two GraphQL APIs. :mod:`mendbench.services.graphql.site` describes the keys."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator

from mendbench.services.shape import Count, Failure, Flag, Limit, Shape, Simulated, Table, Text, Texts, Whole, unknown

_Phase = Literal["LYOPHILISED", "VITRIFIED", "SLURRIED", "EFFLORESCED"]


@cache
def members() -> frozenset[str]:
    """Return the fields and values of both schemas' types, such as ``Issue.title``."""
    found = set()
    for name in ("tracker", "lab"):
        text = resources.files(__package__ or "").joinpath(f"{name}.graphql").read_text("utf-8")
        text = re.sub(r"\([^)]*\)", "", re.sub(r'"[^"\n]*"', "", text))
        for kind, owner, body in re.findall(r"\b(type|enum|input|interface)\s+(\w+)[^{]*\{([^}]*)\}", text):
            names = re.findall(r"\w+" if kind == "enum" else r"\w+(?=\s*:)", body)
            found |= {f"{owner}.{member}" for member in names}
    return frozenset(found)


def _member(name: str) -> str:
    if name not in members():
        raise unknown("member", name, members())
    return name


def _failing(key: str) -> str:
    roots = {name.partition(".")[2] for name in members() if name.startswith(("Query.", "Mutation."))}
    known = {*roots, "*", "POST /graphql", "GET /graphql"}
    if key not in known:
        raise unknown("root field", key, known)
    return key


class Token(Shape):
    """The user, the scopes and the status of a token."""

    login: Text = None
    scopes: Texts = None
    status: Literal["active", "revoked"] | None = None


class User(Shape):
    """A user of the tracker."""

    name: Text = None
    email: Text = None


class Label(Shape):
    """A label."""

    color: Text = None
    description: Text = None


class Comment(Shape):
    """A comment on an issue."""

    body: str
    author: Text = None
    created_ms: int


class Issue(Shape):
    """An issue."""

    title: str
    body: Text = None
    author: Text = None
    assignee: Text = None
    state: Literal["OPEN", "CLOSED"] | None = None
    state_reason: Literal["COMPLETED", "NOT_PLANNED", "DUPLICATE"] | None = None
    swell: Literal["SLACKWATER", "RIPPLE", "CHOP", "BREAKER"] | None = None
    labels: Texts = None
    comments: list[Comment] | None = None
    created_ms: Whole = None


class Repository(Shape):
    """A repository."""

    description: Text = None
    is_private: Flag = None
    labels: Table[Label] = None
    issues: Table[Issue] = None


class Tracker(Shape):
    """The issue tracker."""

    users: Table[User] = None
    repositories: Table[Repository] = None


class Custodian(Shape):
    """A person responsible for specimens."""

    full_name: str
    badge: str


class Locker(Shape):
    """A place for specimens."""

    aisle: str
    capacity: int
    phases: list[_Phase]


class Specimen(Shape):
    """A specimen."""

    code: str
    label: str
    phase: _Phase
    aliquots: int
    locker: Text = None
    custodian: Text = None
    remark: Text = None


class Requisition(Shape):
    """A request for a part of a specimen."""

    specimen: str
    aliquots: int
    handling: Literal["FEATHERBED", "ICEWALK", "TUMBLE"]
    state: Literal["DRAFTED", "PLACED", "WITHDRAWN"]
    cost_centre: str
    created_ms: int


class Throttle(Shape):
    """The budget of points."""

    maximum: Count = None
    available: Count = None
    restore: Count = None


class Lab(Shape):
    """The laboratory's inventory."""

    custodians: Table[Custodian] = None
    lockers: Table[Locker] = None
    specimens: Table[Specimen] = None
    requisitions: Table[Requisition] = None
    throttle: Throttle | None = None


class Spent(Limit):
    """An exhausted budget. ``requested`` is the cost of the refused request."""

    requested: Count = None


class Limits(Shape):
    """Exhausted budgets."""

    tracker: Spent | None = None
    lab: Spent | None = None


Member: TypeAlias = Annotated[str, AfterValidator(_member)]


class State(Simulated):
    """The state of the two APIs."""

    me: Text = None
    tokens: Table[Token] = None
    tracker: Tracker | None = None
    lab: Lab | None = None
    rate_limited: Limits | None = None
    renamed: dict[Member, Text] | None = None
    failures: dict[Annotated[str, AfterValidator(_failing)], list[Failure] | None] | None = None
