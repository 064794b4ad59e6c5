"""Exit codes, and the conversion of exceptions to an exit code and a one-line message."""

from __future__ import annotations

import errno
import functools
import os
import traceback
from collections.abc import Callable
from enum import IntEnum
from typing import ParamSpec

from mendbench.cli.output import say
from mendbench.errors import EffectEscape, Incomplete, MendbenchError

P = ParamSpec("P")

_DISK = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM})
"""Errors of a disk that is full or not writable."""


class Exit(IntEnum):
    """The exit code of a command."""

    DONE = 0
    """Success; for ``run`` with any verdicts."""
    FAILED = 1
    """A regression, or a failed check."""
    USAGE = 2
    """Bad input or usage."""
    INCOMPLETE = 3
    """A recording is missing, a comparison is not possible, or all trials of an engine or a repairer crashed."""
    INTERNAL = 4
    """A fault of mendbench itself."""
    INTERRUPTED = 130
    """Ctrl-C."""
    TERMINATED = 143
    """SIGTERM."""


class Terminated(KeyboardInterrupt):
    """SIGTERM, handled like Ctrl-C."""


def coded(command: Callable[P, int]) -> Callable[P, int]:
    """Return ``command`` with all its exceptions converted to an exit code and a message.

    The framework itself would convert an interrupt to an exit code and lose its message.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> int:
        try:
            return int(command(*args, **kwargs))
        except (Exception, KeyboardInterrupt, EffectEscape) as error:  # noqa: BLE001 - the last net
            return code_of(error)

    return wrapped


def code_of(error: BaseException) -> int:
    """Report an error in one line, and return its exit code.

    ``MENDBENCH_TRACEBACK=1`` shows the traceback of an internal fault, for a bug report.
    """
    if isinstance(error, KeyboardInterrupt):
        terminated = isinstance(error, Terminated)
        say("; ".join(filter(None, ("terminated" if terminated else "interrupted", str(error)))))
        return Exit.TERMINATED if terminated else Exit.INTERRUPTED
    if isinstance(error, MendbenchError):
        say(_message(error))
        return error.exit_code
    if isinstance(error, EffectEscape):
        say(_message(error))
        return Incomplete.exit_code
    if isinstance(error, OSError) and error.errno in _DISK:
        say(f"{error.filename or 'a file'}: {error.strerror}; free space, or fix the permissions")
        return Exit.USAGE
    if os.environ.get("MENDBENCH_TRACEBACK"):
        traceback.print_exception(error)
    say(f"internal fault: {type(error).__name__}: {_message(error)}; MENDBENCH_TRACEBACK=1 shows where")
    return Exit.INTERNAL


def _message(error: BaseException) -> str:
    """Return an error's message without credentials: it may quote a broken file or an address."""
    from mendbench.secrets.undeclared import sanitise

    return str(sanitise(str(error)))
