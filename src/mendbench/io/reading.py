"""File input: read up to a limit and decode; errors are one line."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from mendbench.errors import BadInput

MEGABYTE = 1024 * 1024

MAX_DOCUMENT = 16 * MEGABYTE
"""The size limit of files that a person writes (a case, a workflow, a configuration), in bytes."""

MAX_TEMPLATE = MEGABYTE // 16
"""The size limit of a strategy's template, in bytes."""

MAX_RECORDING = 256 * MEGABYTE
"""The size limit of files that a program writes (cassettes, HAR files, traces, responses, baselines), in bytes."""

MAX_RUN = 2048 * MEGABYTE
"""The size limit of one file of a run, in bytes."""

MAX_DEPTH = 200
"""The maximum depth of a document: twice the depth to which the runtime resolves templates."""

NOT_UTF8 = "save the file as UTF-8"

BOM = b"\xef\xbb\xbf"

_NO_LINK_NO_WAIT = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Flags that Windows does not have, because it has no named pipes among its files."""


def read_bytes(path: Path, limit: int, no_file: str, hint: str = "check the file and its permissions") -> bytes:
    """Return a file's content without a byte order mark. ``no_file`` is the hint if it is no file, ``hint`` if it is unreadable.

    A pipe is read too, up to the limit.

    Raises:
        BadInput: it cannot be read, or is larger than ``limit`` bytes.
    """
    return _read(path, limit, no_file, hint, None).removeprefix(BOM)


def read_regular(path: Path, limit: int, no_file: str, hint: str = "put the file itself there") -> bytes:
    """Return all bytes of a regular file, without following links or waiting for pipes.

    Raises:
        BadInput: it is not a regular file, cannot be read, or is larger than ``limit`` bytes.
    """
    if path.is_symlink():
        raise BadInput(str(path), "a link, which is not followed here", hint)
    return _read(path, limit, no_file, hint, _regular)


def _read(path: Path, limit: int, no_file: str, hint: str, opener: Callable[[str, int], int] | None) -> bytes:
    try:
        with open(path, "rb", opener=opener) as file:
            data = _up_to(file, limit + 1)
    except FileNotFoundError:
        raise BadInput(str(path), "no such file", no_file) from None
    except IsADirectoryError:
        raise BadInput(str(path), "a folder, not a file", no_file) from None
    except OSError as error:
        raise BadInput(str(path), error.strerror or "cannot be read", hint) from None
    except ValueError as error:  # a name with a NUL in it
        raise BadInput(str(path), f"no name of a file ({error})", hint) from None
    if len(data) > limit:
        raise too_large(path, limit)
    return data


def _regular(name: str, flags: int) -> int:
    """Open a regular file; a pipe, a device or a socket raises an ``OSError``."""
    handle = os.open(name, flags | _NO_LINK_NO_WAIT)
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    raise OSError(errno.EINVAL, "no regular file")


def too_large(path: Path, limit: int) -> BadInput:
    """Return the error for a file of more than ``limit`` bytes."""
    size = f"{limit // MEGABYTE} MB" if limit >= MEGABYTE else f"{limit // 1024} kB"
    return BadInput(str(path), f"larger than {size}", "take out what need not be in it")


def _up_to(file: BinaryIO, limit: int) -> bytes:
    """Return the rest of a file, up to a limit, without allocating that much in advance."""
    parts = []
    while limit > 0 and (part := file.read(min(limit, MEGABYTE))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def read_text(
    path: Path,
    limit: int,
    no_file: str,
    hint: str = "check the file and its permissions",
    not_utf8: str = NOT_UTF8,
) -> str:
    """Return the text in a file, without a byte order mark; line ends are unchanged.

    Raises:
        BadInput: as :func:`read_bytes`, or it is not UTF-8.
    """
    return decoded(read_bytes(path, limit, no_file, hint), str(path), not_utf8)


def decoded(data: bytes, place: str, hint: str = NOT_UTF8) -> str:
    """Return bytes as text.

    Raises:
        BadInput: they are not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadInput(place, f"byte {error.start} is not UTF-8", hint) from None
