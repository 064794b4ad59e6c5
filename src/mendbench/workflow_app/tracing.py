"""Traces for the front ends: their location and their views."""

from __future__ import annotations

from mendbench.runtime.trace_file import LAST, read_trace
from mendbench.runtime.trace_views import (
    error_of_node,
    errors_list,
    errors_of_node,
    node_ids,
    node_io,
    node_view,
    validation_diff,
)

__all__ = [
    "LAST",
    "error_of_node",
    "errors_list",
    "errors_of_node",
    "node_ids",
    "node_io",
    "node_view",
    "read_trace",
    "validation_diff",
]
