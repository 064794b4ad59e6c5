"""Model answers, templates and servers that mean harm: what they end in, in how much time and memory, and what they reach."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from mendbench.trial.long_texts import whole
from mendbench.trial.runner import run_trial
from qa.torture.hostile_ends import wrong_end
from qa.torture.hostile_responses import MARK, responses
from qa.torture.hostile_servers import servers
from qa.torture.hostile_templates import templates
from qa.torture.isolation import isolated
from qa.torture.raised import unmeant, watched
from qa.torture.tally import Attempt
from tests.fakes import cases

LONG = 1000
"""More than any list has: all of them."""

MOST_WRITTEN = 40_000_000
"""Characters that one trial may leave behind."""

SHIPPED = Path(__file__).resolve().parents[2]

Named = tuple[str, Callable[[], str | None]]


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Try ``count`` of each kind, drawn from ``seed``."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as parent:
        desk = cases.build(Path(parent) / "desk")
        kinds: dict[str, Iterable[Named]] = {
            "answers through a whole trial": ((name, partial(tried, desk, name, text)) for name, text in responses()),
            "templates of strategies": templates(),
            "servers while recording": servers(),
            "marked answers in every report": [("all of them", partial(_reported, desk))],
        }
        for kind, named in kinds.items():
            every = list(named)
            for name, attempt in every if count >= len(every) else chance.sample(every, count):
                yield Attempt(kind=kind, what=name, failure=isolated(attempt))


def tried(desk: Path, name: str, response: str) -> str | None:
    """Run a trial whose model gives this response to everything, and return what is wrong with how it ended."""
    with tempfile.TemporaryDirectory() as parent, watched() as raised:
        root = cases.copy_of(desk, Path(parent) / "desk")
        for path in (root / "cassettes").rglob(f"{cases.MODEL}.yaml"):
            path.unlink()
        recorder = cases.ScriptedRecorder(lambda _ask: response)
        row, texts = run_trial(cases.context_of(root), cases.key(policy="naive"), recorder)
        again, _ = run_trial(cases.context_of(root), cases.key(policy="naive"))
    written = len(json.dumps(row)) + sum(map(len, texts.values()))
    shown = "\n".join(
        str(message["content"]) for model_request in recorder.model_requests for message in model_request["messages"]
    )
    if row["verdict"] == "correct":
        return "it counts as a repair"
    if written > MOST_WRITTEN:
        return f"it leaves {written:,} characters behind"
    if "1337" in shown and "1337" not in response:
        return "a template in the response was rendered"
    declared = (cases.HOST + "/", "model://")
    if any(not exchange["url"].startswith(declared) and exchange["status"] != 0 for exchange in _sent(row)):
        return "a host was reached that the case does not declare"
    differing = [field for field in row if field != "timing" and row[field] != again[field]]
    if differing:
        return f"the replay differs in {', '.join(differing)}"
    return unmeant(raised) or wrong_end(name, whole(row, texts))


def _sent(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in row.get("requests") or [] if isinstance(one, dict) and "url" in one and "status" in one]


def _reported(desk: Path) -> str | None:
    """Replay what marked answers led to, write every report of it, and say where the marks came through."""
    with tempfile.TemporaryDirectory() as parent:
        root = cases.copy_of(desk, Path(parent) / "desk")
        for path in (root / "cassettes").rglob(f"{cases.MODEL}.yaml"):
            path.unlink()
        marked = cycle(text for name, text in responses() if name.startswith("markup"))
        cases.record_responses(root, cases.MATRIX, lambda _ask: next(marked))
        outputs = ["--junit", "results.xml", "--markdown", "results.md", "--csv", "tables", "--all"]
        printed = ""
        for command in (
            ["run", "--workers", "1", "--out", "out"],
            ["report", "out", *outputs],
            ["report", "out", "--forensics"],
        ):
            environ = {**os.environ, "PYTHONPATH": str(SHIPPED / "src"), "FORCE_COLOR": "0"}
            program = [sys.executable, "-m", "mendbench", *command]
            done = subprocess.run(program, cwd=root, env=environ, capture_output=True, check=False)
            printed += (done.stdout + done.stderr).decode("utf-8")
            if done.returncode not in (0, 3):
                return f"{command[0]} ended with {done.returncode}: {printed[-300:]}"
        ET.parse(root / "results.xml")
        return _come_through(printed, root)


def _come_through(printed: str, root: Path) -> str | None:
    if any((ord(one) < 32 and one not in "\n\t") or ord(one) in range(0x7F, 0xA0) for one in printed):
        return "control characters reach the terminal"
    files = [root / "out" / "index.html", root / "results.xml", root / "results.md", *(root / "tables").iterdir()]
    for path in files:
        text = path.read_text("utf-8")
        if "<img src=x onerror" in text and path.suffix != ".csv":
            return f"markup reaches {path.name}"
        if any(ord(one) < 32 and one not in "\n\t\r" for one in text):
            return f"control characters reach {path.name}"
    return None


__all__ = ["LONG", "MARK", "attempts"]
