"""The workspace state: the caller, the channels, and how Slack shows them.

The state is the JSON object that ``seed.json`` shows. :mod:`mendbench.services.slack.shape` has all keys; any other key is an error::

    team           {id, name, domain}
    me             the user id that calls are made as, unless the token names another user
    tokens         {"<token>": {user, scopes: [...], type: bot|user, status: active|revoked|inactive|expired}};
                   empty: every well-formed token is valid and has all scopes. A missing ``scopes`` means all.
    users          {"U…": {name, real_name, email, deleted, is_bot, title, tz}}
    channels       {"C…": {name, is_private, is_archived, topic, purpose, creator, created}}
    members        {"C…": {"U…": true}}
    messages       {"C…": {"<ts>": {user, text, blocks?, thread_ts?, reactions: {name: {"U…": true}}}}}
    dms            {"U…": "D…"}
    rate_limited   {"<method>": {times, retry_after}}: the next ``times`` requests get HTTP 429; without it all
    failures       see :mod:`mendbench.services.scripted`
    counters       counts that ids are made from: accepted writes, and the objects they created
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mendbench.model.json import JsonObject
from mendbench.services.slack.errors import SlackError
from mendbench.services.wire import Call, next_count

ALL_SCOPES = (
    "channels:history", "channels:join", "channels:manage", "channels:read", "chat:write", "chat:write.public",
    "groups:history", "groups:read", "groups:write", "im:history", "im:read", "im:write", "mpim:history", "mpim:read",
    "reactions:write", "users:read", "users:read.email",
)  # fmt: skip
_DEAD = {"revoked": "token_revoked", "inactive": "account_inactive", "expired": "token_expired"}
_MALFORMED = re.compile(r"\s|\{\{")
"""A token with a blank, or with the braces of a template language, is invalid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The caller."""

    user: str
    scopes: tuple[str, ...]
    type: str = "bot"

    def require(self, *any_of: str) -> None:
        """Check that one of these scopes is granted.

        Raises:
            SlackError: ``missing_scope``, with the scopes needed and provided.
        """
        if not set(any_of) & set(self.scopes):
            raise SlackError("missing_scope", extra={"needed": ",".join(any_of), "provided": ",".join(self.scopes)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One call that a method handles. The method may change ``draft``, which becomes the new state."""

    draft: JsonObject
    caller: Caller
    values: JsonObject
    now_ms: int

    def part(self, name: str) -> JsonObject:
        """Return one collection of the state."""
        found: JsonObject = self.draft.setdefault(name, {})
        return found

    def text(self, name: str) -> str:
        """Return a string argument; empty if it is absent."""
        value = self.values.get(name)
        return "" if value is None else str(value)

    def members(self, channel: str) -> JsonObject:
        """Return the members of a channel."""
        found: JsonObject = self.part("members").setdefault(channel, {})
        return found

    def messages(self, channel: str) -> JsonObject:
        """Return the messages of a channel by timestamp."""
        found: JsonObject = self.part("messages").setdefault(channel, {})
        return found

    def is_member(self, channel: str) -> bool:
        """Return whether the caller is in that channel."""
        return bool(self.members(channel).get(self.caller.user))


def identify(draft: JsonObject, call: Call, values: JsonObject) -> Caller:
    """Return the caller.

    Raises:
        SlackError: the token is missing or invalid.
    """
    scheme, _, rest = call.header("authorization").partition(" ")
    token = rest.strip() if scheme.lower() == "bearer" else str(values.get("token") or "")
    if not token:
        raise SlackError("not_authed")
    if _MALFORMED.search(token):
        raise SlackError("invalid_auth")
    tokens = draft.get("tokens") or {}
    if tokens and token not in tokens:
        raise SlackError("invalid_auth")
    record = (tokens.get(token) if tokens else None) or {}
    if record.get("status") in _DEAD:
        raise SlackError(_DEAD[record["status"]])
    granted = record.get("scopes")
    return Caller(
        user=record.get("user") or draft.get("me") or "U00000000",
        scopes=ALL_SCOPES if granted is None else tuple(granted),
        type=record.get("type", "bot"),
    )


def channel_of(context: Context, given: str) -> str:
    """Return the id of the channel ``given``. It has to be an id that the caller can see.

    Raises:
        SlackError: ``channel_not_found``, for unknown ids, for names, and for private channels without the caller.
    """
    channel = context.part("channels").get(given)
    if channel is None:
        if given in context.part("dms").values():
            return given
        raise SlackError("channel_not_found")
    if channel.get("is_private") and not context.is_member(given):
        raise SlackError("channel_not_found")
    return given


def require_open(context: Context, channel: str) -> None:
    """Check that the caller is in a channel, and that it is not archived.

    Raises:
        SlackError: ``not_in_channel`` or ``is_archived``.
    """
    record = context.part("channels").get(channel)
    if record is None:
        return
    if not context.is_member(channel):
        raise SlackError("not_in_channel")
    if record.get("is_archived"):
        raise SlackError("is_archived")


def kind_of(channel: JsonObject) -> str:
    """Return the prefix of a channel's scopes: ``channels`` or ``groups``."""
    return "groups" if channel.get("is_private") else "channels"


def show_channel(context: Context, channel_id: str) -> JsonObject:
    """Return a channel as Slack shows it."""
    record = context.part("channels").get(channel_id)
    if record is None:
        users = [user for user, dm in context.part("dms").items() if dm == channel_id]
        return {"id": channel_id, "is_im": True, "is_archived": False, "user": users[0] if users else None}
    private, created = bool(record.get("is_private")), int(record.get("created", 0))
    creator = record.get("creator", "")
    return {
        "id": channel_id,
        "name": record.get("name", ""),
        "is_channel": not private,
        "is_group": private,
        "is_im": False,
        "is_mpim": False,
        "is_private": private,
        "created": created,
        "is_archived": bool(record.get("is_archived")),
        "is_general": bool(record.get("is_general")),
        "name_normalized": record.get("name", ""),
        "creator": creator,
        "is_member": context.is_member(channel_id),
        "topic": {"value": record.get("topic", ""), "creator": creator, "last_set": created},
        "purpose": {"value": record.get("purpose", ""), "creator": creator, "last_set": created},
        "num_members": len(context.members(channel_id)),
    }


def show_user(context: Context, user_id: str) -> JsonObject:
    """Return a user as Slack shows one. It has a ``name`` and a ``real_name``, and no ``username``."""
    record = context.part("users")[user_id]
    real_name = record.get("real_name", "")
    profile = {
        "title": record.get("title", ""),
        "real_name": real_name,
        "display_name": record.get("display_name", record.get("name", "")),
        **({"email": record["email"]} if record.get("email") else {}),
        "team": context.part("team").get("id", ""),
    }
    return {
        "id": user_id,
        "team_id": context.part("team").get("id", ""),
        "name": record.get("name", ""),
        "deleted": bool(record.get("deleted")),
        "real_name": real_name,
        "tz": record.get("tz", "Europe/Lisbon"),
        "profile": profile,
        "is_admin": bool(record.get("is_admin")),
        "is_bot": bool(record.get("is_bot")),
        "updated": int(record.get("updated", 1_750_000_000)),
    }


def new_ts(context: Context) -> str:
    """Return the timestamp of a new message: the second, then milliseconds and a count."""
    count = next_count(context.draft, "messages")
    return f"{context.now_ms // 1000}.{(context.now_ms % 1000) * 1000 + count % 1000:06d}"
