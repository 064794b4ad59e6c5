"""HTTP spans: names old and new, bodies wherever they are, and errors that are faults."""

import pytest

from mendbench.importing.interface import FoundExchange
from mendbench.importing.otel.http import BODIES, http_exchange, is_http_call
from tests.fakes.otlp import made

URL = "https://tides.example/now"
NEW = {"http.request.method": "GET", "url.full": URL, "http.response.status_code": 200}


def test_the_old_names_mean_the_same():
    old = {
        "http.method": "get",
        "http.url": "https://REDACTED:REDACTED@tides.example/now",
        "http.status_code": "200",
        "http.response_content_length": 0,
    }
    apart = {
        "http.method": "GET",
        "http.scheme": "https",
        "http.host": "tides.example",
        "http.target": "/now",
        "http.status_code": 204,
    }
    for attributes, status in ((old, 200), (apart, 204)):
        read = http_exchange(made(attributes), ())
        assert (read.request.method, read.request.url, read.response.status) == ("GET", URL, status)


@pytest.mark.parametrize(("sent", "received"), BODIES)
def test_bodies_are_found_on_the_span_its_events_and_its_children(sent, received):
    post = NEW | {"http.request.method": "POST"}
    beside = {sent: '{"a": 1}', received: "ok"}
    for read in (
        http_exchange(made(post | beside), ()),
        http_exchange(made(post, events=[("body", beside)]), ()),
        http_exchange(made(post), [made(beside, kind="internal")]),
    ):
        assert (read.request.body, read.response.body) == (b'{"a": 1}', b"ok")


def test_a_body_is_text_bytes_or_json():
    for held, body in (("é", b"\xc3\xa9"), ([255, 0], b"\xff\x00"), ({"a": [1]}, b'{"a": [1]}'), ([], b"[]")):
        assert http_exchange(made(NEW | {"http.response.body": held}), ()).response.body == body


def test_a_response_without_a_body_is_distinguished_from_one_whose_body_is_not_there():
    empty = [
        {"http.request.method": "HEAD"},
        {"http.response.status_code": 204},
        {"http.response.body.size": 0},
        {"http.response.header.content_length": ["0"]},
    ]
    for more in empty:
        assert http_exchange(made(NEW | more), ()).response.body == b"", more
    for more in ({}, {"http.response.body.size": 12}):
        read = http_exchange(made(NEW | more), ())
        assert isinstance(read, FoundExchange)
        assert read.response is None, more


def test_what_an_attribute_limit_cut_is_dropped():
    post = NEW | {"http.request.method": "POST", "http.response.body": "ok"}
    cut = [
        (post | {"http.request.body": '{"a": "lon'}, "the body that it sent was cut"),
        (post, "the span does not hold the body that it sent"),
        (NEW | {"http.response.body": '[{"a": 1}, {"a"'}, "its response was cut"),
        (NEW | {"http.response.body": "x" * 256, "http.response.body.size": 4096}, "its response was cut"),
        (NEW | {"http.response.body": "", "http.response.body.size": 30}, "its response was cut"),
    ]
    for attributes, why in cut:
        assert http_exchange(made(attributes), ()).why == why
    whole = [
        ({"http.request.body.size": 0}, "ok"),
        ({"http.request.body": "a", "http.response.body.size": 31}, '{"ok": true}'),
    ]
    for more, body in whole:  # a short body is longer when it is compressed
        assert http_exchange(made(post | more | {"http.response.body": body}), ()).response.body == body.encode()


def test_captured_headers_are_read_and_the_transfer_forgotten():
    extra_attributes = {
        "http.request.header.x-tenant": ["a", "b"],
        "http.response.header.content_type": "text/plain",
        "http.response.header.connection": ["close"],
    }
    read = http_exchange(made(NEW | extra_attributes | {"http.response.body": ""}), ())
    assert read.request.headers == (("x-tenant", "a"), ("x-tenant", "b"))
    assert read.response.headers == (("content-type", "text/plain"),)


def test_an_error_without_a_response_is_a_fault_or_dropped():
    call = {"http.request.method": "GET", "url.full": URL}
    faults = {
        "timeout": "timeout", "ConnectTimeout": "timeout", "java.net.UnknownHostException": "dns", "name_resolution_error": "dns",
        "ECONNREFUSED": "refused", "ECONNRESET": "reset", "SSLCertVerificationError": "tls", "secure_connection_error": "tls",
        "IncompleteRead": "truncated", "response_ended": "truncated",
    }  # fmt: skip
    for error, fault in faults.items():
        response = http_exchange(made(call | {"error.type": error}), ()).response
        assert (response.status, response.fault, response.elapsed_ms) == (0, fault, 7), error
    exception = (
        "exception",
        {"exception.type": "ConnectError", "exception.message": "[Errno -2] Name or service not known"},
    )
    assert http_exchange(made(call | {"error.type": "ConnectError"}, events=[exception]), ()).response.fault == "dns"
    assert http_exchange(made(call, message="dial tcp: lookup x: no such host"), ()).response.fault == "dns"
    assert http_exchange(made(NEW | {"error.type": "ReadTimeout"}), ()).response.fault == "timeout"
    assert (
        http_exchange(made(call | {"error.type": "CancelledError"}), ()).why
        == "it got no response, and 'CancelledError' is no known fault"
    )
    assert http_exchange(made(call), ()).why == "the span has no status and no error"


def test_only_requests_of_clients_are_calls():
    assert is_http_call(made(NEW))
    for other in (
        made(NEW, kind="server"),
        made({"db.system": "sqlite"}),
        made(NEW | {"url.full": "ws://a.example/"}),
        made(NEW | {"url.full": "http://["}),
    ):
        assert not is_http_call(other)
