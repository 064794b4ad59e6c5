"""The data of a run as templates name it."""

import json
import secrets

from hypothesis import given, settings
from hypothesis import strategies as st

from mendbench.runtime.templates import resolve
from mendbench.secrets.redaction import sanitise
from mendbench.strategies.run_data import leaves, shown, told
from tests.fakes.tables import for_each
from tests.strategies import invented
from tests.strategies.ran import ANY_JSON, NAMED_JSON, any_views, with_outputs

OUTPUTS = st.dictionaries(st.sampled_from(["response", "result", "stdout", "status_code"]), NAMED_JSON, max_size=3)


def of(**outputs):
    """Return the leaves of a node that put this out, by their templates."""
    view = with_outputs(invented.wrong_path(), get_reader=outputs)
    return {leaf.template: leaf.value for leaf in leaves(view)}


def test_every_scalar_of_an_answer_is_a_leaf_under_its_template():
    assert of(response={"id": 7, "branch": {"city": "Oslo"}, "open": False}) == {
        "${get_reader.response.id}": 7,
        "${get_reader.response.branch.city}": "Oslo",
        "${get_reader.response.open}": False,
    }


def test_a_null_is_no_data():
    assert of(response={"id": None}) == {}


def test_of_a_long_list_the_first_three_entries_are_reported():
    assert list(of(result={"rows": [{"n": number} for number in range(9)]})) == [
        "${get_reader.result.rows[0].n}", "${get_reader.result.rows[1].n}", "${get_reader.result.rows[2].n}",
    ]  # fmt: skip


def test_a_list_of_scalars_is_one_leaf():
    assert of(response={"tags": ["a", "b"]}) == {"${get_reader.response.tags}": ["a", "b"]}


def test_a_text_that_holds_json_is_looked_into():
    assert of(stdout='{"ok": true}') == {"${get_reader.stdout.ok}": True}


def test_a_text_that_is_a_mere_number_stays_a_text():
    assert of(stdout="12") == {"${get_reader.stdout}": "12"}


def test_what_an_answer_says_about_itself_is_left_out():
    assert of(response={"data": {"n": 1}, "extensions": {"cost": 3}}) == {"${get_reader.response.data.n}": 1}


def test_only_headers_that_later_requests_use_are_reported():
    assert of(response_headers={"etag": '"a1"', "date": "today", "link": "</next>"}) == {
        "${get_reader.response_headers.etag}": '"a1"',
        "${get_reader.response_headers.link}": "</next>",
    }


def test_other_outputs_than_a_nodes_data_are_left_out():
    assert of(status_code=200, response_time=0.1) == {}


def test_what_the_failed_node_put_out_is_not_offered_to_itself():
    view = with_outputs(invented.wrong_path(), post_card={"response": {"id": 1}}, get_reader={"response": {"id": 2}})
    assert [leaf.template for leaf in leaves(view)] == ["${get_reader.response.id}"]


def test_the_nodes_that_the_failed_node_names_come_first_and_then_the_latest():
    nodes = [invented.http(name, "GET", f"/{name}") for name in ("one", "two", "three", "four")]
    bad = invented.failure("HTTP 400", "four", upstream_data={"two": {}})
    view = with_outputs(
        invented.view("x", nodes, bad), **{name: {"response": {"n": name}} for name in ("one", "two", "three")}
    )
    assert [leaf.value for leaf in leaves(view)] == ["two", "three", "one"]


@for_each("key", ["access_token", "password", "api_key", "client_secret"])
def test_what_stands_under_a_credentials_key_is_not_shown(key):
    credential = secrets.token_hex(12)
    for outputs in ({"response": {"a": {key: credential}}}, {"stdout": json.dumps({key: credential})}):
        assert credential not in repr(of(**outputs))


def test_a_response_is_rendered_without_addresses_nulls_and_data_about_itself():
    response = {
        "message": "no",
        "doc": "https://api.example/docs",
        "at": None,
        "extensions": {"a": 1},
        "errors": [{"f": "t", "h": None}],
    }
    assert told(response) == {"message": "no", "errors": [{"f": "t"}]}


@for_each("response", [0, False, "", [], {}, "no", 1.5])
def test_a_falsy_or_bare_response_is_rendered_as_it_is(response):
    assert told(response) == response


def test_a_long_value_is_cut():
    assert shown("a" * 60) == '"' + "a" * 49 + "…"
    assert shown({"a": "é"}) == '{"a": "é"}'


@given(OUTPUTS)
@settings(deadline=None)
def test_every_leafs_template_resolves_to_its_value(outputs):
    clean = sanitise(outputs)
    for template, value in of(**outputs).items():
        found = resolve(template, {"get_reader": clean})
        assert found.complete, template
        if isinstance(found.value, str) and not isinstance(value, str):
            assert json.loads(found.value) == value
        else:
            assert found.value == value


@given(OUTPUTS)
@settings(deadline=None)
def test_the_order_of_an_answers_keys_decides_the_order_of_the_leaves_alone(outputs):
    def turned(value):
        if isinstance(value, dict):
            return {key: turned(item) for key, item in reversed(value.items())}
        return [turned(item) for item in value] if isinstance(value, list) else value

    assert of(**turned(outputs)) == of(**outputs)


@given(any_views())
@settings(deadline=None)
def test_no_data_makes_it_raise(view):
    for leaf in leaves(view):
        assert leaf.template.startswith("${")
        shown(leaf.value)


@given(ANY_JSON)
def test_the_response_filter_keeps_its_argument_unchanged(response):
    before = json.dumps(response)
    told(response)
    assert json.dumps(response) == before


def test_what_no_template_can_name_is_not_offered():
    odd = {"full name": 1, "@type": 2, "a.b": 3, "rows": [[{"a": 4}]], "plain": 5}
    assert list(of(response=odd)) == ["${get_reader.response.rows[0]}", "${get_reader.response.plain}"]


def test_a_json_text_without_parts_stays_a_text():
    assert of(result="[1, 2]") == {"${get_reader.result}": "[1, 2]"}


def test_a_text_nested_too_deeply_to_read_stays_a_text():
    deep = "[" * 3000 + "]" * 3000
    assert of(stdout=deep) == {"${get_reader.stdout}": deep}
