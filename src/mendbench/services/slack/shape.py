"""The shape of a workspace. :mod:`mendbench.services.slack.state` describes the keys."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from mendbench.services.shape import Failure, Flag, Limit, Record, Shape, Simulated, Table, Text, Texts, Whole, one_of
from mendbench.services.slack.routes import METHODS

_Method = Annotated[str, one_of("method", {*METHODS, "*"})]


class Team(Shape):
    """The workspace itself."""

    id: Text = None
    name: Text = None
    domain: Text = None


class Token(Shape):
    """The user, the scopes and the status of a token."""

    user: Text = None
    scopes: Texts = None
    type: Literal["bot", "user"] | None = None
    status: Literal["active", "revoked", "inactive", "expired"] | None = None


class User(Shape):
    """A user."""

    name: Text = None
    real_name: Text = None
    display_name: Text = None
    email: Text = None
    title: Text = None
    tz: Text = None
    deleted: Flag = None
    is_bot: Flag = None
    is_admin: Flag = None
    updated: Whole = None


class Channel(Shape):
    """A channel."""

    name: Text = None
    is_private: Flag = None
    is_archived: Flag = None
    is_general: Flag = None
    topic: Text = None
    purpose: Text = None
    creator: Text = None
    created: Whole = None


class Message(Record):
    """A message. Slack shows all its keys."""

    user: Text = None
    text: Text = None
    type: Text = None
    thread_ts: Text = None
    blocks: list[Any] | None = None
    attachments: list[Any] | None = None
    reactions: Table[Table[bool]] = None


class State(Simulated):
    """A workspace."""

    me: Text = None
    team: Team | None = None
    tokens: Table[Token] = None
    users: Table[User] = None
    channels: Table[Channel] = None
    members: Table[Table[bool]] = None
    messages: Table[Table[Message]] = None
    dms: Table[str] = None
    rate_limited: dict[_Method, Limit | None] | None = None
    failures: dict[_Method, list[Failure] | None] | None = None
