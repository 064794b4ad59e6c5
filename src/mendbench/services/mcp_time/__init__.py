"""The real ``mcp-server-time`` of the Model Context Protocol project, run locally while recording."""

from mendbench.services.mcp_time.shape import State as STATE  # noqa: N814 - as well
from mendbench.services.mcp_time.world import TimeServer as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD", "STATE"]
