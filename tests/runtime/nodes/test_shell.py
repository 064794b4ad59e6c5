import json

import pytest

from mendbench.runtime.nodes.shell import NODE, STOPPED, URL, says_no
from tests.fakes.engine import FakeWorld, fault, ran, said


def run(response, command="jq .name", **params):
    world = FakeWorld({f"POST {URL}": response})
    return NODE.run({"command": command, **params}, world.send, world.clock), world


def test_the_command_goes_to_the_sandbox_with_the_names_of_its_variables_only():
    _, world = run(ran("x"), stdin={"name": "ada"}, cwd="data", env=["HOME", "DEBUG"], timeout=5)
    assert world.body() == {"command": "jq .name", "stdin": '{"name": "ada"}', "cwd": "data", "env": ["DEBUG", "HOME"]}
    assert world.sent[0].timeout_s == 5


def test_a_command_that_ends_well_gives_what_it_wrote():
    output, _ = run(ran("ada\n", "note\n"))
    assert output.outputs == {"stdout": "ada", "stderr": "note", "exit_code": 0, "command": "jq .name"}
    assert output.noticed is None


def test_an_exit_code_is_noticed_with_the_words_of_standard_error():
    output, _ = run(ran("", "jqq: not found\n", 127), "jqq .")
    assert output.noticed.kind == "shell"
    assert output.noticed.message == "Command failed with exit code 127: jqq: not found"
    assert output.outputs["error"] == output.noticed.message
    assert output.answered.body == {"stdout": "", "stderr": "jqq: not found", "exit_code": 127}


def test_long_standard_error_is_quoted_in_part():
    output, _ = run(ran("", "x" * 900, 1))
    assert len(output.noticed.message) < 600
    assert len(output.outputs["stderr"]) == 900


def test_a_json_looking_output_is_nobodys_answer():
    output, _ = run(ran('{"ok": false}'))
    assert output.answered is None


def test_ignored_errors_are_not_noticed_but_reported():
    output, _ = run(ran("", "bad", 2), ignore_errors=True)
    assert output.noticed is None
    assert output.outputs["error"] == "Command failed with exit code 2: bad"


@pytest.mark.parametrize(
    ("command", "code", "stderr", "no"),
    [
        ("grep foo file", 1, "", True),
        ("cat file | grep foo", 1, "", True),
        ("LC_ALL=C /usr/bin/grep 'a | b' file", 1, "", True),
        ("cd data && rg foo", 1, "", True),
        ("which jq", 1, "", True),
        ("test -f x", 1, "", True),
        ("[ -f x ]", 1, "", True),
        ("diff a b", 1, "", True),
        ("command -v jq", 1, "", True),
        ("grep foo file", 2, "", False),
        ("grep foo file", 1, "grep: file: No such file or directory", False),
        ("grep foo file | jq .", 1, "", False),
        ("false", 1, "", False),
        ("grep 'open quote", 1, "", False),
    ],
)
def test_programs_that_answer_no_have_not_failed(command, code, stderr, no):
    assert says_no(command, code, stderr) is no
    output, _ = run(ran("", stderr, code), command)
    assert (output.noticed is None) is no


def test_a_timeout_has_an_exit_code_of_its_own():
    output, _ = run(fault("timeout"), timeout=2)
    assert output.outputs["exit_code"] == -1
    assert output.noticed.message == "Command timed out after 2 seconds"


@pytest.mark.parametrize(
    "response", [fault("reset"), said("no sandbox", 500), said({"stdout": "x"}), said([1]), said(b"")]
)
def test_a_command_that_was_not_run_is_noticed(response):
    output, _ = run(response)
    assert output.outputs["exit_code"] == -2
    assert output.noticed.kind == "shell"
    assert json.dumps(output.outputs)


@pytest.mark.parametrize(
    ("params", "words"),
    [({"command": ""}, "requires 'command'"), ({"env": {"A": "b"}}, "list of names"), ({"timeout": -1}, "above 0")],
)
def test_a_parameter_that_cannot_be_used_is_named(params, words):
    with pytest.raises((ValueError, TypeError), match=words):
        run(ran(), **params)


def test_a_command_that_went_beyond_a_bound_says_which():
    output, _ = run(said({"bound": "output", "says": "it wrote more than 9 bytes"}, 413))
    assert (output.outputs["exit_code"], output.outputs["error"]) == (
        STOPPED,
        "Command was stopped: it wrote more than 9 bytes",
    )
    assert output.noticed is not None
