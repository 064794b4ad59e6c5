"""The contract of every node type."""

import pytest

from mendbench.errors import BadInput
from mendbench.io.virtual_clock import VirtualClock
from mendbench.runtime.nodes.interface import NodeType
from mendbench.runtime.nodes.registry import ENTRY_POINT_GROUP, node_specs, node_types
from tests.fakes.engine import FakeWorld
from tests.fakes.installed import install


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


def test_an_installed_package_can_bring_a_node_type(tmp_path, monkeypatch):
    source = (
        "from dataclasses import replace\nfrom mendbench.runtime.nodes.http import NODE\n"
        "THEIRS = replace(NODE, type='theirs')\n"
    )
    (tmp_path / "their_nodes.py").write_text(source)
    install(monkeypatch, tmp_path, ENTRY_POINT_GROUP, theirs="their_nodes:THEIRS")
    assert node_types.__wrapped__()["theirs"].spec == node_types()["http"].spec


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("no_such_module_at_all:NODE", "ModuleNotFoundError"),
        ("json:dumps", "it is no NodeType"),
        ("mendbench.runtime.nodes.http:NODE", "node type 'http' is taken"),
    ],
)
def test_an_entry_point_that_brings_no_new_node_type_is_bad_input(tmp_path, monkeypatch, value, found):
    install(monkeypatch, tmp_path, ENTRY_POINT_GROUP, theirs=value)
    with pytest.raises(BadInput, match=f"entry point {value}: {found}"):
        node_types.__wrapped__()
