"""What the shipped strategies say."""

import dataclasses
import json
import pickle

from hypothesis import given

from mendbench.model.execution import Judgement
from mendbench.model.failure import SentRequest
from mendbench.model.prompt import View
from mendbench.runtime.engine import MendbenchEngine
from mendbench.strategies import strategies, strategy
from mendbench.strategies.environment import pattern_hint
from mendbench.strategies.interface import SectionSpec
from tests.fakes.engine import FakeWorld, chain, http, said
from tests.fakes.tables import for_each
from tests.strategies import invented
from tests.strategies.ran import any_views, with_outputs

WHOLE = 100_000
BASE = "https://api.example.com"
NAMES = [info.strategy for info in strategies()]


def text(name, view):
    return strategy(name).render(view, WHOLE).text


def test_the_strategies_and_controls_that_the_specification_names_are_there():
    assert set(NAMES) >= {
        "cli-text", "cli-json", "top3-text", "errors-json", "suggestions", "summary", "full-context", "agent-json",
        "pattern-hints", "mend", "none", "placebo", "summary-b", "instructor", "langchain", "openai-agents", "pydantic-ai",
    }  # fmt: skip


def test_summary_names_the_nodes_that_are_done():
    assert "- Completed nodes: get_reader\n- Failed at node: post_card" in text("summary", invented.wrong_path())


def test_summary_gives_guidance_only_for_the_categories_present():
    context = text("summary", invented.wrong_path())
    assert "### Template Variable Errors" in context
    assert "### API Parameter" not in context


def test_summary_shows_a_hint_under_its_category():
    view = invented.view(
        "x",
        [invented.http("a", "GET", "/a")],
        invented.failure("It failed", "a", hint="Look at the URL"),
    )
    assert "1. It failed\n   Category: execution_failure\n   Hint: Look at the URL\n   Node: a\n" in text(
        "summary", view
    )


def test_summary_says_nothing_of_what_the_api_answered():
    assert "title" not in text("summary", invented.issue_422())


def test_cli_text_of_a_runtime_failure_is_the_two_lines_and_nothing_of_the_failure():
    context = "cli: Workflow execution failed - Node returned error action\ncli: Check node output above for details"
    assert {text("cli-text", make()) for make in invented.ALL if make is not invented.not_valid} == {context}


def test_cli_text_of_a_validation_failure_is_the_first_message():
    assert text("cli-text", invented.not_valid()) == (
        "cli: Invalid workflow - Unknown node type: 'htp'. Did you mean 'http'?"
    )


def test_agent_json_is_the_json_as_it_is():
    view = dataclasses.replace(invented.wrong_path(), agent={"z": [1, {"é": "<b> & 'q'"}], "a": None})
    assert text("agent-json", view) == json.dumps(view.agent, indent=2, ensure_ascii=False)


def test_none_says_nothing():
    context = strategy("none").render(invented.wrong_path(), WHOLE)
    assert (context.text, context.tokens, context.truncated) == ("", 0, False)


def test_full_context_shows_a_page_as_it_came():
    assert "**API Error Response**:\n```\n<html>\n" in text("full-context", invented.bad_gateway())


def test_full_context_shows_which_template_is_not_found_and_what_there_is():
    context = text("full-context", invented.wrong_path())
    assert "- 'body.line' comes from: ${get_reader.response.fullname} (not found)" in context
    assert "**Available Fields**:\n- response.id\n- response.full_name\n" in context


def test_full_context_shows_a_command_with_what_it_printed():
    context = text("full-context", invented.shell_typo())
    assert "**Command**: sortt titles.txt\n**Exit code**: 127\n" in context
    assert "**Standard Error**:\n```\nsh: 1: sortt: not found\n```" in context


def test_full_context_keeps_our_own_suggestion_to_itself():
    view = invented.view(
        "x", [invented.http("a", "GET", "/a")], invented.failure("It failed", "a", suggestion="${b.suggested}")
    )
    assert "suggested" not in text("full-context", view)


def test_full_context_numbers_what_belongs_to_which_of_several_errors():
    node = invented.http("a", "GET", "/a")
    bad = invented.failure("HTTP 400", "a", status_code=400, raw_response={"why": "no"})
    context = text("full-context", invented.view("x", [node], bad, dataclasses.replace(bad, raw_response="none")))
    assert "### Error 2: Execution Failed" in context
    assert "**API Error Response** (error 1):\n```json" in context
    assert "**API Error Response** (error 2):\n```\nnone" in context


def test_a_fence_is_longer_than_those_inside_it():
    node = invented.http("a", "GET", "/a")
    bad = invented.failure("HTTP 400", "a", status_code=400, raw_response="use\n```\nthis\n```")
    assert "\n````\nuse\n```\nthis\n```\n````" in text("full-context", invented.view("x", [node], bad))


def test_an_answer_that_is_falsy_is_still_an_answer():
    node = invented.http("a", "GET", "/a")
    bad = invented.failure("HTTP 400", "a", status_code=400, raw_response=[])
    assert "**API Error Response**:\n```json\n[]\n```" in text("full-context", invented.view("x", [node], bad))


def test_a_status_without_a_phrase_stands_alone():
    node = invented.http("a", "GET", "/a")
    assert "**Status**: HTTP 599\n" in text(
        "full-context", invented.view("x", [node], invented.failure("odd", "a", status_code=599))
    )


@for_each("name", NAMES)
def test_a_strategy_renders_every_invented_failure_and_the_same_twice(name):
    for make in (*invented.ALL, invented.issue_422):
        view = make()
        before = repr(view)
        once, twice = strategy(name).render(view, WHOLE), strategy(name).render(make(), WHOLE)
        assert once == twice
        assert repr(view) == before


@given(any_views())
def test_every_strategy_renders_whatever_a_workflow_and_its_failures_hold(view):
    assert [name for name in NAMES if not isinstance(text(name, view), str)] == []


@for_each("name", NAMES)
def test_a_strategy_renders_an_execution_without_failures(name):
    strategy(name).render(invented.view("x", [invented.http("a", "GET", "/a")]), WHOLE)


@for_each("name", NAMES)
def test_a_strategy_declares_a_label_and_a_rank_of_its_own_for_each_section(name):
    sections = strategy(name).sections
    assert all(isinstance(spec, SectionSpec) for spec in sections)
    assert len({spec.keep for spec in sections}) == len(sections)


@for_each("name", NAMES)
def test_a_strategy_leaves_no_line_of_white_space_and_no_empty_lines_in_a_row(name):
    for make in (*invented.ALL, invented.issue_422):
        context = text(name, make())
        assert "\n\n\n" not in context
        assert not [line for line in context.split("\n") if line != line.rstrip()]


@for_each("name", NAMES)
def test_a_strategy_can_be_sent_to_another_process(name):
    view = invented.wrong_path()
    assert pickle.loads(pickle.dumps(strategy(name))).render(view, WHOLE).text == text(name, view)


@for_each("name", NAMES)
def test_a_strategy_states_what_it_is_and_where_it_is_from(name):
    one = strategy(name)
    assert one.title
    assert one.source
    assert one.info.path.is_file()


def several(*messages):
    """Return a view of a node that failed in several ways."""
    node = invented.http("a", "GET", "/a")
    return invented.view("x", [node], *(invented.failure(message, "a") for message in messages))


def test_cli_json_of_a_runtime_failure_has_the_flag_and_the_metrics_and_nothing_of_the_failure():
    for make in (*invented.ALL, invented.issue_422):
        if make is not invented.not_valid:
            document = json.loads(text("cli-json", make()))
            assert list(document) == ["error", "is_error", "execution_time_seconds", "llm_costs"]
            assert (document["error"], document["is_error"]) == ("Workflow execution failed", True)


def test_cli_json_counts_seconds_and_dollars():
    view = several("It failed")
    execution = dataclasses.replace(view.execution, duration_ms=1230)
    view = dataclasses.replace(view, execution=execution, agent={"metrics": {"total_cost_usd": 0.25}})
    document = json.loads(text("cli-json", view))
    assert (document["execution_time_seconds"], document["llm_costs"]) == (1.23, {"total_cost_usd": 0.25})


def test_cli_json_of_a_validation_failure_passes_the_first_message_on():
    message = "Unknown node type: 'htp'. Did you mean 'http'?"
    assert json.loads(text("cli-json", invented.not_valid())) == {
        "success": False, "error": message, "validation_errors": [message], "metadata": {},
    }  # fmt: skip


def test_top3_text_shows_a_line_for_each_of_at_most_three_errors():
    assert text("top3-text", several("one", "two", "three", "four")) == (
        "cli: Workflow execution failed\n  - [a] one\n  - [a] two\n  - [a] three"
    )


def test_top3_text_calls_a_node_unknown_that_a_failure_does_not_name():
    assert "  - [unknown] Unknown node type: 'htp'" in text("top3-text", invented.not_valid())


def test_errors_json_is_cli_json_with_the_core_fields_of_every_error():
    view = several("one", "two", "three", "four")
    document = json.loads(text("errors-json", view))
    errors = document.pop("errors")
    assert document == json.loads(text("cli-json", view))
    assert [error["message"] for error in errors] == ["one", "two", "three", "four"]
    assert errors[0] == {
        "source": "runtime", "category": "execution_failure", "message": "one", "node_id": "a", "fixable": True,
    }  # fmt: skip


def test_suggestions_has_an_entry_of_five_fields_for_every_error():
    document = json.loads(text("suggestions", invented.wrong_path()))
    assert list(document) == ["success", "errors", "metrics"]
    assert document["success"] is False
    (error,) = document["errors"]
    assert list(error) == ["node_id", "type", "message", "fixable", "suggestion"]
    assert (error["node_id"], error["type"]) == ("post_card", "template_error")


def test_suggestions_names_the_fields_that_there_are():
    (error,) = json.loads(text("suggestions", invented.wrong_path()))["errors"]
    assert error["suggestion"] == (
        "Check available fields: response.id, response.full_name, response.branch.city, status_code"
    )


def test_suggestions_has_the_hint_where_no_fields_are_known():
    node = invented.http("a", "GET", "/a")
    view = invented.view("x", [node], invented.failure("no", "a", hint="Look at the URL", suggestion="our own"))
    assert json.loads(text("suggestions", view))["errors"][0]["suggestion"] == "Look at the URL"


def test_pattern_hints_states_the_errors_and_the_suggestion_for_their_kind():
    context = text("pattern-hints", several(*["Font not found: Arial"] * 3))
    assert context.startswith(
        "ERROR: Font not found: Arial\nERROR: Font not found: Arial\nERROR: Font not found: Arial\n\n"
    )
    assert context.endswith("\n\n" + pattern_hint(["Font not found: Arial"] * 3))
    assert "(fonts)" in context


def test_pattern_hints_has_general_advice_for_an_error_of_no_kind():
    context = text("pattern-hints", several("It is Tuesday"))
    assert "What may help:" in context
    assert "(fonts)" not in context


def test_summary_b_states_what_summary_states():
    hinted = invented.view("x", [invented.http("a", "GET", "/a")], invented.failure("no", "a", hint="Look at the URL"))
    for view in (hinted, *(make() for make in (*invented.ALL, invented.issue_422))):
        one, other = text("summary", view), text("summary-b", view)
        done = tuple(view.execution.checkpoint.completed)
        for failure in view.failures:
            for fact in (failure.message, failure.node_id, failure.category, failure.hint, *done):
                assert fact is None or (fact in one and fact in other)


def test_summary_b_has_no_line_and_no_sentence_of_summary():
    def sentences(context):
        lines = [part.strip(" -*#") for line in context.split("\n") for part in line.split(". ")]
        return {line.rstrip(".") for line in lines if len(line.split()) > 3}

    for make in (*invented.ALL, invented.issue_422):
        messages = "\n".join(failure.message for failure in make().failures)
        shared = sentences(text("summary", make())) & sentences(text("summary-b", make()))
        assert {line for line in shared if line not in messages} == set()


def test_summary_b_gives_guidance_for_the_categories_that_summary_does():
    for make in (*invented.ALL, invented.issue_422):
        titles = {
            "api_validation": "### API Parameter", "execution_failure": "### Execution Failures",
            "static_validation": "### Workflow Structure", "template_error": "### Template Variable",
        }  # fmt: skip
        for category, title in titles.items():
            assert (title in text("summary", make())) == (f"On {category}: " in text("summary-b", make()))


MEND_WRONG_PATH = """\
Node `post_card` failed: Unresolved variables in parameter 'body': ${get_reader.response.fullname}

Wrong:
- `params.body.line` is `Welcome ${get_reader.response.fullname}!`: ${get_reader.response.fullname} does not exist

Answer: {"edits": [{"node": "post_card", "path": "params.body.line", "value": "Welcome ${…}!"}]}

where ${…} is one of these, whichever the request means:
- ${get_reader.response.full_name} (now "Ann")
- ${get_reader.response.id} (now 7)"""

MEND_RENAMED_FIELD = """\
Node `file_report` failed: HTTP 422
The API answered: {"message": "Invalid request.\\n\\n\\"shelf_id\\" wasn't supplied.", "status": "422"}

Wrong:
- `params.body.shelf_id` is missing: "shelf_id" wasn't supplied.

Answer: {"edits": [{"node": "file_report", "path": "params.body.shelf_id", "value": "${…}"}]}"""


def test_mend_states_what_is_wrong_the_form_of_the_answer_and_the_data_that_fits():
    view = with_outputs(invented.wrong_path(), get_reader={"response": {"id": 7, "full_name": "Ann"}})
    assert text("mend", view) == MEND_WRONG_PATH


def test_mend_states_which_field_is_missing_in_the_apis_words():
    assert text("mend", invented.renamed_field()) == MEND_RENAMED_FIELD


def test_mend_states_the_specifications_example_by_its_response_and_its_first_field():
    context = text("mend", invented.issue_422())
    assert context.startswith("Node `create-issue` failed: HTTP 422\nThe API answered: ")
    assert '{"resource": "Issue", "field": "title", "code": "missing_field"}' in context
    assert "\n- `params.body.title` is `${issue.title}`, which is missing\n" in context


def test_mend_forms_no_answer_where_it_suspects_nothing():
    context = text("mend", invented.only_the_user())
    assert "missing_scope" in context
    assert "edits" not in context


def test_mend_shows_what_a_command_printed_once():
    assert text("mend", invented.shell_typo()) == (
        "Node `list_titles` failed: Command failed with exit code 127: sortt: not found\nIt printed: sh: 1: sortt: not found"
    )


FRAMEWORK_TEXTS = {
    "instructor": "Validation Error found:\n{error}\nRecall the function correctly, fix the errors",
    "langchain": "Error invoking tool '{tool}' with kwargs {arguments} with error:\n {error}\n Please fix the error and try again.",
    "openai-agents": "An error occurred while running the tool. Please try again.",
}
"""What these frameworks say; ``qa/release/frameworks.py`` compares them with the frameworks."""


def test_the_strategies_of_frameworks_wrap_a_tools_own_message_as_the_frameworks_do():
    sent = SentRequest(method="POST", url="mcp://git/git_add", headers={}, body={"files": "it's"})
    details = {"server": "git", "tool": "git_add", "timeout": False}
    node = {"id": "add", "type": "mcp", "params": {"server": "git", "tool": "git_add"}}
    for message, mcp_error, error in (
        ('"files": not a list', '"files": not a list', '"files": not a list'),
        ("MCP tool failed: bad files", {"code": -32602, "message": "bad files"}, "bad files"),
    ):
        view = invented.view(
            "x", [node],
            invented.failure(message, "add", mcp_error=mcp_error, mcp_error_details=details, request_sent=sent),
        )  # fmt: skip
        for name, form in FRAMEWORK_TEXTS.items():
            assert text(name, view) == form.format(error=error, tool="git_add", arguments="{'files': \"it's\"}")
        assert json.loads(text("pydantic-ai", view)) == {"error": error}
        assert text("pydantic-ai", view).startswith('{"error":"')


def test_the_strategies_of_frameworks_add_the_response_to_a_short_message():
    node = invented.http("a", "GET", "/a")
    for body, error in (({"why": "no"}, 'HTTP 400: {"why": "no"}'), ("no\n", "HTTP 400: no"), (None, "HTTP 400")):
        view = invented.view("x", [node], invented.failure("HTTP 400", "a", status_code=400, raw_response=body))
        assert text("instructor", view) == FRAMEWORK_TEXTS["instructor"].format(error=error)
        assert text("langchain", view).startswith("Error invoking tool 'a' with kwargs {} with error:")


@for_each("name", NAMES)
def test_no_strategy_states_whether_a_handled_node_was_judged_a_warning_or_an_error(name):
    responses = {
        f"GET {BASE}/first": said({"ok": False, "error": "channel_not_found"}),
        f"GET {BASE}/second": said({"id": 1}),
    }
    nodes = [http(one, f"{BASE}/{one}") for one in ("first", "second")]
    nodes.append(http("last", f"{BASE}/last", body="${second.response.nope}"))
    edges = [("first", "second"), ("first", "second", "error"), ("first", "second", "warning"), ("second", "last")]
    workflow = chain(*nodes, edges=edges)
    engine, views = MendbenchEngine(), []
    for detector in (None, WarnsOfResponses()):
        world = FakeWorld(responses)
        execution = engine.execute(workflow, {}, world, checkpoint=None, detector=detector, clock=world.clock)
        assert execution.outcome == "error"
        agent = engine.describe(workflow, execution)
        views.append(View(request="x", workflow=workflow, execution=execution, agent=agent))
    assert [view.execution.states()["first"] for view in views] == ["error", "warning"]
    assert text(name, views[0]) == text(name, views[1])


class WarnsOfResponses:
    """Warns of what an API said, and takes the rest for errors."""

    name = "warns-of-answers"

    def judge(self, observation):
        return Judgement(
            state="error" if observation.kind == "template" else "warning", message=f"API: {observation.message}"
        )
