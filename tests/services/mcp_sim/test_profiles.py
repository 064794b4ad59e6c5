"""Failures in each profile. Row ids are those of the catalogue of API errors."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.api_errors.envelopes import failure_in
from tests.services.mcp_sim.client import Caller

TICKETS, DOCS, CALENDAR, CHAT = "harbour-tickets", "archive-docs", "crew-calendar", "crew-chat"


def errors(caller, *asked):
    return caller.call(*asked).get("error")


@pytest.mark.parametrize(
    ("patch", "code", "message"),
    [({}, -32602, "Unknown tool: nope"), ({"unknown_tool": -32601}, -32601, "MCP error -32601: Unknown tool: nope")],
)
def test_m1_an_unknown_tool_is_a_protocol_error(patch, code, message):
    assert errors(Caller({DOCS: patch}), DOCS, "nope") == {"code": code, "message": message}


@pytest.mark.parametrize(
    ("server", "text"),
    [
        (TICKETS, "Unknown tool: nope"),
        (CALENDAR, "Unknown tool: nope"),
        (CHAT, "MCP error -32602: Tool nope not found"),
    ],
)
def test_m2_m3_or_a_tool_error(server, text):
    assert Caller().text(server, "nope") == (True, text)


def test_m4_m5_fastmcp_quotes_every_violation_of_pydantic():
    failed, text = Caller().text(TICKETS, "open_ticket", {"headline": "Rope frayed", "swell_grade": "high"})
    assert failed
    assert text == (
        "Error executing tool open_ticket: 2 validation errors for open_ticketArguments\n"
        "berth_code\n"
        "  Field required [type=missing, input_value={'headline': 'Rope frayed', 'swell_grade': 'high'}, input_type=dict]\n"
        "    For further information visit https://errors.pydantic.dev/2.14/v/missing\n"
        "swell_grade\n"
        "  Input should be a valid integer, unable to parse string as an integer "
        "[type=int_parsing, input_value='high', input_type=str]\n"
        "    For further information visit https://errors.pydantic.dev/2.14/v/int_parsing"
    )


def test_m7_fastmcp_drops_an_unknown_argument_and_succeeds():
    found = Caller().call(TICKETS, "find_tickets", {"berth": "B2"})["result"]
    assert (found["isError"], found["structuredContent"]["count"]) == (False, 3)


def test_fastmcp_takes_a_number_in_a_text():
    assert (
        Caller().call(TICKETS, "find_tickets", {"limit": "1"})["result"]["structuredContent"]["tickets"][0][
            "ticket_ref"
        ]
        == "HT-311"
    )


WATCH = {"starts_at": "2026-02-01T22:00:00Z", "quay": "south", "on_watch": ["bram"]}
JSONSCHEMA = [
    ("M8", {"quay": "south"}, "'starts_at' is a required property"),
    ("M9", {**WATCH, "lasts_min": "ten"}, "'ten' is not of type 'integer'"),
    ("M9", {**WATCH, "starts_at": 5}, "5 is not of type 'string'"),
    ("M10", {**WATCH, "who": "bram"}, "Additional properties are not allowed ('who' was unexpected)"),
    ("enum", {**WATCH, "quay": "west"}, "'west' is not one of ['north', 'south']"),
    ("minimum", {**WATCH, "lasts_min": 5}, "5 is less than the minimum of 30"),
    ("empty", {**WATCH, "on_watch": []}, "[] should be non-empty"),
]


@pytest.mark.parametrize(("arguments", "words"), [row[1:] for row in JSONSCHEMA], ids=[row[0] for row in JSONSCHEMA])
def test_pythons_low_level_server_quotes_one_violation_of_jsonschema(arguments, words):
    assert Caller().text(CALENDAR, "add_watch", arguments) == (True, f"Input validation error: {words}")


@pytest.mark.parametrize(
    "arguments", [row[1] for row in JSONSCHEMA] + [{**WATCH, "starts_at": "noon"}, {**WATCH, "a": 1, "b": 2}, {}]
)
def test_the_words_are_those_of_the_library(arguments):
    jsonschema = pytest.importorskip("jsonschema")
    caller = Caller()
    schema = caller.state["servers"][CALENDAR]["tools"]["add_watch"]["inputSchema"]
    with pytest.raises(jsonschema.ValidationError) as caught:
        jsonschema.validate(arguments, schema)
    assert caller.text(CALENDAR, "add_watch", arguments)[1] == f"Input validation error: {caught.value.message}"


@pytest.mark.parametrize("profile", ["protocol", "tool_errors"])
def test_m11_m12_typescript_quotes_zod(profile):
    words = "MCP error -32602: Input validation error: Invalid arguments for tool read_document: "
    missing = f"{words}Invalid input: expected string, received undefined at slug"
    wrong = f"{words}Invalid input: expected string, received number at slug"
    caller = Caller({DOCS: {"profile": profile}})
    for arguments, text in (({}, missing), ({"slug": 5}, wrong)):
        if profile == "protocol":
            assert errors(caller, DOCS, "read_document", arguments) == {"code": -32602, "message": text}
        else:
            assert caller.text(DOCS, "read_document", arguments) == (True, text)


def test_what_a_low_level_handler_throws_is_an_internal_error():
    error = errors(Caller(), DOCS, "read_document", {"slug": "x"})
    assert error == {"code": -32603, "message": "ENOENT: no such document, read 'x'"}


def test_m29_a_tool_that_fails_says_so_in_its_result():
    assert Caller().text(TICKETS, "get_ticket", {"ticket_ref": "HT-9"}) == (
        True,
        "Error executing tool get_ticket: no ticket HT-9",
    )
    assert Caller().text(CALENDAR, "cancel_watch", {"watch_id": "w-1"}) == (True, "Watch w-1 is not on the calendar")


def test_m26_a_body_that_is_no_object_is_refused():
    error = Caller().call(TICKETS, "get_ticket", raw=b"[1]")
    assert error["error"] == {"code": -32602, "message": "Invalid request parameters", "data": ""}


def test_s44_a_wrapper_hides_the_apis_refusal_in_a_success():
    response = Caller().send(CHAT, "SLACK_SEND_MESSAGE", {"channel": "C0NOWHERE0", "text": "hi"})
    text = json.loads(response.body)["result"]["content"][0]["text"]
    assert json.loads(text) == {"successful": True, "error": None, "data": {"ok": False, "error": "channel_not_found"}}
    assert failure_in(json.loads(response.body)).message == "channel_not_found"


def test_a_wrapper_passes_on_what_slack_says_of_the_arguments():
    said = Caller().wrapped(CHAT, "SLACK_SEND_MESSAGE", {"channel": "C05LOBBY11", "text": "hi", "thread_ts": "x"})
    assert (said["successful"], said["data"]["error"]) == (True, "invalid_thread_ts")
    assert said["data"]["response_metadata"]["messages"] == ["[ERROR] x is not a valid thread_ts"]


def test_m36_a_wrapper_refuses_arguments_in_a_result_without_is_error():
    said = Caller().wrapped(CHAT, "SLACK_SEND_MESSAGE", {"text": "hi"})
    assert said["error"] == "Invalid request data provided\n- Following fields are missing: {'channel'}"
    assert (said["successful"], said["data"]) == (False, {"status_code": 400})
    assert re.fullmatch("log_[0-9a-f]{12}", said["log_id"])
    wrong = Caller().wrapped(CHAT, "SLACK_LIST_ALL_CHANNELS", {"exclude_archived": "perhaps"})
    assert (
        wrong["error"] == "Input should be a valid boolean, unable to interpret input on parameter `exclude_archived`"
    )


@given(
    given_=st.fixed_dictionaries(
        {},
        optional={
            "headline": st.text(max_size=80) | st.integers() | st.none(),
            "berth_code": st.sampled_from(["B1", "b1"]) | st.integers(),
            "swell_grade": st.integers(-3, 9)
            | st.sampled_from(["2", "x", ""])
            | st.sampled_from([1.5, 3.0])
            | st.none(),
        },
    )
)
def test_fastmcps_words_are_pydantics(given_):
    pydantic = pytest.importorskip("pydantic")
    if pydantic.VERSION.rpartition(".")[0] != "2.14":
        pytest.skip("the texts name the release 2.14")
    from typing import Annotated, Literal  # noqa: PLC0415

    model = pydantic.create_model(
        "open_ticketArguments",
        headline=(Annotated[str, pydantic.Field(min_length=3)], ...),
        berth_code=(Literal["B1", "B2", "B3", "B4"], ...),
        swell_grade=(Annotated[int, pydantic.Field(ge=1, le=5)], ...),
    )
    failed, text = Caller().text(TICKETS, "open_ticket", given_)
    try:
        model.model_validate(given_)
    except pydantic.ValidationError as error:
        assert (failed, text) == (True, f"Error executing tool open_ticket: {error}")
    else:
        assert not failed
