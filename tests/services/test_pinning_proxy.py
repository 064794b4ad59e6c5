from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.live.world import HttpLive
from mendbench.model.exchange import Request
from mendbench.services.pinning_proxy import Front, Pins, pinned_body, pinned_headers, with_header
from tests.fakes.behind import Said, behind

PINS = Pins(
    headers={"date": "Thu, 01 Jan 2026 00:00:00 GMT", "server": None},
    texts=((re.compile(r'("made": ")[^"]*'), r"\g<1>then"), (re.compile(r"/srv/made/\w+"), "/srv/x")),
)


def test_a_declared_header_has_one_value_or_is_left_out():
    sent = (("Date", "now"), ("Server", "Thing/1.2"), ("X-Made-In", "/srv/made/abc"), ("Connection", "close"))
    assert pinned_headers(sent, PINS) == (("Date", "Thu, 01 Jan 2026 00:00:00 GMT"), ("X-Made-In", "/srv/x"))


def test_a_header_that_was_not_sent_is_not_made_up():
    assert pinned_headers((("Vary", "Accept"),), PINS) == (("Vary", "Accept"),)


def test_what_a_pattern_means_is_replaced_and_the_rest_stays():
    assert pinned_body(b'{"made": "just now", "by": "Ines"}', PINS) == b'{"made": "then", "by": "Ines"}'


def test_a_body_is_rewritten_after_the_patterns():
    assert pinned_body(b'"made": "b"', Pins(headers={}, texts=PINS.texts, rewritten=str.upper)) == b'"MADE": "THEN"'


def test_bytes_that_are_no_text_are_left_as_they_are():
    assert pinned_body(b"\xff/srv/made/abc", PINS) == b"\xff/srv/made/abc"


@given(st.binary(max_size=80) | st.text(max_size=80).map(str.encode))
def test_pinning_twice_is_pinning_once(body):
    once = pinned_body(body, PINS)
    assert pinned_body(once, PINS) == once


@pytest.fixture
def server():
    with behind() as served:
        yield served


@pytest.fixture
def front(server):
    made = Front(pins=PINS, behind=server.base)
    yield made
    made.close()


def asking(front, method="GET", path="/a?b=c", *, headers=(), body=b""):
    live = HttpLive({"x.example": front.open()}, patience_s=10)
    try:
        return live.send(Request(method=method, url=f"https://x.example{path}", headers=headers, body=body))
    finally:
        live.close()


def test_a_request_reaches_the_server_as_it_was_sent(front, server):
    asking(front, "PATCH", "/a%20b?c=d&e", headers=(("X-One", "1"), ("Accept-Encoding", "gzip")), body=b"\x00text")
    (asked,) = server.asked
    assert asked.line == "PATCH /a%20b?c=d&e"
    assert asked.body == b"\x00text"
    assert (asked.headers["host"], asked.headers["x-one"]) == ("x.example", "1")
    assert "accept-encoding" not in asked.headers  # an answer that is compressed could not be pinned


def test_the_answer_comes_back_pinned(front, server):
    server.responses = lambda _asked: Said(409, (("Date", "now"), ("X-Two", "2")), b'{"made": "now"}')
    response = asking(front)
    assert (response.status, response.body) == (409, b'{"made": "then"}')
    assert [value for name, value in response.headers if name in {"date", "x-two"}] == [PINS.headers["date"], "2"]


def test_a_prepared_request_is_sent_in_place_of_the_sender_s(front, server):
    front.prepare = lambda asked: with_header(asked, "authorization", f"{asked.method} {asked.host}{asked.target}")
    asking(front, headers=(("Authorization", "own"), ("X-One", "1")))
    assert server.asked[0].headers["authorization"] == "GET x.example/a?b=c"
    assert server.asked[0].headers["x-one"] == "1"


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("DELETE", 204), ("GET", 304)])
def test_an_answer_without_a_body_ends_at_its_headers(front, server, method, status):
    server.responses = lambda _asked: Said(status)
    assert (asking(front, method).status, asking(front, method).body) == (status, b"")


def test_a_server_that_is_gone_is_a_connection_that_ends(front):
    front.behind = "http://127.0.0.1:1"
    assert asking(front).fault == "reset"


def test_another_server_may_stand_behind_the_same_address(front, server):
    with behind() as other:
        base = front.open()
        front.behind = other.base
        live = HttpLive({"x.example": base})
        live.send(Request(method="GET", url="https://x.example/"))
        live.close()
        assert (len(other.asked), server.asked) == (1, [])


def test_closing_what_was_never_opened_does_nothing():
    Front(pins=PINS).close()
