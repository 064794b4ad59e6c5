"""Asks at the terminal what to do about a warning that stopped a run.

It writes to standard error, because standard output has the lines of the run.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Sequence

from mendbench.runtime.display import plain
from mendbench.workflow_app import STOP, Choice, Choose, Leaf, Stopped

_MAX_SHOWN = 60
"""Maximum number of characters shown of a value."""

_CHOICES = ("Create it, and try this step again", "Use another value", "Skip this step", "Stop (default)")
_STOP = str(len(_CHOICES))


class _Left(Exception):
    """The user has left the prompt."""


def asker() -> Choose | None:
    """Return the function that asks, or None without a terminal."""
    interactive = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))
    return ask if interactive else None


def ask(stopped: Stopped) -> Choice:
    """Ask until there is a choice. The end of the input and Ctrl-C stop the run."""
    try:
        while True:
            choice = _asked(stopped)
            if choice is not None:
                return choice
    except (_Left, KeyboardInterrupt):
        _write("\n")
        return STOP


def _asked(stopped: Stopped) -> Choice | None:
    """Return the choice; None if the user went back."""
    message = stopped.problem or stopped.message
    _write(f"\n{'✗' if stopped.problem else '⚠️'} {plain(message).strip()}\nWhat would you like to do?\n")
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
    """Return a parameter in one line: its place, its value, and the origin of the value."""
    value = " ".join(plain(json.dumps(leaf.shown, ensure_ascii=False)).split())
    cut = value if len(value) <= _MAX_SHOWN else f"{value[: _MAX_SHOWN - 1]}…"
    match leaf.origin:
        case "fixed":
            origin = "fixed in the workflow"
        case "input":
            origin = f"input {leaf.source}" + (f", a part of {leaf.param}" if leaf.within else "")
        case "secret":
            origin = f"from {leaf.template}, a secret: environment variable {leaf.source}"
        case _:
            origin = f"from {leaf.template}"
    return f"{plain(leaf.source if leaf.within and leaf.source else leaf.param)}: {cut} ({plain(origin)})"


def _number(lines: Sequence[str], prompt: str, default: str) -> int:
    """Return the number of the chosen line; 0 if there is no default and the user presses Enter."""
    _write("".join(f"  {number}. {line}\n" for number, line in enumerate(lines, 1)))
    while True:
        answer = _read(prompt).strip() or default
        if not answer:
            return 0
        if answer.isascii() and answer.isdigit() and 1 <= int(answer[:9]) <= len(lines):
            return int(answer)
        _write(f"Answer with a number from 1 to {len(lines)}.\n")


def _read(prompt: str) -> str:
    """Return a line of input, without its line end.

    Raises:
        _Left: the input has ended.
    """
    _write(prompt)
    try:
        line = sys.stdin.readline()
    except (OSError, ValueError):  # the terminal is gone, or the input is not text
        raise _Left from None
    if not line:
        raise _Left
    return line.rstrip("\r\n")


def _write(text: str) -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(text)
        sys.stderr.flush()
