import copy

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mendbench.repair.edits import apply_edits
from mendbench.repair.paths import EditError
from tests.fakes.repair import WORKFLOW
from tests.fakes.tables import for_each


def node(document, name):
    return next(n for n in document["nodes"] if n["id"] == name)


def edited(*edits, document=WORKFLOW):
    return apply_edits(document, list(edits))


def edges(document):
    return {(e["from"], e["to"], e.get("action", "default")) for e in document["edges"]}


@for_each(
    "path",
    [
        "params.body.text",
        "/params/body/text",
        "body.text",
        "/body/text",
        "parameters.body.text",
        "greet.params.body.text",
        "nodes.greet.params.body.text",
        "/nodes/greet/params/body/text",
        "nodes[1].params.body.text",
        "/nodes/1/params/body/text",
        'params["body"]["text"]',
        "params.body['text']",
        "$.params.body.text",
        ["params", "body", "text"],
    ],
)
def test_every_spelling_of_a_path_reaches_the_same_parameter(path):
    after = edited({"node": "greet", "path": path, "value": "Hello"})
    wanted = copy.deepcopy(WORKFLOW)
    node(wanted, "greet")["params"]["body"]["text"] = "Hello"
    assert after == wanted


@for_each("path", ["nodes.greet.params.body.text", "greet.params.body.text", "/nodes/1/params/body/text"])
def test_a_path_from_the_root_may_name_the_node(path):
    assert node(edited({"path": path, "value": "Hello"}), "greet")["params"]["body"]["text"] == "Hello"


def test_missing_parents_under_params_are_made():
    after = edited({"node": "fetch", "path": "headers.Accept", "value": "text/plain"})
    assert node(after, "fetch")["params"]["headers"] == {"Accept": "text/plain"}
    after = edited({"node": "fetch", "path": "params.body.blocks[0].text.text", "value": "x"})
    assert node(after, "fetch")["params"]["body"] == {"blocks": [{"text": {"text": "x"}}]}


def test_params_itself_is_made_where_a_node_has_none():
    bare = {"nodes": [{"id": "a", "type": "http"}]}
    assert edited({"node": "a", "path": "url", "value": "u"}, document=bare)["nodes"][0]["params"] == {"url": "u"}


def test_null_on_the_way_counts_as_missing():
    document = {"nodes": [{"id": "a", "type": "http", "params": {"body": None}}]}
    assert edited({"node": "a", "path": "body.x", "value": 1}, document=document)["nodes"][0]["params"] == {
        "body": {"x": 1}
    }


def test_a_list_takes_an_index_the_next_index_and_a_dash():
    document = {"nodes": [{"id": "a", "type": "x", "params": {"rows": [1, 2]}}]}
    after = edited(
        {"node": "a", "path": "rows[0]", "value": "first"},
        {"node": "a", "path": "rows[2]", "value": "third"},
        {"node": "a", "path": "rows.-", "value": "fourth"},
        {"node": "a", "path": "/params/rows/1", "remove": True},
        document=document,
    )
    assert after["nodes"][0]["params"]["rows"] == ["first", "third", "fourth"]


def test_a_key_with_dots_is_tried_whole_first():
    document = {"nodes": [{"id": "a", "type": "x", "params": {"map": {"a.b": {"c": 1}, "a": {"b": 2}}}}]}
    params = edited({"node": "a", "path": "map.a.b.c", "value": 9}, document=document)["nodes"][0]["params"]
    assert params == {"map": {"a.b": {"c": 9}, "a": {"b": 2}}}
    params = edited({"node": "a", "path": "/params/map/a/b", "value": 9}, document=document)["nodes"][0]["params"]
    assert params == {"map": {"a.b": {"c": 1}, "a": {"b": 9}}}


def test_a_text_that_looks_like_json_stays_a_text():
    after = edited({"node": "greet", "path": "body", "value": '{"text": "x"}'})
    assert node(after, "greet")["params"]["body"] == '{"text": "x"}'


def test_a_value_is_removed_by_path():
    assert "method" not in node(edited({"node": "greet", "path": "params.method", "remove": True}), "greet")["params"]
    assert "method" not in node(edited({"op": "remove", "node": "greet", "path": "method"}), "greet")["params"]


def test_the_root_is_addressed_without_a_node():
    after = edited(
        {"path": "outputs.said.source", "value": "${greet.status_code}"},
        {"path": "inputs.limit.type", "value": "number"},
        {"path": "edges[1].to", "value": "fetch"},
        {"path": "start_node", "value": "fetch"},
    )
    assert after["outputs"] == {"said": {"source": "${greet.status_code}"}}
    assert after["inputs"]["limit"] == {"type": "number"}
    assert after["edges"][1] == {"from": "greet", "to": "fetch"}
    assert after["start_node"] == "fetch"


def test_an_id_is_changed_and_nothing_that_refers_to_it():
    after = edited({"node": "fetch", "path": "id", "value": "get"})
    assert [n["id"] for n in after["nodes"]] == ["get", "greet", "log"]
    assert after["edges"] == WORKFLOW["edges"]


def test_edits_apply_one_after_the_other():
    after = edited({"node": "log", "path": "id", "value": "end"}, {"node": "end", "path": "command", "value": "date"})
    assert node(after, "end")["params"]["command"] == "date"


def test_a_node_added_after_another_takes_over_its_default_edges():
    document = copy.deepcopy(WORKFLOW)
    document["edges"].append({"from": "fetch", "to": "log", "action": "error"})
    after = edited({"add_node": {"id": "pick", "type": "transform"}, "after": "fetch"}, document=document)
    assert [n["id"] for n in after["nodes"]] == ["fetch", "pick", "greet", "log"]
    assert edges(after) == {
        ("fetch", "pick", "default"),
        ("pick", "greet", "default"),
        ("greet", "log", "default"),
        ("fetch", "log", "error"),
    }


def test_a_node_added_without_a_place_stands_at_the_end_without_edges():
    after = edited({"add_node": {"id": "pick", "type": "transform"}}, {"add_edge": {"from": "log", "to": "pick"}})
    assert after["nodes"][-1]["id"] == "pick"
    assert edges(after) - edges(WORKFLOW) == {("log", "pick", "default")}


@for_each(
    "edit",
    [
        {"remove_node": "greet"},
        {"node": "greet", "remove": True},
        {"path": "nodes.greet", "remove": True},
        {"path": "nodes[1]", "remove": True},
    ],
)
def test_a_removed_node_is_bridged(edit):
    after = edited(edit)
    assert [n["id"] for n in after["nodes"]] == ["fetch", "log"]
    assert edges(after) == {("fetch", "log", "default")}


def test_a_bridge_keeps_the_action_of_the_edge_that_led_in():
    document = {
        "nodes": [{"id": i, "type": "x"} for i in "abc"],
        "edges": [
            {"from": "a", "to": "b", "action": "error"},
            {"from": "b", "to": "c"},
            {"from": "b", "to": "a", "action": "error"},
        ],
        "start_node": "b",
    }
    after = edited({"remove_node": "b"}, document=document)
    assert edges(after) == {("a", "c", "error")}
    assert after["start_node"] == "c"


def test_the_last_node_is_removed_with_its_edges():
    assert edges(edited({"remove_node": "log"})) == {("fetch", "greet", "default")}


def test_edges_are_added_once_and_removed():
    assert edited({"add_edge": {"from": "fetch", "to": "greet", "action": "default"}}) == WORKFLOW
    after = edited({"add_edge": {"from": "fetch", "to": "log", "action": "error"}})
    assert edges(after) - edges(WORKFLOW) == {("fetch", "log", "error")}
    assert edited({"remove_edge": {"from": "fetch", "to": "log"}}, document=after) == WORKFLOW


def test_an_operation_of_json_patch_may_stand_among_edits():
    after = edited({"op": "replace", "path": "/nodes/greet/params/method", "value": "PUT"})
    assert node(after, "greet")["params"]["method"] == "PUT"


@for_each(
    ("edit", "says"),
    [
        ({"node": "gret", "path": "a", "value": 1}, "no node 'gret'; the nodes are fetch, greet, log"),
        ({"node": 3, "path": "a", "value": 1}, "named by its id"),
        ({"node": "greet", "path": "", "value": 1}, "'path' is empty"),
        ({"node": "greet", "path": "a..b", "value": 1}, "cannot be read from position 2"),
        ({"node": "greet", "path": "a[", "value": 1}, "cannot be read"),
        ({"node": "greet", "path": "/a//b", "value": 1}, "empty step"),
        ({"node": "greet", "path": "/a~2", "value": 1}, "JSON pointer"),
        ({"node": "greet", "path": 7, "value": 1}, "'path' is not a text"),
        ({"node": "greet", "path": "a"}, "neither a 'value' nor"),
        ({"node": "greet", "params": {"a": 1}}, "no 'path'; its keys are node, params"),
        ({"node": "greet", "path": "url.deep", "value": 1}, "'params.url' is a text, not an object or a list"),
        ({"node": "greet", "path": "body[0]", "value": 1}, r"is an object, so \[0\] finds nothing"),
        ({"node": "greet", "path": "nope", "remove": True}, "there is nothing at"),
        ({"node": "greet", "path": "url", "remove": True, "value": 1}, "both a 'value' and a removal"),
        ({"node": "greet", "path": "url", "remove": "yes"}, "neither true nor false"),
        ({"node": "greet", "path": "nodes.fetch.params.url", "value": 1}, "name different places"),
        ({"node": "greet", "path": "a", "value": 1, "op": "move"}, "'move' is not understood"),
        ({"path": "body.text", "value": 1}, "names no node, and the document has no 'body'; the nodes are fetch"),
        ({"path": "nodes[7].id", "value": 1}, "there is no node 7; the workflow has 3"),
        ({"path": "nodes.-", "remove": True}, "there is nothing at"),
        ({"add_node": {"type": "x"}}, "not an object with an 'id'"),
        ({"add_node": {"id": "greet", "type": "x"}}, "a node 'greet' already"),
        ({"add_node": {"id": "n", "type": "x"}, "after": "zzz"}, "no node 'zzz'"),
        ({"remove_node": "zzz"}, "no node 'zzz'"),
        ({"add_edge": {"from_node": "a", "to_node": "b"}}, "needs 'from' and 'to'"),
        ({"add_edge": ["a", "b"]}, "not an object with 'from'"),
        ({"remove_edge": {"from": "fetch", "to": "log"}}, "no edge from 'fetch' to 'log'"),
        ({"remove_edge": {"from": "fetch", "to": "greet", "action": "error"}}, "on 'error'"),
        ({"remove_node": "a", "add_edge": {}}, r"several things at once \(add_edge, remove_node\)"),
        ({}, "no 'path'; its keys are none"),
        ("text", "edit 1 is not an object"),
    ],
)
def test_an_edit_that_does_not_apply_says_which_one_and_why(edit, says):
    with pytest.raises(EditError, match=says) as error:
        edited(edit)
    assert str(error.value).startswith("edit 1")
    assert "\n" not in str(error.value)


def test_a_node_whose_id_is_not_its_own_must_be_named_by_its_place():
    document = {"nodes": [{"id": "a", "type": "x", "params": {}}, {"id": "a", "type": "y", "params": {}}]}
    with pytest.raises(EditError, match=r"2 nodes have the id 'a' \(nodes\[0\], nodes\[1\]\)"):
        edited({"node": "a", "path": "k", "value": 1}, document=document)
    assert edited({"path": "nodes[1].id", "value": "b"}, document=document)["nodes"][1]["id"] == "b"
    assert len(edited({"path": "nodes[1]", "remove": True}, document=document)["nodes"]) == 1


def test_a_value_that_nests_too_deep_is_refused():
    deep = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(EditError, match="deeper than 100"):
        edited({"node": "greet", "path": "body", "value": deep})


@for_each("path", ["params" + ".a" * 100, "/a" * 101, ["a"] * 101])
def test_a_path_of_more_steps_than_a_document_has_levels_is_refused(path):
    with pytest.raises(EditError, match="has 101 steps, and at most 100 can lead to anything"):
        edited({"node": "greet", "path": path, "value": 1})


@for_each("changes", [{}, "text", None, 3])
def test_changes_that_are_no_list_are_refused(changes):
    with pytest.raises(EditError, match="not a list"):
        apply_edits(WORKFLOW, changes)


@for_each(
    ("operation", "says"),
    [
        (
            {"op": "replace", "path": "/nodes/nope/id", "value": 1},
            "edit 2: there is no node 'nope'; the nodes are fetch, greet, log",
        ),
        ({"op": "test", "path": "/nodes/0/id", "value": "x"}, "edit 2: test '/nodes/0/id' does not apply: "),
        ({"op": "replace", "path": "/", "value": 3}, "edit 2: replace '/' does not apply: "),
    ],
)
def test_an_operation_of_json_patch_among_edits_fails_as_an_edit(operation, says):
    with pytest.raises(EditError) as error:
        edited({"op": "test", "path": "/ir_version", "value": "0.1.0"}, operation)
    assert str(error.value).startswith(says)


def test_an_operation_among_edits_appends_a_node_under_its_new_id():
    after = edited(
        {"op": "add", "path": "/nodes/new", "value": {"id": "new", "type": "x", "params": {}}},
        {"node": "new", "path": "url", "value": "u"},
    )
    assert after["nodes"][3:] == [{"id": "new", "type": "x", "params": {"url": "u"}}]


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5)
)
JSONS = st.recursive(
    SCALARS, lambda c: st.lists(c, max_size=3) | st.dictionaries(st.text(max_size=4), c, max_size=3), max_leaves=6
)
NAMES = st.sampled_from(["fetch", "greet", "log", "zzz", "new"]) | JSONS
PATHS = (
    st.sampled_from(
        [
            "params.body.text",
            "/nodes/greet",
            "/nodes/-",
            "nodes.-",
            "nodes[1]",
            "edges[0].to",
            "edges.-",
            "/nodes/0/params",
            "id",
            "",
            "/",
            "url[0]",
            "body[-1]",
            "outputs",
            "/edges/5",
            "nodes",
            "/nodes/greet/params/body",
            ["nodes", -1],
        ]
    )
    | st.text(alphabet="abg.[]/~-0'\"", max_size=8)
    | JSONS
)
EDITS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "node": NAMES,
            "path": PATHS,
            "from": PATHS,
            "value": JSONS,
            "remove": st.booleans(),
            "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test", "set"]) | JSONS,
            "add_node": st.just({"id": "new", "type": "x"}) | JSONS,
            "after": NAMES,
            "remove_node": NAMES,
            "add_edge": st.fixed_dictionaries({"from": NAMES, "to": NAMES}, optional={"action": NAMES}) | JSONS,
            "remove_edge": st.fixed_dictionaries({"from": NAMES, "to": NAMES}) | JSONS,
        },
    )
    | JSONS,
    max_size=4,
)
DOCUMENTS = (
    st.just(WORKFLOW)
    | st.fixed_dictionaries({"nodes": JSONS, "edges": JSONS})
    | st.dictionaries(st.text(max_size=3), JSONS)
)


@given(document=DOCUMENTS, edits=EDITS)
@example(document=WORKFLOW, edits=[{"path": ["nodes", -1], "remove": True}])
@example(
    document={"nodes": [3], "edges": "x"},
    edits=[{"path": "nodes[0]", "remove": True}, {"add_edge": {"from": "a", "to": "b"}}],
)
def test_any_changes_give_a_document_or_an_edit_error_and_change_nothing_in_place(document, edits):
    before = copy.deepcopy((document, edits))
    try:
        after = apply_edits(document, edits)
    except EditError:
        return
    finally:
        assert (document, edits) == before
    assert isinstance(after, dict)


@given(value=JSONS)
def test_the_result_shares_nothing_with_the_edits(value):
    edits = [
        {"node": "greet", "path": "body", "value": {"kept": value}},
        {"node": "greet", "path": "body.more", "value": 1},
    ]
    apply_edits(WORKFLOW, edits)
    assert edits[0]["value"] == {"kept": value}


def test_a_bridge_never_leads_from_a_node_to_itself():
    document = {
        "nodes": [{"id": i, "type": "x"} for i in "ab"],
        "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "a"}],
    }
    assert edges(edited({"remove_node": "b"}, document=document)) == set()
