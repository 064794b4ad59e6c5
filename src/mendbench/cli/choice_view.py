"""Asks at the terminal what is to be done about a warning that stopped a run.

Everything is written to standard error: standard output has the run's own lines.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Sequence

from mendbench.runtime.display import plain
from mendbench.workflow_app import STOP, Choice, Choose, Leaf, Stopped

_MAX_SHOWN = 60
"""Characters that are shown of a value."""

_CHOICES = ("Create it, and try this step again", "Use another value", "Skip this step", "Stop (default)")
_STOP = str(len(_CHOICES))


class _Left(Exception):
    """The user has left the prompt."""


def asker() -> Choose | None:
    """Return what asks, or None where no terminal is there to ask at."""
    if sys.stdin is None or sys.stderr is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    return ask


def ask(stopped: Stopped) -> Choice:
    """Ask until there is a response. The end of the input and Ctrl-C mean to stop."""
    try:
        while True:
            choice = _asked(stopped)
            if choice is not None:
                return choice
    except (_Left, KeyboardInterrupt):
        _write("\n")
        return STOP


def _asked(stopped: Stopped) -> Choice | None:
    """Return the choice; None if the user went back from it."""
    said = stopped.problem or stopped.message
    _write(f"\n{'✗' if stopped.problem else '⚠️'} {plain(said).strip()}\nWhat would you like to do?\n")
    match _number(_CHOICES, "> ", _STOP):
        case 1:
            return _created(stopped)
        case 2:
            return _value(stopped)
        case 3:
            return Choice(name="skip")
        case _:
            return STOP


def _created(stopped: Stopped) -> Choice:
    if not stopped.repairer:
        _read("Create it now, then press Enter to try this step again: ")
    return Choice(name="create")


def _value(stopped: Stopped) -> Choice | None:
    if not stopped.leaves:
        _write(f"{plain(stopped.node_id)} has no parameters.\n")
        return None
    _write(f"Which value of {plain(stopped.node_id)}?\n")
    number = _number([_line(leaf) for leaf in stopped.leaves], "Number (Enter to go back): ", "")
    if not number:
        return None
    leaf = stopped.leaves[number - 1]
    if leaf.origin == "secret":
        _write(f"It holds a secret: set {plain(leaf.source or '')} in the environment, and run again.\n")
        return None
    if leaf.note:
        _write(f"Note: {plain(leaf.note)}.\n")
    return Choice(name="value", leaf=leaf, value=_read(f"New value of {plain(_name(leaf))}: "))


def _name(leaf: Leaf) -> str:
    return f"{leaf.source} (input)" if leaf.origin == "input" else leaf.param


def _line(leaf: Leaf) -> str:
    """Return a parameter in one line: its place, what it is now, and where that comes from."""
    value = " ".join(plain(json.dumps(leaf.shown, ensure_ascii=False)).split())
    cut = value if len(value) <= _MAX_SHOWN else f"{value[: _MAX_SHOWN - 1]}…"
    match leaf.origin:
        case "fixed":
            came = "fixed in the workflow"
        case "input":
            came = f"input {leaf.source}" + (f", a part of {leaf.param}" if leaf.within else "")
        case "secret":
            came = f"from {leaf.template}, a secret: environment variable {leaf.source}"
        case _:
            came = f"from {leaf.template}"
    return f"{plain(leaf.source if leaf.within and leaf.source else leaf.param)}: {cut} ({plain(came)})"


def _number(lines: Sequence[str], prompt: str, default: str) -> int:
    """Return the number of a line that the user chose; 0 if the default, chosen with Enter, is none."""
    _write("".join(f"  {number}. {line}\n" for number, line in enumerate(lines, 1)))
    while True:
        said = _read(prompt).strip() or default
        if not said:
            return 0
        if said.isascii() and said.isdigit() and 1 <= int(said[:9]) <= len(lines):
            return int(said)
        _write(f"Answer with a number from 1 to {len(lines)}.\n")


def _read(prompt: str) -> str:
    """Return a line of the user's, without its end.

    Raises:
        _Left: the input has ended.
    """
    _write(prompt)
    try:
        line = sys.stdin.readline()
    except (OSError, ValueError):  # the terminal is gone, or what came is no text
        raise _Left from None
    if not line:
        raise _Left
    return line.rstrip("\r\n")


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()
