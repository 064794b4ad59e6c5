"""The specification's own examples, rendered whole: what is said otherwise here is listed as (its line, ours), and nothing else may differ."""

import json
from pathlib import Path

from mendbench.model.execution import Judgement
from mendbench.model.prompt import View
from mendbench.runtime.engine import MendbenchEngine
from mendbench.strategies import strategy
from tests.fakes.engine import FakeWorld, chain, http, said
from tests.fakes.tables import for_each
from tests.strategies import invented

WHOLE = 100_000
BASE = "https://api.example.com"
PAGE = (Path(__file__).parents[2] / "docs" / "strategies.md").read_text("utf-8")

SUMMARY = """\
## Errors to Fix
1. HTTP 422
   Category: api_validation
   Node: create-issue

## Repair Context
- Completed nodes:
- Failed at node: create-issue

## Guidance for Error Categories Present
### API Parameter Validation Errors
- External API/tool rejecting the parameter format
- Error message usually shows expected format (e.g., 'should be a list')
- Check how the data is prepared in upstream nodes
- Solution: Match the exact format the API expects"""

SUMMARY_DEVIATIONS = [
    (
        "- External API/tool rejecting the parameter format",
        "- An external API or tool refused the shape of a parameter",
    ),
    (
        "- Error message usually shows expected format (e.g., 'should be a list')",
        "- The message usually names the expected form, such as 'should be a list'",
    ),
    (
        "- Check how the data is prepared in upstream nodes",
        "- Look at how the nodes before prepare the data",
    ),
    (
        "- Solution: Match the exact format the API expects",
        "- Solution: give the API exactly the form that it expects, and keep the parameters that work",
    ),
]

FULL_CONTEXT = """\
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
  "title": "",  // ❌ Empty - missing required field
  "body": "Fix bug",  // ❌ Too short - needs 30+ chars
  "labels": ["bug"]
}
```

**Required Fixes**:
- Field 'title' is required and cannot be empty
- Field 'body' must be at least 30 characters

**Upstream Data Source**:
- 'title' comes from: ${issue.title}
- 'body' comes from: ${issue.description}"""

FULL_CONTEXT_DEVIATIONS = [
    ('  "title": "",  // ❌ Empty - missing required field', '  "title": "",'),
    ('  "body": "Fix bug",  // ❌ Too short - needs 30+ chars', '  "body": "Fix bug",'),
    ('  "labels": ["bug"]', '  "labels": [\n    "bug"\n  ]'),
    (
        "- Field 'body' must be at least 30 characters",
        "- Field 'body' is not valid: body is too short (minimum is 30 characters)",
    ),
]

CLI_TEXT = "cli: Invalid workflow - Structure: nodes[2].type is required"
CLI_TEXT_DEVIATIONS = [("nodes[2].type is required", "Validation error at nodes[2]: 'type' is a required property")]

NOT_FOUND = "Template ${data.field} not found"
UNRESOLVED = "Unresolved variables in parameter 'body.x': ${data.field}\n\nAvailable context keys:\n  • data (dict)"
MESSAGE_DEVIATIONS = [(NOT_FOUND, UNRESOLVED)]

SUGGESTED = {
    "node_id": "process-data",
    "type": "template_error",
    "message": NOT_FOUND,
    "fixable": True,
    "suggestion": "Check available fields: data.id, data.title",
}

ERRORS = [
    {
        "source": "runtime",
        "category": "template_error",
        "message": NOT_FOUND,
        "node_id": "process-data",
        "fixable": True,
    },
    {
        "source": "api",
        "category": "non_repairable",
        "message": "GitHub API rate limit exceeded",
        "node_id": "fetch-issues",
        "fixable": False,
    },
]


def as_ours(example, deviations):
    """Return an example with our line for each that we say otherwise, which has to stand in it once."""
    for theirs, ours in deviations:
        assert example.count(theirs) == 1
        assert theirs != ours
        example = example.replace(theirs, ours)
    return example


def text(name, view):
    return strategy(name).render(view, WHOLE).text


def ran(workflow, responses=None, *, inputs=None, detector=None):
    """Run a workflow, and return what a strategy is shown of it."""
    engine, world = MendbenchEngine(), FakeWorld(responses or {})
    execution = engine.execute(workflow, inputs or {}, world, checkpoint=None, detector=detector, clock=world.clock)
    return View(request="x", workflow=workflow, execution=execution, agent=engine.describe(workflow, execution))


def unresolved():
    """A node that names a field which an input does not have; the input has an id and a title."""
    node = http("process-data", f"{BASE}/process", body={"x": "${data.field}"})
    workflow = chain(node, inputs={"data": {"type": "object"}})
    return ran(workflow, inputs={"data": {"id": 1, "title": "Rain"}})


class TellsTheLimit:
    """Takes every failure for an API's rate limit."""

    name = "states-the-limit"

    def judge(self, observation):
        return Judgement(state="warning", message="GitHub API rate limit exceeded")


def limited():
    """A node whose API refuses by its rate limit, and a detector that warns of it."""
    response = said({"message": "API rate limit exceeded"}, 403)
    return ran(
        chain(http("fetch-issues", f"{BASE}/issues")), {f"GET {BASE}/issues": response}, detector=TellsTheLimit()
    )


def both():
    """Both errors of the example, given as they stand there."""
    nodes = [invented.http(error["node_id"], "GET", "/a") for error in ERRORS]
    return invented.view("x", nodes, *(invented.failure(**error) for error in ERRORS))


def test_summary_is_the_repair_prompt_of_the_example_but_for_the_words_of_its_guidance():
    assert text("summary", invented.issue_422()) == as_ours(SUMMARY, SUMMARY_DEVIATIONS)


def test_full_context_is_the_enhanced_context_of_the_example_but_for_four_lines():
    assert text("full-context", invented.issue_422()) == as_ours(FULL_CONTEXT, FULL_CONTEXT_DEVIATIONS)


def test_cli_text_of_a_node_without_a_type_is_the_example_but_for_the_validators_words():
    untyped = {"id": "notify", "params": {}}
    view = ran(chain(http("fetch", f"{BASE}/a"), http("send", f"{BASE}/b"), untyped))
    assert text("cli-text", view) == as_ours(CLI_TEXT, CLI_TEXT_DEVIATIONS)


def test_cli_text_passes_the_message_of_the_example_on_as_it_is():
    failure = invented.failure(
        "Structure: nodes[2].type is required", None, source="validation", category="static_validation"
    )
    assert text("cli-text", invented.view("x", [invented.http("fetch", "GET", "/a")], failure)) == CLI_TEXT


def test_suggestions_of_an_unresolved_template_is_the_example_but_for_its_message():
    document = json.loads(text("suggestions", unresolved()))
    assert document.pop("metrics").keys() == {"duration_ms", "total_cost_usd", "nodes_executed"}
    assert document == {
        "success": False,
        "errors": [{**SUGGESTED, "message": as_ours(NOT_FOUND, MESSAGE_DEVIATIONS)}],
    }


def test_errors_json_states_both_errors_of_the_example_as_they_stand_there():
    assert json.loads(text("errors-json", both()))["errors"] == ERRORS


def test_errors_json_of_a_run_states_the_first_but_for_its_message():
    assert json.loads(text("errors-json", unresolved()))["errors"] == [
        {**ERRORS[0], "message": as_ours(NOT_FOUND, MESSAGE_DEVIATIONS)}
    ]


def test_errors_json_of_a_run_that_a_warning_stopped_states_the_second_as_it_stands_there():
    assert json.loads(text("errors-json", limited()))["errors"] == [ERRORS[1]]


def test_of_both_the_command_line_shows_the_sentence_of_the_example_and_no_error():
    context = text("cli-text", both())
    assert context.split("\n")[0] == "cli: Workflow execution failed - Node returned error action"
    assert not [error for error in ERRORS if error["message"] in context or error["node_id"] in context]


def test_top3_text_shows_a_line_for_each_of_both():
    assert text("top3-text", both()) == (
        "cli: Workflow execution failed\n"
        f"  - [process-data] {NOT_FOUND}\n"
        "  - [fetch-issues] GitHub API rate limit exceeded"
    )


@for_each(
    ("theirs", "ours"), [*SUMMARY_DEVIATIONS, *FULL_CONTEXT_DEVIATIONS, *CLI_TEXT_DEVIATIONS, *MESSAGE_DEVIATIONS]
)
def test_every_line_that_is_said_otherwise_stands_on_the_page_as_both_say_it(theirs, ours):
    rows = [row for row in PAGE.split("\n") if f"`{theirs.strip()}`" in row]
    assert len(rows) == 1
    for line in filter(None, map(str.strip, ours.split("\n"))):
        assert line in rows[0]
