"""The type of a parsed JSON document."""

from __future__ import annotations

from typing import Any, TypeAlias

Json: TypeAlias = Any
"""Any value that ``json.loads`` can return. Not spelt out recursively: checkers give nothing for the noise."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object."""
