import pytest

from mendbench.probing.faults import faults_of
from mendbench.probing.tools import Tool

UUID = "0b4c3f0e-5a3e-4f0a-9a51-9b3a7f1f2c11"


def tool(required=(), **properties):
    return Tool(name="kiln", schema={"type": "object", "required": list(required), "properties": properties})


def broken(operator, schema, value, name="glaze"):
    """Return the argument's value in each fault of that operator."""
    found = faults_of(tool(**{name: schema}), {name: value})
    return [fault.arguments[name] for fault in found if fault.operator == operator]


def test_each_operator_changes_one_argument_of_the_right_call():
    shapes = {
        "repo_path": {"type": "string"},
        "mode": {"enum": ["slow", "fast"]},
        "count": {"type": "integer", "maximum": 9},
        "kiln_id": {"type": "string"},
        "due": {"type": "string", "format": "date"},
    }
    right = {"repo_path": "/clay", "mode": "slow", "count": 3, "kiln_id": "k-17", "due": "2026-12-01"}
    found = faults_of(tool(["repo_path"], **shapes), right)
    for fault in found:
        names = {name for name in {*right, *fault.arguments} if right.get(name) != fault.arguments.get(name)}
        assert names == {fault.argument, fault.right_name} - {""}
    operators = {fault.operator for fault in found}
    assert operators == {"renamed", "missing", "type", "enum", "format", "range", "name-for-id", "unknown", "extra"}


@pytest.mark.parametrize(
    ("name", "others", "wrong"),
    [
        ("repo_path", (), "repoPath"),
        ("repoPath", (), "repo_path"),
        ("sort-by", (), "sort_by"),
        ("path", (), "file_path"),
        ("path", ("file_path",), "paths"),
        ("files", (), "paths"),
        ("a", (), "a_value"),
    ],
)
def test_a_wrong_name_is_one_that_a_model_would_choose_and_that_is_not_taken(name, others, wrong):
    shapes = {each: {"type": "string"} for each in (name, *others)}
    (fault,) = [one for one in faults_of(tool(**shapes), {name: "x"}) if one.operator == "renamed"]
    assert (fault.argument, fault.right_name, fault.arguments) == (wrong, name, {wrong: "x"})


def test_a_value_of_a_wrong_type_cannot_be_read_as_a_right_one():
    for schema, value, wrong in (
        ({"type": "integer"}, 3, ["about 3"]),
        ({"type": "boolean"}, True, ["sometimes"]),
        ({"type": "string"}, "ash", [["ash"]]),
        ({"type": "array"}, ["ash", "lime"], ["ash"]),
        ({"type": "object"}, {"a": 1}, ["all of them"]),
        ({"type": ["string", "array"]}, "ash", [{"value": "ash"}]),
        ({"type": ["string", "array", "object"]}, "ash", []),
        ({}, "ash", []),
        ({"enum": ["ash"]}, "ash", []),
    ):
        assert broken("type", schema, value) == wrong


def test_limits_and_formats_of_a_schema_are_broken_where_the_value_can_be():
    for operator, schema, value, wrong in (
        ("range", {"type": "integer", "minimum": 1}, 3, [0]),
        ("range", {"type": "number", "exclusiveMinimum": 0}, 3, [0]),
        ("range", {"type": "integer", "minimum": 1, "maximum": 9}, 3, [10]),
        ("range", {"type": "string", "maxLength": 3}, "ash", ["xxxx"]),
        ("range", {"type": "string", "maxLength": 10**9}, "ash", []),
        ("range", {"type": "integer", "minimum": 0, "maximum": 2**53 - 1}, 3, [-1]),
        ("range", {"type": "array", "minItems": 1}, ["ash"], [[]]),
        ("range", {"anyOf": [{"type": "integer", "maximum": 9}, {"type": "null"}]}, 3, [10]),
        ("format", {"type": "string", "pattern": "^k-"}, "k-1", ["???"]),
        ("format", {"type": "string", "pattern": "("}, "k-1", []),
        ("format", {"type": "string"}, "16:30", ["half past nine"]),
        ("format", {"type": "string"}, UUID, ["number 42"]),
        ("format", {"type": "string"}, "ash", []),
        ("enum", {"enum": ["other", "ash"]}, "ash", ["unspecified"]),
    ):
        assert broken(operator, schema, value) == wrong, schema
    assert broken("range", {"type": "integer"}, 3, "start_index") == [1_000_000]


def test_a_name_replaces_an_opaque_id_only():
    assert broken("name-for-id", {"type": "string"}, "k-17", "kiln_id") == ["the quarterly report"]
    assert broken("name-for-id", {"type": "string"}, "k-17", "kiln") == []
    assert broken("name-for-id", {"type": "string"}, "north wall", "kiln_id") == []


def test_a_name_is_misspelt_and_a_text_or_a_listed_value_is_not():
    for schema, value, wrong in (
        ({"type": "string"}, "Asia/Tokyo", ["Asia/Tokyoo"]),
        ({"type": "string"}, "glaze the pots", []),
        ({"type": "string"}, "2026-12-01", []),
        ({"type": "string"}, "300", []),
        ({"enum": ["ash"]}, "ash", []),
        ({"type": "string", "pattern": "^a"}, "ash", []),
    ):
        assert broken("unknown", schema, value) == wrong


def test_quoted_words_of_a_description_are_allowed_values_if_they_are_all_alternatives():
    for description, values in (
        ("Which kilns: hot ones ('hot'), cold ones (\"cold\") or all('all').", ("hot", "cold", "all")),
        ("The kiln's state, such as 'hot' or 'cold'", ()),
        ("e.g. 'hot', 'cold'", ()),
        ("'hot' or 'not in use'", ()),
        ("Only 'hot' kilns", ()),
        ("'warm' or 'cold'", ()),
    ):
        found = faults_of(tool(state={"type": "string", "description": description}), {"state": "hot"})
        by_operator = {fault.operator: fault.expected for fault in found}
        assert by_operator.get("enum", ()) == values, description
        assert ("unknown" in by_operator) is not bool(values), description


def test_a_schema_that_permits_further_arguments_gets_none():
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True}
    assert "extra" not in {fault.operator for fault in faults_of(Tool(name="t", schema=schema), {"a": "x"})}
