"""Messages and reactions: ``auth.test``, ``chat.*``, ``reactions.add``."""

from __future__ import annotations

import re

from mendbench.model.json import Json, JsonObject
from mendbench.services.slack.blocks import read_blocks
from mendbench.services.slack.errors import SlackError
from mendbench.services.slack.state import Context, channel_of, new_ts, require_open
from mendbench.services.wire import next_count, parse_json

MAX_UPDATE_TEXT = 4000
"""Maximum length of a text for chat.update, in characters (https://docs.slack.dev/reference/methods/chat.update)."""
MAX_TEXT = 40_000
"""Maximum length of a text for chat.postMessage, in characters. The rest is truncated silently."""

_TS = re.compile(r"[0-9]{10}\.[0-9]{6}")
_EMOJI = re.compile(r"[a-z0-9_+'-]{1,100}(::skin-tone-[2-6])?")


def auth_test(context: Context) -> JsonObject:
    """Show the identity of the token."""
    team = context.part("team")
    user = context.part("users").get(context.caller.user, {})
    return {
        "ok": True,
        "url": f"https://{team.get('domain', 'workspace')}.slack.com/",
        "team": team.get("name", ""),
        "user": user.get("name", ""),
        "team_id": team.get("id", ""),
        "user_id": context.caller.user,
        **({"bot_id": f"B{context.caller.user[1:]}"} if context.caller.type == "bot" else {}),
        "is_enterprise_install": False,
    }


def post_message(context: Context) -> JsonObject:
    """Post to a channel by id or by name, or to a user."""
    channel = _addressee(context, context.text("channel"))
    content = _content(context)
    thread = context.values.get("thread_ts")
    if isinstance(thread, str) and thread:
        if not _TS.fullmatch(thread):
            raise SlackError("invalid_thread_ts", messages=(f"{thread} is not a valid thread_ts",))
        content["thread_ts"] = thread
    ts = new_ts(context)
    message = {"user": context.caller.user, "type": "message", "ts": ts, **content}
    context.messages(channel)[ts] = message
    return {"ok": True, "channel": channel, "ts": ts, "message": {**message, "bot_id": f"B{context.caller.user[1:]}"}}


def update_message(context: Context) -> JsonObject:
    """Change a message of the caller's own."""
    channel = channel_of(context, context.text("channel"))
    require_open(context, channel)
    ts = _timestamp(context, "ts")
    message = context.messages(channel).get(ts)
    if message is None:
        raise SlackError("message_not_found")
    if message.get("user") != context.caller.user:
        raise SlackError("cant_update_message")
    content = _content(context)
    if len(content["text"]) > MAX_UPDATE_TEXT:
        raise SlackError("msg_too_long")
    message |= {**content, "edited": {"user": context.caller.user, "ts": new_ts(context)}}
    return {"ok": True, "channel": channel, "ts": ts, "text": content["text"], "message": {**message, "ts": ts}}


def add_reaction(context: Context) -> JsonObject:
    """React to a message."""
    channel = channel_of(context, context.text("channel"))
    require_open(context, channel)
    ts = _timestamp(context, "timestamp")
    name = context.text("name").strip(":")
    if not _EMOJI.fullmatch(name):
        raise SlackError("invalid_name")
    message = context.messages(channel).get(ts)
    if message is None:
        raise SlackError("message_not_found")
    if (message.get("reactions") or {}).get(name, {}).get(context.caller.user):
        raise SlackError("already_reacted")
    message.setdefault("reactions", {}).setdefault(name, {})[context.caller.user] = True
    return {"ok": True}


def _addressee(context: Context, given: str) -> str:
    """Resolve a channel for chat.postMessage: an id, a name with or without ``#``, or a user's id."""
    if given in context.part("users"):
        return _direct(context, given)
    channel = next((key for key, record in _visible(context) if record.get("name") == given.removeprefix("#")), given)
    record = context.part("channels").get(channel_of(context, channel))
    if record is None:
        return channel
    if not context.is_member(channel) and "chat:write.public" not in context.caller.scopes:
        raise SlackError("not_in_channel")
    if record.get("is_archived"):
        raise SlackError("is_archived")
    return channel


def _visible(context: Context) -> list[tuple[str, JsonObject]]:
    channels = context.part("channels")
    return [(key, record) for key, record in channels.items() if not record.get("is_private") or context.is_member(key)]


def _direct(context: Context, user: str) -> str:
    dms = context.part("dms")
    if user not in dms:
        dms[user] = f"D0{next_count(context.draft, 'dms'):08d}"
    return str(dms[user])


def _content(context: Context) -> JsonObject:
    text, markdown = context.text("text"), context.text("markdown_text")
    if markdown and (text or context.values.get("blocks")):
        raise SlackError("markdown_text_conflict")
    blocks = read_blocks(context.values.get("blocks"))
    attachments = _attachments(context.values.get("attachments"))
    if not (text.strip() or markdown or blocks or attachments):
        raise SlackError("no_text")
    content: JsonObject = {"text": (text or markdown)[:MAX_TEXT]}
    return content | {key: value for key, value in (("blocks", blocks), ("attachments", attachments)) if value}


def _attachments(value: Json) -> list[Json]:
    if isinstance(value, str) and value:
        try:
            value = parse_json(value)
        except ValueError:
            raise SlackError("invalid_attachments") from None
    if value in (None, ""):
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise SlackError("invalid_attachments")
    return value


def _timestamp(context: Context, name: str) -> str:
    """Return a message's timestamp. A timestamp sent as a number has lost its trailing zeros, as in Slack."""
    text = context.text(name)
    if not re.fullmatch(r"[0-9]{1,12}\.[0-9]{1,6}", text):
        raise SlackError("bad_timestamp" if name == "timestamp" else "message_not_found")
    return text
