from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from mendbench.api_errors.envelopes import accepted, failure_in
from mendbench.model.exchange import Response
from tests.fakes.tables import for_each


@for_each(
    ("body", "message"),
    [
        ({"ok": False, "error": "channel_not_found"}, "channel_not_found"),
        ({"success": False, "message": "no"}, "no"),
        ({"successfull": False}, "request failed"),
        ({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "bad params"}}, "bad params"),
        ({"isError": True, "content": [{"type": "text", "text": "tool broke"}]}, "tool broke"),
        ({"jsonrpc": "2.0", "id": 1, "result": {"isError": True, "content": [{"type": "text", "text": "x"}]}}, "x"),
        ({"errors": [{"message": "no such field"}], "data": None}, "no such field"),
        ({"data": {"issueCreate": {"userErrors": [{"message": "title is blank"}]}}}, "title is blank"),
        ({"error": {"code": 404, "message": "gone"}}, "gone"),
        ({"id": 1, "result": None, "error": {"code": -5, "message": "no such block"}}, "no such block"),
        ({"status": 404, "method": "GET", "route": "/x", "error": {"message": "gone"}}, "gone"),
        ({"errors": [["NO_SUCH_GROUP", "it is not there"]]}, "NO_SUCH_GROUP"),
        ({"error": "invalid_grant", "error_description": "expired"}, "invalid_grant"),
        ({"successful": True, "data": {"ok": False, "error": "not_in_channel"}}, "not_in_channel"),
        ({"result": json.dumps({"ok": False, "error": "inner"})}, "inner"),
        (json.dumps({"ok": False, "error": "as_text"}), "as_text"),
        (
            {"content": [{"type": "text", "text": json.dumps({"successful": False, "error": "deep"})}]},
            "deep",
        ),
    ],
)
def test_a_failure_inside_an_answer_is_noticed(body, message):
    found = failure_in(body)
    assert found is not None
    assert found.message == message


@for_each(
    "body",
    [
        None,
        [],
        "plain text",
        {"ok": True, "error": None},
        {"ok": True, "warning": "missing_charset"},
        {"errors": []},
        {"error": "", "data": 1},
        {"error": None},
        {"message": {"text": '{"ok": false}'}},
        {"items": [{"status": "error"}]},
        {"id": 7, "name": "run", "error": {"message": "last run failed", "code": "E1"}, "status": "finished"},
        {"id": 7, "app": "x", "error": {"message": "x is null"}, "occurrences": 12},
        {"error": "3 tests failed yesterday", "report": "attached", "rows": 3},
        {"isError": False, "content": [{"type": "text", "text": "ok"}]},
    ],
)
def test_quoted_empty_and_foreign_errors_are_none(body):
    assert failure_in(body) is None


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["ok", "error", "errors", "data", "result", "content", "isError", "jsonrpc"]),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_no_body_makes_it_raise(body):
    failure_in(body)


def test_only_a_whole_2xx_without_a_failure_is_accepted():
    assert accepted(Response(status=201), {"ok": True})
    assert not accepted(Response(status=200), {"ok": False})
    assert not accepted(Response(status=404), {})
    assert not accepted(Response(status=200, fault="truncated"), {})
