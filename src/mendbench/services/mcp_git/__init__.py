"""The real ``mcp-server-git`` (https://pypi.org/project/mcp-server-git), run locally while recording."""

from mendbench.services.mcp_git.world import GitServer as REAL_WORLD  # noqa: N814 - the name that the registry looks for

__all__ = ["REAL_WORLD"]
