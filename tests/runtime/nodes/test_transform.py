import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.runtime.nodes import transform
from mendbench.runtime.nodes.transform import NODE, SIZE_A_STEP
from tests.fakes.engine import FakeWorld


def run(expression, data):
    world = FakeWorld()
    output = NODE.run({"expression": expression, "data": data}, world.send, world.clock)
    assert world.sent == []
    return output


def test_the_expression_is_applied_to_the_data():
    assert run("items[?open].id", {"items": [{"id": 1, "open": True}, {"id": 2, "open": False}]}).outputs == {
        "result": [1]
    }


def test_what_is_not_there_is_null_and_no_failure():
    output = run("a.b", {"c": 1})
    assert output.outputs == {"result": None}
    assert output.noticed is None


@pytest.mark.parametrize("expression", ["a[", "", "nope(@)", "length(@)", None])
def test_an_expression_that_cannot_be_used_raises(expression):
    with pytest.raises((ValueError, TypeError)):
        run(expression, 5)


@pytest.mark.parametrize(
    "expression", ["to_number('1e999')", "{a: [to_number('nan')]}", "sum([a, a])", "`" + "9" * 400 + "`"]
)
def test_a_number_that_is_no_json_ends_in_a_failure(expression):
    with pytest.raises(ValueError, match="not finite"):
        run(expression, {"a": 1e308})


def test_data_may_be_null_but_not_absent():
    assert run("@", None).outputs == {"result": None}
    with pytest.raises(ValueError, match="requires 'data'"):
        NODE.run({"expression": "@"}, FakeWorld().send, FakeWorld().clock)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_the_identity_gives_any_json_back(data):
    assert run("@", data).outputs["result"] == data


NUMBERS = [number * 1_000 for number in range(1_500)]
TEXT = "x" * 10_000


@pytest.mark.parametrize(
    ("part", "data"),
    [
        ("sum(@)", NUMBERS),
        ("contains(@, 'y')", TEXT),
        ("a == b", {"a": NUMBERS, "b": [*NUMBERS]}),
        ("a != b", {"a": TEXT, "b": TEXT[:-1] + "y"}),
    ],
)
def test_what_functions_and_comparisons_go_through_counts_as_steps(part, data, monkeypatch):
    few = "[" + ", ".join([part] * 3) + "]"
    assert len(run(few, data).outputs["result"]) == 3
    monkeypatch.setattr(transform, "MAX_STEPS", 3 * 10_000 // SIZE_A_STEP)
    with pytest.raises(ValueError, match="takes more than 937 steps"):
        run(few, data)


def test_many_small_comparisons_and_calls_are_no_more_than_their_steps():
    items = [{"a": 1, "b": 1, "c": "xyz"}] * 10_000
    assert run("length([?a == b && contains(c, 'x') && a >= b])", items).outputs == {"result": 10_000}
