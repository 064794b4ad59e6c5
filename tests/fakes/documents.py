"""Hypothesis strategies for JSON values, and for documents that look like workflows and mostly are none."""

from __future__ import annotations

from hypothesis import strategies as st

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)

KEYS = (
    "batch", "edges", "from", "id", "inputs", "ir_version", "mappings", "nodes", "outputs", "parameters", "params", "required",
    "source", "start_node", "template_resolution_mode", "to", "type",
)  # fmt: skip

LIKE_A_WORKFLOW = st.recursive(
    JSON | st.sampled_from(["a", "b", "${a.b}", "0.1.0"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
    max_leaves=25,
)

DOCUMENTS = JSON | LIKE_A_WORKFLOW | st.dictionaries(st.sampled_from(KEYS), LIKE_A_WORKFLOW)
