"""JSON that every reader takes alike, and all else refused."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput
from mendbench.io.json_documents import beyond_doubles, load_json, nests_deeper, parse_json, refuse_repeated_keys
from mendbench.io.reading import MAX_DEPTH

JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(JSONS)
def test_what_is_json_is_read_as_it_was_written(value):
    assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1,}', r"a\.json:1:9: no JSON \("), ("", r"a\.json:1:1: no JSON"), ("NaN", "NaN is no JSON number"), ("[-Infinity]", "-Infinity is no JSON number"),
        ("1e400", "1e400 is no JSON number"), ("9" * 5000, r"999999999999… \(5000 digits\) is no JSON number"), ("-" + "9" * 310, "is no JSON number"),
        ('"\\ud800"', r"half a character \('\\ud800'\)"), ('{"\\udFFF": 1}', "half a character"), ("[" * 100_000, "nested too deeply"), ("[" * 300 + "]" * 300, "nested too deeply"),
    ],
)  # fmt: skip
def test_what_is_refused_is_one_short_line(text, says):
    with pytest.raises(BadInput, match=says) as raised:
        load_json(text, "a.json")
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 300


def test_an_error_in_one_line_of_a_file_is_reported_with_that_line():
    with pytest.raises(BadInput, match=r"^a\.jsonl:7:2: no JSON"):
        load_json("[", "a.jsonl", line=7)
    with pytest.raises(BadInput, match=r"^a\.jsonl:7: NaN is no JSON number"):
        load_json("NaN", "a.jsonl", line=7)


def test_a_key_that_stands_twice_is_refused_at_every_depth():
    refuse_repeated_keys('{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}', "a.json")
    with pytest.raises(BadInput, match=r"^a\.json: the key 'b' stands twice in an object; keep one of the two$"):
        refuse_repeated_keys('{"a": [{"b": 1, "c": 2, "b": 3}]}', "a.json")


def test_a_whole_emoji_and_a_long_number_in_a_text_pass():
    assert parse_json('["\\ud83d\\ude00", "' + "9" * 400 + '", ' + "9" * 308 + "]") == ["😀", "9" * 400, int("9" * 308)]


@given(st.integers(0, 250), st.integers(0, 250), st.integers(309, 420))
def test_a_number_that_no_double_holds_is_found_wherever_it_stands(before, after, digits):
    with pytest.raises(ValueError, match="no JSON number"):
        parse_json("[" + " " * before + "9" * digits + " " * after + "]")


def test_half_a_character_passes_where_it_may():
    assert parse_json('"\\ud800"', halves=True) == "\ud800"


@given(JSONS)
def test_all_numbers_of_a_document_are_within_doubles_and_no_other_ones(value):
    assert not beyond_doubles(value)
    for number in (float("nan"), float("-inf"), 10**400):
        assert beyond_doubles({"a": [value, (number,)]})


@given(st.integers(1, 12), st.integers(1, 12))
def test_depth_is_counted_in_levels(levels, limit):
    value = 1
    for _ in range(levels):
        value = {"a": [value]} if levels % 2 else [value]
    assert nests_deeper(value, limit) == (levels * (2 if levels % 2 else 1) > limit)


def test_as_deep_as_may_be_passes():
    assert parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH)
