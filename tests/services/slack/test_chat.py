from __future__ import annotations

from urllib.parse import urlencode

import pytest

from tests.fakes.services import NOW_MS, body_of
from tests.services.slack.client import DOCKS, INCIDENT, LOBBY, OLD, PAYROLL, call, slack, with_scopes

SEEN = "1767110000.000200"


def texts(client, channel):
    return [message["text"] for message in client.state["messages"][channel].values()]


@pytest.mark.parametrize("given", [LOBBY, "quayside", "#quayside"])
def test_a_message_goes_to_a_channel_by_id_or_by_name(given):
    client = slack()
    response = call(client, "chat.postMessage", {"channel": given, "text": "Sailing"})
    assert (response["ok"], response["channel"], response["message"]["text"]) == (True, LOBBY, "Sailing")
    assert response["ts"].startswith(f"{NOW_MS // 1000}.")
    assert texts(client, LOBBY)[-1] == "Sailing"


def test_timestamps_of_messages_differ():
    client = slack()
    first, second = (call(client, "chat.postMessage", {"channel": LOBBY, "text": "x"})["ts"] for _ in range(2))
    assert first < second


def test_a_message_to_a_user_opens_a_direct_channel_once():
    client = slack()
    first, second = (
        call(client, "chat.postMessage", {"channel": "U06KESTERN", "text": "x"})["channel"] for _ in range(2)
    )
    assert first == second
    assert first.startswith("D")


def test_s43_success_may_carry_a_warning():
    response = call(
        slack(), "chat.postMessage", {"channel": LOBBY, "text": "x"}, headers={"content-type": "application/json"}
    )
    assert response["ok"] is True
    assert response["warning"] == "missing_charset"
    assert response["response_metadata"] == {"warnings": ["missing_charset"]}


@pytest.mark.parametrize("given", ["C0NOSUCH000", "#tide-tabels", "crew-payroll", PAYROLL])
def test_s9_what_is_not_there_and_what_one_may_not_see_are_alike(given):
    response = call(slack(), "chat.postMessage", {"channel": given, "text": "x"})
    assert response == {"ok": False, "error": "channel_not_found"}


def test_s9_json_without_a_charset_adds_the_warning():
    response = call(
        slack(),
        "chat.postMessage",
        {"channel": "C0NOSUCH000", "text": "x"},
        headers={"content-type": "application/json"},
    )
    assert response == {
        "ok": False, "error": "channel_not_found", "warning": "missing_charset",
        "response_metadata": {"warnings": ["missing_charset"]},
    }  # fmt: skip


def test_s11_posting_from_outside_needs_its_own_scope():
    state, token = with_scopes("chat:write")
    assert (
        call(slack(state), "chat.postMessage", {"channel": DOCKS, "text": "x"}, headers=token)["error"]
        == "not_in_channel"
    )
    assert call(slack(), "chat.postMessage", {"channel": DOCKS, "text": "x"})["ok"] is True


def test_s12_archived_channels_take_no_messages():
    assert call(slack(), "chat.postMessage", {"channel": OLD, "text": "x"}) == {"ok": False, "error": "is_archived"}


@pytest.mark.parametrize("content", [{}, {"text": ""}, {"text": "  "}, {"blocks": []}])
def test_s13_a_message_needs_content(content):
    assert call(slack(), "chat.postMessage", {"channel": LOBBY, **content}) == {"ok": False, "error": "no_text"}


@pytest.mark.parametrize("arguments", [{"channel_id": LOBBY, "text": "x"}, {"chanel": LOBBY}])
def test_s14_a_mistyped_argument_is_a_missing_one(arguments):
    assert call(slack(), "chat.postMessage", arguments) == {
        "ok": False, "error": "invalid_arguments",
        "response_metadata": {"messages": ["[ERROR] missing required field: channel"]},
    }  # fmt: skip


@pytest.mark.parametrize("given", [None, 5, {"id": LOBBY}])
def test_a_channel_that_is_no_text_is_an_invalid_argument(given):
    response = call(slack(), "chat.postMessage", {"channel": given, "text": "x"})
    assert response["error"] == "invalid_arguments"
    assert response["response_metadata"]["messages"] == ["[ERROR] must provide a string [json-pointer:/channel]"]


def test_s30_markdown_text_excludes_text():
    response = call(slack(), "chat.postMessage", {"channel": LOBBY, "text": "x", "markdown_text": "*x*"})
    assert response == {"ok": False, "error": "markdown_text_conflict"}


def test_forms_and_queries_work_as_json_does():
    client = slack()
    form = urlencode({"channel": LOBBY, "blocks": '[{"type":"divider"}]'}).encode()
    sent = {"content-type": "application/x-www-form-urlencoded"}
    assert body_of(client.send("POST", "chat.postMessage", raw=form, headers=sent))["message"]["blocks"] == [
        {"type": "divider"}
    ]
    assert body_of(client.send("GET", f"chat.postMessage?channel={LOBBY}&text=hi"))["ok"] is True


def test_a_reply_carries_its_thread_and_a_number_for_it_is_dropped_in_silence():
    client = slack()
    threaded = call(client, "chat.postMessage", {"channel": LOBBY, "text": "x", "thread_ts": SEEN})
    loose = call(client, "chat.postMessage", {"channel": LOBBY, "text": "x", "thread_ts": float(SEEN)})
    assert threaded["message"]["thread_ts"] == SEEN
    assert loose["ok"] is True
    assert "thread_ts" not in loose["message"]


def test_a_thread_that_is_no_timestamp_is_refused():
    response = call(slack(), "chat.postMessage", {"channel": LOBBY, "text": "x", "thread_ts": "0"})
    assert response["error"] == "invalid_thread_ts"
    assert response["response_metadata"]["messages"] == ["[ERROR] 0 is not a valid thread_ts"]


def test_a_message_of_ones_own_can_be_changed():
    client = slack()
    response = call(client, "chat.update", {"channel": LOBBY, "ts": SEEN, "text": "The fog is gone."})
    assert (response["ok"], response["text"]) == (True, "The fog is gone.")
    assert client.state["messages"][LOBBY][SEEN]["text"] == "The fog is gone."


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"channel": LOBBY, "ts": "1767110000.999999", "text": "x"}, "message_not_found"),
        ({"channel": LOBBY, "ts": float(SEEN), "text": "x"}, "message_not_found"),
        ({"channel": LOBBY, "ts": "1767100000.000100", "text": "x"}, "cant_update_message"),
        ({"channel": "quayside", "ts": SEEN, "text": "x"}, "channel_not_found"),
        ({"channel": LOBBY, "ts": SEEN, "text": "x" * 4001}, "msg_too_long"),
        ({"channel": LOBBY, "ts": SEEN}, "no_text"),
    ],
    ids=["S34-unknown", "S34-number", "not-ones-own", "S10-name", "S29-too-long", "S13-empty"],
)
def test_an_update_is_refused(arguments, error):
    assert call(slack(), "chat.update", arguments) == {"ok": False, "error": error}


def test_s33_the_same_reaction_twice_was_already_there():
    client = slack()
    wanted = {"channel": LOBBY, "name": "anchor", "timestamp": SEEN}
    assert call(client, "reactions.add", wanted) == {"ok": True}
    assert call(client, "reactions.add", wanted) == {"ok": False, "error": "already_reacted"}


@pytest.mark.parametrize(
    ("changed", "error"),
    [
        ({"timestamp": float(SEEN)}, "message_not_found"),
        ({"timestamp": "yesterday"}, "bad_timestamp"),
        ({"name": "No Such!"}, "invalid_name"),
        ({"channel": INCIDENT}, "message_not_found"),
        ({"channel": DOCKS}, "not_in_channel"),
    ],
    ids=["S34-number", "S34-bad", "name", "other-channel", "S11-outside"],
)
def test_a_reaction_is_refused(changed, error):
    arguments = {"channel": LOBBY, "name": "anchor", "timestamp": SEEN, **changed}
    assert call(slack(), "reactions.add", arguments) == {"ok": False, "error": error}
