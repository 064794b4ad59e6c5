from __future__ import annotations

import pytest

from tests.fakes.services import body_of
from tests.services.chat.client import LOG, NEWS, VOICE, chat, problems_of, seen

POST = f"{LOG}/messages"


def send(body, path=POST):
    return chat().send("POST", path, body)


def test_v19_a_field_that_is_missing_is_reported_in_the_tree_of_the_body():
    response = send({"embeds": [{"title": "ok"}, {"fields": [{"name": "Seeing"}]}]})
    assert response.status == 400
    assert body_of(response) == {
        "message": "Invalid Form Body",
        "code": 50035,
        "errors": {
            "embeds": {
                "1": {
                    "fields": {
                        "0": {
                            "value": {"_errors": [{"code": "BASE_TYPE_REQUIRED", "message": "This field is required"}]}
                        }
                    }
                }
            }
        },
    }


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({"content": "x" * 2001}, ("content", "BASE_TYPE_MAX_LENGTH", "Must be 2000 or fewer in length.")),
        ({"content": []}, ("content", "STRING_TYPE_CONVERT", 'Could not interpret "[]" as string.')),
        ({"embeds": [{"description": "x" * 4097}]}, ("embeds.0.description", "BASE_TYPE_MAX_LENGTH", "Must be 4096 or fewer in length.")),
        ({"embeds": [{"title": "x" * 257}]}, ("embeds.0.title", "BASE_TYPE_MAX_LENGTH", "Must be 256 or fewer in length.")),
        ({"embeds": [{"color": 0x1000000}]}, ("embeds.0.color", "NUMBER_TYPE_MAX", "int value should be less than or equal to 16777215.")),
        ({"embeds": [{"color": "#ff0000"}]}, ("embeds.0.color", "NUMBER_TYPE_COERCE", 'Value "#ff0000" is not int.')),
        ({"embeds": [{"timestamp": "yesterday"}]}, ("embeds.0.timestamp", "DATE_TIME_TYPE_PARSE", "Could not parse yesterday. Should be ISO8601.")),
        ({"embeds": [{"url": "dome"}]}, ("embeds.0.url", "URL_TYPE_INVALID_URL", "Not a well formed URL.")),
        ({"embeds": [{"url": "ftp://dome.example"}]}, ("embeds.0.url", "URL_TYPE_INVALID_SCHEME", "Scheme \"ftp\" is not supported. Scheme must be one of ('http', 'https').")),
        ({"embeds": [{"footer": {}}]}, ("embeds.0.footer.text", "BASE_TYPE_REQUIRED", "This field is required")),
        ({"embeds": [{"title": "x"}] * 11}, ("embeds", "BASE_TYPE_MAX_LENGTH", "Must be 10 or fewer in length.")),
        ({"embeds": [{"fields": [{"name": "n", "value": "v"}] * 26}]}, ("embeds.0.fields", "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")),
        ({"embeds": [{"description": "x" * 4000}, {"description": "x" * 2001}]}, ("embeds", "MAX_EMBED_SIZE_EXCEEDED", "Embed size exceeds maximum size of 6000")),
        ({"embeds": {"title": "bare"}}, ("embeds.0", "MODEL_TYPE_CONVERT", "Expected an object/dictionary.")),
        ({"content": "x", "message_reference": {"message_id": "latest"}}, ("message_reference.message_id", "NUMBER_TYPE_COERCE", 'Value "latest" is not snowflake.')),
        ({"content": "x", "message_reference": {"message_id": "1"}}, ("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")),
    ],
)  # fmt: skip
def test_each_limit_has_its_place_code_and_message(body, problem):
    assert problems_of(send(body)) == [problem]


def test_all_that_is_wrong_is_reported_at_once():
    found = problems_of(send({"content": "x" * 2001, "embeds": [{"color": "red", "footer": {}}]}))
    assert [place for place, _, _ in found] == ["content", "embeds.0.color", "embeds.0.footer.text"]


@pytest.mark.parametrize("body", [{}, {"content": ""}, {"content": " "}, {"text": "the wrong name"}, {"embeds": []}])
def test_a_message_with_nothing_in_it_is_refused(body):
    assert seen(send(body)) == (400, 50006, "Cannot send an empty message")


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        ("/channels/1180000000000002999/messages", (404, 10003, "Unknown Channel")),
        ("/channels/1180000000000002003/messages", (403, 50001, "Missing Access")),
        (f"{NEWS}/messages", (403, 50013, "Missing Permissions")),
    ],
)
def test_a_channel_has_to_be_there_to_be_seen_and_to_be_open(path, refusal):
    assert seen(send({"content": "x"}, path)) == refusal


def test_a_name_in_place_of_an_id_is_no_snowflake():
    assert problems_of(send({"content": "x"}, "/channels/dome-log/messages")) == [
        ("channel_id", "NUMBER_TYPE_COERCE", 'Value "dome-log" is not snowflake.')
    ]


def test_a_category_takes_no_messages():
    client = chat({"channels": {"1180000000000002004": {"type": 4}}})
    assert seen(client.send("POST", f"{VOICE}/messages", {"content": "x"})) == (
        400, 50008, "Cannot send messages in a non-text channel",
    )  # fmt: skip


def test_a_message_is_sent_shown_edited_and_deleted():
    client = chat()
    sent = body_of(client.send("POST", POST, {"content": "Opening.", "embeds": [{"title": "Plan", "color": 255}]}))
    assert (sent["author"]["username"], sent["embeds"]) == ("lanternkeeper", [{"title": "Plan", "color": 255}])
    assert isinstance(sent["id"], str)
    assert sent["timestamp"] == "2026-01-01T00:00:00.000000+00:00"
    newest = body_of(client.send("GET", f"{POST}?limit=1"))
    assert [one["id"] for one in newest] == [sent["id"]]
    client.send("PATCH", f"{POST}/{sent['id']}", {"content": "Open."})
    assert body_of(client.send("GET", f"{POST}/{sent['id']}"))["content"] == "Open."
    assert client.send("DELETE", f"{POST}/{sent['id']}").status == 204
    assert seen(client.send("GET", f"{POST}/{sent['id']}")) == (404, 10008, "Unknown Message")


def test_only_ones_own_messages_can_be_edited():
    response = chat().send("PATCH", f"{POST}/1190000000000000001", {"content": "x"})
    assert seen(response) == (403, 50005, "Cannot edit a message authored by another user")


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("limit=101", ("limit", "NUMBER_TYPE_MAX", "int value should be less than or equal to 100.")),
        ("limit=0", ("limit", "NUMBER_TYPE_MIN", "int value should be greater than or equal to 1.")),
        ("before=now", ("before", "NUMBER_TYPE_COERCE", 'Value "now" is not snowflake.')),
    ],
)
def test_a_page_is_asked_for_in_bounds(query, problem):
    assert problems_of(chat().send("GET", f"{POST}?{query}")) == [problem]


def test_a_page_starts_where_it_is_asked_to():
    client = chat()

    def ids(query):
        return [one["id"][-1] for one in body_of(client.send("GET", f"{POST}?{query}"))]

    assert ids("limit=2") == ["2", "1"]
    assert ids("before=1190000000000000002") == ["1"]
    assert ids("after=1190000000000000001") == ["2"]


def test_a_reaction_counts_once_for_each_who_reacts():
    client, message = chat(), f"{POST}/1190000000000000002"
    for _ in range(2):
        assert client.send("PUT", f"{message}/reactions/%F0%9F%91%8D/@me").status == 204
    assert body_of(client.send("GET", message))["reactions"] == [
        {"emoji": {"id": None, "name": "👍"}, "count": 2, "me": True}
    ]
    client.send("DELETE", f"{message}/reactions/%F0%9F%91%8D/@me")
    assert body_of(client.send("GET", message))["reactions"][0]["count"] == 1
    assert seen(client.send("PUT", f"{message}/reactions/thumbsup/@me")) == (400, 10014, "Unknown Emoji")


def test_a_message_takes_its_first_reaction():
    client, message = chat(), f"{POST}/1190000000000000001"
    assert "reactions" not in body_of(client.send("GET", message))
    assert client.send("PUT", f"{message}/reactions/%F0%9F%91%8D/@me").status == 204
    assert body_of(client.send("GET", message))["reactions"][0]["count"] == 1


def test_a_webhook_posts_with_its_own_name_and_needs_its_token_alone():
    client = chat()
    hook = body_of(client.send("POST", f"{LOG}/webhooks", {"name": "Weather vane"}))
    path = f"/webhooks/{hook['id']}/{hook['token']}"
    assert client.send("POST", path, {"content": "rain"}, headers={"authorization": None}).status == 204
    shown = body_of(client.send("POST", f"{path}?wait=true", {"content": "clear", "username": "Vane"}))
    assert (shown["author"]["username"], shown["content"]) == ("Vane", "clear")
    assert seen(client.send("POST", f"{path}x", {"content": "x"})) == (401, 50027, "Invalid Webhook Token")
    assert seen(client.send("POST", "/webhooks/12/abc", {"content": "x"})) == (404, 10015, "Unknown Webhook")
    assert problems_of(client.send("POST", path, {"content": "x", "username": "x" * 81})) == [
        ("username", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 80 in length.")
    ]
    assert [one["name"] for one in body_of(client.send("GET", f"{LOG}/webhooks"))] == ["Weather vane"]
