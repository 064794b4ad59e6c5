"""What simulated MCP servers keep, list and answer."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.exchange import Request
from mendbench.services import hosts_of, simulated
from tests.fakes.services import NOW_MS
from tests.services.mcp_sim.client import JSON, Caller

TICKETS, DOCS, CALENDAR, CHAT = "harbour-tickets", "archive-docs", "crew-calendar", "crew-chat"
SERVERS = (TICKETS, DOCS, CALENDAR, CHAT)
OPEN = {"headline": "Rope frayed", "berth_code": "B1", "swell_grade": 2}


def test_its_hosts_are_the_seeds_servers_and_the_cases():
    assert hosts_of("mcp_sim", {}) == SERVERS
    assert hosts_of("mcp_sim", {"servers": {"Kelp-Desk": {"tools": {}}, CHAT: None}}) == (*SERVERS[:-1], "kelp-desk")


@pytest.mark.parametrize("server", SERVERS)
def test_a_listing_has_schemas_and_says_which_tools_only_read(server):
    tools = {tool["name"]: tool for tool in Caller().call(server, "tools/list")["result"]["tools"]}
    reading = {name for name, tool in tools.items() if tool["annotations"]["readOnlyHint"]}
    assert all(tool["inputSchema"]["type"] == "object" and tool["description"] for tool in tools.values())
    assert (
        reading
        == {
            TICKETS: {"find_tickets", "get_ticket"},
            DOCS: {"list_documents", "read_document"},
            CALENDAR: {"list_watches"},
            CHAT: {"SLACK_LIST_ALL_CHANNELS", "SLACK_FETCH_CONVERSATION_HISTORY", "SLACK_FIND_USER_BY_EMAIL_ADDRESS"},
        }[server]
    )


def test_what_is_written_is_there_afterwards():
    caller = Caller()
    assert caller.call(TICKETS, "open_ticket", OPEN)["result"]["structuredContent"]["ticket_ref"] == "HT-330"
    caller.call(TICKETS, "move_ticket", {"ticket_ref": "HT-330", "stage": "settled"})
    kept = caller.call(TICKETS, "get_ticket", {"ticket_ref": "HT-330"})["result"]["structuredContent"]
    assert (kept["stage"], kept["headline"]) == ("settled", "Rope frayed")
    again = caller.text(TICKETS, "move_ticket", {"ticket_ref": "HT-330", "stage": "underway"})
    assert again == (True, "Error executing tool move_ticket: HT-330 is settled and cannot be moved")


def test_a_message_sent_through_the_wrapper_stands_in_the_channel():
    caller = Caller()
    sent = caller.wrapped(CHAT, "SLACK_SEND_MESSAGE", {"channel": "C05LOBBY11", "text": "Ebb at noon"})
    assert sent["successful"]
    history = caller.wrapped(CHAT, "SLACK_FETCH_CONVERSATION_HISTORY", {"channel": "C05LOBBY11"})
    assert history["data"]["messages"][0]["text"] == "Ebb at noon"


def test_a_case_brings_its_own_workspace():
    caller = Caller(
        {
            CHAT: {
                "workspace": {
                    "channels": {"C0NEWONE00": {"name": "new-one"}},
                    "members": {"C0NEWONE00": {"U05BOTLAMP": True}},
                }
            }
        }
    )
    assert caller.wrapped(CHAT, "SLACK_SEND_MESSAGE", {"channel": "C0NEWONE00", "text": "x"})["data"]["ok"] is True


def test_a_document_is_revised_only_by_who_read_it_last():
    caller = Caller()
    late = {"slug": "stores/paint", "revision": 6, "text": "none"}
    assert caller.call(DOCS, "revise_document", late)["error"]["message"] == "Document is at revision 7, not 6"
    caller.call(DOCS, "revise_document", {**late, "revision": 7})
    read = json.loads(caller.text(DOCS, "read_document", {"slug": "stores/paint"})[1])
    assert (read["text"], read["revision"]) == ("none", 8)


def test_a_long_list_goes_on_at_its_cursor():
    caller = Caller()
    first = json.loads(caller.text(DOCS, "list_documents")[1])
    rest = json.loads(caller.text(DOCS, "list_documents", {"cursor": first["nextCursor"]})[1])
    assert ([len(page["documents"]) for page in (first, rest)], rest["nextCursor"]) == ([2, 1], None)


def test_defaults_are_filled_in():
    watch = {"starts_at": "2026-02-01T22:00:00Z", "quay": "south", "on_watch": ["bram"]}
    assert json.loads(Caller().text(CALENDAR, "add_watch", watch)[1])["lasts_min"] == 240


AT_FIRST = [
    {"fault": "timeout", "elapsed_ms": 30000},
    {"status": 429, "headers": {"Retry-After": "9"}},
    {"says": "upstream said no"},
    {"error": {"code": -32603, "message": "Internal error"}},
]


def test_failures_that_pass_come_in_their_order_and_again_after_a_write():
    caller = Caller({TICKETS: {"at_first": {"find_tickets": AT_FIRST}}})
    responses = [caller.send(TICKETS, "find_tickets") for _ in range(5)]
    assert [(one.fault, one.status) for one in responses] == [
        ("timeout", 0),
        (None, 429),
        (None, 200),
        (None, 200),
        (None, 200),
    ]
    bodies = [json.loads(one.body) for one in responses[2:]]
    assert bodies[0]["result"]["content"][0]["text"] == "Error executing tool find_tickets: upstream said no"
    assert bodies[1]["error"] == {"code": -32603, "message": "Internal error"}
    assert bodies[2]["result"]["structuredContent"]["count"] == 3
    caller.call(TICKETS, "open_ticket", OPEN)
    assert caller.send(TICKETS, "find_tickets").fault == "timeout"


def test_another_request_has_its_own_tries():
    caller = Caller({TICKETS: {"at_first": {"find_tickets": AT_FIRST[:1]}}})
    assert [caller.send(TICKETS, "find_tickets", {"limit": n}).fault for n in (1, 2, 1)] == ["timeout", "timeout", None]


CALLS = st.sampled_from([
    (TICKETS, "tools/list", {}), (TICKETS, "find_tickets", {"berth_code": "B4"}), (TICKETS, "get_ticket", {"ticket_ref": "HT-311"}),
    (TICKETS, "open_ticket", OPEN), (TICKETS, "open_ticket", {}), (TICKETS, "nope", {}), (DOCS, "read_document", {"slug": "x"}),
    (DOCS, "shred_document", {"slug": "stores/paint"}), (CALENDAR, "list_watches", {}), (CHAT, "SLACK_LIST_ALL_CHANNELS", {}),
    (CHAT, "SLACK_SEND_MESSAGE", {"channel": "C05LOBBY11", "text": "x"}), (CHAT, "SLACK_SEND_MESSAGE", {"channel": "C0NO", "text": "x"}),
])  # fmt: skip


@given(calls=st.lists(CALLS, max_size=8))
def test_reads_and_refusals_leave_the_state_as_it_is(calls):
    caller = Caller()
    for server, tool, arguments in calls:
        before = copy.deepcopy(caller.state)
        response = caller.call(server, tool, arguments)
        listed = {one["name"]: one for one in Caller().call(server, "tools/list")["result"]["tools"]}
        reads = tool not in listed or listed[tool]["annotations"]["readOnlyHint"]
        refused = (
            "error" in response
            or response["result"].get("isError")
            or '"ok": false' in json.dumps(response).replace("\\", "")
        )
        assert (caller.state == before) is bool(reads or refused)
        assert caller.state["counters"]["writes"] == before["counters"]["writes"] + (caller.state != before)


@given(
    server=st.sampled_from(SERVERS),
    tool=st.text(max_size=12) | st.sampled_from(["get_ticket", "add_watch", "read_document", "SLACK_SEND_MESSAGE"]),
    body=st.binary(max_size=40) | st.dictionaries(st.sampled_from(["slug", "channel", "ticket_ref", "text"]), st.none() | st.integers() | st.text(max_size=5)).map(lambda one: json.dumps(one).encode()),
)  # fmt: skip
def test_any_call_gets_an_answer_and_leaves_the_given_state_alone(server, tool, body):
    service = simulated("mcp_sim")
    state = service.seed()
    before = copy.deepcopy(state)
    request = Request(method="POST", url=f"mcp://{server}/{tool}", headers=JSON, body=body)
    after, response = service.response(state, request, NOW_MS)
    assert state == before
    assert service.response(state, request, NOW_MS) == (after, response)
    assert response.status in {200, 404}
