"""The type of a parsed JSON document."""

from __future__ import annotations

from typing import Any, TypeAlias

Json: TypeAlias = Any
"""Any value that ``json.loads`` can return. Not a recursive type: that would not improve type checking."""

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object."""
