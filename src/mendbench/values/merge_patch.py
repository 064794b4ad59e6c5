"""JSON Merge Patch (RFC 7396)."""

from __future__ import annotations

import copy

from mendbench.model.json import Json


def merge_patch(target: Json, patch: Json) -> Json:
    """Return ``target`` with ``patch`` applied: null removes, objects merge, everything else replaces. Neither is changed."""
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged
