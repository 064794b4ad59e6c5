from mendbench.live.reachable import unreachable
from tests.fakes.loopback import loopback


def test_a_server_that_listens_is_reachable_and_gets_no_request():
    asked = []
    with loopback({"GET /": asked.append}) as base:
        assert unreachable(f"{base}/v1") is None
    assert asked == []


def test_a_port_where_nothing_listens_is_named():
    with loopback({}) as base:
        closed = f"{base}/v1"
    assert unreachable(closed) == f"nothing listens at {closed} (Connection refused)"


def test_a_text_that_is_no_address_is_unreachable():
    assert unreachable("http://[") is not None
