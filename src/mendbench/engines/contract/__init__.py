"""The contract kit: ten small workflows that tell the author of an adapter, in words, what it gets wrong; twelve, if it repairs."""

from __future__ import annotations

from mendbench.engines.contract.cases import CASES
from mendbench.engines.contract.checking import cases_for, check_engine
from mendbench.engines.contract.finding import Finding
from mendbench.engines.contract.optional_parts import Unreported, unreported

__all__ = ["CASES", "Finding", "Unreported", "cases_for", "check_engine", "unreported"]
