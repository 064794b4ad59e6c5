"""``pytest --mendbench``: repair cases as test items, and fixtures for assertions of one's own.

What the fixtures give has types, for annotations: nothing heavy is imported for them.
"""

from __future__ import annotations

from mendbench.pytest_plugin.interface import LoadCase, RunCases, RunTrial

__all__ = ["LoadCase", "RunCases", "RunTrial"]
