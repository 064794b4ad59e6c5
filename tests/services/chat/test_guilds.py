from __future__ import annotations

import pytest

from tests.fakes.services import body_of
from tests.services.chat.client import GUILD, HIDDEN, LOG, ODALYS, SUVI, chat, problems_of, seen


def test_who_the_token_is_and_who_others_are():
    client = chat()
    assert body_of(client.send("GET", "/users/@me"))["bot"] is True
    assert body_of(client.send("GET", f"/users/{ODALYS}"))["global_name"] == "Odalys"
    assert seen(client.send("GET", "/users/77")) == (404, 10013, "Unknown User")


def test_a_guild_its_roles_and_its_channels():
    client = chat()
    assert body_of(client.send("GET", GUILD))["name"] == "Cinderwick Observatory"
    assert [one["name"] for one in body_of(client.send("GET", f"{GUILD}/roles"))] == ["@everyone", "night-watch"]
    names = [one["name"] for one in body_of(client.send("GET", f"{GUILD}/channels"))]
    assert names == ["dome-log", "announcements", "trustees", "Night call"]
    assert seen(client.send("GET", "/guilds/5/channels")) == (404, 10004, "Unknown Guild")


def test_members_are_paged_by_id():
    client = chat()

    def users(query):
        return [one["user"]["id"] for one in body_of(client.send("GET", f"{GUILD}/members{query}"))]

    assert len(users("")) == 1
    assert len(users("?limit=10")) == 3
    assert users(f"?limit=10&after={ODALYS}") == ["1180000000000000102"]
    assert problems_of(client.send("GET", f"{GUILD}/members?limit=1001"))[0][1] == "NUMBER_TYPE_MAX"


def test_a_user_who_is_no_member_is_unknown_as_one():
    client = chat()
    assert body_of(client.send("GET", f"{GUILD}/members/{ODALYS}"))["nick"] == "Odalys (dome 2)"
    assert seen(client.send("GET", f"{GUILD}/members/{SUVI}")) == (404, 10007, "Unknown Member")
    assert problems_of(client.send("GET", f"{GUILD}/members/@me")) == [
        ("user_id", "NUMBER_TYPE_COERCE", 'Value "@me" is not snowflake.')
    ]


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({}, ("name", "BASE_TYPE_REQUIRED", "This field is required")),
        ({"name": "x" * 101}, ("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")),
        ({"name": "x", "type": 1}, ("type", "BASE_TYPE_CHOICES", "Value must be one of (0, 2, 4, 5, 6, 13, 14, 15).")),
        ({"name": "x", "type": "text"}, ("type", "NUMBER_TYPE_COERCE", 'Value "text" is not int.')),
        ({"name": "x", "topic": "y" * 1025}, ("topic", "BASE_TYPE_MAX_LENGTH", "Must be 1024 or fewer in length.")),
    ],
)
def test_a_channel_is_made_of_what_fits(body, problem):
    assert problems_of(chat().send("POST", f"{GUILD}/channels", body)) == [problem]


def test_a_text_channels_name_is_kept_in_small_letters():
    client = chat()
    made = client.send("POST", f"{GUILD}/channels", {"name": "Star Party", "topic": "Saturday"})
    assert made.status == 201
    channel = body_of(made)["id"]
    assert body_of(client.send("GET", f"/channels/{channel}"))["name"] == "star-party"
    assert body_of(client.send("PATCH", f"/channels/{channel}", {"topic": None}))["topic"] is None
    assert seen(client.send("PATCH", HIDDEN, {"name": "x"})) == (403, 50001, "Missing Access")


def test_roles_and_nicknames_need_their_permissions():
    client, member = chat(), f"{GUILD}/members/{ODALYS}"
    assert client.send("DELETE", f"{member}/roles/1180000000000001007").status == 204
    assert body_of(client.send("GET", member))["roles"] == []
    assert client.send("PUT", f"{member}/roles/1180000000000001007").status == 204
    assert seen(client.send("PUT", f"{member}/roles/9")) == (404, 10011, "Unknown Role")
    assert body_of(client.send("PATCH", member, {"nick": "O."}))["nick"] == "O."
    poor = chat({"guilds": {"1180000000000001000": {"permissions": []}}})
    assert seen(poor.send("PATCH", member, {"nick": "x"})) == (403, 50013, "Missing Permissions")


@pytest.mark.parametrize("header", [None, "Bearer any-token", "any-token", "Bot {{token}}", "Bot other"])
def test_without_a_good_bot_token_there_is_a_401(header):
    client = chat({"tokens": {"any-token": {}}})
    assert seen(client.send("GET", LOG, headers={"authorization": header})) == (401, 0, "401: Unauthorized")


def test_paths_methods_and_bodies_that_are_none():
    client = chat()
    assert seen(client.send("GET", "/nowhere")) == (404, 0, "404: Not Found")
    assert seen(client.send("PUT", LOG)) == (405, 0, "405: Method Not Allowed")
    response = client.send("POST", f"{LOG}/messages", raw=b"{", headers={"content-type": "application/json"})
    assert seen(response) == (400, 50109, "The request body contains invalid JSON.")


def test_v20_a_rate_limit_states_how_long_to_wait():
    client = chat({"rate_limited": {"POST /channels/{channel_id}/messages": {"times": 1, "retry_after": 64.57}}})
    response = client.send("POST", f"{LOG}/messages", {"content": "x"})
    assert response.status == 429
    assert body_of(response) == {"message": "You are being rate limited.", "retry_after": 64.57, "global": False}
    assert response.header("retry-after") == "65"
    assert response.header("x-ratelimit-scope") == "user"
    assert client.send("POST", f"{LOG}/messages", {"content": "x"}).status == 200
