from __future__ import annotations

import json
import secrets

import pytest

from mendbench.errors import BadInput, UnknownName
from mendbench.io.virtual_clock import VirtualClock
from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.trace import RunHistory, TracedExecution, build_trace, shown_document
from mendbench.runtime.trace_views import (
    error_of_node,
    errors_list,
    errors_of_node,
    node_ids,
    node_io,
    node_view,
    validation_diff,
)
from mendbench.secrets.redaction import Redactor
from tests.fakes.engine import FakeWorld, chain, http, said

KEY = secrets.token_hex(16)
USER, ISSUES = "https://api.test/user", "https://api.test/issues"
INVALID = {"message": "Validation Failed", "errors": [{"resource": "Issue", "field": "title", "code": "missing_field"}]}
BAD = chain(
    http("fetch", USER, auth_token="${key}"),
    http("greet", ISSUES, body={"title": "${fetch.response.title}", "text": "hi"}),
    http("later", "https://api.test/later"),
    inputs={"key": {"type": "string"}},
)


def executed(document, responses, inputs, checkpoint=None):
    clock = VirtualClock()
    redactor = Redactor({"key": KEY})
    world = FakeWorld(responses, clock, redact=redactor.request)
    engine = MendbenchEngine(redact=redactor.value)
    execution = engine.execute(document, inputs, world, checkpoint=checkpoint, detector=None, clock=clock)
    return engine, execution, world


def trace_of(document, responses, *, inputs=None):
    inputs = {"key": KEY} if inputs is None else inputs
    engine, execution, world = executed(document, responses, inputs)
    history = RunHistory(
        version="0", started_ms=0, file=None, inputs=inputs, before=document, after=document,
        executions=(TracedExecution(attempt=0, document=document, execution=execution),), attempts=(), traffic=world.traffic(),
        result={**engine.describe(document, execution), "status": execution.outcome},
    )  # fmt: skip
    return json.loads(json.dumps(build_trace(history, Redactor({"key": KEY}).value)))


@pytest.fixture
def trace():
    return trace_of(BAD, {f"GET {USER}": said({"title": ""}), f"POST {ISSUES}": said(INVALID, 422)})


def test_a_trace_keeps_what_each_node_received_sent_and_got(trace):
    fetch, greet, later = trace["executions"][0]["nodes"]
    assert fetch["params"] == {"url": USER, "auth_token": "${key}"}
    assert fetch["inputs"] == {"url": USER, "auth_token": "<secret:key>"}
    assert fetch["exchanges"][0]["request"]["headers"]["Authorization"] == "Bearer <secret:key>"
    assert greet["inputs"]["body"] == {"title": "", "text": "hi"}
    assert greet["exchanges"][0]["response"]["body"] == INVALID
    assert (later["state"], later["inputs"], later["duration_ms"], later["exchanges"]) == ("not_run", None, None, [])


def test_no_secret_is_on_a_trace(trace):
    assert KEY not in json.dumps(trace)
    assert trace["inputs"] == {"key": "<secret:key>"}


def test_a_credential_written_into_the_workflow_is_hidden_and_a_template_for_one_is_not():
    token = secrets.token_hex(20)
    document = {
        "nodes": [
            {"params": {"auth_token": token, "headers": {"Authorization": "Bearer ${key}", "Cookie": "${a}; b=1"}}}
        ]
    }
    params = shown_document(document)["nodes"][0]["params"]
    assert params["auth_token"].startswith("<redacted:")
    assert params["headers"]["Authorization"] == "Bearer ${key}"
    assert params["headers"]["Cookie"].startswith("<redacted:")
    assert document["nodes"][0]["params"]["auth_token"] == token


def test_of_the_declaration_of_an_input_called_token_only_the_default_is_hidden():
    default = secrets.token_hex(20)
    about = {"type": "string", "required": True, "description": "Of the ledger.", "enum": ["a", "b"]}
    document = {
        "inputs": {"token": about | {"default": default}, "api_key": about, "who": about | {"default": "Runa"}},
        "nodes": [],
    }
    shown = shown_document(document)["inputs"]
    assert shown.pop("token") == about | {"default": shown_document({"token": default})["token"]}
    assert shown == {"api_key": about, "who": about | {"default": "Runa"}}
    assert default not in json.dumps(shown_document(document))


def test_a_credential_in_the_words_of_a_declaration_is_hidden_and_so_is_an_input_without_a_declaration():
    held = secrets.token_hex(20)
    document = {"inputs": {"token": held, "who": {"type": "string", "description": f"Bearer {held}"}}, "nodes": []}
    assert held not in json.dumps(shown_document(document))


def test_the_inputs_of_a_nodes_parameters_are_no_declarations():
    held = secrets.token_hex(20)
    assert held not in json.dumps(shown_document({"inputs": {"token": {"type": held}}}))


def test_the_list_of_errors_names_node_message_category_and_fixable(trace):
    view = errors_list(trace)
    assert (view["success"], view["status"]) == (False, "error")
    assert view["errors"] == [
        {
            "attempt": 0, "open": True, "node_id": "greet", "message": "HTTP 422", "category": "api_validation",
            "source": "runtime", "fixable": True, "suggestion": None,
        }
    ]  # fmt: skip


def test_an_error_has_everything_that_is_known_of_it(trace):
    failure = error_of_node(trace, "greet")
    assert failure["raw_response"] == INVALID
    assert failure["request_sent"]["body"] == {"title": "", "text": "hi"}
    assert errors_of_node(trace, None)["errors"] == errors_of_node(trace, "greet")["errors"] == [failure]


def test_a_node_that_is_not_there_is_answered_with_the_closest(trace):
    for look in (error_of_node, validation_diff, lambda t, n: node_view(t, n, full=True)):
        with pytest.raises(UnknownName, match="did you mean 'greet'"):
            look(trace, "gret")


def test_a_node_that_did_not_fail_is_answered_with_those_that_did(trace):
    with pytest.raises(BadInput, match="failed: greet"):
        error_of_node(trace, "fetch")


def test_a_short_view_cuts_long_values_and_a_full_one_does_not():
    long = trace_of(BAD, {f"GET {USER}": said({"title": "x" * 900}), f"POST {ISSUES}": said({}, 201)})
    short = node_view(long, "fetch", full=False)
    assert "exchanges" not in short
    assert short["outputs"]["response"].endswith("characters, all with --full)")
    assert node_view(long, "fetch", full=True)["outputs"]["response"] == {"title": "x" * 900}


def test_a_nodes_exchanges_can_be_seen_by_halves(trace):
    both = node_io(trace, "greet", request=True, response=True)
    assert both["exchanges"][0]["request"]["method"] == "POST"
    assert set(node_io(trace, "greet", request=True, response=False)["exchanges"][0]) == {"request"}
    assert set(node_io(trace, "greet", request=False, response=True)["exchanges"][0]) == {"response"}


def test_the_difference_shows_what_was_expected_of_a_field_and_what_was_sent(trace):
    assert validation_diff(trace, "greet")["fields"] == [
        {
            "field": "title", "problem": "missing", "expected": "present: missing_field", "sent": True, "actual": "",
            "from": "${fetch.response.title}",
        }
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "body", "sent", "actual"),
    [
        ("title", {"text": "hi"}, False, None),
        ("blocks/0/text", {"blocks": [{"text": 5}]}, True, 5),
        ("rows[1].id", {"rows": [{"id": 1}, {"id": 2}]}, True, 2),
        ("rows[9].id", {"rows": []}, False, None),
        ("a.b", {"a.b": 3}, True, 3),
    ],
)
def test_a_field_is_found_however_the_api_names_it(field, body, sent, actual):
    document = chain(http("greet", ISSUES, body=body))
    response = {"message": "Validation Failed", "errors": [{"field": field, "code": "invalid"}]}
    (field,) = validation_diff(trace_of(document, {f"POST {ISSUES}": said(response, 422)}, inputs={}), "greet")[
        "fields"
    ]
    assert (field["sent"], field["actual"]) == (sent, actual)


def test_the_difference_of_a_template_is_the_likeliest_path():
    broken = trace_of(BAD, {f"GET {USER}": said({"titel": "x"})})
    view = validation_diff(broken, "greet")
    assert view["fields"][0] == {
        "field": "body.title", "problem": "unresolved", "expected": "${fetch.response.titel}", "sent": False,
        "actual": "${fetch.response.title}", "from": "${fetch.response.title}",
    }  # fmt: skip


def test_the_difference_of_a_document_that_does_not_validate_is_the_validators():
    broken = trace_of({"nodes": [{"id": "a", "type": "htp", "params": {}}]}, {}, inputs={})
    (field,) = validation_diff(broken, "a")["fields"]
    assert (field["expected"], field["actual"]) == ("http", "Unknown node type: 'htp'")


def test_a_form_is_read_field_by_field():
    document = chain(
        http("greet", ISSUES, body="title=&a=1", headers={"Content-Type": "application/x-www-form-urlencoded"})
    )
    (field,) = validation_diff(trace_of(document, {f"POST {ISSUES}": said(INVALID, 422)}, inputs={}), "greet")["fields"]
    assert (field["sent"], field["actual"]) == (True, "")


def test_nodes_are_listed_in_the_order_of_the_workflow(trace):
    assert node_ids(trace) == ("fetch", "greet", "later")
