"""Probe an MCP server: break right calls, and examine its error messages."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mendbench.api.settings import Progress
from mendbench.errors import BadInput
from mendbench.io.files import why_unwritable, write_atomically
from mendbench.io.temporary_folders import scratch
from mendbench.probing.calls import Call, read_calls, read_log
from mendbench.probing.connection import CALL_S, START_S
from mendbench.probing.result import Probe
from mendbench.probing.runner import Wish, draft_calls, probe
from mendbench.probing.servers import CommandTarget, Target, UrlTarget
from mendbench.secrets.redaction import Redactor


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeOptions:
    """Which server to probe, and how."""

    command: tuple[str, ...] = ()
    url: str | None = None
    calls: Path | None = None
    log: Path | None = None
    folder: Path | None = None
    """A folder that is copied into the server's fresh folder."""
    variables: tuple[str, ...] = ()
    """Environment variables that the server gets."""
    limit: int | None = None
    only: tuple[str, ...] = ()
    allow_writes: bool = False
    sandbox: bool = True
    start_s: float = START_S
    call_s: float = CALL_S


def probe_server(options: ProbeOptions, *, on_progress: Progress) -> Probe:
    """Break right calls of a server and return its answers and what they state.

    Raises:
        BadInput, UnknownName: an option, a file or the server cannot be used.
        NoCalls: no right call is known.
    """
    calls = _calls(options)
    with _target(options) as (target, redactor):
        wish = Wish(
            calls=calls,
            limit=options.limit,
            only=frozenset(options.only),
            allow_writes=options.allow_writes,
            redactor=redactor,
        )
        return probe(target, wish, on_progress)


def write_draft_calls(options: ProbeOptions, path: Path) -> None:
    """Write the draft of a file with a right call of each tool of a server.

    Raises:
        BadInput: the file exists or cannot be written, or an option or the server cannot be used.
    """
    place = f"--write-calls {path}"
    if path.exists():
        raise BadInput(place, "it is there already", "name a new file")
    refuse_unwritable(place, path)
    with _target(options) as (target, redactor):
        draft = draft_calls(target, redactor)
    try:
        write_atomically(path, draft)
    except OSError as error:
        raise BadInput(place, why_unwritable(error), "name another file") from None


def refuse_unwritable(place: str, path: Path) -> None:
    """Refuse a file before a server starts, if it cannot be written later.

    Raises:
        BadInput: it is a folder, or its folder is missing or cannot be written to.
    """
    if path.is_dir():
        raise BadInput(place, "a folder, not a file", "name a file")
    if not path.parent.is_dir():
        raise BadInput(place, f"there is no folder {path.parent}", "make the folder, or name another file")
    if not os.access(path.parent, os.W_OK):
        raise BadInput(place, f"the folder {path.parent} cannot be written to", "name another file")


@contextlib.contextmanager
def _target(options: ProbeOptions) -> Iterator[tuple[Target, Redactor]]:
    """Yield the server, and what takes the variables that it gets out of its answers.

    Raises:
        BadInput: an option cannot be used.
    """
    if bool(options.command) == (options.url is not None):
        found = "a command and a URL" if options.command else "neither a command nor a URL"
        raise BadInput("tools probe", found, "give one of them: `tools probe -- COMMAND`, or --url URL")
    environ = dict(_variables(options.variables))
    redactor = Redactor({name: value for name, value in environ.items() if len(value) >= _LEAST})
    if options.url is not None:
        yield UrlTarget(url=options.url, call_s=options.call_s), redactor
        return
    if options.folder is not None and not options.folder.is_dir():
        raise BadInput(f"--folder {options.folder}", "no folder", "name the folder whose content the server needs")
    with scratch("probe") as folder:
        target = CommandTarget(
            words=options.command, scratch=folder, content=options.folder, environ=environ, sandbox=options.sandbox,
            start_s=options.start_s, call_s=options.call_s,
        )  # fmt: skip
        yield target, redactor


_LEAST = 8
"""Length of a value that is taken out of answers: a shorter one also occurs in other words."""


def _calls(options: ProbeOptions) -> tuple[Call, ...]:
    given = read_calls(options.calls) if options.calls is not None else ()
    return (*given, *(read_log(options.log) if options.log is not None else ()))


def _variables(names: Iterable[str]) -> Iterable[tuple[str, str]]:
    for name in names:
        if name not in os.environ:
            raise BadInput(f"--env {name}", "the environment variable is not set", "set it, or leave the option out")
        yield name, os.environ[name]
