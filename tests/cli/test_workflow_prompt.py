"""What `workflow run` asks at a terminal about a warning that stopped it: through the entry point, at a pseudo-terminal."""

from __future__ import annotations

import json
import os
import pty
import secrets
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from mendbench.cli.main import main
from mendbench.runtime.trace_file import LAST, read_trace
from tests.fakes.loopback import issue, loopback

WAYS = "What would you like to do?\n  1. Create it, and try this step again\n  2. Use another value\n  3. Skip this step\n  4. Stop (default)\n"


class Chat:
    """A chat service that knows some channels, and counts what it was asked to do."""

    def __init__(self):
        self.channels, self.asked = {"general"}, []
        self.created_meanwhile = False

    def responses(self):
        return {
            "POST /issues": self._noted("issue", issue),
            "POST /chat": self._noted("chat", self._said),
            "POST /log": self._noted("log", lambda _body: (200, {"ok": True})),
            "POST /channels": self._noted("create", self._created),
        }

    def _noted(self, name, response):
        def answered(body):
            self.asked.append(name)
            return response(body)

        return answered

    def _said(self, body):
        known = body["channel"] in self.channels or (self.created_meanwhile and self.asked.count("chat") > 1)
        return 200, {"ok": True} if known else {"ok": False, "error": "channel_not_found"}

    def _created(self, body):
        self.channels.add(body["name"])
        return 200, {"ok": True}


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str


@pytest.fixture
def chat():
    return Chat()


@pytest.fixture
def base(chat):
    with loopback(chat.responses()) as url:
        yield url


@pytest.fixture
def flow(tmp_path, monkeypatch, base):
    monkeypatch.chdir(tmp_path)

    def save(channel="${channel}", *, log=True, **more):
        body = {"channel": channel, "text": "${open.response.title}", **more}
        nodes = [
            {"id": "open", "type": "http", "params": {"url": f"{base}/issues", "body": {"title": "hi"}}},
            {"id": "send", "type": "http", "params": {"url": f"{base}/chat", "body": body}},
            {"id": "log", "type": "http", "params": {"url": f"{base}/log", "body": {"done": True}}},
        ]
        document = {
            "nodes": nodes if log else nodes[:2],
            "edges": [{"from": "open", "to": "send"}, *([{"from": "send", "to": "log"}] if log else [])],
            "inputs": {"channel": {"type": "string"}} if channel == "${channel}" else {},
        }
        path = tmp_path / "flow.json"
        path.write_text(json.dumps(document))
        return path

    return save


@pytest.fixture
def mendbench(monkeypatch, capsys):
    """Run the command at a terminal at which these keys are typed."""
    monkeypatch.setattr("signal.signal", lambda *_: None)

    def run(*words, keys="", terminal=True):
        monkeypatch.setattr(sys, "argv", ["mendbench", *map(str, words)])
        master, slave = pty.openpty()
        os.write(master, f"{keys}\x04\x04".encode())  # the end of the input: what asks too often does not wait
        with os.fdopen(slave, "r", encoding="utf-8", closefd=False) as typed, monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", typed)
            patch.setattr(sys.stderr, "isatty", lambda: terminal, raising=False)
            with pytest.raises(SystemExit) as left:
                main()
        os.close(slave)
        os.close(master)
        result = capsys.readouterr()
        return Ended(int(left.value.code or 0), result.out, result.err)

    return run


def run(flow, *more):
    return ("workflow", "run", flow, *more)


GONE = ("--input", "channel=gone")


def test_a_stopping_warning_is_asked_about_and_enter_stops_as_ever(mendbench, flow, chat):
    ended = mendbench(*run(flow(), *GONE), keys="\n")
    assert ended.code == 1
    assert ended.err == f"\n⚠️ API error: channel_not_found\n{WAYS}> "
    assert "Workflow was stopped by a warning" in ended.out
    assert chat.asked == ["issue", "chat"]
    assert read_trace(LAST)["choices"] == [{"node_id": "send", "choice": "stop"}]


def test_the_end_of_the_input_stops(mendbench, flow, chat):
    ended = mendbench(*run(flow(), *GONE), keys="\x04")
    assert (ended.code, chat.asked) == (1, ["issue", "chat"])
    assert ended.err.endswith("> \n")


def test_a_step_is_skipped_and_the_rest_runs(mendbench, flow, chat):
    ended = mendbench(*run(flow(), *GONE, "--save-repaired", "kept.json"), keys="3\n")
    assert ended.code == 0
    assert chat.asked == ["issue", "chat", "log"]
    assert "⚠️ [send] API error: channel_not_found" in ended.out
    trace = read_trace(LAST)
    assert trace["choices"] == trace["result"]["choices"] == [{"node_id": "send", "choice": "skip"}]
    assert [ran["attempt"] for ran in trace["executions"]] == [0, 1]
    kept = Path("kept.json").read_text()
    assert {"from": "send", "to": "log", "action": "warning"} in json.loads(kept)["edges"]
    assert "gone" not in kept


def test_skipping_the_last_step_ends_the_run(mendbench, flow, chat):
    ended = mendbench(*run(flow(log=False), *GONE, "--save-repaired", "kept.json"), keys="3\n")
    assert (ended.code, chat.asked) == (0, ["issue", "chat"])
    assert "Workflow ended with warnings" in ended.out
    assert not Path("kept.json").exists()


def test_another_value_is_given_to_the_input_that_it_came_from(mendbench, flow, chat):
    ended = mendbench(*run(flow(), *GONE, "--save-repaired", "kept.json"), keys="2\n2\ngeneral\n")
    assert ended.code == 0
    assert '  2. body.channel: "gone" (input channel)\n' in ended.err
    assert '  3. body.text: "hi" (from ${open.response.title})\n' in ended.err
    assert ended.err.endswith("New value of channel (input): ")
    assert chat.asked == ["issue", "chat", "chat", "log"]
    chosen = {"node_id": "send", "choice": "value", "param": "body.channel", "value": "general"}
    assert read_trace(LAST)["choices"] == [chosen]
    inputs = [ran["nodes"][1]["inputs"]["body"]["channel"] for ran in read_trace(LAST)["executions"]]
    assert inputs == ["gone", "general"]
    assert not Path("kept.json").exists()


def test_another_value_replaces_a_literal_and_is_saved(mendbench, flow, chat):
    ended = mendbench(*run(flow("gone"), "--save-repaired", "kept.json"), keys="2\n9\n2\ngeneral\n")
    assert ended.code == 0
    assert "Answer with a number from 1 to 3.\n" in ended.err
    assert '  2. body.channel: "gone" (fixed in the workflow)\n' in ended.err
    assert chat.asked == ["issue", "chat", "chat", "log"]
    assert json.loads(Path("kept.json").read_text())["nodes"][1]["params"]["body"]["channel"] == "general"


def test_what_cannot_be_done_is_said_and_asked_again(mendbench, flow, chat):
    ended = mendbench(*run(flow("gone")), keys="2\n2\ngone\n2\n2\n${nobody}\n2\n\n4\n")
    assert (ended.code, chat.asked) == (1, ["issue", "chat"])
    assert "✗ that is what body.channel is already\n" in ended.err
    assert "${nobody}" in ended.err.split("✗")[-1]
    assert ended.err.count("What would you like to do?") == 4


def test_what_is_missing_is_created_by_the_user_and_the_step_alone_runs_again(mendbench, flow, chat):
    chat.created_meanwhile = True
    ended = mendbench(*run(flow(), *GONE), keys="1\n\n")
    assert ended.code == 0
    assert ended.err.endswith("Create it now, then press Enter to try this step again: ")
    assert chat.asked == ["issue", "chat", "chat", "log"]


def test_what_is_still_missing_is_asked_about_again(mendbench, flow, chat):
    ended = mendbench(*run(flow(), *GONE), keys="1\n\n1\n\n3\n")
    assert ended.code == 0
    assert ended.err.count("What would you like to do?") == 3
    assert chat.asked == ["issue", "chat", "chat", "chat", "log"]


def test_a_value_that_is_a_secret_is_not_asked_for_here(mendbench, flow, chat, monkeypatch):
    secret = secrets.token_hex(16)
    monkeypatch.setenv("THE_CHANNEL", secret)
    ended = mendbench(*run(flow(), "--secret", "channel=THE_CHANNEL"), keys="2\n2\n")
    assert "It holds a secret: set THE_CHANNEL in the environment, and run again.\n" in ended.err
    assert secret not in ended.err + ended.out + LAST.read_text()


@pytest.mark.parametrize("more", [("--no-prompt",), ("--output-format", "json")])
def test_nothing_is_asked_where_it_is_not_wanted(mendbench, flow, chat, more):
    ended = mendbench(*run(flow(), *GONE, *more), keys="3\n")
    assert (ended.code, ended.err, chat.asked) == (1, "", ["issue", "chat"])
    assert read_trace(LAST)["choices"] == []
    assert "choices" not in read_trace(LAST)["result"]


def test_nothing_is_asked_where_standard_error_is_no_terminal(mendbench, flow, chat):
    ended = mendbench(*run(flow(), *GONE), keys="3\n", terminal=False)
    assert (ended.code, ended.err, chat.asked) == (1, "", ["issue", "chat"])


ENTRY = "from mendbench.cli.main import main; main()"
OWN_TERMINAL = f"import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); {ENTRY}"


def test_nothing_is_asked_when_piped(flow, chat, forked):
    ended = forked.run(*run(flow(), *GONE), stdin="3\n")
    assert (ended.returncode, ended.stderr, chat.asked) == (1, "", ["issue", "chat"])


def _read_until(master, wanted, quiet=b"", seconds=30.0):
    """Return what is shown until this is; type the keys of `quiet` after every second without output."""
    seen, end = b"", time.monotonic() + seconds
    while wanted not in seen and time.monotonic() < end:
        try:
            if select.select([master], [], [], 1.0)[0]:
                seen += os.read(master, 4096)
            else:
                os.write(master, quiet)
        except OSError:  # the terminal has been closed
            break
    return seen.decode(errors="replace")


@pytest.mark.parametrize(("key", "code", "asked"), [("\x03", 1, 2), ("3\n", 0, 3)], ids=["ctrl-c", "skip"])
def test_at_a_real_terminal_ctrl_c_stops_and_a_number_is_taken(flow, chat, key, code, asked):
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", OWN_TERMINAL, *map(str, run(flow(), *GONE))],
        stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
    )  # fmt: skip
    os.close(slave)
    try:
        assert "Stop (default)" in _read_until(master, b"\n> ")
        os.write(master, key.encode())
        # A signal between the prompt and the read that waits is seen only when the read returns: press again.
        rest = _read_until(master, b"never said", quiet=key.encode() if code else b"")
        assert process.wait(timeout=30) == code
    finally:
        process.kill()
        process.wait()
        os.close(master)
    assert "Traceback" not in rest
    assert len(chat.asked) == asked
