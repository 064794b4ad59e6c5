"""The two streams: data goes to standard output, words go to standard error.

Either may be closed, full, or of an encoding that has not every character.
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
    """Let both streams take every character: what their encoding has not is written as its escape."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def write(text: str) -> None:
    """Write to standard output. A reader that has left (``| head``) is no error, and changes no exit code.

    Raises:
        BadInput: standard output takes nothing: the disk is full, say.
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
        raise BadInput("standard output", error.strerror or "cannot be written", "send it elsewhere") from None


def write_json(value: Json) -> None:
    """Write a value as JSON, readable in every encoding."""
    utf = (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")
    write(json.dumps(value, indent=2, ensure_ascii=not utf, default=str) + "\n")


def say(line: str) -> None:
    """Write one line to standard error."""
    with contextlib.suppress(OSError, AttributeError):
        sys.stderr.write(f"mendbench: {plain(line)}\n")
        sys.stderr.flush()


def plain(text: str) -> str:
    """Return ``text`` as one line without control characters: what a file says never steers a terminal."""
    words = " ".join(text.splitlines())
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in words)


def _to_nowhere(out: TextIO) -> None:
    """Let what is left in the buffer, and what comes, go nowhere: else the interpreter complains when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    with contextlib.suppress(OSError, ValueError):
        os.dup2(nowhere, out.fileno())
    os.close(nowhere)
