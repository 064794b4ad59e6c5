"""Strategies: how failures become text for the repairer, each one template file; and the frame, which all share."""

from __future__ import annotations

from mendbench.strategies.frame import Budget, build_frame, build_prompt, frame_digest
from mendbench.strategies.interface import StrategyInfo
from mendbench.strategies.registry import strategies, strategy
from mendbench.strategies.template import TemplateStrategy

__all__ = [
    "Budget",
    "StrategyInfo",
    "TemplateStrategy",
    "build_frame",
    "build_prompt",
    "frame_digest",
    "strategies",
    "strategy",
]
