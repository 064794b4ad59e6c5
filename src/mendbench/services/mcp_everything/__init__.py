"""The real ``@modelcontextprotocol/server-everything``, run locally while recording."""

from mendbench.services.mcp_everything.world import EverythingServer as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD"]
