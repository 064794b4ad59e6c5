"""What only a process of its own shows: signals, pipes, and what a command imports."""

import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mendbench import __version__
from tests.fakes import cases
from tests.fakes.commands import split_corpus_line
from tests.fakes.forked import MAIN

SENDS = """
import os, signal
from mendbench.cli import terminal as screen
def send(self, done, total, last):
    for number in NUMBERS:
        os.kill(os.getpid(), number)
screen._Progress.__call__ = send
"""
RULES = ("run", "http/*", "--repairer", "rules", "--strategy", "none", "--policy", "two-layer")


@pytest.fixture
def mendbench(forked):
    """Run the command as a process of its own."""

    def run(*words, **more):
        done = forked.run(*words, MENDBENCH_TRACEBACK=None, PYTHONIOENCODING=None, **more)
        _, done.stderr = split_corpus_line(done.stderr)
        return done

    return run


def started(*words, code):
    """Run the command in a new interpreter."""
    return subprocess.run([sys.executable, "-c", code, *words], text=True, capture_output=True, timeout=60, check=False)


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.slow), "2"])
@pytest.mark.parametrize(
    ("numbers", "code", "word"),
    [([signal.SIGINT] * 3, 130, "interrupted"), ([signal.SIGTERM, signal.SIGINT], 143, "terminated")],
)
def test_a_run_that_is_terminated_prints_the_command_that_finishes_it(corpus, mendbench, workers, numbers, code, word):
    ended = mendbench(*RULES, "--workers", workers, code=SENDS.replace("NUMBERS", repr([*map(int, numbers)])) + MAIN)
    assert (ended.returncode, ended.stdout) == (code, "")
    assert ended.stderr == (
        f"mendbench: {word}; finish it with: mendbench run --resume reports/latest --workers {workers}\n"
    )
    name, *words = shlex.split(ended.stderr.split("finish it with: ")[1])
    assert name == "mendbench"
    finished = mendbench(*words)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert finished.stdout.endswith("2 trials; report: reports/latest/index.html\n")


def test_a_second_sigterm_ends_a_run_at_once_and_the_same_command_goes_on(corpus, mendbench):
    twice = """
import os, signal
from mendbench.runs import executor
from mendbench.cli import terminal as screen
def send(*_anything):
    os.kill(os.getpid(), signal.SIGTERM)
screen._Progress.__call__ = executor.LocalPool.close = send
"""
    ended = mendbench(*RULES, "--workers", "2", code=twice + MAIN)
    assert (ended.returncode, ended.stdout, "mendbench: " in ended.stderr) == (-signal.SIGTERM, "", False)
    finished = mendbench(*RULES, "--workers", "2")
    assert finished.returncode == 0
    assert finished.stderr.startswith("mendbench: reports/latest: goes on from an interrupted run (trials done: 1)")


def test_sigterm_ends_a_server_for_agents_though_nobody_closes_its_input(empty):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    with subprocess.Popen(
        [sys.executable, "-c", MAIN, "mcp", "serve"], text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        server.terminate()
        assert server.wait(timeout=60) == -signal.SIGTERM


def left_early(mendbench, *words):
    """Run a command whose reader has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        return mendbench(*words, stdout=closed)


def test_a_reader_that_leaves_early_changes_nothing(corpus, mendbench):
    commands = (RULES, ("case", "list", "--format", "json"), ("schema", "case"), ("--help",))
    ended = {words: left_early(mendbench, *words) for words in commands}
    assert {words: (one.returncode, one.stderr) for words, one in ended.items()} == dict.fromkeys(commands, (0, ""))


def test_a_reader_that_leaves_early_does_not_hide_a_missing_recording(corpus, mendbench):
    (corpus / "cassettes" / cases.RENAMED / f"{cases.MODEL}.yaml").unlink()
    result = left_early(mendbench, "run", cases.RENAMED, "--policy", "naive", "--workers", "1")
    assert result.returncode == 3
    assert result.stderr.startswith("mendbench: unjudged: ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_one_line(corpus, mendbench):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        result = mendbench("case", "list", stdout=full)
    assert (result.returncode, result.stderr) == (
        2,
        "mendbench: standard output: No space left on device; redirect it elsewhere\n",
    )


def test_a_process_leaves_with_the_code(corpus, mendbench):
    codes = {("run", "nothing/here"): 2, ("report", "nowhere"): 2, ("rnu",): 2, ("--version",): 0}
    ended = {words: mendbench(*words) for words in codes}
    assert {words: one.returncode for words, one in ended.items()} == codes
    assert [words for words, one in ended.items() if "Traceback" in one.stderr] == []


HEAVY = ("rich", "pandas", "jinja2", "httpx2", "yaml", "vcr", "mcp", "numpy")


@pytest.mark.parametrize(
    ("words", "heavy"),
    [(("--help",), (*HEAVY, "pydantic")), (("--version",), (*HEAVY, "pydantic")), (("run", "--help"), HEAVY), (("case", "--help"), HEAVY)],
    ids=lambda each: " ".join(each[:2]),
)  # fmt: skip
def test_help_imports_nothing_heavy(empty, words, heavy):
    code = f"import atexit, sys; atexit.register(lambda: print(sorted({set(heavy)!r} & sys.modules.keys()), file=sys.stderr))\n"
    result = started(*words, code=code + MAIN)
    assert (result.returncode, result.stderr) == (0, "[]\n")


def test_no_command_needs_a_package_that_only_tests_bring(empty):
    hidden = "import sys; sys.modules['click'] = None\n"
    result = started("rnu", code=hidden + MAIN)
    assert result.returncode == 2
    assert result.stderr.startswith("mendbench: command: unknown command 'rnu'")


def test_it_runs_as_a_module_too():
    done = subprocess.run([sys.executable, "-m", "mendbench", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"mendbench {__version__}\n"
