"""Slack's methods: the arguments, the scope and the handler of each (https://docs.slack.dev/reference/methods)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mendbench.model.json import JsonObject
from mendbench.services.slack import chat, conversations, users
from mendbench.services.slack.arguments import Argument
from mendbench.services.slack.state import Context
from mendbench.services.wire import Call

_CHANNEL = Argument(name="channel", required=True)
_PAGED = (Argument(name="limit", kind="integer", below=1001), Argument(name="cursor"))
_CONTENT = (
    Argument(name="text"),
    Argument(name="markdown_text"),
    Argument(name="blocks", kind="json"),
    Argument(name="attachments", kind="json"),
)
_READ = ("channels:read", "groups:read", "mpim:read", "im:read")
_HISTORY = ("channels:history", "groups:history", "mpim:history", "im:history")
_MANAGE = ("channels:manage", "groups:write", "im:write", "mpim:write")


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One method of the Web API."""

    run: Callable[[Context], JsonObject]
    arguments: tuple[Argument, ...] = ()
    scopes: tuple[str, ...] = ()
    """Any one of them is sufficient here. The method may require more once it knows the channel."""
    takes_json: bool = False
    writes: bool = False
    """Whether it changes the workspace."""
    elapsed_ms: int = 120


METHODS: dict[str, Method] = {
    "auth.test": Method(run=chat.auth_test, takes_json=True, elapsed_ms=92),
    "chat.postMessage": Method(
        run=chat.post_message,
        arguments=(_CHANNEL, *_CONTENT, Argument(name="thread_ts", kind="timestamp")),
        scopes=("chat:write",),
        takes_json=True,
        writes=True,
        elapsed_ms=214,
    ),
    "chat.update": Method(
        run=chat.update_message,
        arguments=(_CHANNEL, Argument(name="ts", required=True, kind="timestamp"), *_CONTENT),
        scopes=("chat:write",),
        takes_json=True,
        writes=True,
        elapsed_ms=205,
    ),
    "conversations.create": Method(
        run=conversations.create_channel,
        arguments=(Argument(name="name", required=True), Argument(name="is_private", kind="flag")),
        scopes=_MANAGE,
        takes_json=True,
        writes=True,
        elapsed_ms=243,
    ),
    "conversations.history": Method(
        run=conversations.channel_history,
        arguments=(
            _CHANNEL,
            *_PAGED,
            Argument(name="oldest", kind="timestamp"),
            Argument(name="latest", kind="timestamp"),
        ),
        scopes=_HISTORY,
        takes_json=True,
        elapsed_ms=151,
    ),
    "conversations.info": Method(run=conversations.channel_info, arguments=(_CHANNEL,), scopes=_READ, elapsed_ms=104),
    "conversations.invite": Method(
        run=conversations.invite_users,
        arguments=(_CHANNEL, Argument(name="users", required=True), Argument(name="force", kind="flag")),
        scopes=_MANAGE,
        takes_json=True,
        writes=True,
        elapsed_ms=238,
    ),
    "conversations.join": Method(
        run=conversations.join_channel,
        arguments=(_CHANNEL,),
        scopes=("channels:join",),
        takes_json=True,
        writes=True,
        elapsed_ms=187,
    ),
    "conversations.list": Method(
        run=conversations.list_conversations,
        arguments=(Argument(name="types"), *_PAGED),
        elapsed_ms=173,
    ),
    "conversations.members": Method(
        run=conversations.channel_members, arguments=(_CHANNEL, *_PAGED), scopes=_READ, elapsed_ms=118
    ),
    "conversations.setTopic": Method(
        run=conversations.set_topic,
        arguments=(_CHANNEL, Argument(name="topic", required=True)),
        scopes=_MANAGE,
        takes_json=True,
        writes=True,
        elapsed_ms=192,
    ),
    "reactions.add": Method(
        run=chat.add_reaction,
        arguments=(
            _CHANNEL,
            Argument(name="name", required=True),
            Argument(name="timestamp", required=True, kind="timestamp"),
        ),
        scopes=("reactions:write",),
        takes_json=True,
        writes=True,
        elapsed_ms=139,
    ),
    "users.info": Method(
        run=users.user_info, arguments=(Argument(name="user", required=True),), scopes=("users:read",), elapsed_ms=97
    ),
    "users.list": Method(run=users.list_users, arguments=_PAGED, scopes=("users:read",), elapsed_ms=168),
    "users.lookupByEmail": Method(
        run=users.user_by_email,
        arguments=(Argument(name="email", required=True),),
        scopes=("users:read.email",),
        elapsed_ms=109,
    ),
}
"""By the name in the URL, ``https://slack.com/api/<name>``."""


def method_name(call: Call) -> str | None:
    """Return the method of a call under ``/api/``, or None for any other page."""
    if call.segments[:1] != ("api",) or len(call.segments) < 2:  # noqa: PLR2004 - /api/<method>
        return None
    return "/".join(call.segments[1:]) or None
