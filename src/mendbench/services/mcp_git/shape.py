"""The shape of the repository: see :mod:`mendbench.services.mcp_git.world`."""

from __future__ import annotations

from mendbench.services.shape import Shape, Table


class Commit(Shape):
    """A commit on the main branch."""

    message: str
    files: Table[str] = None


class State(Shape):
    """Commits, branches and files in the working tree."""

    commits: list[Commit] | None = None
    branches: Table[str] = None
    files: Table[str] = None
