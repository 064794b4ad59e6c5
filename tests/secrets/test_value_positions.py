import json

import pytest

from mendbench.secrets.value_positions import YamlPlaces, json_places


def test_every_value_of_json_has_the_place_where_it_begins():
    text = '{"a": [1, {"b,]": "x\\"}"}, []],\n "c": {},\n\n "d": null}'
    places = json_places(text)
    found = {way: (text[place.at :].split(",", maxsplit=1)[0][:6], place.line) for way, place in places.values.items()}
    assert found == {
        (): ('{"a": ', 0), ("a",): ("[1", 0), ("a", 0): ("1", 0), ("a", 1): ('{"b', 0), ("a", 1, "b,]"): ('"x\\"}"', 0),
        ("a", 2): ("[]]", 0), ("c",): ("{}", 1), ("d",): ("null}", 3),
    }  # fmt: skip
    assert {way: place.line for way, place in places.keys.items()} == {
        ("a",): 0,
        ("a", 1, "b,]"): 0,
        ("c",): 1,
        ("d",): 3,
    }


@pytest.mark.parametrize("value", [1, "x", [], [[[]]], {"a": {"b": [{}]}, "é": "\u2028"}])
def test_json_is_walked_whole(value):
    assert () in json_places(json.dumps(value, indent=1)).values


def test_what_stands_inside_a_text_has_the_place_of_the_text():
    places = json_places('{"a":\n"[1]"}')
    place, rest = places.of(("a", 0, "b"))
    assert (place.line, rest) == (1, (0, "b"))


def test_every_value_of_yaml_has_its_line_in_each_document():
    text = "a: &x\n  b: |\n    one\n  c: >-\n    two\n---\nd:\n- 1\n-\n  e: 'f\n  g'\n"
    first, second = YamlPlaces(text).documents
    assert {way: place.line for way, place in first.values.items()} == {(): 0, ("a",): 0, ("a", "b"): 2, ("a", "c"): 4}
    assert [way for way, place in first.values.items() if place.in_lines] == [("a", "b")]
    assert {way: place.line for way, place in second.values.items()} == {
        (): 6, ("d",): 7, ("d", 0): 7, ("d", 1): 9, ("d", 1, "e"): 9,
    }  # fmt: skip


def test_what_an_alias_or_a_merge_key_stands_for_has_the_place_where_it_is_written():
    (places,) = YamlPlaces("a: &a {b: 1}\nc: *a\nd:\n  <<: *a\n").documents
    assert places.values["c", "b"] == places.values["d", "b"] == places.values["a", "b"]


def test_a_sign_within_a_scalar_begins_no_comment():
    text = "é: 'a # b'  # c\nd: |\n  # e\n# f\n"
    places = YamlPlaces(text)
    assert [places.in_scalar(at) for at, sign in enumerate(text) if sign == "#"] == [True, False, True, False]
