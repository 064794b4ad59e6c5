"""Users, guilds, their members and channels (https://docs.discord.com/developers/resources/guild)."""

from __future__ import annotations

from mendbench.model.json import JsonObject
from mendbench.services.chat.errors import unknown
from mendbench.services.chat.forms import Field, choice, number, read_form, snowflake, text
from mendbench.services.chat.state import (
    Context,
    Reply,
    channel_of,
    guild_of,
    new_id,
    show_channel,
    show_member,
    show_user,
)

CHANNEL_TYPES = (0, 2, 4, 5, 6, 13, 14, 15)
"""Channel types that can be created, as the API lists them."""
_CHANNEL = (
    Field(name="topic", read=text(most=1024)),
    Field(name="position", read=number(least=0)),
    Field(name="rate_limit_per_user", read=number(least=0, most=21_600)),
)
_NAME = text(least=1, most=100)


def me(context: Context) -> Reply:
    """Show the user that the token belongs to."""
    return Reply(body=show_user(context, context.me))


def get_user(context: Context) -> Reply:
    """Show a user."""
    if context.place["user_id"] not in context.part("users"):
        raise unknown("User")
    return Reply(body=show_user(context, context.place["user_id"]))


def get_guild(context: Context) -> Reply:
    """Show a guild."""
    guild, record = context.place["guild_id"], guild_of(context)
    roles = [{"id": role, "name": entry["name"]} for role, entry in (record.get("roles") or {}).items()]
    return Reply(body={"id": guild, "name": record["name"], "owner_id": record["owner"], "roles": roles})


def list_roles(context: Context) -> Reply:
    """List a guild's roles."""
    roles = guild_of(context).get("roles") or {}
    return Reply(body=[{"id": role, "name": entry["name"]} for role, entry in roles.items()])


def list_channels(context: Context) -> Reply:
    """List a guild's channels."""
    guild_of(context)
    found = context.part("channels").items()
    here = context.place["guild_id"]
    return Reply(body=[show_channel(channel, record) for channel, record in found if record["guild"] == here])


def create_channel(context: Context) -> Reply:
    """Create a channel in a guild."""
    guild_of(context, "MANAGE_CHANNELS")
    fields = (
        Field(name="name", read=_NAME, required=True), Field(name="type", read=choice(*CHANNEL_TYPES)), *_CHANNEL,
    )  # fmt: skip
    values = read_form(context.values, fields)
    channel = new_id(context)
    kept = {key: value for key, value in values.items() if value is not None}
    made = {"guild": context.place["guild_id"], **kept, "name": _channel_name(values["name"], values.get("type"))}
    context.part("channels")[channel] = made
    return Reply(status=201, body=show_channel(channel, made))


def get_channel(context: Context) -> Reply:
    """Show a channel."""
    return Reply(body=show_channel(context.place["channel_id"], channel_of(context)))


def edit_channel(context: Context) -> Reply:
    """Change a channel."""
    record = channel_of(context, "MANAGE_CHANNELS")
    values = read_form(context.values, (Field(name="name", read=_NAME), *_CHANNEL))
    if values.get("name"):
        values["name"] = _channel_name(values["name"], record.get("type"))
    record |= {key: value for key, value in values.items() if value is not None or key == "topic"}
    return Reply(body=show_channel(context.place["channel_id"], record))


def list_members(context: Context) -> Reply:
    """List a guild's members, by id. The default limit is one."""
    guild_of(context)
    given: JsonObject = {key: value for key, value in context.call.query if key in {"limit", "after"}}
    fields = (Field(name="limit", read=number(least=1, most=1000)), Field(name="after", read=snowflake))
    values = read_form(given, fields)
    members = _members(context)
    after = int(values.get("after") or 0)
    ids = [user for user in sorted(members, key=int) if int(user) > after]
    return Reply(body=[show_member(context, user, members[user]) for user in ids[: values.get("limit", 1)]])


def get_member(context: Context) -> Reply:
    """Show a member of a guild."""
    guild_of(context)
    return Reply(body=show_member(context, context.place["user_id"], _member(context)))


def edit_member(context: Context) -> Reply:
    """Change a member's nickname."""
    guild_of(context, "MANAGE_NICKNAMES")
    record = _member(context)
    record |= read_form(context.values, (Field(name="nick", read=text(most=32)),))
    return Reply(body=show_member(context, context.place["user_id"], record))


def add_role(context: Context) -> Reply:
    """Give a member a role."""
    record, role = _role(context)
    if role not in record.setdefault("roles", []):
        record["roles"].append(role)
    return Reply(status=204)


def remove_role(context: Context) -> Reply:
    """Take a role from a member."""
    record, role = _role(context)
    record["roles"] = [role_id for role_id in record.get("roles") or () if role_id != role]
    return Reply(status=204)


def _role(context: Context) -> tuple[JsonObject, str]:
    guild = guild_of(context, "MANAGE_ROLES")
    record, role = _member(context), context.place["role_id"]
    if role not in (guild.get("roles") or {}):
        raise unknown("Role")
    return record, role


def _members(context: Context) -> JsonObject:
    found: JsonObject = context.part("members").setdefault(context.place["guild_id"], {})
    return found


def _member(context: Context) -> JsonObject:
    user = context.place["user_id"]
    if user not in context.part("users"):
        raise unknown("User")
    record: JsonObject | None = _members(context).get(user)
    if record is None:
        raise unknown("Member")
    return record


def _channel_name(name: str, kind: int | None) -> str:
    """Return a channel's name as Discord stores it: text channel names are lower case, with hyphens for blanks."""
    return "-".join(name.lower().split()) if int(kind or 0) in {0, 5} else name
