"""The level of a case, from its workflow, its fix and its first execution."""

from dataclasses import replace

import pytest

from mendbench.model.case import Fix
from mendbench.model.execution import Execution, NodeRecord
from mendbench.model.failure import Failure
from mendbench.scoring.judging.level import level_of
from tests.fakes.scoring import edit_fault, make_case, user_fault

PATH = "/nodes/greet/params/body/text"


def fix_to(text):
    return Fix(patch=({"op": "replace", "path": PATH, "value": text},))


def first(message="not found", fields=(), upstream=None):
    failure = Failure(
        source="runtime", category="template_error", message=message, node_id="greet", available_fields=fields,
        suggestion="did you mean ${fetch.response.user.nickname}?",
    )  # fmt: skip
    fetched = NodeRecord(node_id="fetch", node_type="http", state="success", outputs=upstream or {})
    greeted = NodeRecord(node_id="greet", node_type="http", state="error", outputs={"response": {"said": "nickname"}})
    return Execution(outcome="error", nodes=(fetched, greeted), failures=(failure,))


def level(text="Hi ${fetch.response.user.nickname}!", faults=None, execution=None, **changes):
    case = replace(make_case(faults=faults or (edit_fault(),)), fix=fix_to(text), **changes)
    return level_of(case, execution or first())


def test_a_value_that_the_error_names_is_level_1():
    assert level(execution=first(message="the field is called nickname: ask for user.nickname")) == 1


def test_a_path_among_the_listed_fields_is_level_2():
    assert level(execution=first(fields=("fetch.response.user.id", "fetch.response.user.nickname"))) == 2


def test_a_listed_name_that_the_workflow_misspells_is_level_0():
    text = "Hi ${fetch.response.user.usernames}!"
    assert level(text, execution=first(fields=("fetch.response.user.usernames",))) == 0


def test_a_value_in_the_request_is_level_3():
    assert level("Hi harbour crew!", request="Greet them as harbour crew.") == 3


def test_a_value_only_in_the_data_of_an_earlier_node_is_level_4():
    assert level(execution=first(upstream={"response": {"user": {"nickname": "ada"}}})) == 4


def test_a_value_that_is_nowhere_is_level_5_even_if_our_own_suggestion_has_it():
    assert level() == 5


@pytest.mark.parametrize(
    "changes",
    [
        {"faults": (edit_fault(), replace(edit_fault(), id="second"))},
        {"faults": (replace(edit_fault(), cause=("fetch",), surfaces="greet"),)},
    ],
    ids=["two faults", "a cause at an earlier node"],
)
def test_two_faults_or_a_cause_at_an_earlier_node_are_level_5(changes):
    assert level(execution=first(message="nickname: user.nickname"), **changes) == 5


def test_a_fix_of_more_than_two_operations_is_level_5():
    case = replace(make_case(), fix=Fix(patch=fix_to("Hi").patch * 3))
    assert level_of(case, first()) == 5


def test_a_case_that_no_edit_repairs_has_no_level():
    assert level_of(replace(make_case(faults=(user_fault(),)), fix=None), first()) is None
