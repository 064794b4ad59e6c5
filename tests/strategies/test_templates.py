"""What the shipped strategies say."""

import dataclasses
import json
import pickle

import pytest

from mendbench.strategies import strategies, strategy
from mendbench.strategies.interface import SectionSpec
from tests.strategies import invented

WHOLE = 100_000
NAMES = [info.strategy for info in strategies()]

ISSUE_FULL_CONTEXT = """\
## Errors to Fix

### Error 1: API Validation Failed
**Node**: create-issue
**Action**: POST https://api.github.com/repos/owner/repo/issues
**Status**: HTTP 422 Unprocessable Entity

**API Error Response**:
```json
{
  "message": "Validation Failed",
  "errors": [
    {
      "resource": "Issue",
      "field": "title",
      "code": "missing_field"
    },
    {
      "resource": "Issue",
      "field": "body",
      "code": "invalid",
      "message": "body is too short (minimum is 30 characters)"
    }
  ]
}
```

**Request Sent**:
```json
{
  "title": "",
  "body": "Fix bug",
  "labels": [
    "bug"
  ]
}
```

**Required Fixes**:
- Field 'title' is required and cannot be empty
- Field 'body' is not valid: body is too short (minimum is 30 characters)

**Upstream Data Source**:
- 'title' comes from: ${issue.title}
- 'body' comes from: ${issue.description}"""

ISSUE_SUMMARY = """\
## Errors to Fix
1. HTTP 422
   Category: api_validation
   Node: create-issue

## Repair Context
- Completed nodes:
- Failed at node: create-issue

## Guidance for Error Categories Present
### API Parameter Validation Errors
"""


def text(name, view):
    return strategy(name).render(view, WHOLE).text


def test_the_strategies_and_controls_that_the_specification_names_are_there():
    assert {"cli-text", "summary", "full-context", "agent-json", "none", "placebo"} <= set(NAMES)


def test_full_context_tells_the_specifications_own_example_as_it_does():
    assert text("full-context", invented.issue_422()) == ISSUE_FULL_CONTEXT


def test_summary_tells_the_specifications_own_example_as_it_does():
    assert text("summary", invented.issue_422()).startswith(ISSUE_SUMMARY)


def test_summary_names_the_nodes_that_are_done():
    assert "- Completed nodes: get_reader\n- Failed at node: post_card" in text("summary", invented.wrong_path())


def test_summary_gives_guidance_only_for_the_categories_present():
    told = text("summary", invented.wrong_path())
    assert "### Template Variable Errors" in told
    assert "### API Parameter" not in told


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
    told = "cli: Workflow execution failed - Node returned error action\ncli: Check node output above for details"
    assert {text("cli-text", make()) for make in invented.ALL if make is not invented.not_valid} == {told}


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
    told = text("full-context", invented.wrong_path())
    assert "- 'body.line' comes from: ${get_reader.response.fullname} (not found)" in told
    assert "**Available Fields**:\n- response.id\n- response.full_name\n" in told


def test_full_context_shows_a_command_with_what_it_printed():
    told = text("full-context", invented.shell_typo())
    assert "**Command**: sortt titles.txt\n**Exit code**: 127\n" in told
    assert "**Standard Error**:\n```\nsh: 1: sortt: not found\n```" in told


def test_full_context_keeps_our_own_suggestion_to_itself():
    view = invented.view(
        "x", [invented.http("a", "GET", "/a")], invented.failure("It failed", "a", suggestion="${b.suggested}")
    )
    assert "suggested" not in text("full-context", view)


def test_full_context_numbers_what_belongs_to_which_of_several_errors():
    node = invented.http("a", "GET", "/a")
    bad = invented.failure("HTTP 400", "a", status_code=400, raw_response={"why": "no"})
    told = text("full-context", invented.view("x", [node], bad, dataclasses.replace(bad, raw_response="none")))
    assert "### Error 2: Execution Failed" in told
    assert "**API Error Response** (error 1):\n```json" in told
    assert "**API Error Response** (error 2):\n```\nnone" in told


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


@pytest.mark.parametrize("name", NAMES)
class TestEveryShippedStrategy:
    def test_renders_every_invented_failure_and_the_same_twice(self, name):
        for make in (*invented.ALL, invented.issue_422):
            view = make()
            before = repr(view)
            once, twice = strategy(name).render(view, WHOLE), strategy(name).render(make(), WHOLE)
            assert once == twice
            assert repr(view) == before

    def test_renders_an_execution_without_failures(self, name):
        strategy(name).render(invented.view("x", [invented.http("a", "GET", "/a")]), WHOLE)

    def test_declares_a_label_and_a_rank_of_its_own_for_each_section(self, name):
        sections = strategy(name).sections
        assert all(isinstance(spec, SectionSpec) for spec in sections)
        assert len({spec.keep for spec in sections}) == len(sections)

    def test_leaves_no_line_of_white_space_and_no_empty_lines_in_a_row(self, name):
        for make in (*invented.ALL, invented.issue_422):
            told = text(name, make())
            assert "\n\n\n" not in told
            assert not [line for line in told.split("\n") if line != line.rstrip()]

    def test_can_be_sent_to_another_process(self, name):
        view = invented.wrong_path()
        assert pickle.loads(pickle.dumps(strategy(name))).render(view, WHOLE).text == text(name, view)

    def test_says_what_it_is_and_where_it_is_from(self, name):
        one = strategy(name)
        assert one.title
        assert one.source
        assert one.info.path.is_file()
