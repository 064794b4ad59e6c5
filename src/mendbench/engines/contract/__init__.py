"""The contract kit: ten small workflows that tell the author of an adapter, in words, what it gets wrong."""

from __future__ import annotations

from mendbench.engines.contract.cases import CASES
from mendbench.engines.contract.checking import Finding, check_engine

__all__ = ["CASES", "Finding", "check_engine"]
