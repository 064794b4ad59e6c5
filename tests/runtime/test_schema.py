"""The checker finds every violation of a schema."""

from __future__ import annotations

import pytest

from mendbench.runtime.schema import WORKFLOW_SCHEMA, shown, violations


@pytest.mark.parametrize(
    ("value", "schema", "message"),
    [
        (True, {"type": "integer"}, "True is not of type 'integer'"),
        (True, {"type": "number"}, "True is not of type 'number'"),
        (1.5, {"type": "integer"}, "1.5 is not of type 'integer'"),
        (None, {"type": "object"}, "None is not of type 'object'"),
        (-1, {"type": "number", "minimum": 0}, "-1 is less than the minimum of 0"),
        ("b", {"enum": ["a"]}, "'b' is not one of ['a']"),
        ({}, {"required": ["k"]}, "'k' is a required property"),
    ],
)
def test_each_violation_is_worded_as_validators_do(value: object, schema: dict[str, object], message: str) -> None:
    assert [violation.message for violation in violations(value, schema)] == [message]


def test_a_whole_float_is_an_integer() -> None:
    assert not list(violations(1.0, {"type": "integer"}))


def test_several_violations_come_in_document_order_with_their_paths() -> None:
    document = {
        "ir_version": 1,
        "nodes": [{"id": 1, "type": "x"}, {}],
        "edges": [{"from": "a", "to": "b", "action": 0}],
    }
    assert [(violation.path, violation.keyword) for violation in violations(document, WORKFLOW_SCHEMA)] == [
        (("ir_version",), "type"),
        (("nodes", 0, "id"), "type"),
        (("nodes", 1), "required"),
        (("nodes", 1), "required"),
        (("edges", 0, "action"), "type"),
    ]


def test_a_quoted_value_is_cut() -> None:
    assert len(shown("x" * 1000)) <= 82
    assert len(shown({"k": ["x" * 1000] * 1000})) < 1000
