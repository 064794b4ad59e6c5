"""The order in which a workflow's nodes can run."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter

from mendbench.model.workflow import Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The nodes in topological order, as far as one exists."""

    positions: dict[str, int]
    """Position of every node that is neither on a cycle nor after one."""
    cyclic: tuple[str, ...]
    """The nodes on a cycle, in alphabetical order."""


def order_of(workflow: Workflow) -> Order:
    """Return the order of the nodes; ties keep document order. Edges to unknown nodes are ignored."""
    following = _following(workflow)
    sorter = TopologicalSorter(dict.fromkeys(following, ()))
    for node, targets in following.items():
        for target in targets:
            sorter.add(target, node)
    with suppress(CycleError):  # the nodes before the cycles still have an order
        sorter.prepare()
    ordered: list[str] = []
    while ready := sorter.get_ready():
        ordered += ready
        sorter.done(*ready)
    positions = {node: position for position, node in enumerate(ordered)}
    cyclic = sorted(node for node in following.keys() - positions if node in _reached(following[node], following))
    return Order(positions=positions, cyclic=tuple(cyclic))


def unreachable(workflow: Workflow) -> tuple[str, ...]:
    """Return the nodes that the start node does not reach, in document order. Empty if the start node does not exist."""
    following = _following(workflow)
    start = workflow.start_node or (workflow.nodes[0].id if workflow.nodes else None)
    if start not in following:
        return ()
    reached = _reached((start,), following)
    return tuple(node for node in following if node not in reached)


def _following(workflow: Workflow) -> dict[str, list[str]]:
    following: dict[str, list[str]] = {node.id: [] for node in workflow.nodes}
    for edge in workflow.edges:
        if edge.source in following and edge.target in following and edge.target not in following[edge.source]:
            following[edge.source].append(edge.target)
    return following


def _reached(starts: Iterable[str], following: dict[str, list[str]]) -> set[str]:
    """Return ``starts`` and all nodes reachable from them."""
    reached: set[str] = set()
    ahead = list(starts)
    while ahead:
        node = ahead.pop()
        if node not in reached:
            reached.add(node)
            ahead += following[node]
    return reached
