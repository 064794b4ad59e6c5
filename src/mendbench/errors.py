"""Every error that mendbench raises on purpose, and the exit code that each one means.

::

    MendbenchError            4   a fault of mendbench itself
    ├── BadInput              2   an unusable file, name or option
    │   ├── UnknownName       2   an unknown name
    │   ├── LiveRefused       2   a request to a live API that may not be sent
    │   └── Unwritable        2   a disk to which results cannot be written
    ├── CheckFailed           1   a failed check, a regression
    └── Incomplete            3   a response or an exchange is missing, so there is no verdict
    EffectEscape (BaseException)  ends the trial, even if the code catches exceptions
    ├── ReplayMiss                a request without a recorded response
    ├── ResponsePending           a response that is still pending (mendbench.replay.request_queue)
    ├── BrokenService             a simulated service raised
    ├── BoundReached              a workflow that exceeds a request limit
    └── GuardTripped              an effect that did not go through the exchange port
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import ClassVar


def _rebuilt(kind: type[BaseException], args: tuple[object, ...], state: dict[str, object]) -> BaseException:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class _Travels(BaseException):
    """Pickles its attributes and not its constructor's arguments, so that it crosses process boundaries unchanged."""

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (type(self), self.args, dict(self.__dict__))


class MendbenchError(_Travels, Exception):
    """Base of all errors shown to a user as one line.

    ``exit_code`` is what the command line returns for it.
    """

    exit_code: ClassVar[int] = 4


MAX_PLACE, MAX_FOUND, MAX_HINT = 240, 300, 600
"""The maximum length of each part of a line, in characters."""


class BadInput(MendbenchError):
    """The user's input cannot be used.

    The message is one line: ``place: found; hint``. ``place`` names the file and the position in it,
    ``found`` states what is there, ``hint`` states what to do. Long parts are shortened in the middle, and terminal control characters are
    escaped.
    """

    exit_code = 2
    most_found: ClassVar[int] = MAX_FOUND
    """Characters of ``found`` that are shown."""

    def __init__(self, place: str, found: str, hint: str) -> None:
        self.place = _shown(place, MAX_PLACE)
        self.found = _shown(" ".join(found.split()), self.most_found)
        self.hint = _shown(hint, MAX_HINT)
        super().__init__(f"{self.place}: {self.found}; {self.hint}")


MAX_LISTED = 20
"""The maximum number of names in a line."""

MAX_NAMED = 60
"""The maximum length of each name, in characters."""


def _shown(text: str, limit: int) -> str:
    if len(text) > limit:
        text = f"{text[: limit - limit // 3 - 1]}…{text[-(limit // 3) :]}"
    return text if text.isprintable() else "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


class UnknownName(BadInput):
    """An unknown name. The message suggests the closest known name and lists the first known names."""

    def __init__(
        self, kind: str, name: str, known: Iterable[str], place: str | None = None, *, hint: str | None = None
    ) -> None:
        names = sorted(known)
        close = difflib.get_close_matches(name, names, n=1, cutoff=0.5) if len(name) <= MAX_FOUND else []
        lead = f"did you mean {close[0]!r}? known: " if close else "known: "
        listed = lead + (_listed(names) or "none")
        super().__init__(place or kind, f"unknown {kind} {name!r}", listed if hint is None else f"{listed}; {hint}")


class LiveRefused(BadInput):
    """A request to a live API that may not be sent: a write without ``--allow-writes``, or a secret that is not set.

    ``writes`` lists the writes; it is empty if the cause is different.
    """

    most_found = 10_000

    def __init__(self, place: str, found: str, hint: str, writes: Iterable[str] = ()) -> None:
        super().__init__(place, found, hint)
        self.writes = tuple(writes)


class Unwritable(BadInput):
    """Results cannot be written to the disk, so the program must stop."""


def _listed(names: list[str]) -> str:
    more = len(names) - MAX_LISTED
    return ", ".join(_shown(name, MAX_NAMED) for name in names[:MAX_LISTED]) + (f" and {more} more" if more > 0 else "")


class CheckFailed(MendbenchError):
    """One of the user's checks failed."""

    exit_code = 1


class Incomplete(MendbenchError):
    """A required recording does not exist, so there is no verdict."""

    exit_code = 3


class EffectEscape(_Travels):
    """Ends a trial from inside foreign code.

    Not an ``Exception``: the error handling of a node or an engine must not treat it as an API failure.
    """


class BrokenService(EffectEscape):
    """A simulated service raised an exception. This is neither an API response nor a missing recording."""


class BoundReached(EffectEscape):
    """A workflow exceeds the request limit of a scope, such as by an endless loop, in recording or in replay."""


class ReplayMiss(EffectEscape):
    """A request without a recorded response.

    ``differs`` names the differences from the nearest recorded request (``url``, ``body.channel``, …), ``record`` is the command that
    records it, and ``service`` is the called service.
    """

    def __init__(
        self, request: str, *, nearest: str | None, differs: tuple[str, ...], record: str, service: str | None = None
    ) -> None:
        self.request, self.nearest, self.differs, self.service = request, nearest, differs, service
        needed = service == "shell" and "--allow-shell" not in record.split()
        self.record = f"{record} --allow-shell" if needed else record
        near = f"nearest is {nearest} (differs in {', '.join(differs)})" if nearest else "nothing like it is recorded"
        super().__init__(f"no recording answers {request}; {near}; record it with: {self.record}")


class GuardTripped(EffectEscape):
    """Code inside a trial opened a socket, started a process or changed a file instead of using the exchange port."""

    def __init__(self, event: str, detail: str) -> None:
        self.event, self.detail = event, detail
        super().__init__(f"{event} {detail} inside a trial; every effect has to go through the exchange port")
