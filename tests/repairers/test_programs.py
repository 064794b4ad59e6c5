"""The operator's own programs and functions: what they receive, and what becomes of what they say."""

import json
import os
import subprocess
import sys

import pytest

from mendbench.errors import BadInput, EffectEscape, GuardTripped, Incomplete
from mendbench.process.pipe_io import close_pipes, kill_group
from mendbench.repairers.asking import build_model_request, read_response
from mendbench.repairers.programs import CallableCaller, CommandCaller
from tests.repairers.prompts import plain

ASK = build_model_request(plain(), model="command:x", params={}, response_format=None, draw=(0, 0))
MODULE = """
import sys

class Kind:
    @staticmethod
    def answers(system, user):
        return "of a class"

def echo(system, user):
    print("thinking aloud")
    return f"{system}|{user}"

def counted(system, user):
    return {"text": "{}", "prompt_tokens": 12, "completion_tokens": 3, "model": "tiny-1"}

def halves(system, user):
    return {"text": "\\ud800"}

def fails(system, user):
    raise ValueError("no luck\\nat all")

def leaves(system, user):
    sys.exit(3)

def gives(system, user):
    return GIVEN

GIVEN = None
NUMBER = 7
"""


@pytest.fixture
def agent(tmp_path, monkeypatch):
    """Return the name of a module in the working folder, which is on no import path."""
    monkeypatch.chdir(tmp_path)
    name = f"agent_{abs(hash(str(tmp_path)))}"
    (tmp_path / f"{name}.py").write_text(MODULE, encoding="utf-8")
    yield name
    sys.modules.pop(name, None)


def command(program, **options):
    return CommandCaller(argv=(sys.executable, "-c", program), **options)


def read(response, **options):
    return read_response(response, model="m", model_request="a", **options)


def test_a_program_reads_the_prompt_and_prints_the_answer():
    reply = read(command("import sys; print(sys.stdin.read()[::-1], end='')").send(ASK))
    assert reply.text[::-1] == "You mend.\n\nMend it.\n\nIt failed.\n"
    assert (reply.status, reply.model) == ("answered", "m")
    assert (reply.prompt_tokens, reply.completion_tokens) == (None, None)


def test_what_a_program_prints_that_is_no_text_is_an_answer_all_the_same():
    reply = read(command(r"import sys; sys.stdout.buffer.write(b'a\xffb')").send(ASK))
    assert reply.text == "a�b"


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import sys; print('a'); sys.exit('first\\nkey expired')", "exit code 1: key expired"),
        ("print('only here'); raise SystemExit(4)", "exit code 4: only here"),
        ("raise SystemExit(5)", "exit code 5: it said nothing"),
    ],
)
def test_a_program_that_fails_gives_no_answer_and_its_last_line_says_why(program, said):
    with pytest.raises(Incomplete, match=said) as caught:
        command(program).send(ASK)
    assert "\n" not in str(caught.value)


def test_a_program_that_does_not_end_in_time_gives_no_answer():
    with pytest.raises(Incomplete, match=r"did not end within 0\.01 s"):
        command("import signal; signal.pause()", timeout_s=0.01).send(ASK)


def test_a_program_is_ended_with_all_that_it_started():
    reads, writes = os.pipe()
    child = "import signal; print('here', flush=True); signal.pause()"
    program = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}], pass_fds=[{writes}])"
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, pass_fds=[writes], start_new_session=True
    )
    os.close(writes)
    assert process.stdout.readline() == b"here\n"
    kill_group(process)
    close_pipes(process)
    process.wait()
    with os.fdopen(reads, "rb") as pipe:
        assert pipe.read() == b""  # which ends only once the last of them has


@pytest.mark.parametrize("argv", [("no-such-program-at-all",), ("bad\0name",)])
def test_a_program_that_cannot_be_started_is_the_operators_to_mend(argv):
    with pytest.raises(BadInput, match="cannot be run"):
        CommandCaller(argv=argv).send(ASK)


def test_a_function_is_called_with_both_messages_and_what_it_prints_is_no_output_of_ours(agent, capsys):
    reply = read(CallableCaller(function=f"{agent}:echo").send(ASK))
    assert reply.text == "You mend.|Mend it.\n\nIt failed."
    assert capsys.readouterr() == ("", "thinking aloud\n")


def test_a_function_of_a_class_will_do(agent):
    assert read(CallableCaller(function=f"{agent}:Kind.answers").send(ASK)).text == "of a class"


def test_the_tokens_and_the_model_that_a_function_reports_are_the_replys(agent):
    response = CallableCaller(function=f"{agent}:counted").send(ASK)
    reply = read(response, says_model=True)
    assert (reply.prompt_tokens, reply.completion_tokens, reply.model) == (12, 3, "tiny-1")
    assert read(response).model == "m"


def test_half_a_character_is_no_crash(agent):
    assert json.loads(CallableCaller(function=f"{agent}:halves").send(ASK).body)


@pytest.mark.parametrize(("name", "said"), [("fails", "ValueError: at all"), ("leaves", "SystemExit: 3")])
def test_what_a_function_raises_is_no_answer_in_one_line(agent, name, said):
    with pytest.raises(Incomplete, match=f"callable {agent}:{name} gave no response: {said}") as caught:
        CallableCaller(function=f"{agent}:{name}").send(ASK)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), GuardTripped("socket.connect", "x")])
def test_an_interrupt_and_an_escaping_effect_pass_through_a_function(agent, monkeypatch, error):
    def raises(system, user):
        raise error

    CallableCaller(function=f"{agent}:echo").imported()
    monkeypatch.setattr(sys.modules[agent], "echo", raises)
    with pytest.raises((KeyboardInterrupt, EffectEscape)):
        CallableCaller(function=f"{agent}:echo").send(ASK)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "it returned NoneType"),
        (b"{}", "it returned bytes"),
        ({}, "its 'text' is NoneType"),
        ({"text": "x", "tokens": 1}, "unknown key 'tokens'; known: completion_tokens, model, prompt_tokens, text"),
        ({"text": "x", "prompt_tokens": -1}, "'prompt_tokens' is -1"),
        ({"text": "x", "completion_tokens": True}, "'completion_tokens' is True"),
        ({"text": "x", "prompt_tokens": 1.5}, "'prompt_tokens' is 1.5"),
        ({"text": "x", "model": 7}, "'model' is int"),
    ],
)
def test_what_a_function_returns_has_to_be_of_the_documented_form(agent, monkeypatch, given, said):
    CallableCaller(function=f"{agent}:gives").imported()
    monkeypatch.setattr(sys.modules[agent], "GIVEN", given)
    with pytest.raises(Incomplete, match=said):
        CallableCaller(function=f"{agent}:gives").send(ASK)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("no_such_package_at_all:run", "cannot be imported .ModuleNotFoundError"),
        ("{agent}:nothing", "cannot be imported .AttributeError"),
        ("{agent}:NUMBER", "a int, and no function"),
    ],
)
def test_a_function_that_cannot_be_had_is_the_operators_to_mend(agent, function, said):
    with pytest.raises(BadInput, match=said):
        CallableCaller(function=function.format(agent=agent)).send(ASK)


def test_the_working_folder_stays_off_the_import_path(agent):
    before = list(sys.path)
    CallableCaller(function=f"{agent}:echo").send(ASK)
    assert sys.path == before
