"""Messages, reactions and webhooks (https://docs.discord.com/developers/resources/message)."""

from __future__ import annotations

import copy
import re

from mendbench.io.canonical_json import digest
from mendbench.model.json import Json, JsonObject
from mendbench.services.chat.errors import ChatError, invalid_form, missing_access, unknown
from mendbench.services.chat.forms import (
    EMBED,
    MAX_EMBED_TEXT,
    MAX_EMBEDS,
    Field,
    embed_text,
    flag,
    listed,
    number,
    read_fields,
    read_form,
    record,
    snowflake,
    text,
)
from mendbench.services.chat.state import (
    Context,
    Reply,
    channel_of,
    is_snowflake,
    message_of,
    new_id,
    show_message,
)

MAX_CONTENT, MAX_PAGE, DEFAULT_PAGE = 2000, 100, 50
_CONTENT = (
    Field(name="content", read=text(most=MAX_CONTENT)),
    Field(name="embeds", read=listed(EMBED, most=MAX_EMBEDS)),
    Field(name="tts", read=flag),
)
_REFERENCE = Field(name="message_reference", read=record(Field(name="message_id", read=snowflake, required=True)))
_HOOK_NAME = Field(name="username", read=text(least=1, most=80))
_CUSTOM_EMOJI = re.compile(r"[A-Za-z0-9_]{2,32}:[0-9]{1,20}")
_WRITABLE = ("SEND_MESSAGES",)
_TEXT_TYPES = frozenset({0, 2, 5, 13})
"""Channel types that accept messages: text, voice, announcement, stage."""


def list_messages(context: Context) -> Reply:
    """List the newest messages, or those around an id."""
    channel_of(context, "READ_MESSAGE_HISTORY")
    given: JsonObject = {
        key: value for key, value in context.call.query if key in {"limit", "before", "after", "around"}
    }
    fields = (
        Field(name="limit", read=number(least=1, most=MAX_PAGE)),
        *(Field(name=name, read=snowflake) for name in ("before", "after", "around")),
    )
    values = read_form(given, fields)
    ids = sorted(context.messages(), key=int, reverse=True)
    limit = values.get("limit", DEFAULT_PAGE)
    if (before := values.get("before")) is not None:
        ids = [message_id for message_id in ids if int(message_id) < int(before)]
    if (after := values.get("after")) is not None:
        ids = [message_id for message_id in ids if int(message_id) > int(after)][-limit:]
    return Reply(body=[show_message(context, message_id, context.messages()[message_id]) for message_id in ids[:limit]])


def get_message(context: Context) -> Reply:
    """Show one message."""
    channel_of(context, "READ_MESSAGE_HISTORY")
    return Reply(body=show_message(context, context.place["message_id"], message_of(context)))


def create_message(context: Context) -> Reply:
    """Send a message to a channel."""
    channel = channel_of(context, *_WRITABLE)
    content = _content(context, *_CONTENT, _REFERENCE)
    if int(channel.get("type", 0)) not in _TEXT_TYPES:
        raise ChatError(400, 50008, "Cannot send messages in a non-text channel")
    _check_not_empty(content)
    answered = (content.pop("message_reference", None) or {}).get("message_id")
    if answered is not None and answered not in context.messages():
        problem = (("message_reference",), "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
        raise invalid_form(problem)
    message = new_id(context)
    kept = {key: value for key, value in content.items() if value}
    context.messages()[message] = {"channel": context.place["channel_id"], "author": context.me, **kept}
    return Reply(body=show_message(context, message, context.messages()[message]))


def edit_message(context: Context) -> Reply:
    """Change a message of the caller's own."""
    channel_of(context)
    found = message_of(context)
    if found.get("author") != context.me:
        raise ChatError(403, 50005, "Cannot edit a message authored by another user")
    changed = {**found, **_content(context, *_CONTENT[:2])}
    _check_not_empty(changed)
    found |= {**changed, "edited_ms": context.now_ms}
    return Reply(body=show_message(context, context.place["message_id"], copy.deepcopy(found)))


def delete_message(context: Context) -> Reply:
    """Delete a message: the caller's own, or any message with the right permission."""
    channel_of(context)
    if message_of(context).get("author") != context.me:
        channel_of(context, "MANAGE_MESSAGES")
    del context.messages()[context.place["message_id"]]
    return Reply(status=204)


def add_reaction(context: Context) -> Reply:
    """React to a message. Repeating the request has no further effect."""
    channel_of(context, "READ_MESSAGE_HISTORY", "ADD_REACTIONS")
    found, emoji = message_of(context), context.place["emoji"]
    if emoji.isascii() and not _CUSTOM_EMOJI.fullmatch(emoji):
        raise ChatError(400, 10014, "Unknown Emoji")
    found.setdefault("reactions", {}).setdefault(emoji, {})[context.me] = True
    return Reply(status=204)


def remove_reaction(context: Context) -> Reply:
    """Remove the caller's reaction."""
    channel_of(context, "READ_MESSAGE_HISTORY")
    (message_of(context).get("reactions") or {}).get(context.place["emoji"], {}).pop(context.me, None)
    return Reply(status=204)


def list_webhooks(context: Context) -> Reply:
    """List a channel's webhooks."""
    channel_of(context, "MANAGE_WEBHOOKS")
    found = context.part("webhooks").items()
    here = context.place["channel_id"]
    return Reply(body=[_show_webhook(context, hook, one) for hook, one in found if one["channel"] == here])


def create_webhook(context: Context) -> Reply:
    """Create a webhook for a channel."""
    channel_of(context, "MANAGE_WEBHOOKS")
    values = read_form(context.values, (Field(name="name", read=text(least=1, most=80), required=True),))
    hook = new_id(context)
    made = {"channel": context.place["channel_id"], "name": values["name"], "token": digest(["webhook", hook], 40)}
    context.part("webhooks")[hook] = made
    return Reply(body=_show_webhook(context, hook, made))


def run_webhook(context: Context) -> Reply:
    """Send a message through a webhook. The response contains it only if ``wait`` is true."""
    hook = context.part("webhooks").get(context.place["webhook_id"])
    if hook is None:
        raise unknown("Webhook")
    if hook.get("token") != context.place["token"]:
        raise ChatError(401, 50027, "Invalid Webhook Token")
    content = _content(context, *_CONTENT, _HOOK_NAME)
    _check_not_empty(content)
    channel = str(hook["channel"])
    message = new_id(context)
    kept = {key: value for key, value in content.items() if value}
    made = {"channel": channel, "webhook": context.place["webhook_id"], "username": hook["name"], **kept}
    context.part("messages").setdefault(channel, {})[message] = made
    if (context.call.parameter("wait") or "").lower() != "true":
        return Reply(status=204)
    return Reply(body=show_message(context, message, made))


def _check_not_empty(message: JsonObject) -> None:
    if not (message.get("content") or "").strip() and not message.get("embeds"):
        raise ChatError(400, 50006, "Cannot send an empty message")


def _content(context: Context, *fields: Field) -> JsonObject:
    values, problems = read_fields(context.values, fields)
    embeds = values.get("embeds") or []
    if not problems and embed_text(embeds) > MAX_EMBED_TEXT:
        said = f"Embed size exceeds maximum size of {MAX_EMBED_TEXT}"
        problems = [(("embeds",), "MAX_EMBED_SIZE_EXCEEDED", said)]
    if problems:
        raise invalid_form(*problems)
    return values


def _show_webhook(context: Context, hook: str, one: JsonObject) -> Json:
    channel = context.part("channels").get(one["channel"])
    if channel is None or not is_snowflake(hook):
        raise missing_access()
    rest = {"name": one["name"], "token": one["token"], "guild_id": channel["guild"], "channel_id": one["channel"]}
    return {"id": hook, "type": 1, **rest, "avatar": None, "application_id": None}
