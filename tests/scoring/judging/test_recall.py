import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput
from mendbench.model.case import Fix
from mendbench.model.prompt import Section
from mendbench.scoring.judging import recall
from mendbench.scoring.judging.recall import context_recall, facts_of, readings, where_is_value
from tests.fakes.scoring import BROKEN, FIX, edit_fault, make_case


def where(value, frame="", *, path="/nodes/greet/params/body/text", op="replace", fix=None, **texts):
    sections = [Section(name=label, label=label, text=text) for label, text in texts.items()]
    fix = fix or Fix(patch=({"op": op, "path": path, "value": value},))
    return where_is_value(BROKEN, fix, frame, sections)


def test_recall_is_the_share_of_the_facts_that_stand_in_the_text():
    found = context_recall((r"user\.name", "U042"), "use fetch.response.user.name")
    assert (found.found, found.missing, found.share) == ((r"user\.name",), ("U042",), 0.5)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("user.name", True),
        ("`user.name`.", True),
        ("user.names", False),
        ("user.name_id", False),
        ("xuser.name", False),
    ],
)
def test_a_fact_is_found_between_word_boundaries(text, found):
    assert (context_recall((r"user\.name",), text).share == 1.0) is found


@pytest.mark.parametrize("times", [0, 1, 2])
@pytest.mark.parametrize(
    "message", ['"title" wasn\'t supplied', "at /repos/kelp", "first\nlabels", "naïve café", "sign \U0001f6a2 here"]
)
def test_a_fact_is_found_escaped_in_json_once_or_twice(message, times):
    text = message
    for _ in range(times):
        text = json.dumps({"message": text}).replace("/", "\\/" if times == 1 else "/")
    assert context_recall((re.escape(message),), text).share == 1.0


def test_undoing_escapes_keeps_what_stands_there_plainly():
    found = context_recall((r"C:\\new", r"\\d\+", "x"), r"see C:\new and \d+, \u12 and \q")
    assert found.missing == ("x",)


@given(st.text(max_size=30), st.integers(0, 2))
def test_what_was_escaped_is_read_again(text, times):
    written = text
    for _ in range(times):
        written = json.dumps(written)[1:-1]
    assert any(
        form.encode("utf-16", "surrogatepass") == text.encode("utf-16", "surrogatepass") for form in readings(written)
    )


def test_alternatives_inside_a_fact_are_bounded_too():
    assert context_recall(("a|b",), "xa bx").share == 0.0


def test_recall_is_undefined_without_facts():
    assert context_recall((), "anything").share is None


def test_a_fact_that_is_no_regular_expression_is_named():
    with pytest.raises(BadInput, match=r"fact '\(': .*; write a regular expression"):
        context_recall(("(",), "x")


def test_the_facts_of_a_case_are_those_of_all_its_faults_each_once():
    case = make_case(faults=(edit_fault(facts=("a", "b")), edit_fault("two", facts=("b", "c"))))
    assert facts_of(case) == ("a", "b", "c")


@pytest.mark.parametrize(
    "text",
    [
        '{"user": {"name": "ada"}}',
        "fetch.response.user.name",
        "• name (str): ada",
        "- name",
        "name: ada",
        "`name`",
        "['name']",
    ],
)
def test_a_new_step_of_a_path_is_reported_where_it_stands_as_a_field(text):
    assert where(FIX.patch[0]["value"], raw=text) == "raw"


@pytest.mark.parametrize(
    "text", ["Greet the user by name.", "username: ada", '"names": []', "fetch.response.user.username"]
)
def test_the_same_word_in_prose_or_inside_another_does_not_state_it(text):
    assert where(FIX.patch[0]["value"], frame=text, state=text) == "nowhere"


def test_the_place_that_every_prompt_has_comes_first():
    value = FIX.patch[0]["value"]
    assert where(value, frame='"name"', raw='"name"', derived='"name"') == "frame"
    assert where(value, state='"name"', derived='"name"') == "state"
    assert where(value, derived="did you mean fetch.response.user.name?") == "derived"


def test_the_value_that_is_hardest_to_come_by_decides():
    value = "Hi ${fetch.response.profile.display_name}!"
    assert where(value, raw='{"profile": {}}', derived="profile.display_name") == "derived"
    assert where(value, raw='{"profile": {}}') == "nowhere"


def test_a_text_counts_as_a_whole_and_of_a_changed_text_only_the_part_that_changed():
    assert where("C0456", path="/nodes/greet/params/body/channel", raw='[{"id": "C0456"}]') == "raw"
    assert where("C0456", path="/nodes/greet/params/body/channel", raw="C04567") == "nowhere"
    moved = "https://slack.com/api/chat.postEphemeral"
    assert where(moved, path="/nodes/greet/params/url", raw="use postEphemeral") == "raw"


def test_numbers_and_new_parameters_have_to_be_stated_too():
    assert where({"per_page": 50}, op="add", path="/nodes/fetch/params/query", raw="at most 50") == "raw"
    assert where({"per_page": 50}, op="add", path="/nodes/fetch/params/query") == "nowhere"


def test_a_fix_that_only_removes_or_reconnects_needs_no_new_value():
    fix = Fix(
        patch=(
            {"op": "remove", "path": "/nodes/fetch"},
            {"op": "add", "path": "/edges/-", "value": {"from": "a", "to": "b"}},
        )
    )
    assert where(None, fix=fix) == "frame"


def test_a_fix_that_renames_a_parameter_needs_the_new_name():
    fix = Fix(
        patch=({"op": "move", "from": "/nodes/greet/params/body/text", "path": "/nodes/greet/params/body/markdown"},)
    )
    assert where(None, fix=fix, raw='{"field": "markdown", "code": "missing"}') == "raw"
    assert where(None, fix=fix, raw="use other markdown") == "nowhere"


def test_punctuation_around_a_changed_part_need_not_be_stated():
    assert (
        where("https://slack.com/api/chat.postMessage?unfurl=no", path="/nodes/greet/params/url", raw="add &unfurl=no")
        == "raw"
    )


def test_the_name_and_purpose_of_a_node_that_the_fix_adds_need_not_be_stated():
    node = {
        "id": "look",
        "type": "http",
        "purpose": "find it",
        "params": {"url": "https://slack.com/api/conversations.list"},
    }
    fix = Fix(
        patch=(
            {"op": "add", "path": "/nodes/-", "value": node},
            {"op": "replace", "path": "/nodes/greet/params/body/channel", "value": "${look.channels}"},
        )
    )
    assert where(None, fix=fix, raw="call https://slack.com/api/conversations.list", derived='"channels"') == "derived"


def test_each_text_of_a_prompt_is_read_once_however_many_values_the_fix_has(monkeypatch):
    read = []
    monkeypatch.setattr(recall, "readings", lambda text: read.append(text) or readings(text))
    assert where({"one": "alpha", "two": "beta", "three": "gamma"}, "alpha", raw="beta", state="gamma") == "state"
    assert sorted(read) == ["", "\nbeta", "\ngamma", "alpha"]
