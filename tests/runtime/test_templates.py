"""Templates resolve exactly as the format says."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendbench.runtime.templates import (
    MAX_DEPTH,
    ParamProblem,
    Template,
    field_paths,
    lookup,
    malformed,
    resolve,
    resolve_params,
    templates_in,
)

DATA = {
    "fetch": {
        "response": {
            "user": {"name": "Ada", "nick": None, "né": 1},
            "items": [{"id": 7}, {"id": 8}],
            "n": 0,
            "on": False,
        },
        "status_code": 200,
    },
    "sh": {"stdout": '{"user_name": "ada", "rows": [{"k": "v"}]}', "list": '[{"id": "1"}]', "bad": "{'k': 1}"},
    "who": "Grace",
    "i": 1,
    "yes": True,
    "none": None,
    "snowflake": "123456789012345678",
    "tags": ["a", "ö"],
}

NAMES = st.sampled_from(["a", "b", "fetch", "response", "x-y", "items"])
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["${a}", "${a.b[0]}", "${", "$${a}"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES | st.text(), inner, max_size=4),
    max_leaves=12,
)
PIECES = st.lists(
    st.sampled_from(["${", "}", "$", "a", ".b", "[0]", "[${i}]", "[", "]", " ", "-", "\n", "fetch"])
    | st.text(max_size=3)
)
TEXTS = PIECES.map("".join)
DATA_OF_ANY_KIND = st.dictionaries(NAMES | st.text(), JSON, max_size=5)


def text_of(value: object) -> object:
    return resolve(value, DATA).value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${fetch.response.user}", DATA["fetch"]["response"]["user"]),
        ("${fetch.response.items}", [{"id": 7}, {"id": 8}]),
        ("${fetch.response.items[1].id}", 8),
        ("${fetch.response.n}", 0),
        ("${fetch.response.on}", False),
        ("${yes}", True),
        ("${none}", None),
        ("${fetch.response.user.nick}", None),
        ("${tags[1]}", "ö"),
        ("${fetch.response.user.né}", 1),
    ],
)
def test_a_whole_template_keeps_the_type_of_the_value(text: str, value: object) -> None:
    result = resolve(text, DATA)
    assert result.complete
    assert result.value == value
    assert type(result.value) is type(value)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Hi ${who}!", "Hi Grace!"),
        ("${who}${i}", "Grace1"),
        ("-${none}-", "--"),
        ("-${fetch.response.user.nick}-", "--"),
        ("-${yes}-${fetch.response.on}-", "-True-False-"),
        ("-${fetch.response.n}-", "-0-"),
        ("-${tags}-", '-["a", "ö"]-'),
        ("-${fetch.response.items[0]}-", '-{"id": 7}-'),
    ],
)
def test_in_a_longer_text_values_are_written_out(text: str, written: str) -> None:
    assert resolve(text, DATA).value == written


def test_a_template_that_names_nothing_stays_and_is_reported_while_the_others_resolve() -> None:
    result = resolve("${who} has ${fetch.response.userr.name} and ${gone}", DATA)
    assert result.value == "Grace has ${fetch.response.userr.name} and ${gone}"
    assert [template.text for template in result.unresolved] == ["${fetch.response.userr.name}", "${gone}"]
    assert not result.complete


@pytest.mark.parametrize(
    "text",
    [
        "${fetch.response.user.nick.first}",
        "${fetch.response.items[2]}",
        "${fetch.response.items.id}",
        "${fetch.response.user[0]}",
        "${fetch.status_code.x}",
        "${sh.bad.k}",
        "${snowflake.x}",
        "${Who}",
        "${fetch.response.items[${who}]}",
        "${fetch.response.items[${yes}]}",
    ],
)
def test_none_on_the_way_a_wrong_index_and_a_wrong_type_do_not_resolve(text: str) -> None:
    assert [template.text for template in resolve(text, DATA).unresolved] == [text]
    assert text_of(text) == text


def test_paths_go_into_texts_that_are_json() -> None:
    assert text_of("${sh.stdout.user_name}") == "ada"
    assert text_of("${sh.stdout.rows[0].k}") == "v"
    assert text_of("${sh.list[0].id}") == "1"


def test_json_texts_are_parsed_inside_objects_and_lists_only() -> None:
    assert text_of("${sh.list}") == '[{"id": "1"}]'
    assert text_of({"rows": "${sh.list}"}) == {"rows": [{"id": "1"}]}
    assert text_of(["${sh.bad}"]) == ["{'k': 1}"]
    assert text_of({"id": "${snowflake}"}) == {"id": "123456789012345678"}


@pytest.mark.parametrize(
    "part",
    [
        "${x",
        "${}",
        "${ x }",
        "${a[0][1]}",
        "${a[-1]}",
        "${a.0.b}",
        "${a[*].b}",
        "${x|f}",
        "${x:-d}",
        "$${who}",
        "${#a[@]}",
        "${a.}",
    ],
)
def test_what_only_begins_like_a_template_stays_and_is_reported(part: str) -> None:
    result = resolve(f"<{part}> ${{who}}", DATA)
    assert result.value == f"<{part}> Grace" if part.endswith("}") else result.value.endswith("Grace")
    assert result.malformed
    assert result.malformed[0].startswith(part)
    assert malformed(part) == (part,)
    assert not templates_in(part)


@pytest.mark.parametrize("text", ["$x", "{{x}}", "$ {x}", "a $5 bill", "}", ""])
def test_other_dollars_and_braces_are_plain_text(text: str) -> None:
    assert resolve(text, {}).complete
    assert malformed(text) == ()


def test_data_that_contains_a_template_is_put_in_as_it_is_and_not_reported() -> None:
    data = {"a": "${who}", "b": {"c": ["${x"]}, "who": "Grace"}
    assert resolve("${a} ${b}", data).complete
    assert resolve("${a}!", data).value == "${who}!"
    assert resolve({"k": "${b}"}, data).value == {"k": {"c": ["${x"]}}


def test_one_index_may_come_from_another_template() -> None:
    assert text_of("${fetch.response.items[${i}].id}") == 8
    assert text_of("#${fetch.response.items[${i}].id}") == "#8"
    missing = resolve("${fetch.response.items[${j}].id}", DATA)
    assert [template.text for template in missing.unresolved] == ["${fetch.response.items[${j}].id}", "${j}"]


def test_keys_of_objects_are_not_resolved() -> None:
    assert text_of({"${who}": 1}) == {"${who}": 1}


def test_a_template_knows_its_root_its_path_and_its_first_key() -> None:
    assert templates_in("${a-1.b_2[3].c}") == (Template(text="${a-1.b_2[3].c}", root="a-1", path=("b_2", 3, "c")),)
    (indexed, bare) = templates_in(["${rows[0].x}", "${rows}"])
    assert (indexed.key, bare.key) == (None, None)
    assert templates_in("${a.b}")[0].key == "b"


def test_templates_are_listed_once_in_order_with_those_that_give_an_index() -> None:
    value = {"x": ["${b}", {"y": "${a.k} ${b}"}], "z": "${c[${i}]}"}
    assert [template.text for template in templates_in(value)] == ["${b}", "${a.k}", "${c[${i}]}", "${i}"]


def test_params_report_what_is_left_by_dotted_path() -> None:
    params = {
        "url": "https://x/${who}",
        "body": {"title": "${gone} ${gone} ${no.x}"},
        "headers": {"X-Id": "${"},
        "list": [{"a": "${y}"}],
    }
    result = resolve_params(params, DATA)
    assert result.params["url"] == "https://x/Grace"
    assert result.problems == (
        ParamProblem(param="body.title", templates=("${gone}", "${no.x}")),
        ParamProblem(param="headers.X-Id", templates=("${",)),
        ParamProblem(param="list[0].a", templates=("${y}",)),
    )


def test_values_nested_too_deep_are_left_alone() -> None:
    deep: object = "${who}"
    for _ in range(MAX_DEPTH + 1):
        deep = [deep]
    assert resolve(deep, DATA).value == deep
    assert templates_in(deep) == ()


def test_a_value_that_cannot_be_written_as_text_is_unresolved() -> None:
    deep: object = []
    for _ in range(100_000):
        deep = [deep]
    assert [template.text for template in resolve("x ${a}", {"a": deep}).unresolved] == ["${a}"]


def test_field_paths_show_every_level_the_first_item_of_lists_and_json_in_texts() -> None:
    assert field_paths({"response": {"items": [{"id": 1}, {"no": 2}], "ok": True}, "out": '{"k": 1}'}, prefix="n") == (
        "n.response", "n.response.items", "n.response.items[0]", "n.response.items[0].id", "n.response.ok", "n.out", "n.out.k",
    )  # fmt: skip


def test_field_paths_keep_depth_and_limit_and_leave_out_what_no_template_can_name() -> None:
    value = {"a": {"b": {"c": 1}}, "with space": 1, "0": 2, "m": [[{"x": 1}]]}
    assert field_paths(value, depth=2) == ("a", "a.b", "m", "m[0]")
    assert field_paths(value, limit=1) == ("a",)
    assert field_paths([1]) == ()


@settings(deadline=None)
@given(value=DATA_OF_ANY_KIND)
def test_every_field_path_resolves(value: dict[str, object]) -> None:
    for path in field_paths(value, depth=8):
        (template,) = templates_in(f"${{{path}}}")
        assert lookup(value, template)[0]


@settings(deadline=None)
@given(value=JSON, text=TEXTS, data=DATA_OF_ANY_KIND)
def test_resolving_never_raises_and_changes_nothing(value: object, text: str, data: dict[str, object]) -> None:
    before = copy.deepcopy((value, data))
    resolve(text, data)
    resolve(value, data)
    resolve_params({"p": value, "q": [text]}, data)
    assert repr((value, data)) == repr(before)


@settings(deadline=None)
@given(value=JSON.filter(lambda value: "${" not in json.dumps(value)), data=DATA_OF_ANY_KIND)
def test_what_has_no_template_comes_back_as_it_was(value: object, data: dict[str, object]) -> None:
    result = resolve(value, data)
    assert repr(result.value) == repr(value)
    assert result.complete


@settings(deadline=None)
@given(value=JSON)
def test_a_whole_template_gives_the_value_itself(value: object) -> None:
    assert resolve("${n.k}", {"n": {"k": value}}).value is value


@settings(deadline=None)
@given(text=TEXTS)
def test_without_data_every_author_text_that_looks_like_a_template_is_reported(text: str) -> None:
    result = resolve(text, {})
    assert result.value == text
    assert result.complete == ("${" not in text)


@settings(deadline=None)
@given(text=TEXTS)
def test_templates_and_malformed_parts_do_not_overlap(text: str) -> None:
    left = text
    for template in templates_in(text):
        left = left.replace(template.text, "")
    if not malformed(text):
        assert "${" not in left


def test_what_would_be_larger_than_it_may_is_not_resolved():
    data = {"n": {"text": "x" * 1000}}
    assert resolve("${n.text}" * 9, data, most=5000).too_large
    assert resolve_params({"a": "${n.text}" * 9}, data, most=5000).params == {}
    assert resolve("${n.text}" * 3, data, most=5000).complete


def test_a_value_that_is_held_once_and_stands_often_counts_as_often():
    value = ["x"]
    for _ in range(60):
        value = [value, value]
    assert resolve({"a": "${n.v}"}, {"n": {"v": value}}).too_large
    assert resolve("see ${n.v}", {"n": {"v": value}}).too_large


def test_a_value_that_nests_too_deep_is_not_resolved():
    value = []
    for _ in range(200):
        value = [value]
    assert resolve("${n}", {"n": value}).too_large
