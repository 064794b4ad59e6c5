"""The order of nodes keeps every edge."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mendbench.model.workflow import Edge, Node, Workflow
from mendbench.runtime.graph import order_of, unreachable


def workflow(names: str, *edges: str, start: str | None = None) -> Workflow:
    return Workflow(
        nodes=tuple(Node(id=name, type="http", params={}) for name in names),
        edges=tuple(Edge(source=edge[0], target=edge[1]) for edge in edges),
        start_node=start,
    )


def test_edges_order_nodes_and_the_rest_keeps_its_place() -> None:
    assert order_of(workflow("abcd", "db", "dc")).positions == {"a": 0, "d": 1, "b": 2, "c": 3}


def test_edges_to_no_node_and_repeated_edges_do_not_count() -> None:
    assert order_of(workflow("ab", "ba", "ba", "az", "za")).positions == {"b": 0, "a": 1}


def test_only_the_nodes_on_a_cycle_are_cyclic_and_those_behind_it_have_no_position() -> None:
    order = order_of(workflow("sabz", "sa", "ab", "ba", "bz"))
    assert order.cyclic == ("a", "b")
    assert order.positions == {"s": 0}


def test_a_node_that_leads_to_itself_is_a_cycle() -> None:
    assert order_of(workflow("ab", "aa", "ab")).cyclic == ("a",)


def test_nodes_that_the_start_does_not_lead_to_are_unreachable() -> None:
    assert unreachable(workflow("abc", "bc")) == ("b", "c")
    assert unreachable(workflow("abc", "bc", start="b")) == ("a",)
    assert unreachable(workflow("abc", start="z")) == ()
    assert unreachable(workflow("")) == ()


@settings(deadline=None)
@given(edges=st.lists(st.text("abcde", min_size=2, max_size=2), max_size=12))
def test_every_edge_between_ordered_nodes_leads_forward(edges: list[str]) -> None:
    order = order_of(workflow("abcde", *edges))
    for source, target in edges:
        if source in order.positions and target in order.positions:
            assert order.positions[source] < order.positions[target]
    assert (len(order.positions) == 5) == (not order.cyclic)
