"""The real ``@modelcontextprotocol/server-everything``, run locally while recording."""

from mendbench.services.mcp_everything.shape import State as STATE  # noqa: N814 - as well
from mendbench.services.mcp_everything.world import EverythingServer as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD", "STATE"]
