"""Prompts that were asked again, held against what was said first."""

import json

import pytest

from mendbench.cassettes.cassette import Entry
from mendbench.errors import Incomplete
from mendbench.io.canonical_json import digest
from mendbench.model.exchange import Request, Response
from mendbench.prompts.prompt_lines import prompt_line
from mendbench.prompts.repeatability import repeats
from mendbench.strategies.frame import SYSTEM
from tests.fakes.worlds import completion

EDIT = '{"edits": [{"node": "a", "path": "params.x", "value": 1}]}'
SPACED = '{ "edits": [{"path": "params.x", "node": "a", "value": 1}] }'
OTHER = '{"edits": [{"node": "a", "path": "params.x", "value": 2}]}'


def asked(draw, text, *, prompt="Mend it.", system=SYSTEM, response=None):
    model_request = {
        "model": "m", "params": {"temperature": 0}, "response_format": None, "draw": draw,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": prompt}],
    }  # fmt: skip
    request = Request(method="POST", url="model://m/chat")
    return Entry(
        key=digest(model_request), request=request, response=response or completion(text), model_request=model_request
    )


def found(*entries):
    return [(one.same_text, one.same_response) for one in repeats("a/case", entries)]


@pytest.mark.parametrize(
    ("again", "same"),
    [(EDIT, (True, True)), (SPACED, (False, True)), (f"Sure!\n{EDIT}", (False, True)), (OTHER, (False, False))],
    ids=["to the letter", "spelt otherwise", "with more words", "another value"],
)
def test_an_answer_is_the_same_to_the_letter_or_in_what_is_read_of_it(again, same):
    assert found(asked(0, EDIT), asked(1, again)) == [same]


@pytest.mark.parametrize(("again", "same"), [("I cannot.", True), ("I could not.", False)])
def test_answers_without_json_are_the_same_only_to_the_letter(again, same):
    assert found(asked(0, "I cannot."), asked(1, again)) == [(same, same)]


def test_an_answer_that_broke_off_where_the_first_did_not_is_not_the_same_text():
    body = completion(EDIT).body.replace(b'"stop"', b'"length"')
    cut = Response(status=200, headers=completion(EDIT).headers, body=body)
    assert found(asked(0, EDIT), asked(1, "", response=cut)) == [(False, True)]


def test_each_repeat_is_held_against_the_first_take_in_whatever_order_they_stand():
    assert found(asked(2, EDIT), asked(1, OTHER), asked(0, EDIT)) == [(False, False), (True, True)]


def test_what_was_asked_once_or_drawn_or_asked_by_a_node_repeats_nothing():
    once = [asked(0, EDIT), asked(1, EDIT, prompt="Another.")]
    drawn = [asked([0, 0], EDIT, prompt="Drawn."), asked([1, 0], OTHER, prompt="Drawn.")]
    node = [asked(0, "yes", system="You are a clerk."), asked(1, "no", system="You are a clerk.")]
    assert found(*once, *drawn, *node) == []


def test_a_repeat_is_known_by_the_id_that_its_export_has():
    again = asked(1, OTHER)
    (one,) = repeats("a/case", [asked(0, EDIT), again])
    assert (one.case, one.custom_id) == ("a/case", json.loads(prompt_line(again.model_request))["custom_id"])


def test_a_recording_that_is_no_answer_is_refused():
    with pytest.raises(Incomplete):
        found(asked(0, EDIT), asked(1, "", response=Response(status=200, body=b"{}")))
