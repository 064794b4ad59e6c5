"""A few damaged files of the kinds that take least; ``python -m tests.torture damaged`` tries all kinds, with the kept inputs."""

from tests.torture.damaged import attempts
from tests.torture.damaged_kinds import KINDS
from tests.torture.tally import failures

QUICK = {"cassettes of a world", "workflows", "strategies", "splits", "configurations", "traces", "output of engines"}


def test_a_few_damaged_files_are_taken_or_refused_in_one_line():
    kinds = [kind for kind in KINDS if kind.name in QUICK]
    assert len(kinds) == len(QUICK)
    assert failures(attempts(8, 0, kinds, kept=False)) == []
