"""The real ``mcp-server-time`` (https://pypi.org/project/mcp-server-time), run locally while recording."""

from mendbench.services.mcp_time.world import TimeServer as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD"]
