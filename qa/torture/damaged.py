"""Damaged files of every kind that is read: taken, or refused in one line; never another error, a hang, a crash or a flood of memory.

Inputs come from three makers: kept ones (:mod:`qa.torture.damaged_inputs`), right files whose parsed form was changed, and right
files whose bytes were (:mod:`qa.torture.damage`). They are read in forked children, each input within a bound of CPU time and of address
space; a child that dies of one is reported too. An input is made again by its kind, its number and the seed.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NoReturn

from mendbench.errors import BadInput, EffectEscape, MendbenchError
from qa.torture.damage import FORMATS, broken, changed
from qa.torture.damaged_inputs import OF
from qa.torture.damaged_kinds import KINDS, Kind, build
from qa.torture.tally import Attempt

LONG = 10_000
"""Inputs of each kind."""

UNDAMAGED = -1
"""The number of the right file, which comes first: damage to a file that nothing takes would show nothing."""

BATCH = 250
"""Inputs that one child reads."""

SECONDS, SECONDS_A_MEGABYTE = 2.0, 4.0
"""CPU time in which an input has to be read."""

MEGABYTE = 1024 * 1024
MEMORY, TIMES = 200 * MEGABYTE, 50
"""Memory that reading may take: so much, and so many times the input."""

LINE = 1400
"""Characters of the longest line that may be said."""

EXHAUSTED = ("MemoryError", "RecursionError")
"""What no refusal reports: with the memory or the stack used up, reading has not kept its bounds, however politely it ends."""


class Overdue(BaseException):
    """The CPU time of an input is used up."""


def attempts(count: int, seed: int, kinds: Iterable[Kind] = KINDS, *, kept: bool = True) -> Iterator[Attempt]:
    """Read ``count`` damaged files of each kind, the kept ones first unless they are not wanted."""
    with tempfile.TemporaryDirectory() as folder:
        desk = Path(folder) / "desk"
        desk.mkdir()
        with _silent():
            build(desk)
        for kind in kinds:
            right = (desk / kind.file).read_bytes()
            yield next(_batch(desk, kind, right, [UNDAMAGED], seed))
            first = len(OF[kind.format])
            numbers = [*(range(first) if kept else ()), *range(first, first + max(1, count // kind.often))]
            while numbers:
                done = list(_batch(desk, kind, right, numbers[:BATCH], seed))
                yield from done
                numbers = numbers[len(done) :]


def made(kind: Kind, right: bytes, number: int, seed: int) -> bytes:
    """Return the input of that number: the kept ones, then each other one by structure and by bytes; :data:`UNDAMAGED` is the right file."""
    if number == UNDAMAGED:
        return right
    kept = OF[kind.format]
    if number < len(kept):
        return kept[number].encode("utf-8", "surrogatepass")
    chance = random.Random(f"{seed}/{kind.name}/{number}")
    if number % 2:
        return broken(right, chance)
    parse, write = FORMATS[kind.format]
    try:
        return write(changed(parse(right.decode()), chance)).encode("utf-8", "surrogatepass")
    except Exception:  # noqa: BLE001  what was changed cannot be written in this format
        return broken(right, chance)


def _batch(desk: Path, kind: Kind, right: bytes, numbers: list[int], seed: int) -> Iterator[Attempt]:
    """Read inputs in one child, up to the first that it dies of."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reads)
            _child(desk, kind, right, numbers, seed, writes)
        finally:  # nothing of the parent's is cleaned up here
            os._exit(1)
    os.close(writes)
    with os.fdopen(reads, encoding="utf-8") as lines:
        said = [json.loads(line) for line in lines if line.endswith("\n")]
    _, status = os.waitpid(child, 0)
    for number, failure in zip(numbers, said, strict=False):
        yield Attempt(kind=kind.name, what=f"input {number} of seed {seed}", failure=failure)
    if len(said) < len(numbers):
        failure = (
            f"the process died of it: {signal.Signals(os.WTERMSIG(status)).name if os.WIFSIGNALED(status) else status}"
        )
        yield Attempt(kind=kind.name, what=f"input {numbers[len(said)]} of seed {seed}", failure=failure)


def _child(desk: Path, kind: Kind, right: bytes, numbers: list[int], seed: int, writes: int) -> NoReturn:
    gc.freeze()
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(quiet, stream)
    signal.signal(signal.SIGPROF, _overdue)
    with os.fdopen(writes, "w", encoding="utf-8") as out, tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "desk"
        shutil.copytree(desk, own)
        os.chdir(own)
        for number in numbers:
            data = made(kind, right, number, seed)
            out.write(json.dumps(_tried(kind, data, taken=number == UNDAMAGED and not kind.draft)) + "\n")
            out.flush()
        (own / kind.file).write_bytes(right)
        os.chdir("/")
    os._exit(0)


def _tried(kind: Kind, data: bytes, *, taken: bool = False) -> str | None:
    """Return what is wrong with how an input was met, None if nothing is. If it has to be ``taken``, no error is right."""
    kind.file.unlink(missing_ok=True)
    kind.file.write_bytes(data)
    megabytes = len(data) / MEGABYTE
    seconds = SECONDS + SECONDS_A_MEGABYTE * megabytes
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = _address_space() + MEMORY + TIMES * len(data)
    with contextlib.suppress(Overdue):
        resource.setrlimit(
            resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds + 20), resource.RLIM_INFINITY)
        )
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            return next(filter(None, (_faulty(one, kind, taken=taken) for one in kind.read())), None)
        except (MendbenchError, EffectEscape) as error:
            return _faulty(error, kind, taken=taken)
        except Overdue:
            return f"over {seconds:.1f} s of CPU time"
        except BaseException as error:  # noqa: BLE001  that is what is looked for
            return _described(error)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    return "over the bound of CPU time"


def _faulty(error: object, kind: Kind, *, taken: bool) -> str | None:
    """Return what is wrong with the line that an error says; if the input had to be ``taken``, that there is an error at all."""
    line = str(error)
    if taken:
        return f"the right file is refused: {line[:300]}"
    if not line.isprintable():
        return f"no line without control characters: {line[:300]!r}"
    if len(line) > LINE:
        return f"a line of {len(line)} characters: {line[:200]}"
    if any(word in line for word in EXHAUSTED):
        return f"a refusal that hides that a bound does not hold: {line[:300]}"
    if isinstance(error, BadInput) and not any(name in error.place for name in (kind.file.name, *kind.places)):
        return f"the file is not named: {line[:300]}"
    return None


def _described(error: BaseException) -> str:
    trace = error.__traceback__
    places = []
    while trace is not None:
        places.append(f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}")
        trace = trace.tb_next
    return f"{type(error).__name__}: {str(error)[:160]!r} at {' < '.join(reversed(places[-6:]))}"


def _overdue(_signal: int, _frame: object) -> NoReturn:
    raise Overdue


def _address_space() -> int:
    with Path("/proc/self/statm").open() as file:
        return int(file.read().split()[0]) * resource.getpagesize()


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    with contextlib.redirect_stdout(sys.stderr):
        yield
