import copy

import jsonpatch
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mendbench.values.json_patch import PatchError, apply_patch
from tests.fakes.repair import WORKFLOW
from tests.fakes.tables import for_each


def ids(document):
    return [node["id"] for node in document["nodes"]]


def node(document, name):
    return next(n for n in document["nodes"] if n["id"] == name)


def test_a_patch_names_nodes_by_index_or_id():
    for token in ("1", "greet"):
        after = apply_patch(WORKFLOW, [{"op": "replace", "path": f"/nodes/{token}/params/method", "value": "PUT"}])
        assert node(after, "greet")["params"]["method"] == "PUT"


def test_a_patch_appends_moves_copies_and_removes_nodes():
    after = apply_patch(
        WORKFLOW,
        [
            {"op": "add", "path": "/nodes/-", "value": {"id": "new", "type": "x", "params": {}}},
            {"op": "copy", "from": "/nodes/greet/params/url", "path": "/nodes/new/params/url"},
            {"op": "remove", "path": "/nodes/fetch"},
            {"op": "move", "from": "/nodes/new", "path": "/nodes/0"},
            {"op": "test", "path": "/nodes/new/id", "value": "new"},
        ],
    )
    assert ids(after) == ["new", "greet", "log"]
    assert after["nodes"][0]["params"]["url"] == "https://api.example/say"


def test_a_patch_appends_a_node_under_its_new_id_and_then_finds_it():
    after = apply_patch(
        WORKFLOW,
        [
            {"op": "add", "path": "/nodes/a~1b", "value": {"id": "a/b", "params": {}}},
            {"op": "add", "path": "/nodes/a~1b/params/url", "value": "u"},
            {"op": "remove", "path": "/nodes/fetch"},
        ],
    )
    assert ids(after) == ["greet", "log", "a/b"]
    assert after["nodes"][2]["params"] == {"url": "u"}


@for_each("value", [{"id": "other"}, {"type": "x"}, "new", None])
def test_a_node_is_added_under_no_id_but_its_own(value):
    with pytest.raises(PatchError, match="^operation 1: there is no node 'new'; the nodes are fetch, greet, log$"):
        apply_patch(WORKFLOW, [{"op": "add", "path": "/nodes/new", "value": value}])


@for_each("operation", [{"op": "replace"}, {"op": "copy", "from": "/nodes/0"}, {"op": "test"}])
def test_only_add_makes_a_node_under_a_new_id(operation):
    with pytest.raises(PatchError, match="no node 'new'"):
        apply_patch(WORKFLOW, [{"path": "/nodes/new", "value": {"id": "new"}, **operation}])


def test_adding_at_a_node_that_is_there_inserts_before_it_as_at_its_index():
    added = {"id": "new", "type": "x"}
    by_id, by_index = (
        apply_patch(WORKFLOW, [{"op": "add", "path": path, "value": added}]) for path in ("/nodes/greet", "/nodes/1")
    )
    assert by_id == by_index
    assert ids(by_id) == ["fetch", "new", "greet", "log"]


@for_each("name", ["0", "7", "12345678901"])
def test_digits_are_always_an_index_whatever_the_nodes_are_called(name):
    document = {"nodes": [{"id": "a"}, {"id": name}]}
    with pytest.raises(PatchError, match="does not apply"):
        apply_patch(document, [{"op": "add", "path": "/nodes/99999999999", "value": {"id": "99999999999"}}])
    if name == "0":
        assert ids(apply_patch(document, [{"op": "remove", "path": "/nodes/0"}])) == ["0"]
    else:
        with pytest.raises(PatchError, match=f"remove '/nodes/{name}' does not apply"):
            apply_patch(document, [{"op": "remove", "path": f"/nodes/{name}"}])


def test_digits_of_other_scripts_are_an_id_like_any_other_and_leading_zeros_no_index():
    document = {"nodes": [{"id": "a"}, {"id": "٠"}]}
    assert ids(apply_patch(document, [{"op": "remove", "path": "/nodes/٠"}])) == ["a"]
    with pytest.raises(PatchError, match="does not apply"):
        apply_patch(document, [{"op": "remove", "path": "/nodes/01"}])


def test_an_id_that_several_nodes_have_names_none():
    document = {"nodes": [{"id": "a"}, {"id": "a"}]}
    with pytest.raises(PatchError, match=r"2 nodes have the id 'a' \(nodes\[0\], nodes\[1\]\)"):
        apply_patch(document, [{"op": "remove", "path": "/nodes/a"}])


def test_a_from_that_the_operation_does_not_have_is_ignored():
    after = apply_patch(WORKFLOW, [{"op": "remove", "path": "/nodes/fetch", "from": "/nodes/nobody"}])
    assert ids(after) == ["greet", "log"]


@for_each(
    ("operation", "says"),
    [
        ({"op": "replace", "path": "/nodes/nope/id", "value": 1}, "no node 'nope'; the nodes are fetch, greet, log"),
        ({"op": "move", "from": "/nodes/nope", "path": "/nodes/-"}, "no node 'nope'; the nodes are fetch, greet, log"),
        ({"op": "replace", "path": "/nodes/greet/params/nope", "value": 1}, "replace .* does not apply"),
        ({"op": "remove", "path": "/nodes/greet/params/nope"}, "remove .* does not apply"),
        ({"op": "remove", "path": "/nodes/9"}, "remove '/nodes/9' does not apply"),
        ({"op": "remove", "path": "/nodes/-"}, "does not apply"),
        ({"op": "add", "path": "/x"}, "does not apply"),
        ({"op": "add", "value": 1}, "does not apply"),
        ({"op": "add"}, "does not apply"),
        ({"op": "add", "path": 3, "value": 1}, "does not apply"),
        ({"op": "replace", "path": 7, "value": 1}, "does not apply"),
        ({"op": "move", "path": "/x"}, "does not apply"),
        ({"op": "replace", "path": "", "value": 3}, "leaves no workflow"),
        ({"op": "replace", "path": "", "value": []}, "leaves no workflow"),
        ({"op": "test", "path": "/nodes/0/id", "value": "x"}, "does not apply"),
        ({"op": ["add"], "path": "/x", "value": 1}, "no operation"),
        ({"op": "jump", "path": "/nodes/greet"}, "'jump' is no operation"),
        ({"path": "/x"}, "None is no operation"),
        (3, "is not an object"),
    ],
)
def test_a_patch_that_does_not_apply_says_which_operation(operation, says):
    with pytest.raises(PatchError, match=says) as error:
        apply_patch(WORKFLOW, [{"op": "test", "path": "/ir_version", "value": "0.1.0"}, operation])
    assert str(error.value).startswith("operation 2")
    assert "\n" not in str(error.value)


@for_each("changes", [{}, "text", None, 3])
def test_changes_that_are_no_list_are_refused(changes):
    with pytest.raises(PatchError, match="not a list"):
        apply_patch(WORKFLOW, changes)


def test_what_nests_too_deep_is_refused_be_it_given_or_made():
    deep = []
    for _ in range(5000):
        deep = [deep]
    with pytest.raises(PatchError, match="^it nests deeper than 100 levels$"):
        apply_patch(WORKFLOW, [{"op": "add", "path": "/deep", "value": deep}])
    copies = [{"op": "copy", "from": "/x", "path": "/x" + "/x" * 2**at} for at in range(11)]
    with pytest.raises(PatchError, match="^operation 8: it nests deeper than 100 levels$"):
        apply_patch(WORKFLOW, [{"op": "add", "path": "/x", "value": {}}, *copies])
    moved = [{"op": "add", "path": "/x", "value": deep_by(60)}, {"op": "add", "path": "/y", "value": deep_by(60)}]
    with pytest.raises(PatchError, match="^operation 3: it nests deeper than 100 levels$"):
        apply_patch(WORKFLOW, [*moved, {"op": "move", "from": "/x", "path": "/y" + "/0" * 60}])


def deep_by(levels):
    return [deep_by(levels - 1)] if levels > 1 else []


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5)
)
JSONS = st.recursive(
    SCALARS, lambda c: st.lists(c, max_size=3) | st.dictionaries(st.text(max_size=4), c, max_size=3), max_leaves=6
)
PATHS = (
    *("", "/", "/nodes", "/nodes/", "/nodes/-", "/nodes/0", "/nodes/9", "/nodes/01", "/edges/5", "/edges/-"),
    *("/nodes/new", "/nodes/new/params", "/nodes/greet", "/nodes/greet/params/body", "/nodes/a~1b", "/nodes/~2"),
)
POINTERS = st.sampled_from(PATHS) | st.text(alphabet="abg/~-0'", max_size=8) | JSONS
OPERATIONS = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]) | JSONS},
    optional={"path": POINTERS, "from": POINTERS, "value": st.just({"id": "new", "params": {}}) | JSONS},
)
DOCUMENTS = (
    st.just(WORKFLOW)
    | st.fixed_dictionaries({"nodes": JSONS, "edges": JSONS})
    | st.dictionaries(st.text(max_size=3), JSONS)
)


@given(document=DOCUMENTS, patch=st.lists(OPERATIONS | JSONS, max_size=4))
@example(document={"nodes": "x"}, patch=[{"op": "add", "path": "/nodes/new", "value": {"id": "new"}}])
@example(document={"nodes": [3]}, patch=[{"op": "add", "path": "/nodes/new", "value": {"id": "new"}}])
def test_any_patch_gives_a_document_or_a_patch_error_and_changes_nothing_in_place(document, patch):
    before = copy.deepcopy((document, patch))
    try:
        after = apply_patch(document, patch)
    except PatchError:
        return
    finally:
        assert (document, patch) == before
    assert isinstance(after, dict)


PLACES = st.sampled_from(["", "/type", "/params", "/params/body", "/params/new"])


@settings(deadline=None)
@given(
    op=st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]),
    to=st.integers(0, 2), of=st.integers(0, 2), path=PLACES, source=PLACES, value=JSONS,
)  # fmt: skip
def test_an_id_says_what_its_index_says_and_an_index_what_the_rfc_says(op, to, of, path, source, value):
    def applied(apply, names):
        operation = {
            "op": op,
            "path": f"/nodes/{names[to]}{path}",
            "from": f"/nodes/{names[of]}{source}",
            "value": value,
        }
        try:
            return apply(operation)
        except (PatchError, jsonpatch.JsonPatchException, jsonpatch.JsonPointerException, TypeError):
            return None

    by_index = applied(lambda operation: apply_patch(WORKFLOW, [operation]), "012")
    assert applied(lambda operation: apply_patch(WORKFLOW, [operation]), ids(WORKFLOW)) == by_index
    assert applied(lambda operation: jsonpatch.apply_patch(WORKFLOW, [operation]), "012") == by_index


@given(value=JSONS)
def test_the_result_shares_nothing_with_the_patch_or_the_document(value):
    patch = [
        {"op": "add", "path": "/kept", "value": {"inner": value}},
        {"op": "add", "path": "/kept/more", "value": 1},
    ]
    after = apply_patch(WORKFLOW, patch)
    after["nodes"][0]["id"] = "other"
    assert patch[0]["value"] == {"inner": value}
    assert WORKFLOW["nodes"][0]["id"] == "fetch"
    assert apply_patch(WORKFLOW, [])["nodes"] is not WORKFLOW["nodes"]


def test_copies_of_copies_are_refused_before_they_are_larger_than_any_memory():
    patch = [{"op": "copy", "from": "/a", "path": "/a/-"}] * 40
    with pytest.raises(PatchError, match="write more than 2,000,000 characters"):
        apply_patch({"nodes": [], "a": ["x" * 10_000]}, patch)


def test_more_changes_than_are_made_at_once_are_refused():
    with pytest.raises(PatchError, match="there are 201 changes"):
        apply_patch({"nodes": []}, [{"op": "add", "path": "/x", "value": 1}] * 201)


@for_each("innermost", [[], {}, [1], {"a": 1}])
def test_a_document_has_so_many_levels_whatever_its_innermost_holds(innermost):
    deep = innermost
    for _ in range(98):
        deep = [deep]
    assert apply_patch({"deep": deep}, []) == {"deep": deep}
    with pytest.raises(PatchError, match="^it nests deeper than 100 levels$"):
        apply_patch({"deep": [deep]}, [])
    assert apply_patch({}, [{"op": "add", "path": "/deep", "value": deep}]) == {"deep": deep}
    with pytest.raises(PatchError, match="nests deeper than 100 levels$"):
        apply_patch({}, [{"op": "add", "path": "/deep", "value": [deep]}])
