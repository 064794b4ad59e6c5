"""Discord's endpoints: the handler and the response time of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mendbench.services.chat import guilds, messages
from mendbench.services.chat.state import Context, Reply

_CHANNEL, _GUILD = "/channels/{channel_id}", "/guilds/{guild_id}"
_MESSAGE, _MEMBER = f"{_CHANNEL}/messages/{{message_id}}", f"{_GUILD}/members/{{user_id}}"
_REACTION = f"{_MESSAGE}/reactions/{{emoji}}/@me"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """One endpoint, below ``/api/v10``."""

    method: str
    path: str
    run: Callable[[Context], Reply]
    elapsed_ms: int = 120
    needs_token: bool = True

    @property
    def key(self) -> str:
        """``METHOD /path`` as declared."""
        return f"{self.method} {self.path}"


ROUTES: tuple[Route, ...] = (
    Route(method="GET", path="/users/@me", run=guilds.me, elapsed_ms=84),
    Route(method="GET", path="/users/{user_id}", run=guilds.get_user, elapsed_ms=91),
    Route(method="GET", path=_GUILD, run=guilds.get_guild),
    Route(method="GET", path=f"{_GUILD}/roles", run=guilds.list_roles),
    Route(method="GET", path=f"{_GUILD}/channels", run=guilds.list_channels, elapsed_ms=133),
    Route(method="POST", path=f"{_GUILD}/channels", run=guilds.create_channel, elapsed_ms=251),
    Route(method="GET", path=f"{_GUILD}/members", run=guilds.list_members, elapsed_ms=142),
    Route(method="GET", path=_MEMBER, run=guilds.get_member),
    Route(method="PATCH", path=_MEMBER, run=guilds.edit_member, elapsed_ms=226),
    Route(method="PUT", path=f"{_MEMBER}/roles/{{role_id}}", run=guilds.add_role, elapsed_ms=218),
    Route(method="DELETE", path=f"{_MEMBER}/roles/{{role_id}}", run=guilds.remove_role, elapsed_ms=214),
    Route(method="GET", path=_CHANNEL, run=guilds.get_channel),
    Route(method="PATCH", path=_CHANNEL, run=guilds.edit_channel, elapsed_ms=231),
    Route(method="GET", path=f"{_CHANNEL}/messages", run=messages.list_messages, elapsed_ms=147),
    Route(method="POST", path=f"{_CHANNEL}/messages", run=messages.create_message, elapsed_ms=236),
    Route(method="GET", path=_MESSAGE, run=messages.get_message),
    Route(method="PATCH", path=_MESSAGE, run=messages.edit_message, elapsed_ms=229),
    Route(method="DELETE", path=_MESSAGE, run=messages.delete_message, elapsed_ms=221),
    Route(method="PUT", path=_REACTION, run=messages.add_reaction, elapsed_ms=243),
    Route(method="DELETE", path=_REACTION, run=messages.remove_reaction, elapsed_ms=240),
    Route(method="GET", path=f"{_CHANNEL}/webhooks", run=messages.list_webhooks),
    Route(method="POST", path=f"{_CHANNEL}/webhooks", run=messages.create_webhook, elapsed_ms=238),
    Route(
        method="POST", path="/webhooks/{webhook_id}/{token}", run=messages.run_webhook, elapsed_ms=207,
        needs_token=False,
    ),
)  # fmt: skip
"""Matched in order."""
