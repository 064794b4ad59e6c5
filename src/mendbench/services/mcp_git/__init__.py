"""The real ``mcp-server-git`` of the Model Context Protocol project, run locally while recording."""

from mendbench.services.mcp_git.shape import State as STATE  # noqa: N814 - as well
from mendbench.services.mcp_git.world import GitServer as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD", "STATE"]
