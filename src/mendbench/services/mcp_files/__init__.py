"""The real ``@modelcontextprotocol/server-filesystem``, run locally while recording."""

from mendbench.services.mcp_files.shape import State as STATE  # noqa: N814 - as well
from mendbench.services.mcp_files.world import FilesystemServer as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD", "STATE"]
