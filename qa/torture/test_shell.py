"""A few attempts to get out of the sandbox; ``make torture`` tries all of them."""

import shutil

import pytest

from qa.torture import shell
from qa.torture.tally import failures


def test_a_command_that_may_not_run_is_refused_in_one_line():
    assert failures(shell.refusals()) == []


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed: no command can run")
@pytest.mark.parametrize("kind", [shell.READ, shell.WRITE, shell.RIGHTS])
def test_a_command_stays_in_its_sandbox(kind):
    escape = next(each for each in shell.ESCAPES if each.kind == kind)
    assert [who(lambda: shell.tried(escape, on_disk=True)) for _, who in shell.whos()] == [None] * len(shell.whos())
