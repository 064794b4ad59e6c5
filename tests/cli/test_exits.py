import errno

import pytest

from mendbench.cli.exits import Exit, Terminated, code_of, coded
from mendbench.errors import BadInput, CheckFailed, GuardTripped, Incomplete, MendbenchError, ReplayMiss, UnknownName


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (BadInput("place", "found", "mend"), Exit.USAGE),
        (UnknownName("case", "x", ["y"]), Exit.USAGE),
        (CheckFailed("it does not hold"), Exit.FAILED),
        (Incomplete("a response is missing"), Exit.INCOMPLETE),
        (ReplayMiss("GET /x", nearest=None, differs=(), record="mendbench run"), Exit.INCOMPLETE),
        (GuardTripped("socket.connect", "example.com"), Exit.INCOMPLETE),
        (MendbenchError("ours"), Exit.INTERNAL),
        (OSError(errno.ENOSPC, "No space left on device", "a.txt"), Exit.USAGE),
        (OSError(errno.EROFS, "Read-only file system"), Exit.USAGE),
        (OSError(errno.EBADF, "Bad file descriptor"), Exit.INTERNAL),
        (ZeroDivisionError("division\nby zero"), Exit.INTERNAL),
        (KeyboardInterrupt(), Exit.INTERRUPTED),
        (Terminated(), Exit.TERMINATED),
    ],
    ids=lambda each: type(each).__name__,
)
def test_whatever_a_command_raises_becomes_a_code_and_one_line(capsys, error, code):
    @coded
    def command():
        raise error

    assert command() == code
    result = capsys.readouterr()
    assert result.out == ""
    assert result.err.startswith("mendbench: ")
    assert result.err.count("\n") == 1


def test_the_codes_are_the_documented_ones():
    assert [int(code) for code in Exit] == [0, 1, 2, 3, 4, 130, 143]


def test_a_fault_of_ours_shows_its_traceback_only_when_asked(monkeypatch, capsys):
    error = ZeroDivisionError("by zero")
    code_of(error)
    assert (
        capsys.readouterr().err
        == "mendbench: internal fault: ZeroDivisionError: by zero; MENDBENCH_TRACEBACK=1 shows where\n"
    )
    monkeypatch.setenv("MENDBENCH_TRACEBACK", "1")
    code_of(error)
    assert capsys.readouterr().err.startswith("ZeroDivisionError: by zero\nmendbench: ")
