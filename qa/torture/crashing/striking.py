"""One strike at one command: what it leaves, and whether one can go on."""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mendbench.cassettes import cassette
from mendbench.io.files import is_left
from qa.torture.crashing.commands import broken, tree
from qa.torture.tally import Attempt

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from qa.torture.crashing.children import Child, Said
    from qa.torture.crashing.commands import Command, Stage, Tree

STEPS = "killed at a step that changes files, workers and all"
MOMENTS = "killed at a moment, workers and all"
TERMINATED = "terminated by SIGTERM at a step that changes files"
ALONE = "killed at a moment, and its workers not"
FULL = "a disk that is full from a write on"
READ_ONLY = "a folder that takes nothing"


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


def attempt(stage: Stage, known: Known, kind: str, at: float, *, bare: bool = False) -> Attempt:
    """Strike, and then give the same command again, or with ``bare`` only ``run --resume`` where that can be."""
    place = known.steps[int(at) - 1] if kind in {STEPS, TERMINATED} else f"{at:.3f}"
    what = f"{known.command.name} at {at} ({place}){', then --resume alone' if bare else ''}"
    return Attempt(kind=kind, what=what, failure=_survived(stage, known, kind, at, bare=bare))


def _undisturbed(stage: Stage, parent: Path, command: Command) -> Known:
    desk, ready = new(parent), parent / "ready" / command.name.replace(" ", "-") / "desk"
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


def known_as(stage: Stage, parent: Path, commands: Sequence[Command]) -> list[Known]:
    """Return what these commands do undisturbed."""
    return [_undisturbed(stage, parent, command) for command in commands]


def _survived(stage: Stage, known: Known, kind: str, at: float, *, bare: bool) -> str | None:
    """Return what went wrong when a command was struck, None if nothing did."""
    desk = new(known.desk.parents[2])
    shutil.copytree(known.desk, desk)
    try:
        since = stage.model.asked.copy()
        failure = _strike(stage, known, desk, kind, at) or broken(desk, known.before, known.after)
        return failure or _asked_again(stage, known, desk, since, bare=bare)
    finally:
        shutil.rmtree(desk.parent)


def _asked_again(stage: Stage, known: Known, desk: Path, since: Counter[str], *, bare: bool) -> str | None:
    """Go on, and return what went wrong; with it that a response was asked for again that was recorded ``since``."""
    fresh = "all" in known.command.words
    if fresh and not known.command.interrupted(desk):
        return goes_on(stage, known, desk)  # it is another recording of everything
    before, stored = stage.model.asked.copy(), _stored(desk)
    if failure := goes_on(stage, known, desk, bare=bare):
        return failure
    for prompt in stored:
        recorded = stage.model.asked[prompt] - before[prompt]
        if recorded and not fresh:
            return "a response that is recorded is asked for again"
    twice = [prompt for prompt, times in stage.model.asked.items() if times - since[prompt] > 1]
    # What came as the strike fell may not have been recorded, or not been written down as recorded again.
    return f"{len(twice)} responses are asked for twice" if len(twice) > known.command.at_once else None


def _strike(stage: Stage, known: Known, desk: Path, kind: str, at: float) -> str | None:
    words = known.command.words
    if kind == STEPS:
        stage.zygote.run(desk, words, "group", int(at))
    elif kind in {MOMENTS, ALONE}:
        child = stage.zygote.begin(desk, words)
        child.ended(at * known.lasts_s)
        child.kill(alone=kind == ALONE)
        child.wait()
        return _left(child)
    elif kind == TERMINATED:
        child = stage.zygote.begin(desk, words, "term", int(at))
        return _terminated(child.wait(), known, int(at)) or _left(child)
    elif kind == FULL:
        return refused(stage.zygote.run(desk, words, "full", int(at)), desk, "No space left on device")
    else:
        failure = refused(stage.zygote.run(desk, words, "readonly"), desk, "Read-only file system")
        return failure or ("it is not as it was" if tree(desk, known.command.loose) != known.before else None)
    return None


def _left(child: Child) -> str | None:
    left = child.left_behind()
    return f"{len(left)} processes go on for ever" if left else None


def _terminated(said: Said, known: Known, step: int) -> str | None:
    """Return in what a command that got SIGTERM was not right: one line, code 143, and for a run the command that finishes it."""
    if (
        said.code in known.command.codes and len(said.steps) < step
    ):  # with several asks at once it does not always take as many
        return None
    *before, last = said.err.splitlines() or [""]
    whole = "terminated; " in last and "finish it with: mendbench run --resume " in last
    reported = whole or "nothing was written" in last if known.command.words[0] == "run" else "terminated" in last
    if said.code == 143 and reported and all(line.startswith("mendbench: ") for line in (*before, last)):
        return None
    return f"code {said.code}, and said {said.err!r}"


def refused(said: Said, desk: Path, why: str) -> str | None:
    """Return in what a command that the disk refuses was not right: one line, code 2, and nothing half-written."""
    lines = said.err.splitlines()
    reasons = [line for line in lines if why in line or line.startswith("mendbench: the temporary folder: ")]
    if said.code != 2 or len(reasons) != 1 or not all(line.startswith("mendbench: ") for line in lines):
        return f"code {said.code}, and said {said.err!r}"
    left = [str(path.relative_to(desk)) for path in desk.rglob("*") if is_left(path.name)]
    return f"{left[0]} is left" if left else None


def goes_on(stage: Stage, known: Known, desk: Path, *, bare: bool = False) -> str | None:
    """Return in what a folder differs from one whose command was never struck, after the command was given again."""
    command = known.command
    ended = tree(desk, command.loose) == known.after
    said = stage.zygote.run(desk, command.again(desk, bare=bare))
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
    """Return the prompts whose responses are recorded."""
    found = [entry for path in desk.glob("cassettes/*/*/tiny-coder.yaml") for entry in cassette.load(path)]
    return frozenset(
        str(entry.model_request["messages"][-1]["content"]) for entry in found if entry.model_request is not None
    )


def new(parent: Path) -> Path:
    """Return where a desk can be: in a folder of its own, with temporary files beside it."""
    return Path(tempfile.mkdtemp(dir=parent)) / "desk"
