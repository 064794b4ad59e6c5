"""``pytest --mendbench``: repair cases as test items, and fixtures for your own assertions.

This package exports the types of the fixtures, for annotations. Importing them loads nothing heavy.
"""

from __future__ import annotations

from mendbench.pytest_plugin.interface import LoadCase, RunCases, RunTrial

__all__ = ["LoadCase", "RunCases", "RunTrial"]
