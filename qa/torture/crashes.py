"""Commands that are killed at any step and at any moment, that meet a full disk or a folder that takes nothing, and that meet each other."""

from __future__ import annotations

import random
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from qa.torture.crashing.commands import COMMANDS, staged
from qa.torture.crashing.disks import on_real_disks
from qa.torture.crashing.meetings import MEETINGS, NotMet
from qa.torture.crashing.striking import (
    ALONE,
    FULL,
    MOMENTS,
    READ_ONLY,
    STEPS,
    TERMINATED,
    attempt,
    known_as,
    new,
)
from qa.torture.tally import Attempt

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from qa.torture.crashing.commands import Stage
    from qa.torture.crashing.striking import Known

LONG = 100
"""Steps at which a command is killed, over all commands; and moments at which each of :data:`OFTEN` is. A quarter as many steps at which
it gets SIGTERM, moments of all others, full disks and folders that take nothing."""

OFTEN = ("run", "run --record", "merge", "prompts import", "case import", "gate --update")
"""Commands that write what cannot be made again, or not without asking again."""

TOGETHER = "two at once"

SHARES = (0.1, 0.5, 0.9)
"""Where the first of two stands still while the second comes, as a share of its steps."""


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Kill ``count`` times at a step, in proportion do all else, and let each two commands meet that write to one place."""
    with tempfile.TemporaryDirectory(prefix="torture-") as name, staged(Path(name)) as stage:
        yield from struck(stage, known_as(stage, Path(name), COMMANDS), count, seed, often=OFTEN)
        yield from met(stage, Path(name), SHARES)
    yield from on_real_disks()


def struck(
    stage: Stage, known: Sequence[Known], count: int, seed: int, *, often: Sequence[str] = ()
) -> Iterator[Attempt]:
    """Strike commands, in turn; those that are named ``often`` at so many moments each."""
    chance = random.Random(seed)
    for number in range(count):
        one = known[number % len(known)]
        turn, turns = number // len(known), -(-count // len(known))
        step = 1 + int(len(one.steps) * min(0.999, (turn + chance.random()) / turns))
        yield attempt(stage, one, STEPS, step, bare=turn % 2 == 1)
    quarter = -(-count // 4)
    for number in range(quarter):
        one = known[number % len(known)]
        yield attempt(stage, one, TERMINATED, chance.randint(1, len(one.steps)), bare=number // len(known) % 2 == 0)
    each = [one for one in known if one.command.name in often for _ in range(count)]
    for one in (*each, *(known[number % len(known)] for number in range(quarter))):
        yield attempt(stage, one, MOMENTS, chance.random())
    for number in range(quarter):
        one = known[number % len(known)]
        yield attempt(stage, one, FULL, chance.randint(1, one.writes))
    for one in known[-quarter:]:
        yield attempt(stage, one, READ_ONLY, 0)
    working = [one for one in known if "workers" in one.command.name]
    for number in range(count // 10 if working else 0):
        yield attempt(stage, working[number % len(working)], ALONE, chance.random())


def met(stage: Stage, parent: Path, shares: Sequence[float]) -> Iterator[Attempt]:
    """Let commands meet each other; the first stands still at one of these shares of its steps while the second comes."""
    for meeting in MEETINGS:
        for at in shares:
            desk = new(parent)
            shutil.copytree(stage.built, desk)
            what = f"{meeting.__name__.replace('_', ' ')}, the first at {at:.0%} of its steps"
            try:
                failure = meeting(stage, desk, at)
            except NotMet as error:
                failure = str(error)
            yield Attempt(kind=TOGETHER, what=what, failure=failure)
            shutil.rmtree(desk.parent)
