"""Exit codes, and how anything that is raised becomes one of them and one line."""

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
"""What a disk says that is full, or that may not be written to."""


class Exit(IntEnum):
    """What a command returns."""

    DONE = 0
    """It did what it was asked; for ``run`` whatever the verdicts are."""
    FAILED = 1
    """A regression, or a check that does not hold."""
    USAGE = 2
    """Bad input or usage."""
    INCOMPLETE = 3
    """A recording is missing, things cannot be compared, or all trials of an engine or a repairer crashed."""
    INTERNAL = 4
    """A fault of mendbench itself."""
    INTERRUPTED = 130
    """Ctrl-C."""
    TERMINATED = 143
    """SIGTERM."""


class Terminated(KeyboardInterrupt):
    """SIGTERM came: what ends on Ctrl-C ends on it too."""


def coded(command: Callable[P, int]) -> Callable[P, int]:
    """Return ``command`` so that it only ever returns an exit code: whatever it raises becomes one, and one line.

    The framework would turn an interrupt into an exit code on its own, and lose what there is to say about it. So this
    stands between the two.
    """

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> int:
        try:
            return int(command(*args, **kwargs))
        except (Exception, KeyboardInterrupt, EffectEscape) as error:  # noqa: BLE001 - the last net
            return code_of(error)

    return wrapped


def code_of(error: BaseException) -> int:
    """Say in one line what an error means, and return its exit code.

    ``MENDBENCH_TRACEBACK=1`` shows the traceback of an internal fault, for a bug report.
    """
    if isinstance(error, KeyboardInterrupt):
        terminated = isinstance(error, Terminated)
        say("; ".join(filter(None, ("terminated" if terminated else "interrupted", str(error)))))
        return Exit.TERMINATED if terminated else Exit.INTERRUPTED
    if isinstance(error, MendbenchError):
        say(_told(error))
        return error.exit_code
    if isinstance(error, EffectEscape):
        say(_told(error))
        return Incomplete.exit_code
    if isinstance(error, OSError) and error.errno in _DISK:
        say(f"{error.filename or 'a file'}: {error.strerror}; make room, or mend the permissions")
        return Exit.USAGE
    if os.environ.get("MENDBENCH_TRACEBACK"):
        traceback.print_exception(error)
    say(f"internal fault: {type(error).__name__}: {_told(error)}; MENDBENCH_TRACEBACK=1 shows where")
    return Exit.INTERNAL


def _told(error: BaseException) -> str:
    """Return an error's words without credentials: a broken file, or an address, may be quoted in it."""
    from mendbench.secrets.sensitive import sanitise

    return str(sanitise(str(error)))
