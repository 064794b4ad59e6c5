import copy

from hypothesis import given, settings
from hypothesis import strategies as st

from mendbench.scoring.judging.diffs import MISSING, diff_paths, touched_nodes, value_at
from tests.fakes.scoring import BROKEN, fixed_workflow

NODES = st.dictionaries(st.sampled_from("abcd"), st.dictionaries(st.sampled_from("xy"), st.integers(0, 2)), max_size=4)


def document(nodes):
    return {"nodes": [{"id": name, "params": params} for name, params in nodes.items()]}


@settings(deadline=None)
@given(NODES, NODES)
def test_a_workflow_differs_from_another_exactly_when_something_is_named(left, right):
    assert diff_paths(document(left), document(left)) == frozenset()
    assert diff_paths(document(left), document(right)) == diff_paths(document(right), document(left))
    assert bool(diff_paths(document(left), document(right))) == (document(left) != document(right))


def test_nodes_are_addressed_by_id_and_only_the_changed_leaf_is_named():
    assert diff_paths(BROKEN, fixed_workflow()) == {"/nodes/greet/params/body/text"}


def test_inserting_a_node_names_the_node_and_the_edges_and_not_those_that_moved_down():
    longer = copy.deepcopy(BROKEN)
    longer["nodes"].insert(1, {"id": "look", "type": "http", "params": {}})
    longer["edges"] = [{"from": "fetch", "to": "look"}, {"from": "look", "to": "greet", "action": "default"}]
    assert diff_paths(BROKEN, longer) == {
        "/nodes/look",
        "/edges/fetch->greet",
        "/edges/fetch->look",
        "/edges/look->greet",
    }


def test_another_order_of_edges_or_a_spelt_out_default_action_is_no_difference():
    one = {"nodes": [], "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}]}
    other = {"nodes": [], "edges": [{"from": "b", "to": "c"}, {"from": "a", "to": "b", "action": "default"}]}
    assert diff_paths(one, other) == frozenset()
    assert diff_paths({"nodes": []}, {"nodes": [], "edges": []}) == frozenset()


def test_another_order_of_nodes_is_a_difference():
    assert diff_paths(BROKEN, {**BROKEN, "nodes": BROKEN["nodes"][::-1]}) == {"/nodes"}


def test_names_with_slashes_are_escaped():
    assert diff_paths({"inputs": {"a/b~": 1}}, {"inputs": {}}) == {"/inputs/a~1b~0"}


def test_nodes_without_ids_of_their_own_are_compared_in_order():
    assert diff_paths(
        {"nodes": [{"id": "a", "x": 1}, {"id": "a", "x": 2}]}, {"nodes": [{"id": "a", "x": 1}, {"id": "a", "x": 3}]}
    ) == {"/nodes/1/x"}


def test_an_edit_touches_nodes_by_their_own_text_their_edges_their_inputs_and_the_start():
    rewired = {**BROKEN, "edges": [{"from": "fetch", "to": "greet", "action": "error"}]}
    retyped = {**BROKEN, "inputs": {"user_id": {"type": "number"}}}
    assert touched_nodes(BROKEN, fixed_workflow()) == {"greet"}
    assert touched_nodes(BROKEN, rewired) == {"fetch", "greet"}
    assert touched_nodes(BROKEN, retyped) == {"fetch"}
    assert touched_nodes(BROKEN, {**BROKEN, "start_node": "greet"}) == {"greet"}
    assert touched_nodes(BROKEN, BROKEN) == frozenset()


def test_a_path_through_a_text_or_past_the_end_of_a_list_leads_nowhere():
    assert value_at(BROKEN, "/nodes/greet/params/body/text/0") == MISSING
    assert value_at(BROKEN, "/nodes/7") == MISSING
    assert value_at(BROKEN, "/nodes/-") == MISSING
    assert value_at(BROKEN, "/nodes/1/params/body/channel") == "C1"


def test_digits_in_a_path_are_a_place_and_never_an_id():
    odd = {"nodes": [{"id": "1"}, {"id": "٢"}]}
    assert value_at(odd, "/nodes/1/id") == value_at(odd, "/nodes/٢/id") == "٢"
