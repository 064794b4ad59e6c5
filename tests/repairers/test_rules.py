"""The rule book repairs what the context explains, and nothing else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.repair.responses import Candidate, Declined, read_response
from mendbench.repairers.rules import RULES, RulesRepairer
from tests.fakes.model_worlds import FakeModelWorld
from tests.repairers.prompts import asked, plain
from tests.strategies import invented

RIGHT = {
    invented.wrong_path: ("post_card", {"line": "Welcome ${get_reader.response.full_name}!"}),
    invented.wrong_node_id: ("post_count", {"count": "${shelf_scan.response.total}"}),
    invented.renamed_field: ("file_report", {"shelf_id": "S-9", "note": "dusty"}),
    invented.not_an_array: ("set_genres", {"reader": 7, "genres": ["crime", "travel"]}),
    invented.not_a_string: ("order_book", {"isbn": "9780140328721"}),
    invented.over_the_limit: ("reserve", {"copies": 6}),
    invented.no_member: ("mark_book", {"state": "lent"}),
}


def response(prompt):
    return json.loads(RulesRepairer().reply(prompt, FakeModelWorld(), sample=0, times_asked=0).text)


def body_after(make, strategy):
    """The body that the node at fault would send after the response, or None if the workflow stays as it is."""
    view = make()
    text = RulesRepairer().reply(asked(view, strategy), FakeModelWorld(), sample=0, times_asked=0).text
    got = read_response(text, view.workflow)
    if isinstance(got, Declined):
        return None
    assert isinstance(got, Candidate)
    node = next(n for n in got.document["nodes"] if n["id"] == RIGHT[make][0])
    return None if got.document == view.workflow else node["params"]["body"]


def node(**params):
    return [{"id": "call", "type": "http", "params": params}]


def repairs(nodes, text, inputs=None):
    workflow = {"nodes": nodes, "inputs": inputs or {}}
    return response(plain(text, frame=f"# Workflow\n```json\n{json.dumps(workflow, indent=1)}\n```\nMore."))


@pytest.mark.parametrize("make", RIGHT)
@pytest.mark.parametrize("strategy", ["full-context", "agent-json"])
def test_it_repairs_what_a_rich_context_states(make, strategy):
    assert body_after(make, strategy) == RIGHT[make][1]


def test_it_repairs_fewer_from_a_summary_and_none_from_the_command_lines_text():
    repaired = {
        name: sum(body_after(make, name) == right for make, (_, right) in RIGHT.items())
        for name in ("full-context", "summary", "cli-text", "none", "placebo")
    }
    assert repaired == {"full-context": 7, "summary": 1, "cli-text": 0, "none": 0, "placebo": 0}


@pytest.mark.parametrize("strategy", ["summary", "full-context", "agent-json"])
def test_it_declines_where_the_context_shows_a_users_code(strategy):
    assert "missing_scope" in response(asked(invented.only_the_user(), strategy))["cannot_fix"]


@pytest.mark.parametrize("make", [invented.bad_gateway, invented.shell_typo, invented.many_wrong_rows])
def test_it_leaves_alone_what_no_rule_is_about(make):
    assert response(asked(make(), "full-context")) == {"edits": []}


def test_it_takes_a_type_that_the_validator_suggests():
    edits = response(asked(invented.not_valid(), "agent-json"))["edits"]
    assert edits == [{"node": "lend", "path": "type", "value": "http"}]


def test_it_renames_a_parameter_that_was_meant_otherwise():
    edits = repairs(node(urll="https://a.example"), "Node: call\nUnknown parameter 'urll'. Did you mean 'url'?")[
        "edits"
    ]
    assert edits == [
        {"node": "call", "path": "params.urll", "remove": True},
        {"node": "call", "path": "params.url", "value": "https://a.example"},
    ]


def test_it_takes_a_template_that_was_meant():
    text = "Node: call\n'${a.fist}' was not found. Did you mean '${a.first}'?"
    edits = repairs(node(body={"t": "x ${a.fist}"}), text)["edits"]
    assert edits == [{"node": "call", "path": "params.body.t", "value": "x ${a.first}"}]


def test_it_fills_a_missing_field_from_an_input_of_that_name():
    text = 'Node: call\n"title" wasn\'t supplied.'
    edits = repairs(node(body={"labels": []}), text, {"title": {}})["edits"]
    assert edits == [{"node": "call", "path": "params.body.title", "value": "${title}"}]


def test_it_invents_no_value_for_a_missing_field():
    assert repairs(node(body={"labels": []}), 'Node: call\n"title" wasn\'t supplied.') == {"edits": []}


def test_it_does_not_touch_a_field_that_is_there():
    assert repairs(node(body={"title": ""}), 'Node: call\n"title" wasn\'t supplied.') == {"edits": []}


def test_it_distinguishes_the_field_that_is_missing_from_the_one_that_is_invalid():
    errors = [{"field": "labels", "code": "invalid"}, {"field": "title", "code": "missing_field"}]
    text = f"**Node**: call\n```json\n{json.dumps({'errors': errors})}\n```"
    edits = repairs(node(body={"subject": "Hi", "label": "bug"}), text)["edits"]
    assert edits == [
        {"node": "call", "path": "params.body.subject", "remove": True},
        {"node": "call", "path": "params.body.title", "value": "Hi"},
    ]


def test_it_puts_a_template_that_has_to_be_a_list_into_one():
    text = "Node: call\nFor 'properties/labels', \"bug\" is not an array."
    edits = repairs(node(body={"labels": "${pick.result}"}), text)["edits"]
    assert edits == [{"node": "call", "path": "params.body.labels", "value": ["${pick.result}"]}]


def test_it_finds_a_level_that_was_left_out():
    text = "Node: call\n${list.messages} not found\nAvailable fields:\n- result.count\n- result.data.messages\n"
    nodes = [{"id": "list", "type": "mcp", "params": {}}, *node(body={"m": "${list.messages}"})]
    edits = repairs(nodes, text)["edits"]
    assert edits == [{"node": "call", "path": "params.body.m", "value": "${list.result.data.messages}"}]


def test_it_takes_no_path_that_is_like_nothing():
    text = "Node: call\n${list.zebra} not found\nAvailable fields: list.count, list.total"
    nodes = [{"id": "list", "type": "mcp", "params": {}}, *node(body={"m": "${list.zebra}"})]
    assert repairs(nodes, text) == {"edits": []}


def test_it_reads_where_the_data_is_from_upstream_data():
    nodes = [{"id": "get", "type": "http", "params": {}}, *node(body={"m": "${get.response.username}"})]
    context = {
        "errors": [
            {
                "node_id": "call",
                "message": "Unresolved variables in parameter 'm': ${get.response.username}",
                "upstream_data": {"get": {"response": {"user": {"name": "ada"}, "ok": True}}},
            }
        ]
    }
    edits = repairs(nodes, json.dumps(context))["edits"]
    assert edits == [{"node": "call", "path": "params.body.m", "value": "${get.response.user.name}"}]


def test_a_value_under_a_named_limit_is_the_largest_allowed():
    text = "Node: call\n[ERROR] must be less than 100 [json-pointer:/limit]"
    assert repairs(node(params={"limit": 500}), text)["edits"] == [
        {"node": "call", "path": "params.params.limit", "value": 99}
    ]


def test_a_prompt_without_a_workflow_is_left_alone():
    assert response(plain("channel_not_found")) == {"edits": []}


def test_every_rule_says_what_it_does():
    assert all(rule.__doc__ for rule in RULES)


@given(text=st.text(max_size=200))
def test_no_context_takes_it_down(text):
    assert set(repairs(node(body={"a": 1}), text)) <= {"edits", "cannot_fix"}


@given(
    nodes=st.one_of(
        st.none(),
        st.integers(),
        st.dictionaries(st.text(max_size=2), st.none()),
        st.lists(
            st.one_of(st.none(), st.text(max_size=3), st.fixed_dictionaries({"id": st.text(max_size=3)})), max_size=3
        ),
    ),
)
def test_no_workflow_takes_it_down(nodes):
    text = "Node: a\n'x' did you mean 'y'\n${q.w} not found\n\"t\" wasn't supplied\n9 must be less than or equal to 6"
    assert repairs(nodes, text)["edits"] == []


def test_the_same_prompt_has_the_same_answer():
    prompt = asked(invented.wrong_path(), "full-context")
    assert response(prompt) == response(prompt)
