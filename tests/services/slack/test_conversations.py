from __future__ import annotations

import pytest

from tests.fakes.services import body_of
from tests.services.slack.client import DOCKS, INCIDENT, LOBBY, OLD, PAYROLL, TIDES, call, get, slack, with_scopes


def names(response):
    return [channel["name"] for channel in response["channels"]]


def test_the_list_holds_public_channels_unless_set_otherwise():
    response = get(slack(), "conversations.list")
    assert "tide-tables" in names(response)
    assert "old-wharf" in names(response)
    assert "incident-bridge" not in names(response)


def test_the_list_can_leave_archived_channels_out():
    assert "old-wharf" not in names(get(slack(), "conversations.list?exclude_archived=true"))


def test_private_channels_are_listed_to_their_members_only():
    assert names(get(slack(), "conversations.list?types=private_channel")) == ["incident-bridge"]


def test_a_private_channel_says_so():
    channel = get(slack(), "conversations.list?types=private_channel")["channels"][0]
    assert (channel["is_private"], channel["is_member"], channel["is_group"]) == (True, True, True)


def test_pages_follow_one_another_to_the_end():
    client, seen, cursor = slack(), [], ""
    while True:
        response = get(client, f"conversations.list?limit=2&cursor={cursor}")
        seen += names(response)
        cursor = response["response_metadata"]["next_cursor"]
        if not cursor:
            break
    assert seen == names(get(slack(), "conversations.list"))


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("limit=many", {"ok": False, "error": "invalid_limit"}),
        ("cursor=bm9wZQ==", {"ok": False, "error": "invalid_cursor"}),
        ("cursor=???", {"ok": False, "error": "invalid_cursor"}),
        ("types=public", {"ok": False, "error": "invalid_types"}),
        (
            "limit=5000",
            {
                "ok": False,
                "error": "invalid_arguments",
                "response_metadata": {"messages": ["[ERROR] must be less than 1001 [json-pointer:/limit]"]},
            },
        ),
    ],
    ids=["S20-no-number", "S21", "S21-garbage", "types", "S20-too-large"],
)
def test_a_list_is_refused(query, expected):
    assert get(slack(), f"conversations.list?{query}") == expected


@pytest.mark.parametrize("method", ["conversations.info", "conversations.history", "conversations.members"])
@pytest.mark.parametrize("given", ["quayside", "%23quayside", "C0NOSUCH000", PAYROLL])
def test_s10_only_ids_are_taken_here(method, given):
    assert get(slack(), f"{method}?channel={given}") == {"ok": False, "error": "channel_not_found"}


def test_s10_the_same_name_works_for_posting():
    assert call(slack(), "chat.postMessage", {"channel": "#quayside", "text": "x"})["ok"] is True


def test_s11_the_history_of_a_channel_from_outside():
    assert get(slack(), f"conversations.history?channel={DOCKS}") == {"ok": False, "error": "not_in_channel"}


def test_the_history_is_newest_first_and_can_be_bounded():
    response = get(slack(), f"conversations.history?channel={LOBBY}")
    assert [message["ts"] for message in response["messages"]] == ["1767110000.000200", "1767100000.000100"]
    assert response["messages"][0]["reactions"] == [{"name": "eyes", "users": ["U06KESTERN"], "count": 1}]
    older = get(slack(), f"conversations.history?channel={LOBBY}&latest=1767105000.000000")
    assert [message["ts"] for message in older["messages"]] == ["1767100000.000100"]


def test_the_history_takes_json_and_its_pages_say_when_there_is_more():
    response = call(slack(), "conversations.history", {"channel": LOBBY, "limit": 1})
    assert (len(response["messages"]), response["has_more"]) == (1, True)
    assert response["response_metadata"]["next_cursor"]


def test_a_bound_that_is_no_timestamp_is_refused():
    assert get(slack(), f"conversations.history?channel={LOBBY}&oldest=monday")["error"] == "invalid_ts_oldest"


def test_joining_lets_one_read():
    client = slack()
    assert call(client, "conversations.join", {"channel": DOCKS})["channel"]["is_member"] is True
    assert get(client, f"conversations.history?channel={DOCKS}")["ok"] is True


def test_joining_twice_is_a_warning():
    response = call(slack(), "conversations.join", {"channel": LOBBY})
    assert (response["ok"], response["warning"]) == (True, "already_in_channel")


@pytest.mark.parametrize(
    ("channel", "error"),
    [(OLD, "is_archived"), (INCIDENT, "method_not_supported_for_channel_type"), (PAYROLL, "channel_not_found")],
)
def test_what_cannot_be_joined(channel, error):
    assert call(slack(), "conversations.join", {"channel": channel})["error"] == error


def test_s32_one_bad_user_keeps_all_out():
    client = slack()
    response = call(client, "conversations.invite", {"channel": TIDES, "users": "U0NOBODY99,U05BOTLAMP,U07SUNNIVA"})
    assert response == {
        "ok": False, "error": "user_not_found",
        "errors": [
            {"user": "U0NOBODY99", "ok": False, "error": "user_not_found"},
            {"user": "U05BOTLAMP", "ok": False, "error": "cant_invite_self"},
        ],
    }  # fmt: skip
    assert "U07SUNNIVA" not in client.state["members"][TIDES]


def test_s32_force_lets_the_others_in():
    client = slack()
    response = call(client, "conversations.invite", {"channel": TIDES, "users": "U0NOBODY99,U07SUNNIVA", "force": True})
    assert response["ok"] is True
    assert response["errors"][0]["user"] == "U0NOBODY99"
    assert client.state["members"][TIDES]["U07SUNNIVA"] is True


def test_s33_who_is_there_cannot_be_invited():
    response = call(slack(), "conversations.invite", {"channel": TIDES, "users": "U06KESTERN"})
    assert response["error"] == "already_in_channel"


def test_s11_inviting_needs_membership():
    assert call(slack(), "conversations.invite", {"channel": DOCKS, "users": "U06KESTERN"})["error"] == "not_in_channel"


def test_s15_a_topic_is_required():
    assert call(slack(), "conversations.setTopic", {"channel": LOBBY}) == {
        "ok": False, "error": "invalid_arguments",
        "response_metadata": {"messages": ["[ERROR] missing required field: topic"]},
    }  # fmt: skip


def test_a_topic_is_set():
    assert (
        call(slack(), "conversations.setTopic", {"channel": LOBBY, "topic": "Fog"})["channel"]["topic"]["value"]
        == "Fog"
    )


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("tide-tables", "name_taken"),
        ("Tide Tables", "invalid_name_specials"),
        ("x" * 81, "invalid_name_maxlength"),
        ("", "invalid_name_required"),
    ],
)
def test_s35_names_that_cannot_be_had(name, error):
    assert call(slack(), "conversations.create", {"name": name}) == {"ok": False, "error": error}


def test_a_new_channel_can_be_posted_to():
    client = slack()
    channel = call(client, "conversations.create", {"name": "slack-water"})["channel"]
    assert call(client, "chat.postMessage", {"channel": channel["id"], "text": "x"})["ok"] is True


def test_users_are_found_by_id_and_by_email():
    client = slack()
    assert get(client, "users.info?user=U07SUNNIVA")["user"]["name"] == "sunniva_h"
    assert get(client, "users.lookupByEmail?email=SUNNIVA@marrowbay.example")["user"]["id"] == "U07SUNNIVA"
    assert len(get(client, "users.list")["members"]) == 6


def test_a_user_has_no_username():
    assert "username" not in get(slack(), "users.info?user=U07SUNNIVA")["user"]


@pytest.mark.parametrize(
    ("call_", "error"),
    [
        ("users.lookupByEmail?email=nobody@marrowbay.example", "users_not_found"),
        ("users.lookupByEmail?email=ilse@marrowbay.example", "users_not_found"),
        ("users.info?user=U0NOBODY99", "user_not_found"),
    ],
    ids=["S31", "S31-deleted", "user-id"],
)
def test_unknown_users(call_, error):
    assert get(slack(), call_) == {"ok": False, "error": error}


def test_a_missing_scope_names_what_the_email_needs():
    state, token = with_scopes("users:read")
    response = body_of(slack(state).send("GET", "users.lookupByEmail?email=a", headers=token))
    assert response == {"ok": False, "error": "missing_scope", "needed": "users:read.email", "provided": "users:read"}
