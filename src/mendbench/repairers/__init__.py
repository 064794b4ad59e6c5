"""Repairers: they respond to prompts. Each is one module with a ``make``."""

from __future__ import annotations

from mendbench.repairers.interface import Factory, Options
from mendbench.repairers.registry import is_repairer, repairer, repairer_names

__all__ = ["Factory", "Options", "is_repairer", "repairer", "repairer_names"]
