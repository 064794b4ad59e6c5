"""The shape of the bot's state. :mod:`mendbench.services.chat.state` describes the keys."""

from __future__ import annotations

from typing import Any, Literal

from mendbench.services.shape import Failures, Flag, Limit, Requests, Shape, Simulated, Table, Text, Texts, Whole


class Token(Shape):
    """The user and the status of a token."""

    user: Text = None
    status: Literal["active", "revoked"] | None = None


class User(Shape):
    """A user."""

    username: Text = None
    global_name: Text = None
    bot: Flag = None


class Role(Shape):
    """A role of a guild."""

    name: str


class Guild(Shape):
    """A guild."""

    name: str
    owner: str
    permissions: Texts = None
    roles: Table[Role] = None


class Member(Shape):
    """A member of a guild."""

    nick: Text = None
    roles: Texts = None
    joined_ms: Whole = None


class Channel(Shape):
    """A channel of a guild."""

    guild: str
    name: str
    type: Whole = None
    topic: Text = None
    permissions: Texts = None
    nsfw: Flag = None
    rate_limit_per_user: Whole = None


class Message(Shape):
    """A message."""

    channel: str
    author: Text = None
    webhook: Text = None
    username: Text = None
    content: Text = None
    embeds: list[Any] | None = None
    reactions: Table[Table[bool]] = None
    edited_ms: Whole = None
    tts: Flag = None


class Webhook(Shape):
    """A webhook of a channel."""

    channel: str
    name: str
    token: str


class State(Simulated):
    """Everything the bot sees."""

    me: Text = None
    tokens: Table[Token] = None
    users: Table[User] = None
    guilds: Table[Guild] = None
    members: Table[Table[Member]] = None
    channels: Table[Channel] = None
    messages: Table[Table[Message]] = None
    webhooks: Table[Webhook] = None
    rate_limited: Requests[Limit] = None
    failures: Failures = None
