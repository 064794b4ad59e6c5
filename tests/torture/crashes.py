"""Commands that are killed at any step and at any moment, that meet a full disk or a folder that takes nothing, and that meet each other."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mendbench.kit.files import is_left
from mendbench.replay import cassette
from tests.torture.crashing.commands import COMMANDS, broken, staged, tree
from tests.torture.crashing.meetings import MEETINGS
from tests.torture.tally import Attempt

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from tests.torture.crashing.children import Said
    from tests.torture.crashing.commands import Command, Stage, Tree

LONG = 100
"""Steps at which a command is killed, over all commands; a quarter as many moments, and a quarter as many full disks."""

STEPS = "killed at a step that changes files, workers and all"
MOMENTS = "killed at a moment, workers and all"
ALONE = "killed at a moment, and its workers not"
FULL = "a disk that is full from a write on"
READ_ONLY = "a folder that takes nothing"
TOGETHER = "two at once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a command does when nobody strikes it."""

    command: Command
    desk: Path
    """Where it can be begun, to be copied."""
    before: Tree
    after: Tree
    steps: tuple[str, ...]
    writes: int
    lasts_s: float


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Kill ``count`` times at a step, and proportionally do all else; what has a fixed list is tried whole from ``LONG`` on."""
    with tempfile.TemporaryDirectory(prefix="torture-") as name, staged(Path(name)) as stage:
        known = {command.name: _undisturbed(stage, Path(name), command) for command in COMMANDS}
        yield from struck(stage, list(known.values()), count, seed)
        yield from met(stage, Path(name), (4, 12, 40))


def struck(stage: Stage, known: Sequence[Known], count: int, seed: int) -> Iterator[Attempt]:
    """Strike commands, in turn."""
    chance = random.Random(seed)
    for number in range(count):
        one = known[number % len(known)]
        turn, turns = number // len(known), -(-count // len(known))
        step = 1 + int(len(one.steps) * min(0.999, (turn + chance.random()) / turns))
        yield _attempt(stage, one, STEPS, step)
    for number in range(count // 4):
        yield _attempt(stage, known[number % len(known)], MOMENTS, chance.random())
    working = [one for one in known if "workers" in one.command.name or "2" in one.command.words]
    for number in range(-(-count // 10) if working else 0):
        yield _attempt(stage, working[number % len(working)], ALONE, chance.random())
    for number in range(count // 4):
        one = known[number % len(known)]
        yield _attempt(stage, one, FULL, chance.randint(1, one.writes))
    for one in known[: max(1, count // 2)]:
        yield _attempt(stage, one, READ_ONLY, 0)


def met(stage: Stage, parent: Path, steps: Sequence[int]) -> Iterator[Attempt]:
    """Let commands meet each other; the first stands still before one of these steps while the second comes."""
    for meeting in MEETINGS:
        for at in steps:
            desk = _new(parent)
            shutil.copytree(stage.built, desk)
            what = f"{meeting.__name__.replace('_', ' ')}, the first at step {at}"
            yield Attempt(kind=TOGETHER, what=what, failure=meeting(stage, desk, at))
            shutil.rmtree(desk.parent)


def _attempt(stage: Stage, known: Known, kind: str, at: float) -> Attempt:
    place = known.steps[int(at) - 1] if kind == STEPS else f"{at:.3f}"
    return Attempt(kind=kind, what=f"{known.command.name} at {at} ({place})", failure=_survived(stage, known, kind, at))


def _undisturbed(stage: Stage, parent: Path, command: Command) -> Known:
    desk, ready = _new(parent), parent / "ready" / command.name.replace(" ", "-") / "desk"
    shutil.copytree(stage.built, desk)
    command.prepare(stage, desk)
    shutil.copytree(desk, ready)
    before, since = tree(desk, command.loose), time.monotonic()
    said = stage.zygote.run(desk, command.words)
    lasts_s = time.monotonic() - since
    assert said.code in command.codes, (command.name, said)
    after = tree(desk, command.loose)
    shutil.rmtree(desk.parent)
    return Known(
        command=command, desk=ready, before=before, after=after, steps=said.steps, writes=said.writes, lasts_s=lasts_s
    )


def known_as(stage: Stage, parent: Path, names: Sequence[str]) -> list[Known]:
    """Return what these commands do undisturbed."""
    return [_undisturbed(stage, parent, command) for command in COMMANDS if command.name in names]


def _survived(stage: Stage, known: Known, kind: str, at: float) -> str | None:
    """Return what went wrong when a command was struck, None if nothing did."""
    desk = _new(known.desk.parents[2])
    shutil.copytree(known.desk, desk)
    try:
        since = stage.model.asked.copy()
        failure = _strike(stage, known, desk, kind, at) or broken(desk, known.before, known.after)
        return failure or _asked_again(stage, known, desk, since)
    finally:
        shutil.rmtree(desk.parent)


def _asked_again(stage: Stage, known: Known, desk: Path, since: Counter[str]) -> str | None:
    """Go on, and return what went wrong; with it that an answer was asked for again that was recorded ``since``."""
    anew = "all" in known.command.words
    before, stored = stage.model.asked.copy(), _stored(desk)
    if failure := _goes_on(stage, known, desk):
        return failure
    for prompt in stored:
        recorded = stage.model.asked[prompt] - before[prompt]
        if recorded and not anew:
            return "an answer that is recorded is asked for again"
    twice = [prompt for prompt, times in stage.model.asked.items() if times - since[prompt] > 1]
    # What came as the strike fell may not have been recorded, or not been written down as recorded anew.
    return f"{len(twice)} answers are asked for twice" if len(twice) > known.command.at_once else None


def _strike(stage: Stage, known: Known, desk: Path, kind: str, at: float) -> str | None:
    words = known.command.words
    if kind == STEPS:
        stage.zygote.run(desk, words, "group", int(at))
    elif kind in {MOMENTS, ALONE}:
        child = stage.zygote.begin(desk, words)
        child.ended(at * known.lasts_s)
        child.kill(alone=kind == ALONE)
        child.wait()
        if left := child.left_behind():
            return f"{len(left)} processes go on for ever"
    elif kind == FULL:
        return _refused(stage.zygote.run(desk, words, "full", int(at)), known, desk, "No space left on device")
    else:
        failure = _refused(stage.zygote.run(desk, words, "readonly"), known, desk, "Read-only file system")
        return failure or ("it is not as it was" if tree(desk, known.command.loose) != known.before else None)
    return None


def _refused(said: Said, known: Known, desk: Path, why: str) -> str | None:
    """Return in what a command that the disk refuses was not right: one line, code 2, and nothing half-written."""
    lines = said.err.splitlines()
    told = [line for line in lines if why in line]
    if said.code != 2 or len(told) != 1 or not all(line.startswith("mendbench: ") for line in lines):
        return f"code {said.code}, and said {said.err!r}"
    left = [str(path.relative_to(desk)) for path in desk.rglob("*") if is_left(path.name)]
    return f"{left[0]} is left" if left else None


def _goes_on(stage: Stage, known: Known, desk: Path) -> str | None:
    """Return in what a folder differs from one whose command was never struck, after the command was given again."""
    command = known.command
    ended = tree(desk, command.loose) == known.after
    said = stage.zygote.run(desk, command.again(desk))
    if said.code not in command.codes and not (ended and said.code == 2):
        return f"given again, it ends with {said.code}: {said.err.strip()}"
    found = tree(desk, command.loose)
    differing = sorted(name for name in found.keys() | known.after.keys() if found.get(name) != known.after.get(name))
    if differing:
        return f"given again, it leaves {', '.join(differing)} otherwise"
    if not ended:
        hidden = [
            str(path.relative_to(desk)) for path in desk.rglob(".*") if path.name not in {".mendbench", ".gitignore"}
        ]
        hidden += [path.name for path in (desk.parent / "tmp").glob("mendbench-*")]
        if hidden:
            return f"{hidden[0]} is left"
    return None


def _stored(desk: Path) -> frozenset[str]:
    """Return the prompts whose answers are recorded."""
    found = [entry for path in desk.glob("cassettes/*/*/tiny-coder.yaml") for entry in cassette.load(path)]
    return frozenset(str(entry.ask["messages"][-1]["content"]) for entry in found if entry.ask is not None)


def _new(parent: Path) -> Path:
    """Return where a desk can be: in a folder of its own, with temporary files beside it."""
    return Path(tempfile.mkdtemp(dir=parent)) / "desk"
