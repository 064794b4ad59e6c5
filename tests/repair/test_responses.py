import copy
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mendbench.repair.responses import Candidate, Declined, Unusable, read_response, sentence
from tests.fakes.repair import WORKFLOW
from tests.fakes.tables import for_each
from tests.repair.test_edits import EDITS, JSONS, node

EDIT = {"node": "greet", "path": "params.body.text", "value": "Hi ${fetch.response.login}"}
OTHER = {"node": "greet", "path": "params.body.text", "value": "wrong"}
OPERATION = {"op": "replace", "path": "/nodes/greet/params/body/text", "value": EDIT["value"]}
RESPONSE = json.dumps({"edits": [EDIT]})


def fixed():
    document = copy.deepcopy(WORKFLOW)
    node(document, "greet")["params"]["body"]["text"] = EDIT["value"]
    return document


@pytest.mark.parametrize(
    "response",
    [
        {"edits": [EDIT]},
        {"edits": EDIT},
        [{"edits": [EDIT]}],
        [EDIT],
        EDIT,
        {"edits": [EDIT], "cannot_fix": None},
        {"edits": [EDIT], "cannot_fix": ""},
        {"edits": [EDIT], "reason": "the field is called login"},
        {"edits": [OPERATION]},
        {"patch": [OPERATION]},
        {"patch": OPERATION},
        [OPERATION],
        OPERATION,
        fixed(),
        {"workflow": fixed()},
    ],
)
@pytest.mark.parametrize(
    "wrapped",
    [
        "{}",
        "\n\n{}\n",
        "```json\n{}\n```",
        "```\n{}\n```\nThat should do it.",
        "Sure! Here is the fix:\n```json\n{}\n```\nIt uses `login`.",
        "The fix is {} and nothing else.",
        '<think>Maybe {{"cannot_fix": "no"}}?</think>{}',
        "```json\n{}",
    ],
)  # fmt: skip
def test_every_form_of_answer_is_read_plain_fenced_and_between_sentences(response, wrapped):
    text = wrapped.replace("{{", "{").replace("}}", "}").replace("{}", json.dumps(response, indent=1))
    assert read_response(text, WORKFLOW) == Candidate(document=fixed())


@for_each(
    "text",
    [
        f'The API said {{"ok": false, "error": "boom"}}, so: {RESPONSE}',
        f'```json\n{{"ok": false}}\n```\nso\n```json\n{RESPONSE}\n```',
        f"`{{}}` and ${{fetch.response.login}} and [0] and [{{1}}] first; {RESPONSE}",
        f'The part {{"text" is wrong. {RESPONSE}',
    ],
)
def test_json_that_is_no_answer_is_passed_over(text):
    assert read_response(text, WORKFLOW) == Candidate(document=fixed())


def test_the_first_answer_counts():
    first, second = json.dumps({"edits": [EDIT]}), json.dumps({"edits": [OTHER]})
    assert read_response(f"```json\n{first}\n```\nor\n```json\n{second}\n```", WORKFLOW) == Candidate(document=fixed())


def test_a_literal_newline_in_a_string_is_let_through():
    text = '{"edits": [{"node": "log", "path": "command", "value": "a\nb"}]}'
    response = read_response(text, WORKFLOW)
    assert isinstance(response, Candidate)
    assert node(response.document, "log")["params"]["command"] == "a\nb"


@for_each("text", ['{"edits": []}', "[]", '{"edits": [], "cannot_fix": null}', '{"patch": []}'])
def test_no_edits_leave_the_workflow_as_it_is(text):
    assert read_response(text, WORKFLOW) == Candidate(document=WORKFLOW)


@for_each(
    ("text", "reason"),
    [
        ('{"cannot_fix": "the channel does not exist"}', "the channel does not exist"),
        ('I fear:\n```json\n{"cannot_fix": "no"}\n```', "no"),
        ('{"edits": [], "cannot_fix": "no"}', "no"),
        ('{"edits": {"cannot_fix": "no"}}', "no"),
        ('{"edits": [{"cannot_fix": "no"}]}', "no"),
        ('[{"cannot_fix": "no"}]', "no"),
        ('{"cannot_fix": true, "reason": "no"}', "no"),
        ('{"cannot_fix": true}', ""),
        ('{"cannot_fix": ""}', ""),
        ('{"cannot_fix": {"why": "no"}}', '{"why": "no"}'),
    ],
)
def test_a_refusal_is_read_with_its_reason(text, reason):
    assert read_response(text, WORKFLOW) == Declined(reason=reason)


@for_each(
    ("text", "says"),
    [
        ("", "The answer is empty."),
        ("I would change the text.", "The answer holds no JSON object."),
        ("3", "not a JSON object"),
        ('{"ok": true, "fix": 1}', "neither 'edits' nor 'cannot_fix'; its keys are 'ok', 'fix'"),
        ("[1, 2]", "list holds something that is no edit"),
        ('{"edits": [{"node": "greet", "path": "a", "value": 1}', "The answer is not JSON: Expecting ',' delimiter"),
        ('{"edits": [{"node": "greet" "path": "a"}]}', "column 29, near"),
        ('{"node": "greet", "path": "url", "value": NaN}', "NaN is no JSON"),
        ('{"node": "greet", "path": "url", "value": 1e999}', "1e999 is too large"),
        ('{"edits": [{"node": "gret", "path": "a", "value": 1}]}', "Edit 1: there is no node 'gret'; the nodes are fetch, greet, log."),
        ('{"edits": "change the url"}', "edits are not a list"),
        ('{"edits": null}', "leaves 'edits' empty"),
        ('{"cannot_fix": false}', "leaves 'cannot_fix' empty"),
        (json.dumps({"edits": [EDIT], "cannot_fix": "no"}), "gives 'edits' and 'cannot_fix'; give one"),
        (json.dumps({"edits": [EDIT], "patch": [OPERATION]}), "gives 'edits' and 'patch'"),
        (json.dumps({"edits": [EDIT], "nodes": []}), "gives 'edits' and 'nodes'"),
        ('{"nodes": []}', "no list of 'nodes'"),
        ('{"workflow": "as before"}', "no list of 'nodes'"),
        ('{"nodes": [{"id": "a"}]}', r"nodes[0] has no 'id' or no 'type'"),
        ('{"node": "greet", "path": "url", "value": "\\ud800"}', "surrogate"),
        ('{"node": "greet", "path": "url"}', "Edit 1: it has neither a 'value'"),
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be_read_says_why(text, says):
    response = read_response(text, WORKFLOW)
    assert isinstance(response, Unusable)
    assert says in response.problem
    assert len(response.problem) < 300


def test_an_answer_that_broke_off_is_not_taken_for_its_first_edit():
    whole = json.dumps({"edits": [OTHER, EDIT]})
    for end in range(1, len(whole)):
        assert isinstance(read_response(whole[:end], WORKFLOW), Unusable), whole[:end]


def test_brackets_without_end_are_read_in_bounded_time():
    for text in ('{"a":' * 20_000, '{"' * 20_000, "[" * 50_000, "[{" * 50_000, "```\n" * 20_000):
        assert isinstance(read_response(text, WORKFLOW), Unusable)


def test_a_sentence_is_one_line_and_short():
    assert sentence("a\n  b") == "a b."
    assert sentence("Is it?") == "Is it?"
    assert len(sentence("x" * 1000)) < 300
    assert sentence("\ud800").isascii()


FORMS = st.fixed_dictionaries(
    {},
    optional={
        "edits": EDITS | JSONS,
        "patch": EDITS | JSONS,
        "cannot_fix": JSONS,
        "workflow": JSONS | st.just(WORKFLOW),
        "nodes": JSONS | st.just(WORKFLOW["nodes"]),
        "node": JSONS,
        "path": JSONS,
        "value": JSONS,
    },
)


@given(
    text=st.text() | FORMS.map(json.dumps) | EDITS.map(json.dumps) | st.text(alphabet='{}[]"`:,\n edits1', max_size=60)
)
@example(text='{"edits": [{"node": {}, "path": "a", "value": 1}]}')
def test_any_text_is_a_candidate_a_refusal_or_unreadable(text):
    before = copy.deepcopy(WORKFLOW)
    response = read_response(text, WORKFLOW)
    assert isinstance(response, Candidate | Declined | Unusable)
    assert before == WORKFLOW
    if isinstance(response, Unusable):
        assert 0 < len(response.problem) < 300
        assert "\n" not in response.problem


@given(before=st.text(alphabet="abc .,!`'\n", max_size=30), after=st.text(max_size=30))
def test_prose_around_an_answer_does_not_change_it(before, after):
    assert read_response(before + RESPONSE + after, WORKFLOW) == Candidate(document=fixed())


def test_an_answer_that_is_longer_than_is_read_is_reported_by_its_length():
    response = read_response(" " * 1_000_001, {"nodes": []})
    assert response.problem == "The answer has 1,000,001 characters, and at most 1,000,000 are read."


def test_an_answer_may_not_add_more_nodes_than_a_thousand():
    nodes = [{"id": f"n{number}", "type": "http"} for number in range(1002)]
    response = read_response(json.dumps({"nodes": nodes}), {"nodes": nodes[:1]})
    assert (response.status, response.problem) == (
        "invalid",
        "The answer adds 1,001 nodes, and at most 1,000 may be added.",
    )
    assert isinstance(read_response(json.dumps({"nodes": nodes}), {"nodes": nodes[:2]}), Candidate)


@for_each("form", ["cannot_fix", "edits", "patch", "workflow", "nodes"])
def test_an_answer_that_nests_as_deep_as_can_be_parsed_is_read_like_any_other(form):
    for depth in (150, *range(880, 1010)):
        response = read_response(f'{{"{form}": {"[" * depth}{"]" * depth}}}', WORKFLOW)
        assert isinstance(response, Declined | Unusable)
    assert read_response(f'{{"cannot_fix": {"[" * 300}{"]" * 300}}}', WORKFLOW) == Declined(reason="")
    assert read_response('{"cannot_fix": [["why"]]}', WORKFLOW) == Declined(reason='[["why"]]')
