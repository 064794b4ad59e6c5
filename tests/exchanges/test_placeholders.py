"""Values in the place of their placeholders: each place spells them as it has to."""

import re

import pytest

from mendbench.exchanges.placeholders import filled
from mendbench.model.exchange import Request

VALUE = 'a/b "c"&%41'
FORM = (("Content-Type", "application/x-www-form-urlencoded"),)


def put(**parts):
    request = Request(**{"method": "POST", "url": "https://desk.example/", **parts})
    return filled(request, re.compile("(?:<|%3C)it(?:>|%3E)"), lambda _found: VALUE)


@pytest.mark.parametrize(
    ("headers", "body", "made"),
    [
        ((), b'{"a": ["see <it>"], "<it>": 1}', b'{"a": ["see a/b \\"c\\"&%41"], "a/b \\"c\\"&%41": 1}'),
        ((), b"see <it> and %3Cit%3E", b'see a/b "c"&%41 and a%2Fb%20%22c%22%26%2541'),
        (FORM, b"a=1&b=<it>", b"a=1&b=a%2Fb%20%22c%22%26%2541"),
        ((), b'{ "a" : 1.0 }', b'{ "a" : 1.0 }'),
        ((), b"\xff<it>", b'\xffa/b "c"&%41'),
    ],
)
def test_a_body_is_filled_as_what_it_is_and_stays_as_it_is_without_a_placeholder(headers, body, made):
    assert put(headers=headers, body=body).body == made


def test_a_url_is_filled_percent_encoded_and_a_header_plainly():
    found = put(url="https://desk.example/of/<it>?t=%3Cit%3E", headers=(("Authorization", "Bearer <it>"),))
    assert found.url == "https://desk.example/of/a%2Fb%20%22c%22%26%2541?t=a%2Fb%20%22c%22%26%2541"
    assert found.headers == (("Authorization", f"Bearer {VALUE}"),)
