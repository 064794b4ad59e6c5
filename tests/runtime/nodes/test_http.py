import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.io.virtual_clock import VirtualClock
from mendbench.runtime.nodes.http import NODE, USER_AGENT, request_of
from tests.fakes.engine import FakeWorld, fault, said

URL = "https://api.example.com/items"


def run(params, world):
    return NODE.run({"url": URL, **params}, world.send, world.clock)


def test_a_get_gives_the_parsed_answer_and_its_circumstances():
    world = FakeWorld({f"GET {URL}": said({"id": 7}, elapsed_ms=250, X_Total="3")})
    output = run({}, world)
    assert output.outputs == {
        "response": {"id": 7},
        "status_code": 200,
        "response_headers": {"x-total": "3"},
        "response_time": 0.25,
    }
    assert output.noticed is None
    assert output.action == "default"


@pytest.mark.parametrize(
    ("body", "method"), [(None, "GET"), ({}, "POST"), ([1], "POST"), ("text", "POST"), (0, "POST")]
)
def test_a_body_makes_it_a_post(body, method):
    assert request_of({"url": URL, "body": body}).method == method


def test_objects_go_as_json_and_texts_as_they_are():
    sent = request_of({"url": URL, "body": {"name": "Ünal", "n": 1}})
    assert sent.body == '{"name": "Ünal", "n": 1}'.encode()
    assert sent.header("content-type") == "application/json"
    assert request_of({"url": URL, "body": "a=1&b=2"}).body == b"a=1&b=2"
    assert request_of({"url": URL, "body": "a=1&b=2"}).header("content-type") is None
    assert request_of({"url": URL, "body": {"bad": "\ud800"}}).body == b'{"bad": "\\ud800"}'


def test_the_query_joins_that_of_the_url_and_leaves_nulls_out():
    sent = request_of(
        {"url": URL + "?a=1#part", "params": {"q": "x y", "n": 2, "on": True, "none": None, "l": ["a", "b"]}}
    )
    assert sent.url == URL + "?a=1&q=x%20y&n=2&on=true&l=a&l=b"


def test_credentials_become_headers_and_an_own_header_wins():
    token = "t" * 8
    assert request_of({"url": URL, "auth_token": token}).header("authorization") == f"Bearer {token}"
    assert request_of({"url": URL, "api_key": token}).header("x-api-key") == token
    own = request_of({"url": URL, "auth_token": token, "headers": {"authorization": "Basic x", "user-agent": "me"}})
    assert [value for name, value in own.headers if name.lower() == "authorization"] == ["Basic x"]
    assert own.header("user-agent") == "me"
    assert request_of({"url": URL}).header("user-agent") == USER_AGENT


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"url": ""}, "HTTP node requires 'url' parameter"),
        ({"url": None}, "HTTP node requires 'url' parameter"),
        ({"url": 5}, "must be a string, got number"),
        ({"url": "api.example.com/x"}, "must be an http:// or https:// URL"),
        ({"url": "shell://sandbox/"}, "must be an http:// or https:// URL"),
        ({"url": "http://[::1"}, "must be an http:// or https:// URL"),
        ({"method": "FETCH"}, "must be one of GET, POST"),
        ({"timeout": 0}, "above 0"),
        ({"timeout": "soon"}, "must be a number"),
        ({"headers": ["a"]}, "must be an object, got array"),
        ({"headers": {"X-Id": {"a": 1}}}, "header 'X-Id' must be a string"),
        ({"headers": {"X-Id": "a\r\nX-Evil: 1"}}, "one line"),
        ({"auth_token": "a", "api_key": "b"}, "not both"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named(params, words):
    with pytest.raises((ValueError, TypeError)) as raised:
        request_of({"url": URL, **params})
    assert words in str(raised.value)


def test_a_status_that_is_no_success_is_noticed_and_its_body_kept():
    world = FakeWorld({f"POST {URL}": said({"message": "Validation Failed"}, 422)})
    output = run({"body": {"a": 1}}, world)
    assert (output.noticed.kind, output.noticed.message) == ("http", "HTTP 422")
    assert output.outputs["error"] == "HTTP 422"
    assert output.outputs["response"] == {"message": "Validation Failed"}
    assert output.answered.status == 422
    assert len(world.sent) == 1


@pytest.mark.parametrize(
    "response", [said({}, 429), said({}, 500), said({}, 502), said({}, 503), fault("refused"), fault("reset")]
)
def test_what_may_pass_is_tried_again_on_the_virtual_clock(response):
    world = FakeWorld({f"GET {URL}": [response, said({"ok": True})]})
    began = world.clock.now_ms()
    output = run({}, world)
    assert output.noticed is None
    assert len(world.sent) == 2
    assert 500 <= world.clock.now_ms() - began - 20 <= 1000


def test_three_tries_are_the_most():
    world = FakeWorld({f"GET {URL}": said({}, 503)})
    assert run({}, world).noticed.message == "HTTP 503"
    assert len(world.sent) == 3


@pytest.mark.parametrize(
    ("asked", "waited", "tries"),
    [("7", 7000, 2), ("0", 0, 2), ("120", 120_000, 2), ("121", 0, 1), ("Thu, 01 Jan 2026 00:00:30 GMT", 29_990, 2)],
)
def test_retry_after_is_honoured_up_to_two_minutes(asked, waited, tries):
    world = FakeWorld({f"GET {URL}": [said({}, 429, Retry_After=asked), said({})]})
    began = world.clock.now_ms()
    run({}, world)
    assert len(world.sent) == tries
    assert world.clock.now_ms() - began == waited + 10 * tries


def test_a_403_is_tried_again_only_if_it_asks_to_wait():
    limited = FakeWorld({f"GET {URL}": [said({}, 403, Retry_After="1"), said({})]})
    assert run({}, limited).noticed is None
    plain = FakeWorld({f"GET {URL}": [said({}, 403), said({})]})
    assert run({}, plain).noticed.message == "HTTP 403"


@pytest.mark.parametrize("response", [fault("timeout"), fault("reset"), fault("truncated"), said({}, 504)])
def test_a_write_that_may_have_been_done_is_not_repeated(response):
    world = FakeWorld({f"POST {URL}": [response, said({})]})
    assert run({"body": {}}, world).noticed is not None
    assert len(world.sent) == 1
    put = FakeWorld({f"PUT {URL}": [response, said({})]})
    assert run({"method": "put", "body": {}}, put).noticed is None


@pytest.mark.parametrize("response", [fault("refused"), said({}, 429), said({}, 503)])
def test_a_write_that_was_turned_away_is_repeated(response):
    world = FakeWorld({f"POST {URL}": [response, said({})]})
    assert run({"body": {}}, world).noticed is None


@pytest.mark.parametrize("kind", ["timeout", "refused", "reset", "dns", "tls", "truncated"])
def test_a_transport_fault_has_a_sentence_and_no_status(kind):
    output = run({"timeout": 5}, FakeWorld({f"GET {URL}": fault(kind)}))
    assert output.noticed.kind == "transport"
    assert URL in output.noticed.message
    assert output.answered.status is None
    assert "status_code" not in output.outputs


def test_a_timeout_names_the_seconds():
    assert (
        run({"timeout": 5}, FakeWorld({f"GET {URL}": fault("timeout")})).noticed.message
        == f"Request to {URL} timed out after 5 seconds"
    )


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b"", None),
        (b"<html>down</html>", "<html>down</html>"),
        (b"[1, 2]", [1, 2]),
        (b"null", None),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"{broken", "{broken"),
    ],
)
def test_any_body_is_taken_as_what_it_is(raw, value):
    assert run({}, FakeWorld({f"GET {URL}": said(raw)})).outputs["response"] == value


def test_json_that_nests_too_deep_stays_text():
    deep = b'{"a":' * 400 + b"1" + b"}" * 400
    assert run({}, FakeWorld({f"GET {URL}": said(deep)})).outputs["response"] == deep.decode()


@given(st.binary(max_size=200), st.integers(100, 599))
def test_no_answer_breaks_the_node(raw, status):
    world = FakeWorld({f"POST {URL}": said(raw, status)}, clock=VirtualClock())
    assert run({"body": {}}, world).outputs["status_code"] == status
