"""What is found in values and texts. How a file's findings are reported is tested with :mod:`mendbench.corpus.credentials`."""

import hashlib
import json

import pytest

from mendbench.secrets.credential_search import Kept, credentials_in, credentials_in_text

HEX = hashlib.sha256(b"an invented credential").hexdigest()[:40]
NAMED = "a value under a credential's name"


def ways(value):
    return [kept.way for kept in credentials_in(value)]


@pytest.mark.parametrize(("name", "value"), [("name", "value"), ("key", "value"), ("Name", "Value")])
def test_a_pair_of_name_and_value_is_a_key_with_a_value(name, value):
    assert ways([{value: HEX, name: "X-Api-Key", "more": 1}]) == [(0, value)]
    assert ways([{value: HEX, name: "X-Request-Id"}]) == []


def test_of_a_cookie_only_the_value_is_one():
    assert ways({"cookies": [{"name": "sid", "value": "abcd", "expires": "2030-01-01", "path": "/"}]}) == [
        ("cookies", 0, "value")
    ]


def test_each_line_of_a_text_that_holds_one_is_found_and_then_what_lines_hold_together():
    text = f'token={HEX}\nk=1\ntoken={HEX}\n{{"name": "token",\n"value": "{HEX}"'
    assert [kept.line for kept in credentials_in(text)] == [0, 2, 4]


def test_json_in_a_text_has_the_line_where_its_value_stands():
    text = json.dumps({"n": 1, "token": HEX}, indent=1)
    assert list(credentials_in({"body": text})) == [Kept(way=("body", "token"), why=NAMED, line=2)]
    assert list(credentials_in_text(text)) == [Kept(way=("token",), why=NAMED, line=2)]


def test_lines_of_json_hold_nothing_together():
    rows = [{"n": 1, "text": "password: required"}, {"inputs": {"token": {"type": "string"}}}]
    assert list(credentials_in_text("\n".join(map(json.dumps, rows)))) == []
