"""A document becomes a workflow, or everything that is wrong with its structure is said."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings

from mendbench.model.workflow import Edge, Input, Node, Output, Workflow
from mendbench.runtime.parse import WorkflowProblem, parse_workflow, salvaged
from mendbench.runtime.schema import WORKFLOW_SCHEMA
from tests.fakes.documents import DOCUMENTS


def document(**changes: object) -> dict[str, object]:
    whole: dict[str, object] = {
        "ir_version": "0.1.0",
        "nodes": [
            {"id": "a", "type": "http", "params": {"url": "https://x.test"}},
            {"id": "b", "type": "shell", "params": {"command": "true"}},
        ],
        "edges": [{"from": "a", "to": "b"}],
    }
    return {**whole, **changes}


def problems_of(whole: object) -> tuple[WorkflowProblem, ...]:
    workflow, problems = parse_workflow(whole)
    assert (workflow is None) == bool(problems)
    return problems


def test_a_whole_document_becomes_a_workflow() -> None:
    whole = document(
        inputs={"n": {"type": "int", "description": "How many"}, "m": {"default": None}, "o": {"required": False}},
        outputs={"x": {"source": "${a.response}", "description": "It"}, "y": {}},
        start_node="a",
    )
    workflow, problems = parse_workflow(whole)
    assert problems == ()
    assert workflow == Workflow(
        nodes=(
            Node(id="a", type="http", params={"url": "https://x.test"}),
            Node(id="b", type="shell", params={"command": "true"}),
        ),
        edges=(Edge(source="a", target="b", action="default"),),
        inputs=(
            Input(name="n", type="number", description="How many"),
            Input(name="m", required=False),
            Input(name="o", required=False),
        ),
        outputs=(Output(name="x", source="${a.response}", description="It"),),
        start_node="a",
    )
    assert workflow.source is whole


def test_version_and_edges_may_be_missing_and_params_may_be_called_parameters() -> None:
    whole = {"nodes": [{"id": "a", "type": "http", "parameters": {"url": "u"}}]}
    before = copy.deepcopy(whole)
    workflow, problems = parse_workflow(whole)
    assert problems == ()
    assert workflow is not None
    assert workflow.ir_version == "0.1.0"
    assert workflow.nodes[0].params == {"url": "u"}
    assert whole == before


def test_every_structure_error_is_said_with_its_node_and_its_place() -> None:
    whole = document(nodes=[{"id": "a", "type": "http"}, {"id": "b"}, {"type": "http", "retries": 3}, "c"], edges=[])
    problems = problems_of(whole)
    assert [(problem.node_id, problem.where, problem.message) for problem in problems] == [
        ("b", "/nodes/b", "Structure: Validation error at nodes[1]: 'type' is a required property"),
        (None, "/nodes/2", "Structure: Validation error at nodes[2]: 'id' is a required property"),
        (
            None,
            "/nodes/2",
            "Structure: Validation error at nodes[2]: Additional properties are not allowed ('retries' was unexpected)",
        ),
        (None, "/nodes/3", "Structure: Validation error at nodes[3]: 'c' is not of type 'object'"),
    ]
    assert [problem.hint for problem in problems] == [
        "Add the required field 'type'",
        "Add the required field 'id'",
        "Remove unknown properties or check field names",
        "Change type from 'str' to 'object'",
    ]
    assert {(problem.severity, problem.category) for problem in problems} == {("error", "static_validation")}


@pytest.mark.parametrize(
    ("changes", "message", "hint", "suggestion"),
    [
        ({"ir_version": "1"}, r"ir_version: '1' does not match '^\d+\.\d+\.\d+$'", "Use semantic versioning", None),
        ({"nodes": []}, "nodes: [] should be non-empty", "Add at least one node", None),
        ({"nodes": {}}, "nodes: {} is not of type 'array'", "Change type from 'dict' to 'array'", None),
        (
            {"edgess": []},
            "root: Additional properties are not allowed ('edgess' was unexpected)",
            "Remove unknown",
            None,
        ),
        (
            {"ouputs": {}},
            "root: Additional properties are not allowed ('ouputs' was unexpected)",
            "Remove unknown",
            "outputs",
        ),
        ({"start_node": "c"}, "start_node: Start node 'c' does not exist", "Change to one of: ['a', 'b']", None),
        (
            {"edges": [{"from": "a", "to": "bb"}]},
            "edges[0].to: Edge references non-existent node 'bb'",
            "Change to one of: ['a', 'b']",
            "b",
        ),
        (
            {"inputs": {"n": {"type": "strnig"}}},
            "inputs.n.type: 'strnig' is not one of",
            "Type must be one of: string, number",
            "string",
        ),
        (
            {"outputs": {"o": {"value": "${a.b}"}}},
            "outputs.o: Additional properties are not allowed ('value' was unexpected)",
            "Did you mean 'source' instead of 'value'?",
            "source",
        ),
    ],
)
def test_each_kind_of_error_says_where_what_and_what_to_do(
    changes: dict[str, object], message: str, hint: str, suggestion: str | None
) -> None:
    (problem,) = (
        problems_of(document(**changes)) if "nodes" not in changes else problems_of(document(edges=[], **changes))
    )
    assert problem.message.startswith(f"Structure: Validation error at {message}")
    assert hint in (problem.hint or "")
    assert problem.suggestion == suggestion


def test_edges_written_with_other_names_are_led_to_from_and_to() -> None:
    problems = problems_of(document(edges=[{"from_node": "a", "to_node": "b"}]))
    assert [problem.message.split(": ", 2)[2] for problem in problems] == [
        "'from' is a required property",
        "'to' is a required property",
        "Additional properties are not allowed ('from_node' was unexpected)",
        "Additional properties are not allowed ('to_node' was unexpected)",
    ]
    assert [problem.suggestion for problem in problems] == [None, None, "from", "to"]
    assert problems[2].text.endswith("did you mean 'from'?")


def test_two_nodes_of_one_name_are_an_error_at_the_second() -> None:
    (problem,) = problems_of(document(nodes=[{"id": "a", "type": "x"}, {"id": "a", "type": "y"}], edges=[]))
    assert problem.message == "Structure: Validation error at nodes[1].id: Duplicate node ID 'a'"
    assert (problem.node_id, problem.where) == ("a", "/nodes/1/id")


def test_batch_settings_are_checked() -> None:
    node = {"id": "a", "type": "http", "batch": {"items": [], "max_concurrent": 0, "max_retries": 11, "as": "1"}}
    messages = [problem.message for problem in problems_of(document(nodes=[node], edges=[]))]
    assert [text.split(" at nodes[0].batch.")[1] for text in messages] == [
        "items: [] is not valid under any of the given schemas",
        "max_concurrent: 0 is less than the minimum of 1",
        "max_retries: 11 is greater than the maximum of 10",
        "as: '1' does not match '^[A-Za-z_][A-Za-z0-9_]*$'",
    ]


def test_places_escape_what_a_json_pointer_must_escape() -> None:
    (problem,) = problems_of(document(nodes=[{"id": "a/b~", "type": 1}], edges=[]))
    assert problem.where == "/nodes/a~1b~0/type"


def test_a_message_stays_in_one_short_line() -> None:
    (problem,) = problems_of(document(nodes=[{"id": "a", "type": ["x\n" * 1000]}], edges=[]))
    assert "\n" not in problem.message
    assert len(problem.message) < 200


@pytest.mark.parametrize("whole", [None, 1, "x", [], [1]])
def test_what_is_no_object_is_one_error_at_the_root(whole: object) -> None:
    (problem,) = problems_of(whole)
    assert problem.message.startswith("Structure: Validation error at root: ")
    assert salvaged(whole).nodes == ()


def test_a_broken_document_is_read_as_far_as_it_goes() -> None:
    workflow = salvaged(
        {
            "nodes": [{"id": "a"}, 3, {"type": "x"}],
            "edges": [{"from": "a"}, {"from": "a", "to": "z"}],
            "inputs": {"n": 1},
        }
    )
    assert [(node.id, node.type) for node in workflow.nodes] == [("a", "")]
    assert workflow.edges == (Edge(source="a", target="z"),)
    assert workflow.inputs == ()


def test_the_published_schema_is_json() -> None:
    assert json.loads(json.dumps(WORKFLOW_SCHEMA)) == WORKFLOW_SCHEMA


def test_very_deep_documents_do_not_raise() -> None:
    deep: object = []
    for _ in range(50_000):
        deep = [deep]
    assert problems_of(document(nodes=deep, edges=[]))
    assert problems_of(document(nodes=[{"id": "a", "type": deep, "params": {"x": deep}}], edges=[]))


@settings(deadline=None)
@given(whole=DOCUMENTS)
def test_parsing_never_raises_and_changes_nothing(whole: object) -> None:
    before = repr(whole)
    problems_of(whole)
    salvaged(whole)
    assert repr(whole) == before
