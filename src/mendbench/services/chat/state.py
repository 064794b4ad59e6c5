"""The guild state: the caller, the stored objects, and how Discord shows them.

The state is the JSON object that ``seed.json`` shows. :mod:`mendbench.services.chat.shape` has all keys; any other key is an error::

    me             the id of the bot that requests are made as, unless the token names another user
    tokens         {"<token>": {user, status: active|revoked}}; empty: every well-formed bot token is good
    users          {"<id>": {username, global_name, bot}}
    guilds         {"<id>": {name, owner, permissions: [...], roles {"<id>": {name}}}}; permissions of the bot in the
                   guild, all of them where none are given
    members        {"<guild>": {"<user>": {nick, roles: [...], joined_ms}}}
    channels       {"<id>": {guild, type, name, topic, permissions: [...]}}; permissions of the bot in the channel,
                   such as VIEW_CHANNEL and SEND_MESSAGES; all of them where none are given
    messages       {"<channel>": {"<id>": {author, content, embeds, reactions {emoji: {user: true}}, edited_ms}}}
    webhooks       {"<id>": {channel, name, token}}
    rate_limited   {"METHOD /path": {times, retry_after}}: the next ``times`` requests get HTTP 429; without it all
    failures       see :mod:`mendbench.services.scripted`
    counters       counts that ids are made from: accepted writes, and the objects they created
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mendbench.model.exchange import Headers
from mendbench.model.json import Json, JsonObject
from mendbench.services.chat.errors import invalid_form, missing_access, missing_permissions, unknown
from mendbench.services.wire import Call, iso_time, next_count

EPOCH_MS = 1_420_070_400_000
"""The first second of 2015, the epoch of snowflakes (https://docs.discord.com/developers/reference#snowflakes)."""
_SNOWFLAKE = re.compile(r"[0-9]{1,20}")
_MAX_SNOWFLAKE = 2**64 - 1
_MALFORMED = re.compile(r"\s|\{\{|\$\{")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An endpoint's response. For 204 it has no ``body``."""

    body: Json = None
    status: int = 200
    headers: Headers = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One request that an endpoint handles. The endpoint may change ``draft``, which becomes the new state."""

    draft: JsonObject
    call: Call
    me: str
    place: dict[str, str]
    """The parameters in the path."""
    values: JsonObject
    """The body."""
    now_ms: int

    def part(self, name: str) -> JsonObject:
        """Return one collection of the state."""
        found: JsonObject = self.draft.setdefault(name, {})
        return found

    def messages(self) -> JsonObject:
        """Return the messages of the path's channel."""
        found: JsonObject = self.part("messages").setdefault(self.place["channel_id"], {})
        return found


def is_snowflake(value: Json) -> bool:
    """Return whether a value is an id: a text of digits, or a number."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        return False
    text = str(value)
    return bool(_SNOWFLAKE.fullmatch(text)) and text.isascii() and int(text) <= _MAX_SNOWFLAKE


def identify(draft: JsonObject, call: Call) -> str | None:
    """Return the id of the caller, or None if the token is invalid."""
    scheme, _, token = call.header("authorization").partition(" ")
    token = token.strip()
    if scheme != "Bot" or not token or _MALFORMED.search(token):
        return None
    tokens = draft.get("tokens") or {}
    if tokens and token not in tokens:
        return None
    record = (tokens.get(token) if tokens else None) or {}
    if record.get("status", "active") != "active":
        return None
    return str(record.get("user") or draft.get("me"))


def check_place(place: dict[str, str]) -> None:
    """Check the ids of a path.

    Raises:
        ChatError: 50035, an id is not a snowflake. The error names every such parameter.
    """
    wrong = [
        ((name,), "NUMBER_TYPE_COERCE", f'Value "{value}" is not snowflake.')
        for name, value in place.items()
        if name.endswith("_id") and not is_snowflake(value)
    ]
    if wrong:
        raise invalid_form(*wrong)


def channel_of(context: Context, *permissions: str) -> JsonObject:
    """Return the path's channel. The caller has to see it and to hold ``permissions`` in it.

    Raises:
        ChatError: Unknown Channel, Missing Access or Missing Permissions.
    """
    record: JsonObject | None = context.part("channels").get(context.place["channel_id"])
    if record is None:
        raise unknown("Channel")
    held = record.get("permissions")
    if held is not None and "VIEW_CHANNEL" not in held:
        raise missing_access()
    if held is not None and not set(permissions) <= set(held):
        raise missing_permissions()
    return record


def guild_of(context: Context, *permissions: str) -> JsonObject:
    """Return the path's guild, in which the caller has to hold ``permissions``.

    Raises:
        ChatError: Unknown Guild or Missing Permissions.
    """
    record: JsonObject | None = context.part("guilds").get(context.place["guild_id"])
    if record is None:
        raise unknown("Guild")
    held = record.get("permissions")
    if held is not None and not set(permissions) <= set(held):
        raise missing_permissions()
    return record


def message_of(context: Context) -> JsonObject:
    """Return the path's message.

    Raises:
        ChatError: Unknown Message.
    """
    record: JsonObject | None = context.messages().get(context.place["message_id"])
    if record is None:
        raise unknown("Message")
    return record


def new_id(context: Context) -> str:
    """Return the next snowflake, made from the moment and a count of created objects."""
    return str((context.now_ms - EPOCH_MS) << 22 | next_count(context.draft, "snowflakes") & 0x3FFFFF)


def moment_of(snowflake: str) -> str:
    """Return the creation time of an id, in Discord's format."""
    return iso_time((int(snowflake) >> 22) + EPOCH_MS).replace("Z", ".000000+00:00")


def show_user(context: Context, user: str) -> JsonObject:
    """Return a user. It has a ``username`` and a ``global_name``, and no ``name``."""
    record = context.part("users").get(user) or {}
    return {
        "id": user,
        "username": record.get("username", "deleted_user"),
        "global_name": record.get("global_name"),
        "avatar": None,
        "discriminator": "0",
        **({"bot": True} if record.get("bot") else {}),
    }


def show_channel(channel: str, record: JsonObject) -> JsonObject:
    """Return a channel of a guild."""
    return {
        "id": channel,
        "type": int(record.get("type", 0)),
        "guild_id": record["guild"],
        "name": record["name"],
        "topic": record.get("topic"),
        "nsfw": bool(record.get("nsfw")),
        "rate_limit_per_user": int(record.get("rate_limit_per_user", 0)),
        "position": int(record.get("position", 0)),
        "permission_overwrites": [],
    }


def show_member(context: Context, user: str, record: JsonObject) -> JsonObject:
    """Return a member of a guild."""
    joined = iso_time(int(record.get("joined_ms", 1_700_000_000_000))).replace("Z", ".000000+00:00")
    rest = {"nick": record.get("nick"), "roles": list(record.get("roles") or ()), "joined_at": joined}
    return {"user": show_user(context, user), **rest, "deaf": False, "mute": False}


def show_message(context: Context, message: str, record: JsonObject) -> JsonObject:
    """Return a message of the path's channel."""
    edited = record.get("edited_ms")
    reactions = [
        {"emoji": {"id": None, "name": name}, "count": len(users), "me": bool(users.get(context.me))}
        for name, users in (record.get("reactions") or {}).items()
        if users
    ]
    author = record.get("webhook")
    webhook = {"id": author, "username": record.get("username"), "bot": True} if author else None
    return {
        "id": message,
        "type": 0,
        "channel_id": record["channel"],
        "author": webhook or show_user(context, record["author"]),
        "content": record.get("content") or "",
        "embeds": record.get("embeds") or [],
        "timestamp": moment_of(message),
        "edited_timestamp": None if edited is None else iso_time(int(edited)).replace("Z", ".000000+00:00"),
        "tts": bool(record.get("tts")),
        "pinned": False,
        "mentions": [],
        "attachments": [],
        **({"webhook_id": author} if author else {}),
        **({"reactions": reactions} if reactions else {}),
    }
