"""Repairers by name; and what every one of them keeps to."""

import json
from importlib.metadata import EntryPoint

import pytest

from mendbench.errors import BadInput, UnknownName
from mendbench.model.prompt import Reply
from mendbench.repairers import Options, registry, repairer, repairer_names
from tests.fakes.asks import FakeAsks, completion
from tests.repairers.prompts import plain

OPTIONS = Options(model="m", patch=({"op": "remove", "path": "/nodes/a"},), argv=("/usr/bin/mender", "--fast"))


def test_all_that_the_specification_names_are_there():
    assert {"chat", "command", "noop", "reference", "rules"} <= set(repairer_names())


def test_an_unknown_name_gives_the_closest_and_all_others():
    with pytest.raises(UnknownName, match=r"unknown repairer 'chta'; did you mean 'chat'\? known: chat, command"):
        repairer("chta")


@pytest.mark.parametrize("name", repairer_names())
def test_every_repairer_answers_a_prompt_under_its_own_name(name):
    one = repairer(name, OPTIONS)
    asks = FakeAsks([completion('{"edits": []}')])
    reply = one.reply(plain(), asks, sample=0, times_asked=0)
    assert one.name == name
    assert isinstance(reply, Reply)
    assert reply.model == one.model
    assert (one.model is None) == (reply.ask is None) == (not asks.sent)
    json.loads(reply.text)


def test_the_reference_answers_with_the_given_patch():
    reply = repairer("reference", OPTIONS).reply(plain(), FakeAsks(), sample=0, times_asked=0)
    assert json.loads(reply.text) == {"patch": [{"op": "remove", "path": "/nodes/a"}]}


def test_the_reference_declines_where_there_is_no_fix():
    reply = repairer("reference").reply(plain(), FakeAsks(), sample=0, times_asked=0)
    assert list(json.loads(reply.text)) == ["cannot_fix"]


def test_the_noop_changes_nothing():
    assert json.loads(repairer("noop").reply(plain(), FakeAsks(), sample=0, times_asked=0).text) == {"edits": []}


def test_a_commands_ask_names_its_program_and_not_where_it_is_installed():
    asks = FakeAsks([completion("{}")])
    repairer("command", OPTIONS).reply(plain(), asks, sample=1, times_asked=2)
    assert asks.asks[0]["model"] == "command:mender --fast"
    assert asks.asks[0]["draw"] == [1, 2]
    assert b"/usr/bin" not in asks.sent[0].body


def test_a_command_needs_a_program():
    with pytest.raises(BadInput, match="no program"):
        repairer("command")


def test_an_installed_package_can_bring_one(monkeypatch):
    point = EntryPoint("theirs", "mendbench.repairers.noop:make", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda *, group: [point] if group == point.group else [])
    assert "theirs" in repairer_names()
    assert repairer("theirs").name == "noop"


def test_an_installed_package_that_fails_is_bad_input(monkeypatch):
    point = EntryPoint("theirs", "no_such_module_at_all:make", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda *, group: [point])
    with pytest.raises(BadInput, match="ModuleNotFoundError"):
        repairer_names()
