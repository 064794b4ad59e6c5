"""What holds for every node type that is found, and for the types that name an MCP tool."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.io.virtual_clock import VirtualClock
from mendbench.model.exchange import Response
from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.nodes.interface import NodeOutput
from mendbench.runtime.nodes.mcp import type_named
from mendbench.runtime.nodes.registry import node_specs, node_types
from mendbench.runtime.observation import run_node
from mendbench.runtime.outline import spec_of
from tests.fakes.engine import FakeWorld

NAMES = [*sorted(node_types()), "mcp-clock-get-time"]
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20)
    | st.sampled_from(["https://a.test/x", "GET", "POST", "@", "a.b", "../up", "/etc/passwd", "a\0b", "notes.txt", "\ud800"])
)  # fmt: skip
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3), max_leaves=8
)  # fmt: skip
RESPONSES = st.builds(
    Response,
    status=st.sampled_from([200, 201, 204, 400, 404, 500]),
    headers=st.sampled_from([(), (("content-type", "application/json"),)]),
    body=st.binary(max_size=20) | JSON.map(lambda value: json.dumps(value).encode()),
    elapsed_ms=st.just(1),
) | st.sampled_from(
    [Response(status=0, fault=kind) for kind in ("timeout", "refused", "reset", "dns", "tls", "truncated")]
)


def params_of(name):
    """Params that name what the type takes, and others, with any values."""
    known = sorted((spec_of(node_specs(), name).params) or {"timezone"})
    return st.dictionaries(st.sampled_from(known) | st.text(max_size=5), JSON, max_size=len(known) + 1)


class AnyWorld(FakeWorld):
    """Answers everything the same."""

    def __init__(self, response):
        super().__init__()
        self.any = response

    def _response(self, name, request):
        return self.any


def test_the_files_of_the_specification_are_there():
    assert {"read-file", "write-file"} <= set(node_types())


@pytest.mark.parametrize("name", NAMES)
def test_its_spec_is_consistent(name):
    kind, spec = type_named(node_types(), name), spec_of(node_specs(), name)
    assert kind.type == name
    assert kind.spec == spec
    assert spec.params is None or spec.required <= spec.params
    assert spec.outputs is None or "error" in spec.outputs


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_any_params_give_an_output_or_an_exception_that_becomes_a_sighting(name, data):
    params, response = data.draw(params_of(name)), data.draw(RESPONSES)
    kind, world = type_named(node_types(), name), AnyWorld(response)
    visit = run_node(kind, params, world.send, VirtualClock())
    assert isinstance(visit.output, NodeOutput)
    assert (visit.exception is None) or visit.output.noticed.kind == "exception"
    json.dumps(visit.output.outputs)
    if kind.spec.outputs is not None:
        assert set(visit.output.outputs) <= kind.spec.outputs


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_the_engine_ends_whatever_a_node_receives(name, data):
    params, response = data.draw(params_of(name)), data.draw(RESPONSES)
    params = {**dict.fromkeys(type_named(node_types(), name).spec.required, "x"), **params}
    document = {"ir_version": "0.1.0", "nodes": [{"id": "only", "type": name, "params": params}], "edges": []}
    world = AnyWorld(response)
    engine = MendbenchEngine()
    ended = engine.execute(document, {}, world, checkpoint=None, detector=None, clock=world.clock)
    (record,) = ended.nodes
    assert (ended.outcome == "error") == bool(ended.failures)
    assert record.state in {"success", "error", "not_run"}
    assert record.state != "error" or record.observation.message
    assert math.isfinite(ended.duration_ms)
    json.dumps(engine.describe(document, ended))
