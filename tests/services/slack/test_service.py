"""The order of checks, the encodings and the dress of answers. Row ids are those of the catalogue of API errors."""

from __future__ import annotations

import pytest

from tests.fakes.services import body_of
from tests.services.slack.client import LOBBY, PAYROLL, call, get, slack, with_scopes

WARNED = {"warning": "missing_charset", "response_metadata": {"warnings": ["missing_charset"]}}


def test_s1_without_a_token_nobody_is_authenticated():
    assert call(slack(), "auth.test", headers={"authorization": None}) == {"ok": False, "error": "not_authed"}


@pytest.mark.parametrize("value", ["Bearer", "Basic abc", "any-token"])
def test_s1_a_header_without_a_bearer_token_counts_as_none(value):
    assert call(slack(), "auth.test", headers={"authorization": value})["error"] == "not_authed"


@pytest.mark.parametrize("value", ["Bearer wrong", "Bearer Bearer tok", "Bearer {{token}}"])
def test_s2_a_wrong_or_garbled_token_is_invalid(value):
    state, _ = with_scopes("chat:write")
    assert call(slack(state), "auth.test", headers={"authorization": value}) == {"ok": False, "error": "invalid_auth"}


@pytest.mark.parametrize("value", ["Bearer Bearer tok", "Bearer {{token}}"])
def test_s2_a_garbled_token_is_invalid_even_where_any_token_is_good(value):
    assert call(slack(), "auth.test", headers={"authorization": value})["error"] == "invalid_auth"


def test_s3_a_revoked_token_answers_with_the_charset_warning_as_decoy():
    client = slack({"tokens": {"tok": {"status": "revoked"}}})
    sent = {"authorization": "Bearer tok", "content-type": "application/json"}
    assert call(client, "chat.postMessage", headers=sent) == {"ok": False, "error": "token_revoked", **WARNED}


@pytest.mark.parametrize(("status", "error"), [("inactive", "account_inactive"), ("expired", "token_expired")])
def test_s4_dead_tokens_say_why(status, error):
    client = slack({"tokens": {"tok": {"status": status}}})
    assert call(client, "auth.test", headers={"authorization": "Bearer tok"})["error"] == error


def test_s5_a_scope_that_one_of_the_types_needs_is_missing():
    state, token = with_scopes("links:write", "channels:read")
    response = body_of(slack(state).send("GET", "conversations.list?types=public_channel,im", headers=token))
    assert response == {
        "ok": False,
        "error": "missing_scope",
        "needed": "im:read",
        "provided": "links:write,channels:read",
    }


def test_s5_the_same_list_without_the_type_works():
    state, token = with_scopes("links:write", "channels:read")
    assert body_of(slack(state).send("GET", "conversations.list", headers=token))["ok"] is True


def test_s6_a_private_channel_needs_a_scope_of_its_own():
    state, token = with_scopes("channels:history", "reactions:read")
    response = call(slack(state), "conversations.history", {"channel": PAYROLL}, headers=token)
    assert response == {
        "ok": False,
        "error": "missing_scope",
        "needed": "groups:history",
        "provided": "channels:history,reactions:read",
    }


def test_s36_encoding_is_checked_before_the_token():
    sent = {"authorization": None, "content-type": "application/x-www-form-urlencoded"}
    assert (
        body_of(slack().send("POST", "chat.postMessage", raw=b'{"channel": "C1"}', headers=sent))["error"]
        == "invalid_form_data"
    )


def test_s36_php_style_arrays_are_refused():
    sent = {"content-type": "application/x-www-form-urlencoded"}
    response = body_of(slack().send("POST", "chat.postMessage", raw=b"channel=C1&request[timeout]=180", headers=sent))
    assert response == {"ok": False, "error": "invalid_array_arg"}


@pytest.mark.parametrize(("kind", "error"), [(None, "missing_post_type"), ("application/xml", "invalid_post_type")])
def test_s36_a_body_needs_a_type_that_slack_reads(kind, error):
    response = slack().send("POST", "chat.postMessage", raw=b"channel=C1", headers={"content-type": kind})
    assert body_of(response)["error"] == error


@pytest.mark.parametrize(("raw", "error"), [(b'{"channel": ', "invalid_json"), (b'["C1"]', "json_not_object")])
def test_broken_json_is_refused(raw, error):
    sent = {"content-type": "application/json; charset=utf-8"}
    assert body_of(slack().send("POST", "chat.postMessage", raw=raw, headers=sent)) == {"ok": False, "error": error}


def test_s37_an_unknown_method_is_named():
    assert call(slack(), "chat.postMesage", headers={"authorization": None}) == {
        "ok": False, "error": "unknown_method", "req_method": "chat.postMesage",
    }  # fmt: skip


def test_s38_a_rate_limit_is_counted_down_and_sends_retry_after():
    client = slack({"rate_limited": {"chat.postMessage": {"times": 2, "retry_after": 30}}})
    responses = [client.send("POST", "chat.postMessage", {"channel": LOBBY, "text": "a"}) for _ in range(3)]
    assert [response.status for response in responses] == [429, 429, 200]
    assert body_of(responses[0]) == {"ok": False, "error": "ratelimited"}
    assert responses[0].header("Retry-After") == "30"
    assert [message for message in client.state["messages"][LOBBY].values() if message["text"] == "a"]


def test_s38_other_methods_are_not_limited():
    client = slack({"rate_limited": {"chat.postMessage": {"retry_after": 30}}})
    assert get(client, "auth.test")["ok"] is True
    assert [client.send("POST", "chat.postMessage", {}).status for _ in range(3)] == [429, 429, 429]


def test_s39_an_outage_can_be_written_into_the_state():
    page = {"status": 503, "headers": {"Content-Type": "text/html"}, "body": "<h1>Server Error</h1>"}
    client = slack({"failures": {"chat.postMessage": [page]}})
    first, second = (client.send("POST", "chat.postMessage", {"channel": LOBBY, "text": "a"}) for _ in range(2))
    assert (first.status, first.header("content-type"), second.status) == (503, "text/html", 200)


def test_s40_a_path_outside_the_api_is_a_page():
    client = slack()
    client.base = "https://slack.com/"
    response = client.send("GET", "aip/team.info")
    assert response.status == 404
    assert response.header("content-type").startswith("text/html")
    assert b"The requested URL /aip/team.info was not found on this server." in response.body


def test_a_failure_can_be_reported_although_the_message_was_posted():
    client = slack({"failures": {"chat.postMessage": [{"fault": "timeout", "applied": True}]}})
    response = client.send("POST", "chat.postMessage", {"channel": LOBBY, "text": "posted all the same"})
    assert (response.status, response.fault) == (0, "timeout")
    assert "posted all the same" in [message["text"] for message in client.state["messages"][LOBBY].values()]


def test_answers_wear_slacks_headers():
    state, token = with_scopes("chat:write", "users:read")
    response = slack(state).send("GET", "users.info?user=U06KESTERN", headers=token)
    assert response.header("content-type") == "application/json; charset=utf-8"
    assert response.header("x-oauth-scopes") == "chat:write,users:read"
    assert response.header("x-accepted-oauth-scopes") == "users:read"
    assert len(response.header("x-slack-req-id")) == 32


def test_a_request_id_states_the_method_and_the_accepted_writes_before_it():
    client = slack()

    def number(name):
        return client.send("GET", name).header("x-slack-req-id")

    first, other, again = number("auth.test"), number("users.list"), number("auth.test")
    call(client, "chat.postMessage", {"channel": LOBBY, "text": ""})
    refused = number("auth.test")
    call(client, "chat.postMessage", {"channel": LOBBY, "text": "x"})
    assert first == again == refused
    assert len({first, other, number("auth.test")}) == 3


def test_a_request_id_does_not_hang_on_a_token():
    sent = [{"authorization": f"Bearer {token}"} for token in ("one", "two")]
    first, second = (slack().send("GET", "auth.test", headers=headers).header("x-slack-req-id") for headers in sent)
    third = slack().send("GET", "auth.test?token=three").header("x-slack-req-id")
    assert first == second == third


def test_a_refused_call_changes_nothing():
    client = slack()
    before = client.state
    call(client, "chat.postMessage", {"channel": "U06KESTERN", "text": ""})
    assert client.state == before


def test_a_message_sent_by_get_is_posted():
    client = slack()
    posted = get(client, f"chat.postMessage?channel={LOBBY}&text=hi")
    assert get(client, f"conversations.history?channel={LOBBY}&limit=1")["messages"][0]["ts"] == posted["ts"]


def test_asking_what_a_method_takes_posts_nothing():
    client = slack()
    before = client.state
    client.send("OPTIONS", f"chat.postMessage?channel={LOBBY}&text=hi")
    assert client.state == before


def test_auth_test_says_who_calls():
    response = get(slack(), "auth.test")
    assert (response["user"], response["user_id"], response["team"]) == (
        "lampkeeper",
        "U05BOTLAMP",
        "Marrow Bay Ferries",
    )


@pytest.mark.parametrize("method", ["users.lookupByEmail", "conversations.info"])
def test_s14_a_json_body_on_a_method_that_reads_forms_is_not_read(method):
    response = call(
        slack(),
        method,
        {"email": "sunniva@marrowbay.example", "channel": LOBBY},
        headers={"content-type": "application/json"},
    )
    field = "email" if method.startswith("users") else "channel"
    assert response == {
        "ok": False, "error": "invalid_arguments", "warning": "missing_charset",
        "response_metadata": {"messages": [f"[ERROR] missing required field: {field}"], "warnings": ["missing_charset"]},
    }  # fmt: skip


def test_a_json_body_on_conversations_list_is_silently_ignored():
    response = call(slack(), "conversations.list", {"limit": 1})
    assert len(response["channels"]) > 1


def test_multipart_forms_are_read():
    raw = b'--b\r\nContent-Disposition: form-data; name="channel"\r\n\r\n' + LOBBY.encode() + b"\r\n--b--\r\n"
    sent = {"content-type": "multipart/form-data; boundary=b"}
    assert body_of(slack().send("POST", "conversations.info", raw=raw, headers=sent))["channel"]["name"] == "quayside"
