"""The contract kit: ten small workflows that show the author of an adapter what it gets wrong; twelve if the engine repairs by itself."""

from __future__ import annotations

from mendbench.engines.contract.cases import CASES
from mendbench.engines.contract.checking import cases_for, check_engine
from mendbench.engines.contract.finding import Finding
from mendbench.engines.contract.optional_parts import Unreported, unreported

__all__ = ["CASES", "Finding", "Unreported", "cases_for", "check_engine", "unreported"]
