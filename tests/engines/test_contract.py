"""The contract kit: it passes an engine that does right, and tells a wrong one in words what it does wrong."""

import pytest

from mendbench.engines.contract import CASES, check_engine
from tests.fakes.engines import plain_engine, shell_engine


def wrong(engine):
    return {finding.case: " ".join(finding.wrong) for finding in check_engine(engine) if finding.wrong}


def test_there_are_ten_cases_and_a_right_adapter_passes_them():
    assert len(CASES) == 10
    assert wrong(plain_engine()) == {}


@pytest.mark.parametrize(
    ("broken", "cases", "says"),
    [
        ("swallows", {"refused", "error-edge", "steps"}, "node 'note' failed: print success false"),
        ("types", {"types"}, 'body.weight came as "12" and not as 12: a parameter that is one template keeps the type'),
        ("twice", None, "POST https://yard.contract.example/notes 2 times, and the workflow asks for it once"),
        ("literal", {"types", "inputs-and-outputs"}, 'body.text came as "Crate ${crate.response.id} weighs'),
        (
            "nameless",
            {"refused", "no-such-field", "no-answer", "resume"},
            "its errors name 'no node' in node_id",
        ),
        ("stepless", {"steps"}, "it tells no steps: execution.steps has an entry for each node"),
        ("repeats", {"resume"}, "it declares resume, and sent POST /orders again, which had been accepted"),
        ("speechless", {case.name for case in CASES}, "it printed no JSON object on standard output"),
        ("astray", None, "it sent GET http://yard.contract.example/crates, which nothing in the workflow asks for"),
    ],
)
def test_a_wrong_adapter_is_told_what_it_does(broken, cases, says):
    found = wrong(plain_engine(broken))
    assert cases is None or set(found) == cases
    assert any(says in words for words in found.values()), found


def test_an_engine_without_resume_is_not_held_to_it():
    assert wrong(plain_engine("repeats", resume=False)) == {}


def test_a_command_that_prints_the_same_whatever_it_is_given_holds_in_nothing_much():
    found = wrong(shell_engine("""echo '{"success": true}'"""))
    assert set(found) == {case.name for case in CASES}
    assert "it did not send GET https://yard.contract.example/crates" in found["one-request"]
