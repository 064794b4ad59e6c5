"""The contract of every node type."""

import pytest

from mendbench.kit.clock import VirtualClock
from mendbench.runtime.nodes.interface import NodeType
from mendbench.runtime.nodes.registry import node_types
from mendbench.runtime.specs import node_specs
from tests.fakes.engine import FakeWorld


def test_the_types_of_the_specification_are_there():
    assert {"http", "mcp", "shell", "llm", "transform"} <= set(node_types())
    assert set(node_specs()) == set(node_types())


@pytest.mark.parametrize("name", sorted(node_types()))
def test_a_node_type_knows_its_name_and_its_parameters(name):
    node = node_types()[name]
    assert isinstance(node, NodeType)
    assert node.type == name
    assert node.spec.required <= node.spec.params


@pytest.mark.parametrize("name", sorted(node_types()))
def test_a_node_without_its_parameters_says_so_and_sends_nothing(name):
    world = FakeWorld()
    with pytest.raises((TypeError, ValueError), match="requires"):
        node_types()[name].run({}, world.send, VirtualClock())
    assert world.sent == []


@pytest.mark.parametrize("name", sorted(node_types()))
def test_a_node_may_write_its_error(name):
    outputs = node_types()[name].spec.outputs
    assert outputs is None or "error" in outputs
