import asyncio
import socket
import threading

import anyio
import httpx2
import pytest

from mendbench.live import http_wire
from mendbench.live.http_wire import Deadline, WireTransport, leads_inside
from mendbench.live.world import MAX_BODY, HttpLive
from tests.fakes.worlds import get


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "::1", "169.254.169.254", "fe80::1%eth0", "0.0.0.0", "::ffff:127.0.0.1", "nothing"]
)
def test_a_name_may_not_lead_to_this_machine_or_its_link(address):
    assert leads_inside("api.example", address)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("api.example", "203.0.113.7"),
        ("inside.example", "10.0.0.7"),
        ("localhost", "127.0.0.1"),
        ("127.0.0.1", "127.0.0.1"),
        ("::1", "::1"),
    ],
)
def test_other_addresses_and_those_that_were_declared_are_asked(host, address):
    assert not leads_inside(host, address)


def test_a_name_that_leads_inside_does_not_exist():
    made = WireTransport(Deadline(), outside=True, resolve=lambda _host, _port: ("203.0.113.7", "127.0.0.1"))
    live = HttpLive({}, transport=made, outside=True)
    assert live.send(get("http://api.example/")).fault == "dns"


def test_a_deadline_that_is_over_ends_every_step():
    deadline = Deadline()
    deadline.begin(-1)
    transport = WireTransport(deadline, resolve=lambda _host, _port: ("127.0.0.1",))
    with httpx2.Client(transport=transport) as client, pytest.raises(httpx2.ConnectTimeout):
        client.get("http://api.example:9/")
    assert deadline.left_s(5) < 0


def test_each_thread_has_a_deadline_of_its_own():
    deadline = Deadline()
    deadline.begin(-1)
    left = []
    thread = threading.Thread(target=lambda: left.append(deadline.left_s(7)))
    thread.start()
    thread.join()
    assert left == [7]


class Streaming(httpx2.BaseTransport):
    def __init__(self, parts, **headers):
        self.parts, self.headers = parts, headers

    def handle_request(self, request):
        return httpx2.Response(200, headers=self.headers, stream=Parts(self.parts))


class Parts(httpx2.SyncByteStream):
    def __init__(self, parts):
        self.parts = parts

    def __iter__(self):
        yield from self.parts


def test_an_answer_that_is_longer_than_is_taken_in_has_broken_off_and_nothing_of_it_is_kept():
    def endless():
        while True:
            yield b"x" * 1_000_000

    response = HttpLive({}, transport=Streaming(endless())).send(get("https://api.test/"))
    assert (response.status, response.fault, response.body) == (0, "truncated", b"")


def test_an_answer_of_just_the_longest_size_is_whole():
    response = HttpLive({}, transport=Streaming([b"x" * MAX_BODY])).send(get("https://api.test/"))
    assert (response.fault, len(response.body)) == (None, MAX_BODY)


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "own"])
def test_an_answer_in_a_coding_that_nobody_asked_for_is_none(coding):
    live = HttpLive({}, transport=Streaming([b"x"], **{"content-encoding": coding}))
    assert live.send(get("https://api.test/")).fault == "truncated"


def test_what_cannot_be_resolved_is_a_name_that_does_not_exist():
    def nowhere(_host, _port):
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    live = HttpLive({}, transport=WireTransport(Deadline(), resolve=nowhere))
    assert live.send(get("http://gone.example/")).fault == "dns"


def test_an_error_that_is_not_the_connection_pools_stays_what_it_is():
    def broken(_host, _port):
        raise LookupError("a table of names is damaged")

    with pytest.raises(LookupError, match="damaged"):
        WireTransport(Deadline(), resolve=broken).handle_request(httpx2.Request("GET", "http://api.example/"))


class Mute(httpx2.AsyncBaseTransport):
    """A server that never answers."""

    async def handle_async_request(self, request):
        await anyio.sleep_forever()


def test_the_end_of_a_session_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(http_wire, "END_S", 0.0)
    said = []

    async def end():
        bounded = http_wire.Bounded(MAX_BODY)
        monkeypatch.setattr(bounded, "_inner", Mute())
        said.append((await bounded.handle_async_request(httpx2.Request("DELETE", "http://api.example/"))).status_code)

    ending = threading.Thread(target=asyncio.run, args=(end(),), daemon=True)
    ending.start()
    ending.join(10)
    assert said == [202]
