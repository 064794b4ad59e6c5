"""Every error that mendbench raises on purpose, and the exit code that each one means.

::

    MendbenchError            4   a fault of mendbench itself
    ├── BadInput              2   a file, a name or an option that cannot be used
    │   ├── UnknownName       2   a name that no registered thing has
    │   ├── LiveRefused       2   a request to a live API that may not be sent
    │   └── Unwritable        2   a disk that refuses what has to be kept
    ├── CheckFailed           1   a check that does not hold, a regression
    └── Incomplete            3   a response or an exchange is missing, so there is no verdict
    EffectEscape (BaseException)  ends the trial, whatever the code that met it catches
    ├── ReplayMiss                a request that no recording answers
    ├── ResponsePending                a response that is under way (mendbench.replay.request_queue)
    ├── BrokenService             a simulated service raised
    ├── BoundReached              a workflow that asks for more than it may
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
    """Pickles by what it holds and not by its constructor's arguments, so that it comes whole out of a worker process."""

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (type(self), self.args, dict(self.__dict__))


class MendbenchError(_Travels, Exception):
    """Base of all errors shown to a user as one line.

    ``exit_code`` is what the command line returns for it.
    """

    exit_code: ClassVar[int] = 4


MAX_PLACE, MAX_FOUND, MAX_HINT = 240, 300, 600
"""Characters of each part of a line: enough for all that is said on purpose."""


class BadInput(MendbenchError):
    """Something that the user gave cannot be used.

    The message is one line: ``place: found; hint``. ``place`` names the file and the position in it,
    ``found`` says what stands there, ``hint`` says what to do. Each is cut in its middle where it is long, and what would steer a
    terminal is written as its escape.
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
"""Names that a line lists."""

MAX_NAMED = 60
"""Characters of each."""


def _shown(text: str, limit: int) -> str:
    if len(text) > limit:
        text = f"{text[: limit - limit // 3 - 1]}…{text[-(limit // 3) :]}"
    return text if text.isprintable() else "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


class UnknownName(BadInput):
    """A name that nothing registered has: says the closest one, and lists them, the first of them if they are many."""

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

    ``writes`` lists the writes; it is empty where something else is wrong.
    """

    most_found = 10_000

    def __init__(self, place: str, found: str, hint: str, writes: Iterable[str] = ()) -> None:
        super().__init__(place, found, hint)
        self.writes = tuple(writes)


class Unwritable(BadInput):
    """The disk refuses what has to be kept: nothing can go on, whatever else there is to do."""


def _listed(names: list[str]) -> str:
    more = len(names) - MAX_LISTED
    return ", ".join(_shown(name, MAX_NAMED) for name in names[:MAX_LISTED]) + (f" and {more} more" if more > 0 else "")


class CheckFailed(MendbenchError):
    """A check of the user's does not hold."""

    exit_code = 1


class Incomplete(MendbenchError):
    """A recording that the work needs does not exist, so the work has no verdict."""

    exit_code = 3


class EffectEscape(_Travels):
    """Ends a trial from inside foreign code.

    Not an ``Exception``: a node's or an engine's own error handling must not take it for a failure of
    the API that it was calling.
    """


class BrokenService(EffectEscape):
    """A simulated service that raised: neither a response of an API nor a recording that is missing."""


class BoundReached(EffectEscape):
    """A workflow that asks the world for more than one scope may: a loop that floods it, in recording and in replay alike."""


class ReplayMiss(EffectEscape):
    """A request that no recording answers.

    ``differs`` names what the nearest recorded request has otherwise (``url``, ``body.channel``, …), ``record`` is
    the command that would record it, ``service`` whose request it is.
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
