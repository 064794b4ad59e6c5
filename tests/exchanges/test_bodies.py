from __future__ import annotations

import pytest

from mendbench.exchanges.bodies import form_fields, parse_body


@pytest.mark.parametrize(
    ("body", "kind", "expected"),
    [
        (b"", "application/json", None),
        (b'{"a": 1}', "text/plain", {"a": 1}),
        (b'{"a": ', "application/json", '{"a": '),
        (b"plain", None, "plain"),
        (
            b"a=1&b=&a=2",
            "application/x-www-form-urlencoded; charset=utf-8",
            {"form": [["a", "1"], ["b", ""], ["a", "2"]]},
        ),
        (b"--XY\r\nhi\r\n--XY--", 'multipart/form-data; boundary="XY"', "--boundary\r\nhi\r\n--boundary--"),
        (b"--ab\r\ncabbage\r\n--ab--", "multipart/form-data; boundary=ab", "--boundary\r\ncabbage\r\n--boundary--"),
        (b"\xff", None, "\ufffd"),
    ],
)
def test_a_body_is_read_by_what_it_is(body, kind, expected):
    assert parse_body(body, kind) == expected


def test_json_that_is_nested_too_deeply_is_text():
    deep = b"[" * 200_000
    assert parse_body(deep, None) == deep.decode()


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "9" * 400])
def test_json_with_a_number_that_no_double_holds_is_text(number):
    text = f'{{"weight": [{number}]}}'
    assert parse_body(text.encode(), "application/json") == text


def test_a_form_gives_its_fields_and_other_bodies_give_none():
    assert form_fields({"form": [["a", "1"], ["a", "2"]]}) == {"a": "2"}
    assert form_fields({"a": 1}) is None
    assert form_fields("a=1") is None
