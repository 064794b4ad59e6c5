from __future__ import annotations

import secrets

import pytest

from mendbench.model.execution import Execution, NodeRecord, Warned
from mendbench.model.failure import Failure, FieldProblem
from mendbench.runtime.display import (
    display_line,
    failure_text,
    plain,
    problem_text,
    summary_line,
    warning_lines,
)
from mendbench.runtime.events import NodeCached, NodeCompleted, NodeFailed, NodeStarted, NodeWarned
from mendbench.runtime.parse import WorkflowProblem


def record(name, state, **more):
    return NodeRecord(node_id=name, node_type="http", state=state, **more)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (NodeStarted(node_id="a", node_type="http"), "a..."),
        (NodeCompleted(node_id="a", duration_ms=1249, modified=False), "a... ✓ 1.2s"),
        (NodeCompleted(node_id="a", duration_ms=0, modified=True), "a... ✓ 0.0s [repaired]"),
        (NodeCached(node_id="a", state="success", message=None), "a... ↻ cached"),
        (NodeCached(node_id="a", state="warning", message="API error: gone"), "a... ↻ cached ⚠️ API error: gone"),
        (
            NodeWarned(node_id="a", message="API error: gone", duration_ms=90, modified=False),
            "a... ⚠️ API error: gone 0.1s",
        ),
        (NodeFailed(node_id="a", message="HTTP 422", duration_ms=90, modified=True), "a... ✗ HTTP 422 0.1s [repaired]"),
        (NodeFailed(node_id="a", message="first\nsecond", duration_ms=0, modified=False), "a... ✗ first 0.0s"),
        (NodeFailed(node_id="a", message=" \n", duration_ms=0, modified=False), "a... ✗ failed 0.0s"),
    ],
)
def test_the_line_of_a_node(event, line):
    assert display_line(event) == line


def test_what_an_api_says_never_steers_the_terminal():
    event = NodeFailed(node_id="a", message="\x1b[2Jgone\x07\u009b31m", duration_ms=0, modified=False)
    assert display_line(event) == "a... ✗ [2Jgone31m 0.0s"
    assert plain("a\tb\nc\x00") == "a\tb\nc"


def test_a_failure_is_reported_with_node_message_category_fixable_and_suggestion():
    failure = Failure(
        source="runtime", category="template_error", message="Unresolved\n\n  keys", node_id="greet",
        suggestion="${fetch.response.name}", available_fields=("fetch.response", "fetch.error"),
        available_fields_total=40, available_fields_truncated=True,
        problems=(FieldProblem(field="title", problem="missing", says="missing_field"),),
    )  # fmt: skip
    assert failure_text(failure, 2).splitlines() == [
        "2. [greet] Unresolved",
        "",
        "       keys",
        "   Category: template_error",
        "   Fixable: yes",
        "   Suggestion: ${fetch.response.name}",
        "   Available: fetch.response, fetch.error",
        "   Field 'title' is missing: missing_field",
        "   (2 of 40 fields shown)",
    ]


def test_a_failure_shows_no_credential():
    token = "ghp_" + secrets.token_hex(18)
    failure = Failure(source="api", category="non_repairable", message=f"bad {token}", node_id=None, fixable=False)
    text = failure_text(failure, 1)
    assert token not in text
    assert text.startswith("1. bad <redacted:")
    assert "Fixable: no" in text


def test_a_problem_is_reported_with_its_place_and_a_note_as_a_note():
    problem = WorkflowProblem(message="Unknown node type: 'htp'", node_id="a", where="/nodes/a/type", suggestion="http")
    assert problem_text(problem, 1).splitlines() == [
        "1. [a] Unknown node type: 'htp'",
        "   At: /nodes/a/type",
        "   Suggestion: http",
    ]
    assert problem_text(WorkflowProblem(message="m", severity="note"), 3) == "3. note: m"


def test_the_summary_counts_nodes_failures_and_warnings():
    records = (
        record("a", "success", cached=True),
        record("b", "success", modified=True),
        record("c", "warning"),
        record("d", "error"),
        record("e", "not_run"),
    )
    failure = Failure(source="runtime", category="exception", message="m", node_id="d")
    warned = (Warned(node_id="c", message="gone"), Warned(node_id="x", message="too"))
    execution = Execution(outcome="error", nodes=records, failures=(failure,), warnings=warned, duration_ms=1500)
    assert summary_line(execution) == (
        "Workflow failed: 2 completed, 1 cached, 1 repaired, 1 failed, 1 not run, 2 warnings, 1 failure (1.5s)"
    )


@pytest.mark.parametrize(
    ("outcome", "failures", "says"),
    [
        ("success", (), "succeeded"),
        ("warning", (), "ended with warnings"),
        ("warning", ("c",), "was stopped by a warning"),
    ],
)
def test_the_summary_says_how_it_ended(outcome, failures, says):
    failed = tuple(Failure(source="api", category="non_repairable", message="m", node_id=name) for name in failures)
    assert summary_line(Execution(outcome=outcome, nodes=(), failures=failed)).startswith(f"Workflow {says}: ")


def test_a_warning_that_stopped_the_run_is_not_reported_twice():
    failure = Failure(source="api", category="non_repairable", message="m", node_id="b")
    warned = (Warned(node_id="a", message="first\nline"), Warned(node_id="b", message="stopped"))
    execution = Execution(outcome="warning", nodes=(), failures=(failure,), warnings=warned)
    assert list(warning_lines(execution)) == ["⚠️ [a] first\n     line"]
