"""The commands that are struck: what their folder holds before, how one goes on after, and what must be whole all the time."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from mendbench.cassettes import cassette
from mendbench.corpus.case_file import load_case
from mendbench.io.files import is_left
from mendbench.results.baseline import read_baseline
from mendbench.results.record_index import INDEX
from mendbench.results.row_cache import CACHE
from mendbench.results.store import PLAN, RUN, interrupted_plan, read_run
from mendbench.runtime.trace_file import read_trace
from qa.torture.crashing.children import Zygote, zygote
from tests.fakes import cases, loopback
from tests.fakes.worlds import completion

LATEST = "reports/latest"
ONE = ("--workers", "1")
RESPONSES = f"{cases.MODEL}.yaml"
PART = "reports/.latest.partial/plan.json"

Tree: TypeAlias = dict[str, bytes]
"""The files of a folder, by their path."""


class ModelServer:
    """A model's server on this machine that counts what it is asked."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    def __call__(self, body: Any) -> tuple[int, Any]:
        """Answer a model request."""
        with self._lock:
            self.asked[body["messages"][-1]["content"]] += 1
        return 200, json.loads(completion(cases.reading_model(body)).body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """What all attempts share: who begins children, a model's server, and a built corpus."""

    zygote: Zygote
    model: ModelServer
    base: str
    built: Path

    def done(self, desk: Path, *words: str, codes: tuple[int, ...] = (0,)) -> None:
        """Run a command that must come to its end."""
        said = self.zygote.run(desk, words)
        assert said.code in codes, (words, said.code, said.err)


@contextlib.contextmanager
def staged(parent: Path, build: Callable[[Path], Path] = cases.build) -> Iterator[Stage]:
    """Yield the stage, with the corpus that ``build`` makes; everything of it is below ``parent``."""
    model = ModelServer()
    responses = {
        "POST /v1/chat/completions": model,
        "GET /user": lambda _body: (200, {"name": "Runa"}),
        "POST /issues": loopback.issue,
    }
    with zygote() as children, loopback.loopback(responses) as base:
        built = build(parent / "built")
        config = built / "mendbench.toml"
        changed = config.read_text(encoding="utf-8").replace(
            "[models.tiny-coder]", f'[models.tiny-coder]\nbase_url = "{base}/v1"'
        )
        config.write_text(changed, encoding="utf-8")
        (built / "workflow.json").write_text(
            json.dumps(loopback.greeting(base, {"title": "${fetch.response.name}"})), encoding="utf-8"
        )
        yield Stage(zygote=children, model=model, base=base, built=built)


def _unprepared(_stage: Stage, _desk: Path) -> None:
    """Nothing but the corpus."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command to strike."""

    name: str
    words: tuple[str, ...]
    prepare: Callable[[Stage, Path], None] = _unprepared
    codes: tuple[int, ...] = (0,)
    """What it may return."""
    loose: frozenset[str] = field(default=frozenset())
    """Names of files in which the times stand that a model took, and of cassettes whose order hangs on which answer comes first."""

    @property
    def at_once(self) -> int:
        """How many asks may be under way."""
        return int(self.words[self.words.index("--concurrency") + 1]) if "--concurrency" in self.words else 1

    def again(self, desk: Path, *, bare: bool) -> tuple[str, ...]:
        """Return what one types after it was struck: the same, or with ``bare`` no option but ``--resume`` if there is a run to resume."""
        return ("run", "--resume", LATEST) if bare and self.interrupted(desk) else self.words

    def interrupted(self, desk: Path) -> bool:
        """Return whether it left a run that can be resumed."""
        return self.words[0] == "run" and interrupted_plan(desk / LATEST) is not None


def _older_run(stage: Stage, desk: Path) -> None:
    stage.done(desk, "run", cases.RENAMED, "--policy", "naive", *ONE)


def _whole_run(stage: Stage, desk: Path) -> None:
    stage.done(desk, "run", *ONE)


def _unanswered(_stage: Stage, desk: Path) -> None:
    for path in desk.glob(f"cassettes/*/*/{RESPONSES}"):
        path.unlink()


def _begun(stage: Stage, desk: Path) -> None:
    _older_run(stage, desk)
    steps = len(stage.zygote.run(desk, ("run", *ONE)).steps)
    shutil.rmtree(desk / LATEST)
    _older_run(stage, desk)
    stage.zygote.run(desk, ("run", *ONE), "group", steps // 3)
    assert (desk / PART).exists()


def _unrecorded_world(_stage: Stage, desk: Path) -> None:
    for path in desk.glob("cassettes/*/*/world*.yaml"):
        path.unlink()


def in_shards(stage: Stage, desk: Path, *names: str) -> None:
    """Run all, or what is named, as two shards."""
    for number in (1, 2):
        stage.done(desk, "run", *names, *ONE, "--shard", f"{number}/2", "--out", f"shards/{number}")


def answered_elsewhere(stage: Stage, desk: Path) -> None:
    """Export the prompts of a corpus without responses to ``p.jsonl``, and have them answered in ``a.jsonl``."""
    _unanswered(stage, desk)
    stage.done(desk, "prompts", "export", "--out", "p.jsonl", *ONE)
    lines = [json.loads(line) for line in (desk / "p.jsonl").read_text(encoding="utf-8").splitlines()]
    said = [{"custom_id": line["custom_id"], "content": cases.reading_model(line["body"])} for line in lines]
    (desk / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in said), encoding="utf-8")


def _accepted(stage: Stage, desk: Path) -> None:
    _older_run(stage, desk)
    stage.done(desk, "gate", "--update")
    _whole_run(stage, desk)


def _stale(_stage: Stage, desk: Path) -> None:
    config = desk / "mendbench.toml"
    config.write_text(
        config.read_text(encoding="utf-8").replace('["none", "full-context"]', '["none"]'), encoding="utf-8"
    )


def traced(stage: Stage, desk: Path) -> None:
    """Run a workflow for real, and leave its trace in ``t.json``."""
    stage.done(desk, "workflow", "run", "workflow.json", "--input", "key=none", "--trace", "t.json")


RECORD = ("run", "--record", "new_episodes", "--policy", "naive")

COMMANDS = (
    Command(name="run", words=("run", *ONE), prepare=_older_run),
    Command(name="run on two workers", words=("run", "--workers", "2")),
    Command(name="run --resume", words=("run", *ONE, "--resume", LATEST), prepare=_begun),
    Command(name="run --record", words=(*RECORD, *ONE), prepare=_unanswered, loose=frozenset({"index.html"})),
    Command(name="run --record, three asks at once", words=(*RECORD, "--concurrency", "3"), prepare=_unanswered, loose=frozenset({RESPONSES, "index.html"})),
    Command(name="run --record all", words=("run", "--record", "all", "--policy", "naive"), loose=frozenset({"index.html"})),
    Command(name="case check --record", words=("case", "check", "--record", "new_episodes", *ONE), prepare=_unrecorded_world),
    Command(name="merge", words=("merge", "shards/1", "shards/2", "--out", LATEST), prepare=in_shards),
    Command(name="prompts export", words=("prompts", "export", "--out", "p.jsonl", *ONE), prepare=_unanswered),
    Command(name="prompts import", words=("prompts", "import", "a.jsonl", "--prompts", "p.jsonl", *ONE), prepare=answered_elsewhere, codes=(0, 1)),
    Command(name="prompts prune", words=("prompts", "prune", "--delete", *ONE), prepare=_stale),
    Command(name="case import", words=("case", "import", "http/imported", "--trace", "t.json", "--provenance", "live"), prepare=traced),
    Command(name="case new", words=("case", "new", "http/fresh", "--workflow", "workflow.json")),
    Command(name="gate --update", words=("gate", "--update"), prepare=_accepted),
    Command(name="report", words=("report", "--junit", "j.xml", "--markdown", "m.md", "--csv", "tables"), prepare=_whole_run),
    Command(name="report --rescore", words=("report", LATEST, "--rescore"), prepare=_whole_run),
    Command(name="workflow run", words=("workflow", "run", "workflow.json", "--input", "key=none")),
)  # fmt: skip


def tree(desk: Path, loose: frozenset[str] = frozenset()) -> Tree:
    """Return the files of a folder, without what is another on every run: times, a ``loose`` report, the order in a ``loose`` cassette."""
    found = {}
    for path in sorted(path for path in desk.rglob("*") if path.is_file() and not _in_the_making(desk, path)):
        data = path.read_bytes()
        if path.name == "trials.jsonl":
            rows = [{**json.loads(line), "timing": None} for line in data.splitlines()]
            data = re.sub(rb'"elapsed_ms": \d+', b"", json.dumps(rows).encode())
        elif path.name == INDEX:
            data = b"digests of times"
        elif path.name == "index.html" and path.name in loose:
            data = b"a report"
        elif path.parent.name == ".mendbench" and path.name == "last-trace.json":
            data = b"a trace"
        elif path.suffix == ".yaml" and "cassettes" in path.parts:
            data = re.sub(rb"elapsed_ms: \d+", b"elapsed_ms: 0", data)
            if path.name in loose:
                data = b"\n".join(sorted(data.split(b"- request:")))
        found[str(path.relative_to(desk))] = data
    return found


def broken(desk: Path, before: Tree, after: Tree) -> str | None:
    """Return what is not whole in a folder whose command was struck, None if all is.

    ``before`` is what it held, ``after`` what it holds once the command has come to its end.
    """
    for path in sorted(desk.rglob("*")):
        name = str(path.relative_to(desk))
        if not path.is_file() or _in_the_making(desk, path):
            continue
        going_on = path.name == PLAN and (path.parent / RUN).is_file()  # it goes last, after the swap
        if name not in before and name not in after and not going_on:
            return f"{name} is there, which is there neither before nor after"
        if why := _unreadable(path):
            return f"{name}: {why}"
    for name in before.keys() & after.keys():
        if not (desk / name).is_file():
            return f"{name} is gone meanwhile"
    return None


def _in_the_making(desk: Path, path: Path) -> bool:
    """Return whether a file is not in its place yet, or belongs to the cache, which is as good as empty if it is damaged."""
    ends = (".partial", ".lock", ".old", ".recorded.jsonl")
    return path.name.startswith(CACHE.name) or any(
        is_left(part) or part.endswith(ends) for part in path.relative_to(desk).parts
    )


def _unreadable(path: Path) -> str | None:
    try:
        if path.name == RUN:
            read_run(path.parent)
        elif path.name == "case.yaml" and "{" not in path.read_text(encoding="utf-8")[:1] and "fresh" not in path.parts:
            if "imported" not in path.parts:
                load_case(path.parent, path.parent.parent.name)
        elif path.suffix == ".yaml" and "cassettes" in path.parts:
            cassette.load(path)
        elif path.suffix == ".tsv" or path.name.endswith("baseline"):
            read_baseline(path)
        elif path.name == "last-trace.json":
            read_trace(path)
            if not (path.parent / ".gitignore").read_text(encoding="utf-8"):
                return "Git would keep it"
        elif path.suffix == ".json":
            json.loads(path.read_text(encoding="utf-8"))
    except Exception as error:  # noqa: BLE001  whatever a reader says
        return str(error)
    return None
