"""Strategies render failures as text for the repairer, each from one template file. All share the frame."""

from __future__ import annotations

from mendbench.strategies.frame import Budget, build_frame, build_prompt, frame_digest
from mendbench.strategies.interface import StrategyInfo
from mendbench.strategies.registry import strategies, strategy, variations
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
    "variations",
]
