"""People: ``users.*``."""

from __future__ import annotations

from mendbench.model.json import JsonObject
from mendbench.services.slack.errors import SlackError
from mendbench.services.slack.paging import page_of
from mendbench.services.slack.state import Context, show_user


def user_info(context: Context) -> JsonObject:
    """Show one user, by id."""
    user = context.text("user")
    if user not in context.part("users"):
        raise SlackError("user_not_found")
    return {"ok": True, "user": show_user(context, user)}


def list_users(context: Context) -> JsonObject:
    """List all users."""
    users = [show_user(context, user) for user in context.part("users")]
    page, more = page_of(users, context.values, default=200)
    body: JsonObject = {"ok": True, "members": page, "cache_ts": context.now_ms // 1000}
    return {**body, "response_metadata": {"next_cursor": more}}


def user_by_email(context: Context) -> JsonObject:
    """Find a user by e-mail address. The error's name is in the plural."""
    wanted = context.text("email").strip().lower()
    for user, record in context.part("users").items():
        if wanted and str(record.get("email", "")).lower() == wanted and not record.get("deleted"):
            return {"ok": True, "user": show_user(context, user)}
    raise SlackError("users_not_found")
