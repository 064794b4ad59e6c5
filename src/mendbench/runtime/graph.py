"""The order in which a workflow's nodes can run."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

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
    behind = dict.fromkeys(following, 0)
    for targets in following.values():
        for target in targets:
            behind[target] += 1
    ready = deque(node for node, count in behind.items() if count == 0)
    positions: dict[str, int] = {}
    while ready:
        node = ready.popleft()
        positions[node] = len(positions)
        for target in following[node]:
            behind[target] -= 1
            if behind[target] == 0:
                ready.append(target)
    rest = {node for node in following if node not in positions}
    return Order(
        positions=positions, cyclic=tuple(sorted(node for node in rest if node in _reached(following[node], following)))
    )


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
