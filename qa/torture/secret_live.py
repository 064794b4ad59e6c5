"""Real tokens of a live API: sent to it alone, and said again by it in each part of a response."""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

from mendbench.errors import LiveRefused
from mendbench.recording.recorder import Recorder
from mendbench.trial.runner import run_trial
from mendbench.verify.proof import Proof, prove
from qa.torture.planting import CARRIERS, SHAPES, SPELLINGS
from qa.torture.searching import files_below, searched
from qa.torture.tally import Attempt
from tests.fakes import cases
from tests.fakes.live_api import CASE, UNRECORDED, VARIABLE, LiveApi, live_api, write_live_case

KIND = "the real token of a live API"
COUNTED = "what a live API received"
EXPECTED = [
    ("GET", "/echo", ""),
    ("GET", "/people/p-1", ""),
    ("GET", "/people/p-2", ""),
    ("POST", "/notes", '{"text": "Hello Runa!", "tag": "hello"}'),
    ("POST", "/notes", '{"text": "Hello Leif!", "tag": "hello"}'),
]
"""What the broken workflow and the reference fix send: all that a check may send."""
PER_TOKEN = 20
"""Of so many planted secrets of each kind, one is the token of an API; at least one is."""


def recorded_live(count: int, seed: int, root: Path) -> Iterator[Attempt]:
    """Record APIs that say their token again, each with a token of another shape, and look for it in all that is left."""
    draw = random.Random(seed)
    drawn = ((name, SHAPES[name](draw)) for name in draw.sample(sorted(SHAPES), len(SHAPES)))
    tokens = [(name, token) for name, token in drawn if token.isascii() and token.isprintable()]
    for number, (name, token) in enumerate(tokens[: max(1, count // PER_TOKEN)]):
        echoes = tuple(CARRIERS[draw.choice(sorted(CARRIERS))](SPELLINGS[way](token)) for way in sorted(SPELLINGS))
        with live_api(token, echoes) as api, _variable(token):
            yield from _recorded(name, api, root / f"{number:02}")


def _recorded(name: str, api: LiveApi, folder: Path) -> Iterator[Attempt]:
    write_live_case(folder, api.base)
    cases.change_case(folder, CASE, lambda truth: truth["wrong_fixes"].append(UNRECORDED))
    workflow = folder / "cases" / CASE / "workflow.json"
    document = json.loads(workflow.read_text("utf-8"))
    params = {"url": f"{api.base}/echo", "auth_token": "${token}"}
    document["nodes"].insert(0, {"id": "echo", "type": "http", "params": params})
    document["edges"].append({"from": "echo", "to": "person"})
    workflow.write_text(json.dumps(document), "utf-8")
    printed, said = io.StringIO(), list[object]()
    with contextlib.redirect_stderr(printed):
        try:
            _proved(folder, "new_episodes")
        except LiveRefused as refused:
            said.append(str(refused))
        yield _counted(f"{name}: writes without leave", api.writes, [])
        said.append(_proved(folder, "new_episodes", allow_writes=True))
        yield _counted(f"{name}: wrong fixes and mutants", sorted(api.received), sorted(EXPECTED))
        said.append(_proved(folder, "all", allow_writes=True))
        yield _counted(f"{name}: wrong fixes and mutants, recorded again", sorted(api.received), sorted(2 * EXPECTED))
        said.append(_trial(folder, _Editing("Hi ${person.response.seen} of ${person.response.town}")))
        yield _counted(f"{name}: requests without the real token", [one for one in api.authorized if not one], [])
        sent = len(api.received)
        del os.environ[VARIABLE]
        said += [_proved(folder, "none"), _trial(folder, Recorder())]
        yield _counted(f"{name}: replays", len(api.received), sent)
    world = (folder / "cassettes" / CASE / "world.yaml").read_text("utf-8")
    left = '"seen": "<secret:desk>"' in world
    yield Attempt(
        kind=KIND, what=f"{name}: declared", failure=None if left else "its own placeholder does not stand for it"
    )
    same = said[2].findings == said[4].findings  # type: ignore[attr-defined]
    yield Attempt(kind=KIND, what=f"{name}: replayed", failure=None if same else "the replay's findings differ")
    found = {**files_below(folder), "printed": printed.getvalue().encode(), "returned": repr(said).encode()}
    yield from searched(KIND, {name: api.token}, found)


def _proved(folder: Path, mode: str, *, allow_writes: bool = False) -> Proof:
    with Recorder(mode, allow_writes=allow_writes) as recorder:  # type: ignore[arg-type]
        return prove(cases.context_of(folder), CASE, recorder)


def _trial(folder: Path, recorder: Recorder) -> object:
    return run_trial(cases.context_of(folder), cases.key(CASE, "full-context", "naive"), recorder)


def _counted(what: str, found: object, wanted: object) -> Attempt:
    return Attempt(kind=COUNTED, what=what, failure=None if found == wanted else f"{found!r} instead of {wanted!r}")


class _Editing(cases.ScriptedRecorder):
    """Records the live API, and a model whose edit writes what the API said of the token."""

    def __init__(self, text: str) -> None:
        super().__init__(lambda _ask: cases.edit_response(text))
        self._allow_writes = True


@contextlib.contextmanager
def _variable(token: str) -> Iterator[None]:
    os.environ[VARIABLE] = token
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)
