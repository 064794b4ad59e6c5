"""Two commands that write to one place at the same time: whichever is first, nothing is lost, doubled or torn."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from mendbench.cassettes import cassette
from mendbench.results.baseline import read_baseline
from qa.torture.crashing.children import PATIENCE_S
from qa.torture.crashing.commands import LATEST, ONE, RECORD, RESPONSES, answered_elsewhere, in_shards, traced, tree
from tests.fakes import cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from qa.torture.crashing.children import Said
    from qa.torture.crashing.commands import Stage

WATCHED_S = 1.0
"""How long the second command is waited for while the first one stands still: it may be waiting for the first."""

REFUSED_S = PATIENCE_S
"""The same of one that is refused and never waits, however slow the machine is."""

BUSY = "another run is writing it"

MIDDLE = 0.5
"""A share of its steps at which a command that writes a folder surely holds it."""


class NotMet(Exception):
    """The first command was over before the step at which the second should have come."""


def together(
    stage: Stage, desk: Path, first: Sequence[str], second: Sequence[str], at: float, watched_s: float = WATCHED_S
) -> tuple[Said, Said]:
    """Run two commands. The first stands still before a step until the second is over, or is taken to wait for the first.

    ``at`` says before which step, as a share of all those that the first takes when it is alone: 0 is the first, and 1 the last.
    ``watched_s`` is how long the second may go on before it is taken to wait.

    Raises:
        NotMet: it did not come to that step.
    """
    alone = desk.parent / "alone" / desk.name
    shutil.copytree(desk, alone)
    steps = len(stage.zygote.run(alone, first).steps)
    shutil.rmtree(alone.parent)
    step = 1 + round(at * (steps - 1))
    until = desk.parent / f"until-{step}"
    one, met = stage.zygote.begin(desk, first, "pause", step, str(until)), until.with_name(f"{until.name}.met")
    while not met.exists() and not one.ended(0.02):
        pass
    if not met.exists():
        raise NotMet(f"the first ended with {one.wait().code} and never came to step {step} of {steps}")
    other = stage.zygote.begin(desk, second)
    other.ended(watched_s)
    until.touch()
    return one.wait(), other.wait()


def two_runs_into_one_folder(stage: Stage, desk: Path, at: float) -> str | None:
    """The second is refused, or comes after the first."""
    words = ("run", cases.RENAMED, "--policy", "naive", *ONE)
    first, second = together(stage, desk, words, words, at, REFUSED_S)
    return _one_after_the_other(first, second, at) or _as_of_one_alone(stage, desk, words, "the run is otherwise")


def two_merges_into_one_folder(stage: Stage, desk: Path, at: float) -> str | None:
    """The second is refused, or comes after the first."""
    in_shards(stage, desk, cases.RENAMED, cases.QUIET)
    words = ("merge", "shards/1", "shards/2", "--out", LATEST)
    first, second = together(stage, desk, words, words, at, REFUSED_S)
    return _one_after_the_other(first, second, at) or _as_of_one_alone(stage, desk, words, "the merge is otherwise")


def two_recorders_of_one_case(stage: Stage, desk: Path, at: float) -> str | None:
    """All responses are recorded, each once, and what they led to in the world as by one alone."""
    wanted = _recorded(desk, RESPONSES), _keys(desk, "world*.yaml")
    for path in desk.glob(f"cassettes/*/*/{RESPONSES}"):
        path.unlink()
    first, second = together(stage, desk, RECORD, (*RECORD, "--out", "reports/other"), at)
    if first.code or second.code:
        return _summary(first, second)
    return (
        None if (_recorded(desk, RESPONSES), _keys(desk, "world*.yaml")) == wanted else "other exchanges are recorded"
    )


def a_proof_and_a_run_that_record_one_world(stage: Stage, desk: Path, at: float) -> str | None:
    """No exchange stands in both files of the world."""
    for path in desk.glob("cassettes/*/*/world*.yaml"):
        path.unlink()
    first, second = together(stage, desk, RECORD, ("case", "check", "--record", "new_episodes", *ONE), at)
    if first.code or second.code:
        return _summary(first, second)
    keys = [key for key, _ in _recorded(desk, "world*.yaml")]
    stage.done(desk, "run", *ONE)
    return None if len(set(keys)) == len(keys) else "an exchange is recorded twice"


def two_runs_accepted_at_once(stage: Stage, desk: Path, at: float) -> str | None:
    """The baseline has the trials of both."""
    for case in (cases.RENAMED, cases.QUIET):
        stage.done(desk, "run", case, "--policy", "naive", "--out", f"runs/{case}", *ONE)
    stage.done(desk, "gate", f"runs/{cases.QUIET}", "--update")
    (desk / "baseline.tsv").unlink()
    words = ("--update", "--partial")
    first, second = together(
        stage, desk, ("gate", f"runs/{cases.RENAMED}", *words), ("gate", f"runs/{cases.QUIET}", *words), at
    )
    if first.code or second.code:
        return _summary(first, second)
    found = {entry.trial.case for entry in read_baseline(desk / "baseline.tsv").entries}
    return None if found == {cases.RENAMED, cases.QUIET} else f"only {found} is in the baseline"


def two_imports_of_responses(stage: Stage, desk: Path, at: float) -> str | None:
    """All responses are recorded, each once, and those that are in both files too."""
    answered_elsewhere(stage, desk)
    lines = (desk / "a.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (desk / "b.jsonl").write_text("".join(lines[1:]), encoding="utf-8")
    (desk / "a.jsonl").write_text("".join(lines[:-1]), encoding="utf-8")
    words = ("--prompts", "p.jsonl", *ONE)
    first, second = together(
        stage, desk, ("prompts", "import", "a.jsonl", *words), ("prompts", "import", "b.jsonl", *words), at
    )
    if {first.code, second.code} - {0, 3}:
        return _summary(first, second)
    model_requests = {json.loads(line)["custom_id"] for line in lines}
    found = [key for key, _ in _recorded(desk, RESPONSES)]
    return (
        None
        if len(set(found)) == len(found) >= len(model_requests)
        else f"{len(found)} of {len(model_requests)} responses are recorded"
    )


def two_imports_of_one_case(stage: Stage, desk: Path, at: float) -> str | None:
    """One of them writes the case, and the other one is refused in one line."""
    traced(stage, desk)
    words = ("case", "import", "http/imported", "--trace", "t.json", "--provenance", "live")
    first, second = together(stage, desk, words, words, at)
    if sorted((first.code, second.code)) != [0, 2] or (first.err + second.err).count("\n") != 1:
        return _summary(first, second)
    written = tree(desk)
    for folder in ("cases", "cassettes"):
        shutil.rmtree(desk / folder / "http" / "imported")
    stage.done(desk, *words)
    return None if tree(desk) == written else "the case is otherwise"


MEETINGS = (
    two_runs_into_one_folder, two_merges_into_one_folder, two_recorders_of_one_case, a_proof_and_a_run_that_record_one_world,
    two_runs_accepted_at_once, two_imports_of_responses, two_imports_of_one_case,
)  # fmt: skip


def _one_after_the_other(first: Said, second: Said, at: float) -> str | None:
    """Return what is wrong with how two that write one folder ended; in the middle of the first one the second is refused."""
    refused = second.code == 2 and BUSY in second.err and second.err.count("\n") == 1
    if first.code or not (refused or second.code == 0):
        return _summary(first, second)
    return "the second came in between, and was not refused" if at == MIDDLE and not refused else None


def _as_of_one_alone(stage: Stage, desk: Path, words: Sequence[str], otherwise: str) -> str | None:
    """Return ``otherwise`` if the desk does not hold what one command alone leaves there."""
    both = tree(desk)
    shutil.rmtree(desk / LATEST)
    stage.done(desk, *words)
    return None if tree(desk) == both else otherwise


def _recorded(desk: Path, name: str) -> list[tuple[str, bytes]]:
    """Return keys and bodies of all that is recorded, in order of the keys."""
    entries = [(path.parent, entry) for path in desk.glob(f"cassettes/*/*/{name}") for entry in cassette.load(path)]
    return sorted((f"{folder.parent.name}/{folder.name} {entry.key}", entry.response.body) for folder, entry in entries)


def _keys(desk: Path, name: str) -> list[str]:
    return [key for key, _ in _recorded(desk, name)]


def _summary(first: Said, second: Said) -> str:
    return f"codes {first.code} and {second.code}: {first.err.strip()} {second.err.strip()}"
