"""A few damaged files of the kinds that take least; ``python -m tests.torture damaged`` tries all kinds, with the kept inputs."""

from dataclasses import replace

from mendbench.errors import BadInput
from tests.torture.damaged import attempts
from tests.torture.damaged_kinds import _COUNTS, KINDS, every
from tests.torture.tally import failures

QUICK = {
    "cassettes of a world",
    "workflows",
    "strategies",
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


def test_each_purpose_has_its_turn_whatever_else_is_counted():
    _COUNTS.clear()
    turns = [(every(4, "a"), every(25, "b") and every(2, "c")) for _ in range(100)]
    assert [sum(each) for each in zip(*turns, strict=True)] == [25, 2]
    assert turns[0] == (True, True)
