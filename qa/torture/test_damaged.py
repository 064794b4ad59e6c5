"""A few damaged files of the kinds that take least; ``python -m qa.torture damaged`` tries all kinds, with the kept inputs."""

from dataclasses import replace

import pytest

from mendbench.errors import BadInput, UnknownName
from qa.torture import hostile_templates
from qa.torture.damaged import EXHAUSTED, _faulty, attempts
from qa.torture.damaged_kinds import _COUNTS, KINDS, every
from qa.torture.tally import failures

QUICK = {
    "cassettes of a world",
    "cases",
    "workflows",
    "strategies",
    "baselines",
    "runs: trials.jsonl",
    "splits",
    "configurations",
    "traces",
    "output of engines",
    "searched for secrets, YAML",
}


def test_a_few_damaged_files_are_taken_or_refused_in_one_line():
    kinds = [kind for kind in KINDS if kind.name in QUICK]
    assert len(kinds) == len(QUICK)
    assert failures(attempts(8, 0, kinds, kept=False)) == []


def test_a_kind_whose_right_file_nothing_takes_is_a_failure():
    def refused():
        raise BadInput("flow.json", "nothing of it", "mend it")

    (kind,) = (replace(kind, read=refused) for kind in KINDS if kind.name == "workflows")
    first, *_ = failures(attempts(1, 0, [kind], kept=False))
    assert "the right file is refused: flow.json: nothing of it" in str(first.failure)


def complaint(name, error):
    (kind,) = (kind for kind in KINDS if kind.name == name)
    return _faulty(error, kind, taken=False)


@pytest.mark.parametrize("name", [kind.name for kind in KINDS])
def test_an_error_whose_place_is_not_the_file_is_a_failure_wherever_the_file_stands(name):
    (kind,) = (kind for kind in KINDS if kind.name == name)
    found = BadInput("elsewhere", f"as {kind.file} has it", f"mend {kind.file} among the cases")
    assert "the file is not named: elsewhere" in str(complaint(name, found))
    assert complaint(name, BadInput(f"{kind.file}:3", "nothing of it", "mend it")) is None


def test_an_unknown_name_has_to_have_the_file_as_its_place_too():
    assert "the file is not named" in str(complaint("workflows", UnknownName("node", "a", ["b"])))
    assert complaint("workflows", UnknownName("node", "a", ["b"], "flow.json: nodes.0")) is None


@pytest.mark.parametrize("word", EXHAUSTED)
def test_a_refusal_for_want_of_memory_or_of_stack_is_a_failure(word, monkeypatch):
    assert "hides that a bound" in str(complaint("workflows", BadInput("flow.json", f"{word}: ", "mend it")))

    def load(path):
        raise BadInput(str(path), f"{word}: ", "mend the template")

    monkeypatch.setattr(hostile_templates, "load", load)
    assert word in str(hostile_templates.refused("{{ 1 }}"))


def test_each_purpose_has_its_turn_whatever_else_is_counted():
    _COUNTS.clear()
    turns = [(every(4, "a"), every(25, "b") and every(2, "c")) for _ in range(100)]
    assert [sum(each) for each in zip(*turns, strict=True)] == [25, 2]
    assert turns[0] == (True, True)
