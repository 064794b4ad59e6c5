from __future__ import annotations

import gzip
import socket
import ssl

import httpx2
import pytest

from mendbench.live.world import HttpLive, LiveWorld
from mendbench.model.exchange import Request, Response
from tests.fakes.worlds import ClassifyingLive, FakeLive, get, json_response, post


class Answering(httpx2.BaseTransport):
    def __init__(self, response):
        self.response, self.requests = response, []

    def handle_request(self, request):
        self.requests.append(request)
        if isinstance(self.response, Exception):
            raise self.response
        return self.response


class Torn(httpx2.SyncByteStream):
    def __init__(self, error):
        self.error = error

    def __iter__(self):
        yield b"half "
        raise self.error


def caused(error, cause):
    error.__cause__ = cause
    return error


def test_a_declared_host_is_asked_at_its_base_url_under_its_own_name():
    wire = Answering(
        httpx2.Response(201, headers=[("Set-Cookie", "a"), ("Set-Cookie", "b"), ("X-A", "1")], content=b"body")
    )
    live = HttpLive({"data.test": "http://127.0.0.1:8001/base/"}, transport=wire)
    request = post("https://data.test/db/insert?a=1&a=2", {"x": 1}, headers=(("Authorization", "Bearer t"),))
    response = live.send(request)
    (sent,) = wire.requests
    assert str(sent.url) == "http://127.0.0.1:8001/base/db/insert?a=1&a=2"
    assert (sent.headers["host"], sent.headers["authorization"], sent.method) == ("data.test", "Bearer t", "POST")
    assert sent.read() == b'{"x": 1}'
    assert (response.status, response.body, response.fault) == (201, b"body", None)
    assert [value for name, value in response.headers if name.lower() == "set-cookie"] == ["a", "b"]
    assert live.resets(request)
    assert not live.resets(get("https://elsewhere.test/"))
    live.close()


def test_other_hosts_are_asked_themselves_and_redirects_are_not_followed():
    wire = Answering(httpx2.Response(302, headers={"Location": "https://other.test/"}))
    response = HttpLive({}, transport=wire).send(get("https://api.test/x"))
    assert response.status == 302
    assert [str(sent.url) for sent in wire.requests] == ["https://api.test/x"]


def test_a_compressed_answer_is_recorded_decoded_without_the_transfer_headers():
    packed = gzip.compress(b'{"ok": true}')
    wire = Answering(
        httpx2.Response(
            200,
            headers={"Content-Encoding": "gzip", "Content-Length": str(len(packed)), "X-A": "1"},
            stream=httpx2.ByteStream(packed),
        )
    )
    response = HttpLive({}, transport=wire).send(get("https://api.test/x"))
    assert response.body == b'{"ok": true}'
    assert [name.lower() for name, _ in response.headers] == ["x-a"]


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (httpx2.ConnectTimeout("x"), "timeout"),
        (httpx2.ReadTimeout("x"), "timeout"),
        (httpx2.ConnectError("x"), "refused"),
        (caused(httpx2.ConnectError("x"), socket.gaierror(-2, "unknown")), "dns"),
        (caused(httpx2.ConnectError("x"), ssl.SSLError("bad certificate")), "tls"),
        (httpx2.ReadError("x"), "reset"),
        (httpx2.RemoteProtocolError("Server disconnected without sending a response."), "reset"),
    ],
)
def test_a_transport_error_is_a_fault(error, fault):
    response = HttpLive({}, transport=Answering(error)).send(get("https://api.test/x"))
    assert (response.status, response.fault, response.body) == (0, fault, b"")


def test_a_timeout_took_as_long_as_was_waited():
    response = HttpLive({}, patience_s=2.5, transport=Answering(httpx2.ReadTimeout("x"))).send(
        get("https://api.test/x")
    )
    assert response == Response(status=0, fault="timeout", elapsed_ms=2500)


def test_an_answer_that_is_cut_off_keeps_what_had_come():
    error = httpx2.RemoteProtocolError("peer closed connection without sending complete message body")
    response = HttpLive({}, transport=Answering(httpx2.Response(200, stream=Torn(error)))).send(
        get("https://api.test/x")
    )
    assert (response.status, response.fault, response.body) == (0, "truncated", b"half ")


def test_the_first_part_that_serves_a_request_answers_it():
    only = FakeLive(lambda _r: json_response({}), starts_afresh=True)
    world = LiveWorld([HttpLive({}, transport=Answering(httpx2.Response(204))), only])
    shell = Request(method="POST", url="shell://sandbox/")
    assert world.send(get("https://api.test/")).status == 204
    assert world.send(shell).status == 200
    assert world.resets(shell)
    empty = LiveWorld([])
    assert not empty.serves(shell)
    assert not empty.resets(shell)
    with pytest.raises(LookupError):
        empty.send(shell)


def test_a_connection_may_have_less_time_than_the_whole_answer():
    sent = []
    wire = httpx2.MockTransport(lambda request: sent.append(request) or httpx2.Response(204))
    HttpLive({}, patience_s=9, open_s=2, transport=wire).send(get("https://api.test/x"))
    assert sent[0].extensions["timeout"] == {"connect": 2, "read": 9, "write": 9, "pool": 9}
    lost = HttpLive({}, patience_s=9, open_s=2, transport=Answering(httpx2.ConnectTimeout("x")))
    response = lost.send(get("https://api.test/x"))
    assert (response.fault, response.elapsed_ms) == ("timeout", 2000)


def test_a_live_world_is_asked_what_it_knows_of_its_reads():
    classifying = ClassifyingLive(lambda _request: Response(status=200), only_reads=lambda _request: True)
    silent = FakeLive(lambda _request: Response(status=200))
    asked = Request(method="POST", url="https://a.test/")
    assert [LiveWorld(parts).reads(asked) for parts in ([classifying], [silent], [])] == [True, None, None]


def test_a_compressed_answer_that_is_cut_off_is_no_whole_one():
    packed = gzip.compress(b'{"ok": true}' * 9)
    for body, fault in ((packed, None), (packed[:-9], "truncated"), (b"no gzip", "truncated"), (b"", None)):
        wire = Answering(httpx2.Response(200, headers={"Content-Encoding": "gzip"}, stream=httpx2.ByteStream(body)))
        assert HttpLive({}, transport=wire).send(get("https://api.test/x")).fault == fault
