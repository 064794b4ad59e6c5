"""Channels: ``conversations.*``. Except for chat.postMessage, methods accept only ids, never names."""

from __future__ import annotations

import re

from mendbench.model.json import JsonObject
from mendbench.services.slack.arguments import flag
from mendbench.services.slack.errors import SlackError
from mendbench.services.slack.paging import page_of
from mendbench.services.slack.state import Context, channel_of, kind_of, require_open, show_channel
from mendbench.services.wire import next_count

MAX_NAME = 80
MAX_TOPIC = 250
_TYPES = {"public_channel": "channels:read", "private_channel": "groups:read", "im": "im:read", "mpim": "mpim:read"}
_NAME = re.compile(r"[\w-]+")


def list_conversations(context: Context) -> JsonObject:
    """List the channels of the requested types."""
    types = [part.strip() for part in (context.text("types") or "public_channel").split(",") if part.strip()]
    if any(name not in _TYPES for name in types):
        raise SlackError("invalid_types")
    for name in types:
        context.caller.require(_TYPES[name])
    ids = [channel for channel in context.part("channels") if _is_listed(context, channel, types)]
    if "im" in types:
        ids += [str(channel) for channel in context.part("dms").values()]
    page, more = page_of([show_channel(context, channel) for channel in ids], context.values, default=100)
    return {"ok": True, "channels": page, "response_metadata": {"next_cursor": more}}


def channel_info(context: Context) -> JsonObject:
    """Show one channel."""
    return {"ok": True, "channel": show_channel(context, _readable(context, "read"))}


def channel_history(context: Context) -> JsonObject:
    """List a channel's messages, newest first."""
    channel = _readable(context, "history")
    if channel in context.part("channels") and not context.is_member(channel):
        raise SlackError("not_in_channel")
    oldest, latest = _bound(context, "oldest", "0"), _bound(context, "latest", "9999999999")
    messages = [
        {"type": "message", "ts": ts, **_shown(message)}
        for ts, message in sorted(context.messages(channel).items(), reverse=True)
        if oldest < float(ts) <= latest and message.get("thread_ts", ts) == ts
    ]
    page, more = page_of(messages, context.values, default=100)
    metadata = {"response_metadata": {"next_cursor": more}} if more else {}
    return {"ok": True, "messages": page, "has_more": bool(more), "pin_count": 0, **metadata}


def channel_members(context: Context) -> JsonObject:
    """List the ids of a channel's members."""
    channel = _readable(context, "read")
    page, more = page_of(list(context.members(channel)), context.values, default=100)
    return {"ok": True, "members": page, "response_metadata": {"next_cursor": more}}


def join_channel(context: Context) -> JsonObject:
    """Join a public channel."""
    channel = channel_of(context, context.text("channel"))
    record = context.part("channels").get(channel)
    if record is None or record.get("is_private"):
        raise SlackError("method_not_supported_for_channel_type")
    if record.get("is_archived"):
        raise SlackError("is_archived")
    if context.is_member(channel):
        metadata = {"warnings": ["already_in_channel"]}
        shown = show_channel(context, channel)
        return {"ok": True, "channel": shown, "warning": "already_in_channel", "response_metadata": metadata}
    context.members(channel)[context.caller.user] = True
    return {"ok": True, "channel": show_channel(context, channel)}


def invite_users(context: Context) -> JsonObject:
    """Invite users. If one of them cannot be invited, none is invited, unless ``force`` is set."""
    channel = channel_of(context, context.text("channel"))
    require_open(context, channel)
    users = [part.strip() for part in context.text("users").split(",") if part.strip()]
    if not users:
        raise SlackError("no_user")
    refused = {user: why for user in users if (why := _why_not(context, channel, user))}
    welcome = [user for user in users if user not in refused]
    if refused and not (flag(context.values, "force") and welcome):
        errors = [{"user": user, "ok": False, "error": why} for user, why in refused.items()]
        raise SlackError(next(iter(refused.values())), extra={"errors": errors})
    context.members(channel).update(dict.fromkeys(welcome, True))
    refusals = [{"user": user, "ok": False, "error": why} for user, why in refused.items()]
    return {"ok": True, "channel": show_channel(context, channel), **({"errors": refusals} if refusals else {})}


def set_topic(context: Context) -> JsonObject:
    """Set a channel's topic."""
    channel = channel_of(context, context.text("channel"))
    require_open(context, channel)
    if len(context.text("topic")) > MAX_TOPIC:
        raise SlackError("too_long")
    record = context.part("channels").get(channel)
    if record is None:
        raise SlackError("method_not_supported_for_channel_type")
    record["topic"] = context.text("topic")
    return {"ok": True, "channel": show_channel(context, channel)}


def create_channel(context: Context) -> JsonObject:
    """Create a channel, with the caller in it."""
    name = context.text("name")
    if not name:
        raise SlackError("invalid_name_required")
    if len(name) > MAX_NAME:
        raise SlackError("invalid_name_maxlength")
    if not _NAME.fullmatch(name) or name != name.lower():
        raise SlackError("invalid_name_specials")
    if any(record.get("name") == name for record in context.part("channels").values()):
        raise SlackError("name_taken")
    channel = f"C0{next_count(context.draft, 'channels'):08d}N"
    context.part("channels")[channel] = {
        "name": name,
        "is_private": flag(context.values, "is_private"),
        "is_archived": False,
        "creator": context.caller.user,
        "created": context.now_ms // 1000,
    }
    context.members(channel)[context.caller.user] = True
    return {"ok": True, "channel": show_channel(context, channel)}


def _is_listed(context: Context, channel: str, types: list[str]) -> bool:
    record = context.part("channels")[channel]
    if record.get("is_archived") and flag(context.values, "exclude_archived"):
        return False
    if record.get("is_private"):
        return "private_channel" in types and context.is_member(channel)
    return "public_channel" in types


def _readable(context: Context, right: str) -> str:
    """Resolve the channel and check the scope for its kind: ``groups:history`` for a private one, and so on."""
    given = context.text("channel")
    record = context.part("channels").get(given)
    if record is not None:
        context.caller.require(f"{kind_of(record)}:{right}")
    return channel_of(context, given)


def _bound(context: Context, name: str, default: str) -> float:
    text = context.text(name) or default
    if not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,6})?", text):
        raise SlackError(f"invalid_ts_{name}")
    return float(text)


def _shown(message: JsonObject) -> JsonObject:
    """Return a message with its reactions as Slack lists them."""
    reactions = [
        {"name": name, "users": list(users), "count": len(users)}
        for name, users in (message.get("reactions") or {}).items()
    ]
    rest = {key: value for key, value in message.items() if key != "reactions"}
    return {**rest, **({"reactions": reactions} if reactions else {})}


def _why_not(context: Context, channel: str, user: str) -> str | None:
    if user == context.caller.user:
        return "cant_invite_self"
    if user not in context.part("users"):
        return "user_not_found"
    return "already_in_channel" if context.members(channel).get(user) else None
