from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.workflow import Input, Workflow
from mendbench.runtime.inputs import coerced, starting_data
from tests.fakes.tables import for_each


@for_each(
    ("value", "wanted", "read"),
    [
        (5, "string", "5"), (True, "string", "true"), ({"a": 1}, "string", '{"a": 1}'), ("x", "string", "x"),
        ("5", "number", 5), (" 2.5 ", "number", 2.5), ("five", "number", "five"), ("nan", "number", "nan"), ("1e999", "number", "1e999"),
        ("Yes", "boolean", True), ("0", "boolean", False), (1, "boolean", True), ("perhaps", "boolean", "perhaps"), ([], "boolean", []),
        ('{"a": 1}', "object", {"a": 1}), ("[1]", "object", "[1]"), ("[1]", "array", [1]), ("{", "array", "{"),
        (None, "number", None),
    ],
)  # fmt: skip
def test_a_value_is_read_in_its_declared_type_or_left(value, wanted, read):
    assert coerced(value, wanted) == read
    assert type(coerced(value, wanted)) is type(read)


def test_explicit_comes_before_default_and_null_before_nothing():
    workflow = Workflow(
        nodes=(), inputs=(Input(name="a", default="x"), Input(name="b", default="y"), Input(name="c", required=False))
    )
    assert starting_data(workflow, {"a": "z", "extra": 1}) == {"a": "z", "b": "y", "c": None, "extra": 1}


@given(
    st.text() | st.integers() | st.floats() | st.lists(st.integers()),
    st.sampled_from(["string", "number", "boolean", "object", "array", "other"]),
)
def test_coercing_never_raises(value, wanted):
    coerced(value, wanted)
