"""What a command reports to its world, and is no exchange."""

import io
import json
from contextvars import copy_context

import pytest

from mendbench.engines.loopback import _chunks
from mendbench.engines.url_mapping import Spelling
from mendbench.engines.world_server import TIMEOUT, Served, Serving, WorldServer
from mendbench.model.exchange import Request
from tests.fakes.engines import HOST, inn


@pytest.fixture
def replied():
    """Return what serves one request in a world, and what came of it."""
    server = WorldServer(copy_context())
    serving = Serving(
        world=inn(), spelling=Spelling(base=server.base, hosts=frozenset({HOST[8:]})), guess=lambda _: None
    )
    server.serve(serving)
    yield lambda request: (server.response(request), serving.served.raised)
    server.close()


@pytest.mark.parametrize("timeout", [10**400, "soon", [1], {}])
def test_a_time_that_is_none_is_no_exchange(replied, timeout):
    body = json.dumps({"url": f"{HOST}/guests/7", "timeout_s": timeout}).encode()
    said, raised = replied(Request(method="POST", url="/-/exchange", body=body))
    assert raised is None
    assert said.response.status == 400


@pytest.mark.parametrize("wait", ["\u00b2", "1.\u00b2", "1.2.3", ".", "", "5"])
def test_a_wait_that_is_no_number_is_none(replied, wait):
    headers = ((TIMEOUT, wait),)
    said, raised = replied(Request(method="GET", url=f"/{HOST[8:]}/guests/7", headers=headers))
    assert raised is None
    assert said.response.status == 200


@pytest.mark.parametrize(
    ("sent", "chunks"),
    [
        (b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", [b"abc", b"de", b""]),
        (b"-1\r\n-1\r\n-1\r\n3\r\nabc\r\n", [b""]),
        (b"three\r\nabc\r\n", []),
    ],
)
def test_a_body_in_chunks_is_read_as_far_as_it_is_one(sent, chunks):
    assert list(_chunks(io.BytesIO(sent))) == chunks


def test_the_wait_for_a_response_counts_while_it_lasts(monkeypatch):
    monkeypatch.setattr("mendbench.engines.world_server.time.monotonic", lambda: 107.0)
    assert Served(spent_s=2.0, since=100.0).waited_s() == 9.0
    assert Served(spent_s=2.0).waited_s() == 2.0
