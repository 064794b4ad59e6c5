"""Engines that print whatever JSON they like, and programs that break out: each trial ends in a row, and nothing is left running.

And engines that send with one HTTP client or another: their requests are the same ones.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mendbench.cassettes.keys import identity
from mendbench.config.tables import EngineConfig
from mendbench.engines import EngineFailed, Limits
from mendbench.engines.loopback import HOP
from mendbench.io.canonical_json import canonical_json
from mendbench.io.json_documents import parse_json
from mendbench.model.trial import SELF_REPAIR, TrialKey
from mendbench.process.supervisor import descendants
from mendbench.strategies import strategies
from mendbench.trial.runner import run_trial
from qa.torture.raised import unmeant, watched
from qa.torture.tally import Attempt
from tests.fakes.cases import CLOSED, MODEL, QUIET, RENAMED, build, context_of
from tests.fakes.clients import SENT
from tests.fakes.engines import executed, guest_book, inn, plain_engine, shell_engine

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = 400
"""Documents. Programs are a list."""

ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**30, "", "x", "\ud800", "\x00", "person", "note", "error", "warning", "success", "http://127.0.0.1:1/x",
    [], ["note"], [[1]], {}, {"note": 1}, {"a": {"b": [None]}}, {"nodes": 3}, {"nodes": [{"id": 1}]},
    {"nodes": [{"id": "note", "type": "http", "params": {"url": 5}}], "edges": "x"},
)  # fmt: skip
"""Values for any place of a document."""

NO_NUMBERS = (float("inf"), float("nan"), 10**400)
"""What no double holds: one in a document spoils all of it, so that few have one."""

OF_AN_ERROR = (
    "source", "category", "message", "node_id", "fixable", "status_code", "raw_response", "response_headers", "response_time",
    "mcp_error_details", "mcp_error", "shell_command", "shell_exit_code", "shell_stdout", "available_fields", "available_fields_total",
    "unresolved", "exception_type", "hint", "node_type", "request_sent", "problems", "upstream", "upstream_data", "suggestion", "earlier",
    "batch_item", "action",
)  # fmt: skip
OF_A_NODE = ("state", "outputs", "action", "message", "cached", "modified", "tries", "duration_ms")
OF_ITS_OWN = (
    "resume", "nodes", "failures", "virtual_time", "workflow", "first", "attempts", "declined", "completed", "duration_ms", "warnings",
)  # fmt: skip

OK = """; echo '{"success": true}'"""
SPEAK = (
    f"{sys.executable} -S -E -c 'import os, http.client\n"
    'c = http.client.HTTPConnection(os.environ["MENDBENCH_WORLD_URL"][7:])\n'
    "while 1:\n"
)
PROGRAMS = {
    "hangs": "sleep 60",
    "ignores signals": "trap '' TERM INT HUP; while :; do sleep 1; done",
    "stops itself": "kill -STOP $$",
    "kills itself": "kill -9 $$",
    "kills what keeps it": "kill -9 $PPID; sleep 60",
    "kills its group": "kill -9 0; sleep 60",
    "floods its output": "yes",
    "floods its errors": "yes 1>&2",
    "leaves a child": f"sleep 60 & {OK[1:]}",
    "leaves a session": f"setsid sleep 60 >/dev/null 2>&1 & {OK[1:]}",
    "leaves a stranger": f"(setsid sh -c 'env -i /bin/sleep 60 & exit' >/dev/null 2>&1 &); sleep 0.2{OK}",
    "eats memory": f"{sys.executable} -S -E -c 'x = bytearray(400_000_000); import time; time.sleep(60)'",
    "starts many": "for each in $(seq 40); do sleep 60 & done; wait",
    "prints nothing": "true",
    "prints no JSON": "echo done",
    "prints too deep": f"{sys.executable} -c 'print(\"{{\\\"success\\\": true, \\\"outputs\\\": {{\\\"a\\\": \" + \"[\" * 900 + \"]\" * 900 + \"}}}}\")'",
    "removes its folder": 'rm -rf "$(dirname "$MENDBENCH_WORKFLOW")"; sleep 60',
    "asks for ever": SPEAK + ' c.request("GET", "/inn.saltmarsh.example/guests/7"); c.getresponse().read()\'',
    "sends for ever": SPEAK.replace("while 1:", 'c.request("POST", "/inn.saltmarsh.example/x", body=iter(lambda: b"x" * 65536, b""))') + "'",
    "sends what is too deep": SPEAK.replace(
        "while 1:", 'c.request("POST", "/inn.saltmarsh.example/notes", "[" * 900 + "]" * 900, {"Content-Type": "application/json"})'
    )
    + " c.getresponse()'; sleep 60",
}  # fmt: skip
"""Programs that come to no execution, each by the name of what it does."""
BOUNDS = Limits(time_s=1.0, memory_mb=200, output_kb=64, processes=20)
SOON_S = 20.0


def attempts(count: int, seed: int) -> Iterator[Attempt]:
    """Print ``count`` documents drawn from ``seed``, and run every program."""
    with tempfile.TemporaryDirectory() as parent:
        yield from documents(Path(parent), count, random.Random(seed))
    yield from map(broken, PROGRAMS)
    yield from map(sent_with, SENT)


def documents(parent: Path, count: int, chance: random.Random) -> Iterator[Attempt]:
    """Run a trial for each of so many documents."""
    root = build(parent)
    names = [one.strategy for one in strategies(())]
    for number in range(count):
        document = odd_document(chance)
        if chance.random() < 0.05:
            document["outputs"] = {"number": chance.choice(NO_NUMBERS)}
        path = root / "document.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        itself = chance.random() < 0.4
        key = TrialKey(
            case=chance.choice((RENAMED, CLOSED, QUIET)), engine="odd", strategy=SELF_REPAIR if itself else chance.choice(names),
            policy=SELF_REPAIR if itself else "two-layer", repairer=SELF_REPAIR if itself else "reference", model=MODEL if itself else None,
            detector=None if itself else "structural",
        )  # fmt: skip
        path = path.rename(root / f"{number}.json")
        judge = chance.choice(("engine", "mendbench", "named"))
        odd = EngineConfig(command=["/bin/cat", str(path)], repairs=itself, resume=True, judge=judge, network="open")
        yield Attempt(
            kind="documents of an engine", what=f"{key}: {json.dumps(document)}", failure=_row(root, key, odd)
        )


def _row(root: Path, key: TrialKey, odd: EngineConfig) -> str | None:
    """Return what is wrong with the row of a trial."""
    own = context_of(root)
    context = own.__class__(
        cases_dir=own.cases_dir, cassettes_dir=own.cassettes_dir, models=own.models, engines={"odd": odd}
    )
    try:
        with watched() as raised:
            row, texts = run_trial(context, key, None)
        parse_json(canonical_json(row))
        for text in texts.values():
            text.encode()
    except Exception as error:  # noqa: BLE001  it is what is looked for
        return f"{type(error).__name__}: {error}"
    return unmeant(raised) or wrong_verdict(row)


def wrong_verdict(row: dict[str, Any]) -> str | None:
    """Return what is wrong with a row's verdict; a crash is right where the engine is what failed, or a bound was reached."""
    if row["verdict"] == "crashed" and str(row["problem"]["message"]).startswith(("EngineFailed: ", "BoundReached: ")):
        return None
    return None if row["verdict"] in {"correct", "incorrect"} else f"{row['verdict']}: {row['problem']}"


def odd_document(chance: random.Random, *, whole: bool = True) -> dict[str, Any]:
    """Return a document in the agent error format, with odd values wherever it leaves room for them."""

    def some(names: tuple[str, ...]) -> dict[str, Any]:
        return {name: chance.choice(ODD) for name in names if chance.random() < 0.5}

    def error() -> dict[str, Any]:
        entry = some(OF_AN_ERROR)
        if chance.random() < 0.7:
            entry["node_id"] = chance.choice(("note", "person"))
        for name, parts in (
            ("request_sent", ("method", "url", "headers", "body")), ("batch_item", ("index", "count", "item"))
        ):  # fmt: skip
            entry |= {name: some(parts)} if chance.random() < 0.3 else {}
        lists = {"problems": ("field", "problem", "says"), "upstream": ("param", "template", "resolved", "value")}
        return entry | {name: [some(parts)] for name, parts in lists.items() if chance.random() < 0.3}

    success = chance.random() < 0.5
    errors = [error() if chance.random() < 0.8 else chance.choice(ODD) for _ in range(chance.randint(0, 2))]
    document: dict[str, Any] = {"success": success, "errors": errors or ([] if success else [error()])}
    steps = [some(("node_id", "status", "cached", "repaired")) or chance.choice(ODD) for _ in range(2)]
    beside = {
        "execution": {"steps": chance.choice((steps, chance.choice(ODD)))}, "outputs": {"text": chance.choice(ODD)},
        "warnings": [some(("node_id", "message", "severity")) or chance.choice(ODD)], "status": chance.choice(ODD),
        "checkpoint": some(("completed_nodes", "node_actions", "failed_node")),
    }  # fmt: skip
    document |= {name: value for name, value in beside.items() if chance.random() < 0.5}
    if whole:
        own = some(OF_ITS_OWN)
        if chance.random() < 0.5:
            own["nodes"] = {name: some(OF_A_NODE) for name in ("note", "person")}
        if chance.random() < 0.5:
            own["first"] = odd_document(chance, whole=False)
            own["attempts"] = [{"workflow": chance.choice(ODD), "execution": odd_document(chance, whole=False)}]
        document["mendbench"] = own
    return document


def broken(name: str) -> Attempt:
    """Run a program that comes to no execution."""
    before, began = set(descendants(os.getpid())), time.monotonic()
    failure = None
    try:
        executed(shell_engine(PROGRAMS[name], limits=BOUNDS), guest_book(), inn())
        failure = "it came to an execution"
    except EngineFailed as error:
        failure = None if "\n" not in str(error) else f"more than a line: {error}"
    except Exception as error:  # noqa: BLE001  it is what is looked for
        failure = f"{type(error).__name__}: {error}"
    if time.monotonic() - began > SOON_S:
        failure = f"it took {time.monotonic() - began:.0f} s"
    if left := set(descendants(os.getpid())) - before:
        failure = f"it left {len(left)} processes"
    return Attempt(kind="programs that come to nothing", what=name, failure=failure)


def sent_with(client: str) -> Attempt:
    """Execute a workflow with an HTTP client, and compare the keys of its requests with those of a client that adds nothing."""
    added = "\n".join(f"{name}: {value}" for name, value in SENT[client].items() if name.lower() not in HOP)
    worlds = (inn(), inn())
    for world, wrong in zip(worlds, ("", f"adds {added}"), strict=True):
        executed(plain_engine(wrong), guest_book(), world)
    plain, own = ([identity(request) for request in world.sent] for world in worlds)
    failure = None if own == plain else "its requests have other keys"
    return Attempt(kind="headers of HTTP clients", what=client, failure=failure)
