"""Mutants: workflows that look like repairs and are none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.io.canonical_json import canonical_json
from mendbench.model.case import Fix
from mendbench.scoring.judging.diffs import value_at
from mendbench.verify.mutants import mutants_of
from tests.fakes.scoring import BROKEN, FIX, edit_fault, fixed_workflow, make_case, user_fault

DATA = {"user_id": "U1", "fetch": {"response": {"user": {"name": "ada", "id": "U1", "team": "T9"}}, "status_code": 200}}


def made(case=None, fixed="same", data=DATA):
    case = case or make_case()
    return mutants_of(case, fixed_workflow() if fixed == "same" else fixed, data)


def of_kind(kind, mutants):
    return [mutant for mutant in mutants if mutant.kind == kind]


def text_of(mutant):
    return value_at(mutant.workflow, "/nodes/greet/params/body/text")


def test_the_node_where_it_shows_is_dropped_with_its_edges():
    (mutant,) = of_kind("drop_node", made())
    assert [node["id"] for node in mutant.workflow["nodes"]] == ["fetch"]
    assert mutant.workflow["edges"] == []
    assert mutant.what == "without the node greet"


def test_with_the_node_go_its_outputs_and_the_inputs_that_only_it_used():
    case = make_case()
    inputs = {"user_id": {"type": "string"}, "key": {"type": "string"}}
    outputs = {"ts": {"source": "${greet.response.ts}"}, "who": {"source": "${fetch.response.user.id}"}}
    fixed = {**fixed_workflow(), "inputs": inputs, "outputs": outputs}
    fixed["nodes"][1]["params"]["auth_token"] = "${key}"
    (mutant,) = of_kind("drop_node", mutants_of(case, fixed, DATA))
    assert list(mutant.workflow["outputs"]) == ["who"]
    assert "key" not in mutant.workflow["inputs"]


def test_a_node_that_only_reads_may_read_twice():
    case = make_case()
    again = [mutant.what for mutant in of_kind("extra_write", mutants_of(case, fixed_workflow(), DATA))]
    assert any(what.startswith("greet") for what in again)
    assert of_kind("extra_write", mutants_of(case, fixed_workflow(), DATA, readers={"greet"})) == []


def test_the_error_of_the_broken_workflow_is_swallowed():
    (mutant,) = of_kind("swallow_error", made())
    assert {"from": "greet", "to": "after_greet", "action": "error"} in mutant.workflow["edges"]
    (earlier,) = of_kind("swallow_error", made(make_case(faults=(edit_fault(node="fetch"),))))
    assert {"from": "fetch", "to": "greet", "action": "error"} in earlier.workflow["edges"]


def test_what_the_fix_reads_is_written_as_a_constant():
    (mutant,) = of_kind("constant", made())
    assert text_of(mutant) == "Hi ada!"


def test_a_constant_keeps_its_type_where_the_template_is_the_whole_text():
    case = make_case(fix=Fix(patch=({**FIX.patch[0], "value": "${fetch.status_code}"},)))
    (mutant,) = of_kind("constant", made(case, fixed_workflow("${fetch.status_code}")))
    assert text_of(mutant) == 200


def test_other_fields_beside_the_right_one_are_read():
    assert [text_of(mutant) for mutant in of_kind("other_field", made())] == [
        "Hi ${fetch.response.user.id}!", "Hi ${fetch.response.user.team}!",
    ]  # fmt: skip


def test_other_parameters_of_the_broken_node_are_left_out():
    (mutant,) = of_kind("drop_param", made())
    assert value_at(mutant.workflow, "/nodes/greet/params/body") == {"text": "Hi ${fetch.response.user.name}!"}


def test_one_of_two_changes_of_a_fix_is_put_back():
    fixed = fixed_workflow()
    fixed["nodes"][0]["params"]["url"] += "&full=1"
    parts = of_kind("part_of_fix", made(fixed=fixed))
    assert [mutant.what for mutant in parts] == [
        "the fix without its change of fetch",
        "the fix without its change of greet",
    ]


def test_where_no_edit_is_right_only_generic_mutants_are_made():
    kinds = {mutant.kind for mutant in made(make_case(faults=(user_fault(),), fix=None), None)}
    assert kinds == {"drop_node", "swallow_error", "drop_param", "extra_write", "extra_key"}


def test_a_case_without_a_fault_has_only_writes_that_nobody_asked_for():
    assert {mutant.kind for mutant in made(make_case(faults=(), fix=None), None)} == {"extra_write", "extra_key"}


def test_a_write_gets_a_key_that_its_service_keeps_and_that_it_has_not_yet():
    (mutant,) = of_kind("extra_key", made())
    assert mutant.what == "greet's body with blocks beside the rest"
    assert list(value_at(mutant.workflow, "/nodes/greet/params/body")) == ["text", "channel", "blocks"]
    fixed = fixed_workflow()
    fixed["nodes"][1]["params"]["body"]["blocks"] = []
    assert of_kind("extra_key", made(fixed=fixed))[0].what == "greet's body with attachments beside the rest"


@pytest.mark.parametrize("recorded_from", [{"slack": "live"}, {"github": "simulator"}, {}])
def test_where_no_simulated_service_answers_no_key_is_known_to_be_kept(recorded_from):
    assert of_kind("extra_key", made(make_case(recorded_from=recorded_from))) == []


def test_a_write_is_done_twice_and_done_with_other_words():
    again, reworded = of_kind("extra_write", made())
    assert (again.what, reworded.what) == ("greet's write done again", "greet's write done with other words")
    for mutant, text in ((again, "Hi ${fetch.response.user.name}!"), (reworded, "something else")):
        assert [node["id"] for node in mutant.workflow["nodes"]] == ["fetch", "greet", "greet_more"]
        assert value_at(mutant.workflow, "/nodes/greet_more/params/body") == {"text": text, "channel": "C1"}
        assert {"from": "greet", "to": "greet_more"} in mutant.workflow["edges"]


@pytest.mark.parametrize("data", [{}, {"fetch": {}}, {"fetch": {"response": "text"}}])
def test_without_data_there_is_nothing_to_put_in(data):
    assert {mutant.kind for mutant in made(data=data)} == {
        "drop_node",
        "swallow_error",
        "drop_param",
        "extra_write",
        "extra_key",
    }


def test_what_would_be_an_accepted_fix_is_no_mutant():
    accepted = Fix(patch=({**FIX.patch[0], "value": "Hi ada!"},), why="the name never changes")
    assert len(of_kind("constant", made())) == 1
    assert of_kind("constant", made(make_case(accepts=(accepted,)))) == []


@given(
    value=st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2),
    name=st.text(min_size=1, max_size=5),
)
def test_mutants_differ_from_each_other_and_from_all_that_is_right_or_broken(value, name):
    accepted = Fix(patch=({**FIX.patch[0], "value": "Hi ada!"},), why="the name never changes")
    data = {"fetch": {"response": {"user": {"name": value, name: value}}}}
    for case in (make_case(), make_case(accepts=(accepted,))):
        found = [canonical_json(mutant.workflow) for mutant in mutants_of(case, fixed_workflow(), data)]
        right = [BROKEN, fixed_workflow(), *([fixed_workflow("Hi ada!")] if case.accepts else [])]
        assert len(set(found)) == len(found)
        assert not set(found) & {canonical_json(one) for one in right}
