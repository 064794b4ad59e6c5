"""Writes data to standard output and messages to standard error.

Either stream may be closed or full, or may have an encoding without some characters.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from typing import TextIO

from mendbench.errors import BadInput
from mendbench.model.json import Json


def prepare() -> None:
    """Make both streams accept every character, and end lines alike on every system.

    A character that the encoding lacks is written as an escape.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace", newline="\n")


def write(text: str) -> None:
    """Write to standard output. A closed pipe (``| head``) is no error and does not change the exit code.

    Raises:
        BadInput: standard output cannot be written to, for example because the disk is full.
    """
    out: TextIO | None = sys.stdout
    if out is None:
        return
    try:
        out.write(text)
        out.flush()
    except BrokenPipeError:
        _to_nowhere(out)
    except OSError as error:
        _to_nowhere(out)
        raise BadInput("standard output", error.strerror or "cannot be written", "redirect it elsewhere") from None


def write_json(value: Json) -> None:
    """Write a value as JSON, readable in every encoding."""
    ascii_only = not stdout_encoding().lower().startswith("utf")
    write(json.dumps(value, indent=2, ensure_ascii=ascii_only, default=str) + "\n")


def stdout_encoding() -> str:
    """Return the encoding of standard output."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def say(line: str) -> None:
    """Write one line to standard error."""
    with contextlib.suppress(OSError, AttributeError):
        sys.stderr.write(f"mendbench: {plain(line)}\n")
        sys.stderr.flush()


def plain(text: str) -> str:
    """Return ``text`` as one line without control characters: the content of a file never controls a terminal."""
    words = " ".join(text.splitlines())
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in words)


def _to_nowhere(out: TextIO) -> None:
    """Discard the buffer and all later output; otherwise the interpreter reports an error when it exits."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(OSError, ValueError):
        os.dup2(nowhere, out.fileno())
    os.close(nowhere)
