"""What a failure leads to: the parameters to look at, and the data that they could be filled from."""

import os
import secrets
import subprocess
import sys

from hypothesis import given, settings

from mendbench.model.failure import FieldProblem, UpstreamSource
from mendbench.strategies import strategy
from mendbench.strategies.diagnosis import diagnose, suspects
from tests.fakes.tables import for_each
from tests.strategies import invented
from tests.strategies.ran import any_views, with_outputs

RENDER_ALL = """
from mendbench.strategies import strategy
from tests.strategies import invented
for make in (*invented.ALL, invented.issue_422):
    print(strategy("mend").render(make(), 100_000).text)
"""


def one_suspect(view):
    (found,) = suspects(view)
    return found


def posted(body, *, request="Do it.", failed="post", **more):
    """Return a view of one node that posts a body and is refused."""
    node = invented.http(failed, "POST", "/things", body)
    return invented.view(request, [node], invented.failure("HTTP 422", failed, status_code=422, **more))


def problem(field, what="invalid", says="is not right"):
    return FieldProblem(field=field, problem=what, says=says)


def test_a_template_that_names_nothing_makes_its_parameter_suspect():
    found = one_suspect(invented.wrong_path())
    assert (found.node, found.path, found.why) == ("post_card", "params.body.line", "unresolved")
    assert found.text == "Welcome ${get_reader.response.fullname}!"
    assert found.wrong == ("${get_reader.response.fullname}",)
    assert found.value is None


def test_its_blank_keeps_what_stands_around_the_template():
    assert one_suspect(invented.wrong_path()).blank == "Welcome ${…}!"


def test_every_template_that_names_nothing_is_a_gap_and_the_others_stay():
    view = posted({"line": "${a.b} and ${good.id} and ${c.d}"}, unresolved=("${a.b}", "${c.d}"))
    assert one_suspect(view).blank == "${…} and ${good.id} and ${…}"


def test_a_field_that_the_api_misses_is_suspect_where_it_would_stand():
    found = one_suspect(invented.renamed_field())
    assert (found.path, found.text, found.why, found.blank) == ("params.body.shelf_id", None, "missing", "${…}")


def test_of_a_tools_call_that_is_among_its_arguments():
    found = one_suspect(invented.tool_refused())
    assert (found.path, found.why) == ("params.arguments.query", "missing")


def test_a_missing_field_of_a_node_without_a_body_is_nowhere():
    view = invented.view(
        "x",
        [invented.http("a", "GET", "/a")],
        invented.failure("HTTP 400", "a", problems=(problem("limit", "missing"),)),
    )
    assert suspects(view) == ()


def test_a_field_is_found_by_its_whole_name_before_its_last_word():
    view = posted({"card": {"name": "x"}, "owner": {"name": "y"}}, problems=(problem("owner.name"),))
    assert one_suspect(view).path == "params.body.owner.name"


def test_a_field_that_the_api_names_by_another_way_is_found_by_its_last_word():
    view = posted({"card": {"colour": "x"}}, problems=(problem("/properties/colour"),))
    assert one_suspect(view).path == "params.body.card.colour"


def test_an_object_that_holds_one_text_is_suspect_by_that_text():
    view = posted({"parent": {"id": "p-1"}}, problems=(problem("parent"),))
    assert one_suspect(view).path == "params.body.parent.id"


def test_an_object_that_holds_several_is_suspect_whole():
    found = one_suspect(posted({"parent": {"id": "p-1", "kind": "page"}}, problems=(problem("parent"),)))
    assert (found.path, found.text, found.blank) == ("params.body.parent", None, "${…}")


def test_a_field_that_the_api_does_not_want_is_found_in_the_text_that_holds_it():
    view = posted("kind=page&colour=red", problems=(problem("colour", "unknown"),))
    assert one_suspect(view).path == "params.body"


@for_each(("says", "quoted"), [("invalid_type", None), ("must be a list", "must be a list"), (" code ", None)])
def test_the_apis_words_are_kept_where_they_are_more_than_a_code(says, quoted):
    assert one_suspect(posted({"a": "b"}, problems=(problem("a", says=says),))).says == quoted


def test_the_value_of_a_whole_template_is_shown_beside_it():
    source = UpstreamSource(param="body.copies", template="${shelf.response.count}", resolved=True, value=9)
    view = posted({"copies": "${shelf.response.count}"}, problems=(problem("copies"),), upstream=(source,))
    found = one_suspect(view)
    assert (found.text, found.value, found.blank) == ("${shelf.response.count}", 9, "${…}")


def test_what_gave_a_part_of_a_text_is_not_taken_for_the_whole():
    source = UpstreamSource(param="body.line", template="${a.b}", resolved=True, value="Ann")
    view = posted({"line": "Hello ${a.b}"}, problems=(problem("line"),), upstream=(source,))
    assert one_suspect(view).value is None


def test_a_value_that_the_answer_quotes_makes_its_parameter_suspect():
    source = UpstreamSource(param="body.room", template="${find.result.room}", resolved=True, value="harbour")
    room = {"room": "to ${find.result.room}"}
    bad = invented.failure("No", "post", raw_response={"detail": "No room harbour here"}, upstream=(source,))
    view = invented.view("x", [invented.http("find", "GET", "/"), invented.http("post", "POST", "/", room)], bad)
    found = one_suspect(view)
    assert (found.path, found.why, found.wrong, found.blank) == (
        "params.body.room", "named", ("${find.result.room}",), "to ${…}",
    )  # fmt: skip


def test_an_input_is_the_users_own_word_and_is_not_suspected_where_the_answer_quotes_it():
    source = UpstreamSource(param="body.room", template="${room}", resolved=True, value="harbour")
    assert suspects(posted({"room": "${room}"}, raw_response="No room harbour here", upstream=(source,))) == ()


def test_a_fixed_text_that_the_answer_quotes_has_no_gap_of_its_own():
    found = one_suspect(posted({"room": "harbour"}, raw_response="No room harbour here"))
    assert (found.why, found.blank) == ("named", "…")


@for_each("response", ["no harbourmaster", "unharbour", None, {"detail": "no such room"}])
def test_a_value_inside_another_word_is_no_quotation(response):
    assert suspects(posted({"room": "harbour"}, raw_response=response)) == ()


def test_a_value_of_two_letters_is_no_quotation():
    assert suspects(posted({"room": "no"}, raw_response="no such room")) == ()


def test_what_says_which_tool_is_called_is_never_suspect():
    node = {"id": "a", "type": "mcp", "params": {"server": "catalogue", "tool": "find", "arguments": {"q": "Emma"}}}
    view = invented.view("x", [node], invented.failure("no", "a", mcp_error="catalogue: find failed for Emma"))
    assert one_suspect(view).path == "params.arguments.q"


def test_quotations_count_only_where_nothing_else_is_known():
    view = posted({"room": "harbour", "size": "x"}, raw_response="harbour", problems=(problem("size"),))
    assert one_suspect(view).path == "params.body.size"


def test_a_parameter_that_two_failures_complain_of_is_one_suspect():
    node = invented.http("post", "POST", "/things", {"a": "x"})
    bad = invented.failure("HTTP 422", "post", problems=(problem("a"),))
    assert len(suspects(invented.view("x", [node], bad, bad))) == 1


def test_a_failure_of_no_node_has_no_suspects():
    assert suspects(invented.not_valid()) == ()


def test_four_suspects_and_twelve_leaves_are_the_most():
    fields = [f"f{number}" for number in range(9)]
    nodes = [invented.http("read", "GET", "/r"), invented.http("post", "POST", "/p", dict.fromkeys(fields, "x"))]
    view = invented.view("x", nodes, invented.failure("HTTP 422", "post", problems=tuple(map(problem, fields))))
    view = with_outputs(view, read={"response": {f"g{number}": number for number in range(30)}})
    found = diagnose(view)
    assert [one.path for one in found.suspects] == [f"params.body.{name}" for name in fields[:4]]
    assert len(found.leaves) == 12


def test_data_whose_name_is_in_the_request_or_in_the_parameters_comes_first():
    view = with_outputs(
        invented.wrong_path(), get_reader={"response": {"id": 1, "town": "Vik", "full_name": "Ann", "line": "x"}}
    )
    assert [leaf.template for leaf in diagnose(view).leaves] == [
        "${get_reader.response.full_name}", "${get_reader.response.line}", "${get_reader.response.id}",
        "${get_reader.response.town}",
    ]  # fmt: skip


def test_data_that_a_suspect_is_filled_from_now_is_not_offered_again():
    nodes = [invented.http("read", "GET", "/r"), invented.http("post", "POST", "/p", {"a": "${read.response.x}"})]
    view = invented.view("x", nodes, invented.failure("HTTP 422", "post", problems=(problem("a"),)))
    view = with_outputs(view, read={"response": {"x": 1, "y": 2}})
    assert [leaf.template for leaf in diagnose(view).leaves] == ["${read.response.y}"]


def test_where_a_template_begins_with_what_there_is_not_it_is_offered_for_every_other_node():
    nodes = [invented.http("a", "GET", "/a"), invented.http("b", "POST", "/b", {"x": "${nobody.response.id}"})]
    bad = invented.failure("Unresolved", "b", unresolved=("${nobody.response.id}",))
    assert diagnose(invented.view("x", nodes, bad, inputs={"day": {}})).meant == ("${a.response.id}",)


def test_where_it_begins_with_a_node_or_names_no_part_no_other_is_offered():
    assert diagnose(invented.wrong_path()).meant == ()
    bad = invented.failure("Unresolved", "b", unresolved=("${nobody}",))
    assert diagnose(invented.view("x", [invented.http("b", "POST", "/b", {"x": "${nobody}"})], bad)).meant == ()


def test_a_credential_among_the_data_is_not_shown():
    credential = secrets.token_hex(12)
    view = with_outputs(invented.wrong_path(), get_reader={"response": {"session_token": credential, "id": 1}})
    assert credential not in repr(diagnose(view))


@given(any_views())
@settings(deadline=None)
def test_no_workflow_and_no_failure_makes_it_raise(view):
    found = diagnose(view)
    assert len(found.suspects) <= 4
    assert len(found.leaves) <= 12
    assert all(isinstance(one.blank, str) for one in found.suspects)


@given(any_views())
@settings(deadline=None)
def test_a_suspect_with_a_text_stands_where_it_says(view):
    params = {
        node.get("id"): node.get("params")
        for node in (view.workflow.get("nodes") if isinstance(view.workflow.get("nodes"), list) else [])
        if isinstance(node, dict)
    }
    for one in suspects(view):
        assert one.text is None or one.text in _texts(params[one.node])


def _texts(value):
    if isinstance(value, str):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in items for text in _texts(item)]


def test_no_hash_of_a_text_decides_anything():
    texts = {
        subprocess.run(
            [sys.executable, "-c", RENDER_ALL], check=True, capture_output=True, text=True,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(texts) == 1
    assert "Node `" in texts.pop()


def test_an_apis_field_is_never_the_nodes_own_parameter_of_that_name():
    assert [one.path for one in suspects(invented.issue_422())] == ["params.body.title", "params.body.body"]


def test_without_the_form_the_data_speaks_of_no_gap():
    view = with_outputs(invented.wrong_path(), get_reader={"response": {"full_name": "Ada"}})
    assert "where ${…}" in strategy("mend").render(view, 1000).text
    assert "${…}" not in strategy("mend~form").render(view, 1000).text
