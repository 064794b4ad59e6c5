"""The contract kit: it passes an engine that does right, and states in words what a wrong one does wrong."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from mendbench.engines import Command, CommandEngine, Declared, Limits, declared_by, misdeclared
from mendbench.engines.contract import CASES, Finding, cases_for, check_engine, unreported
from mendbench.engines.contract.repairing import check_repairs
from mendbench.secrets.redaction import Redactor
from tests.fakes.at_home import at_home  # noqa: F401  a fixture
from tests.fakes.engines import PLAIN, plain_engine, shell_engine

pytestmark = pytest.mark.usefixtures("at_home")

REFERENCE = Path(__file__).parents[2] / "examples" / "engines" / "mendbench_cli.py"


def wrong(engine):
    return {finding.case: " ".join(finding.wrong) for finding in check_engine(engine) if finding.wrong}


def test_there_are_ten_cases_and_a_right_adapter_passes_them():
    assert len(CASES) == 10
    assert wrong(plain_engine()) == {}


def test_what_a_wrong_adapter_does_is_reported():
    everything = {case.name for case in CASES}
    table = [
        ("swallows", {"refused", "error-edge", "steps"}, "node 'note' failed: print success false"),
        ("types", {"types"}, 'body.weight came as "12" and not as 12: a parameter that is one template keeps the type'),
        ("twice", None, "POST https://yard.contract.example/notes 2 times, and the workflow asks for it once"),
        ("literal", {"types", "inputs-and-outputs"}, 'body.text came as "Crate ${crate.response.id} weighs'),
        ("nameless", {"refused", "no-such-field", "no-answer", "resume"}, "its errors name 'no node' in node_id"),
        ("stepless", {"steps"}, "it reports no steps: execution.steps has an entry for each node"),
        ("repeats", {"resume"}, "it declares resume, and sent POST /orders again, which had been accepted"),
        ("speechless", everything, "it printed no JSON object on standard output"),
        ("adds accept-language: de", {"one-request"}, "your HTTP client adds `accept-language: de`, which node 'crates' does not name: it belongs to the key of the request"),
        ("untyped", {"types"}, "content-type did not come for node 'note': a body that is no text is sent as application/json"),
        ("astray", None, "it sent GET http://yard.contract.example/crates, which nothing in the workflow asks for"),
    ]  # fmt: skip
    other = {}
    for broken, cases, says in table:
        found = wrong(plain_engine(broken))
        as_wanted = cases in (None, set(found)) and any(says in words for words in found.values())
        other |= {} if as_wanted else {broken: found}

    assert other == {}


def test_an_engine_without_resume_is_not_held_to_it():
    assert wrong(plain_engine("repeats", resume=False)) == {}


def test_a_command_that_prints_the_same_whatever_it_is_given_holds_in_nothing_much():
    found = wrong(shell_engine("""echo '{"success": true}'"""))
    assert set(found) == {case.name for case in CASES}
    assert "it did not send GET https://yard.contract.example/crates" in found["one-request"]


def not_reported(engine):
    return [one.part for one in unreported(engine.declared, list(check_engine(engine)))]


@pytest.mark.slow
def test_our_own_runtime_reports_every_part():
    command = Command(name="reference", argv=(sys.executable, str(REFERENCE)), limits=Limits(time_s=60))
    assert not_reported(CommandEngine(command, declared_by(command), Redactor({}))) == []


def test_what_an_engine_leaves_out_is_listed_and_fails_nothing():
    assert not_reported(plain_engine(judge="engine", resume=False)) == [
        "resume",
        "mendbench.nodes[].outputs",
        "errors[].available_fields",
        "mendbench.failures[].request_sent",
        "mendbench.failures[].problems",
        "mendbench.failures[].unresolved",
        "mendbench.failures[].upstream",
        "status or warnings",
    ]


def test_an_engine_without_failures_lacks_errors_and_one_that_prints_nothing_is_not_guessed_about():
    printed = unreported(
        Declared(version="1", resume=True),
        [Finding(case="refused", title="", wrong=(), documents=({"success": True},))],
    )
    assert [one.part for one in printed] == ["errors"]
    assert unreported(Declared(version="1", resume=True), [Finding(case="refused", title="", wrong=("nothing",))]) == ()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node on this machine")
def test_a_right_adapter_that_sends_with_the_fetch_of_node_passes():
    adapter = PLAIN.with_name("fetching.mjs")
    command = Command(name="fetching", argv=("node", str(adapter)), limits=Limits(time_s=60))
    engine = CommandEngine(command, declared_by(command), Redactor({}))
    assert engine.declared.version == "1.0"
    assert wrong(engine) == {}


def looping(wrong="", **overrides):
    argv = (sys.executable, "-S", "-E", str(PLAIN.with_name("looping.py")), *([wrong] if wrong else []))
    command = Command(name="looping", argv=argv, limits=Limits(time_s=20), overrides=tuple(overrides.items()))
    return CommandEngine(command, declared_by(command), Redactor({}))


def repairs_wrong(engine):
    found = list(check_repairs(engine))
    assert [finding.case for finding in found] == ["model-asked", "model-not-needed"]
    return {finding.case: " ".join(finding.wrong) for finding in found if finding.wrong}


def test_an_engine_that_repairs_is_put_to_two_cases_more_and_a_right_one_passes_them():
    engine = looping()
    assert cases_for(engine.declared)[10:] == ("model-asked", "model-not-needed")
    assert repairs_wrong(engine) == {}


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (
            "shy",
            {"model-asked": "it did not ask the model after a failure: POST to MENDBENCH_MODEL_URL/chat/completions"},
        ),
        ("presses", {"model-asked": "times more after it was refused with 429"}),
        ("mute", {"model-asked": "it reports no mendbench.workflow: the workflow as it is now"}),
        ("eager", {"model-not-needed": "it asked the model, and nothing had failed"}),
    ],
)
def test_what_a_wrong_loop_does_is_reported(broken, says):
    found = repairs_wrong(looping(broken))
    assert set(found) == set(says)
    assert all(words in found[case] for case, words in says.items()), found


def test_the_attempts_of_a_loop_that_reports_none_stay_unknown():
    engine = looping("silent")
    parts = [one.part for one in unreported(engine.declared, list(check_repairs(engine)))]
    assert parts == ["mendbench.first", "mendbench.attempts"]


def describing(**document):
    printed = json.dumps({"mendbench": document})
    return Command(name="said", argv=("/bin/sh", "-c", f"echo '{printed}'"))


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"resumes": True}, "it declares 'resumes', which means nothing: what can be declared is version, resume, repairs, mcp, judge"),
        ({"resume": "yes"}, 'it declares resume as "yes", and it is true or false'),
        ({"judge": "ours"}, 'it declares judge as "ours", and it is engine or mendbench or named'),
        ({"judge": ["engine"]}, 'it declares judge as ["engine"], and it is engine'),
        ({"node_types": "http"}, 'it declares node_types as "http", and it is a list of texts'),
        ({"version": None}, "it declares version as null, and it is a text"),
    ],
)  # fmt: skip
def test_what_is_declared_and_not_understood_is_reported(document, says):
    command = describing(**document)
    assert declared_by(command).judge == "engine"
    (line,) = misdeclared(command)
    assert line.startswith(says)
    engine = CommandEngine(command, declared_by(command), Redactor({}))
    first = next(check_engine(engine, (line,)))
    assert (first.case, first.wrong) == ("describe", (line,))


def test_a_right_declaration_has_nothing_wrong():
    assert (
        misdeclared(describing(version=1.5, resume=True, judge="named", mcp=False, repairs=False, node_types=["http"]))
        == ()
    )
    assert misdeclared(Command(name="plain", argv=("/bin/sh", "-c", "echo 'nothing of it'"))) == ()
