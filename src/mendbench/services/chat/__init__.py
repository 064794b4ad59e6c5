"""Discord's HTTP API, version 10, simulated (https://docs.discord.com/developers/reference)."""

from mendbench.services.chat.service import Chat as SIMULATED  # noqa: N814 - the name that the registry looks for
from mendbench.services.chat.shape import State as STATE  # noqa: N814 - as well

__all__ = ["SIMULATED", "STATE"]
