"""An operator on edges: a step before the step whose data it needs."""

from __future__ import annotations

import copy
from collections.abc import Iterator

from mendbench.generating.breaks import Break
from mendbench.generating.seed import Seed
from mendbench.runtime.templates import templates_in


def wrong_order(seed: Seed) -> Iterator[Break]:
    """Yield breaks in which two neighbouring steps are swapped, and the now first one reads the other's output."""
    nodes = {node["id"]: node for _, node in seed.nodes()}
    edges = seed.workflow.get("edges")
    for edge in edges if isinstance(edges, list) else ():
        first, then = edge.get("from"), edge.get("to")
        reads = {template.root for template in templates_in(nodes.get(then, {}))}
        if first in reads and first in nodes and "action" not in edge:
            workflow = copy.deepcopy(seed.workflow)
            swap = {first: then, then: first}
            workflow["edges"] = [
                {
                    **one,
                    "from": swap.get(one.get("from"), one.get("from")),
                    "to": swap.get(one.get("to"), one.get("to")),
                }
                for one in workflow["edges"]
            ]
            yield Break(
                operator="wrong-order", what=f"{then} runs before {first}, whose result it needs", node=then,
                workflow=workflow, cause=(then, first), category="static_validation", source="steps in the wrong order",
            )  # fmt: skip
