"""Repairers by name; and what every one of them keeps to."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mendbench.cassettes.recordings import model_file
from mendbench.errors import BadInput, UnknownName
from mendbench.model.prompt import Reply
from mendbench.repairers import Options, registry, repairer, repairer_names
from mendbench.repairers.command import command_model
from tests.fakes.installed import install
from tests.fakes.model_worlds import FakeModelWorld, completion
from tests.repairers.prompts import plain

SOURCES = Path(registry.__file__).parents[2]
OPTIONS = Options(
    model="m",
    patch=({"op": "remove", "path": "/nodes/a"},),
    argv=("/usr/bin/mender", "--fast"),
    function="mender.ask:one",
)


def test_all_that_the_specification_names_are_there():
    named = {"callable", "chat", "command", "noop", "reference", "rules", "suggestion-only"}
    assert named <= set(repairer_names())


def test_an_unknown_name_gives_the_closest_and_all_others():
    with pytest.raises(
        UnknownName, match=r"unknown repairer 'chta'; did you mean 'chat'\? known: callable, chat, command"
    ):
        repairer("chta")


@pytest.mark.parametrize("name", repairer_names())
def test_every_repairer_answers_a_prompt_under_its_own_name(name):
    one = repairer(name, OPTIONS)
    model_world = FakeModelWorld([completion('{"edits": []}')])
    reply = one.reply(plain(), model_world, sample=0, times_asked=0)
    assert one.name == name
    assert isinstance(reply, Reply)
    assert reply.model == one.model
    assert (one.model is None) == (reply.model_request is None) == (not model_world.sent)
    json.loads(reply.text)


def test_the_reference_answers_with_the_given_patch():
    reply = repairer("reference", OPTIONS).reply(plain(), FakeModelWorld(), sample=0, times_asked=0)
    assert json.loads(reply.text) == {"patch": [{"op": "remove", "path": "/nodes/a"}]}


def test_the_reference_declines_where_there_is_no_fix():
    reply = repairer("reference").reply(plain(), FakeModelWorld(), sample=0, times_asked=0)
    assert list(json.loads(reply.text)) == ["cannot_fix"]


def test_the_noop_changes_nothing():
    assert json.loads(repairer("noop").reply(plain(), FakeModelWorld(), sample=0, times_asked=0).text) == {"edits": []}


def test_a_commands_ask_names_its_program_and_not_where_it_is_installed():
    model_world = FakeModelWorld([completion("{}")])
    repairer("command", OPTIONS).reply(plain(), model_world, sample=1, times_asked=2)
    assert model_world.model_requests[0]["model"] == "command:mender --fast"
    assert model_world.model_requests[0]["draw"] == [1, 2]
    assert b"/usr/bin" not in model_world.sent[0].body


def test_long_arguments_make_no_long_name_and_still_distinguish_programs():
    names = {command_model(["x", "-c", "pass;" * 200 + end]) for end in ("1", "2")}
    assert len(names) == 2
    assert all(len(model_file(name)) < 140 for name in names)


def test_a_command_needs_a_program():
    with pytest.raises(BadInput, match="no program"):
        repairer("command")


def test_a_python_function_is_a_repairer_and_is_not_imported():
    model_world = FakeModelWorld([completion("{}", model="served-as")])
    one = repairer("no_such_package_at_all.agent:Mender.mend")
    reply = one.reply(plain(), model_world, sample=1, times_asked=2)
    assert one.name == "no_such_package_at_all.agent:Mender.mend"
    assert (model_world.model_requests[0]["model"], model_world.model_requests[0]["draw"]) == (
        f"callable:{one.name}",
        [1, 2],
    )
    assert reply.model == "served-as"


@pytest.mark.parametrize("name", [":", "a:", ":b", "a.:b", "a b:c", "a:b:c", "1a:b", "a/b:c", "http://x"])
def test_what_is_no_python_function_is_reported(name):
    with pytest.raises(BadInput, match="names no Python function; write package.module:function"):
        repairer(name)


@pytest.mark.parametrize("name", ["command", "callable"])
def test_a_program_and_a_function_bear_the_name_that_the_operator_gave_them(name):
    assert repairer(name, replace(OPTIONS, called="mine")).name == "mine"


def test_a_callable_needs_a_function():
    with pytest.raises(BadInput, match="no function; name it itself: --repairer package.module:function"):
        repairer("callable")


def test_a_module_that_makes_nothing_is_no_repairer():
    with pytest.raises(UnknownName, match="unknown repairer 'interface'"):
        repairer("interface")


def test_making_one_repairer_imports_no_other():
    code = (
        "import sys; from mendbench.repairers import repairer; repairer('noop');"
        "print([name for name in ('rules', 'chat', 'command') if f'mendbench.repairers.{name}' in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(SOURCES)}
    )
    assert done.stdout.strip() == "[]"


def test_an_installed_package_can_bring_one(tmp_path, monkeypatch):
    install(monkeypatch, tmp_path, registry.ENTRY_POINTS, theirs="mendbench.repairers.noop:make")
    assert "theirs" in repairer_names()
    assert repairer("theirs").name == "noop"


def test_an_installed_package_cannot_take_the_name_of_one_that_is_here(tmp_path, monkeypatch):
    install(monkeypatch, tmp_path, registry.ENTRY_POINTS, noop="mendbench.repairers.rules:make")
    assert repairer("noop").name == "noop"


def test_an_installed_package_that_fails_is_bad_input(tmp_path, monkeypatch):
    install(monkeypatch, tmp_path, registry.ENTRY_POINTS, theirs="no_such_module_at_all:make")
    with pytest.raises(BadInput, match="ModuleNotFoundError"):
        repairer_names()
