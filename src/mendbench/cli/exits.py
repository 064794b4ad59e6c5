"""Exit codes, and how anything that is raised becomes one of them and one line."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from enum import IntEnum

import click

from mendbench.errors import EffectEscape, Incomplete, MendbenchError


class Exit(IntEnum):
    """What a command returns."""

    DONE = 0
    """It did what it was asked; for ``run`` whatever the verdicts are."""
    FAILED = 1
    """A regression, or a check that does not hold."""
    USAGE = 2
    """Bad input or usage."""
    INCOMPLETE = 3
    """A recording is missing, or things cannot be compared."""
    INTERNAL = 4
    """A fault of mendbench itself."""
    INTERRUPTED = 130
    """Ctrl-C."""


def say(line: str) -> None:
    """Write one line to standard error."""
    sys.stderr.write(f"mendbench: {line}\n")


def guarded(work: Callable[[], int | None]) -> int:
    """Run ``work`` and return its exit code; whatever it raises ends in one line and a code, never in a traceback.

    ``MENDBENCH_TRACEBACK=1`` shows the traceback of an internal fault, for a bug report.
    """
    try:
        return int(work() or Exit.DONE)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.UsageError as error:
        say(f"{error.format_message()} See `{_command(error)} --help`.")
        return Exit.USAGE
    except click.exceptions.Abort:
        return Exit.INTERRUPTED
    except KeyboardInterrupt as stop:
        say(str(stop) or "interrupted")
        return Exit.INTERRUPTED
    except MendbenchError as error:
        say(str(error))
        return error.exit_code
    except EffectEscape as error:
        say(str(error))
        return Incomplete.exit_code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.DONE
    except Exception as error:  # noqa: BLE001 - the last net: a fault of ours is one line too
        if os.environ.get("MENDBENCH_TRACEBACK"):
            traceback.print_exc()
        say(
            f"internal fault: {type(error).__name__}: {' '.join(str(error).split())}; MENDBENCH_TRACEBACK=1 shows where"
        )
        return Exit.INTERNAL


def _command(error: click.UsageError) -> str:
    return error.ctx.command_path if error.ctx else "mendbench"
