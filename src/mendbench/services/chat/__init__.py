"""Discord's HTTP API, version 10, simulated (https://docs.discord.com/developers/reference)."""

from mendbench.services.chat.service import Chat as SIMULATED  # noqa: N814 - the name that the registry looks for

__all__ = ["SIMULATED"]
