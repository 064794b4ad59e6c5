"""Expressions that nest: bounded by themselves, and not by how deep Python is when they are read."""

import pytest

from mendbench.io.virtual_clock import VirtualClock
from mendbench.runtime.nodes import transform


def found(expression, data=None):
    return transform.run({"expression": expression, "data": data}, None, VirtualClock()).outputs["result"]


def levels(count):
    return "[" * count + "]" * count


@pytest.mark.parametrize(
    ("expression", "data"),
    [
        ("(" * 100 + "@" + ")" * 100, 7),
        ("!" * 98 + "@", True),
        ("@" + " | @" * 99, 7),
        ("@" + ".a" * 5000 + " || `7`", {}),
        ("[" + ",".join(["(@)"] * 500) + "] | [0]", 7),
    ],
    ids=["100 brackets", "98 negations", "99 pipes", "a path of 5,000 steps", "500 brackets beside each other"],
)
def test_an_expression_that_nests_as_deep_as_it_may_is_evaluated(expression, data):
    assert found(expression, data) in {7, True}


@pytest.mark.parametrize(
    "expression",
    [
        "(" * 101 + "@" + ")" * 101,
        "(" * 5000 + "@" + ")" * 5000,
        "!" * 101 + "@",
        "!" * 5000 + "@",
        "@" + " | @" * 101,
        "@" + "[*]" * 1500,
        f"`{levels(152)}`",
        f"`{levels(5000)}`",
        f"to_string(`{levels(500)}`)",
    ],
    ids=[
        "101 brackets",
        "5,000 brackets",
        "101 negations",
        "5,000 negations",
        "101 pipes",
        "1,500 projections",
        "a literal of 152 levels",
        "a literal of 5,000 levels",
        "a function of a literal of 500 levels",
    ],
)
def test_one_that_nests_deeper_fails_with_one_and_the_same_sentence(expression):
    with pytest.raises(ValueError, match="^Transform expression nests too deep: it may have 100 levels, and the data"):
        found(expression)


def test_a_result_that_is_too_large_is_not_said_to_nest():
    with pytest.raises(ValueError, match="more than 10,000,000 characters"):
        found(" | ".join(["[@, @]"] * 40), "x")
