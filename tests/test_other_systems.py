"""What does not record runs on systems without what only Linux has; what needs Linux says so in one line."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OTHER_SYSTEM = ROOT / "tests" / "fakes" / "other_system"
MODEL = "claude-2026-11-batched"
SHELL = "shell/wrong-cut-delimiter"
GITHUB = ("github/labels-as-string", "github/issue-title-sent-as-name")

REPLAY = (
    [
        "run",
        "github/*",
        "--model",
        MODEL,
        "--policy",
        "naive",
        "--strategy",
        "full-context",
        "--strategy",
        "cli-text",
        "--workers",
        "2",
    ],
    ["report", "reports/latest", "--rescore", "--junit", "junit.xml"],
    ["compare", "reports/latest:strategy=full-context", "reports/latest:strategy=cli-text"],
    ["gate", "reports/latest", "--update", "--baseline", "baseline.tsv"],
    ["gate", "reports/latest", "--baseline", "baseline.tsv"],
    ["strategy", "render", "full-context", "github/labels-as-string"],
    ["try", "full-context", "--against", "cli-text", "--model", MODEL, "--budget", "5prompts"],
)
RULES = ("--repairer", "rules", "--strategy", "none", "--policy", "naive", "--out", "refused")
REFUSED = {
    ("run", SHELL, *RULES, "--record", "new_episodes", "--allow-shell"): (
        "shell://sandbox/: a shell command, and the sandbox for it needs Linux; record it on Linux; the recording replays on every system"
    ),
    ("run", "github/labels-as-string", *RULES, "--engine", "cmd: cat"): (
        "cat: a program, and running it needs Linux or macOS; do this there; a replay needs it only where a command is the engine"
    ),
}
EACH = """
import contextlib, io, json, sys
from mendbench.cli.main import main

def ended(words):
    sys.argv = ["mendbench", *words]
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            main()
        except SystemExit as left:
            return [left.code, out.getvalue(), err.getvalue()]

if __name__ == "__main__":
    print(json.dumps([ended(words) for words in json.loads(sys.argv[1])]))
"""


def done(folder, commands, *before):
    """Run commands in one process in a folder, and return the exit code, the output and the messages of each."""
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (*before, ROOT / "src")))}
    words = [sys.executable, "-c", EACH, json.dumps([*map(list, commands)])]
    ran = subprocess.run(words, cwd=folder, env=environ, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def written(folder):
    """Return the bytes of every file that the commands wrote, without timing and caches."""
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not {"cases", "cassettes", ".mendbench"} & {*path.relative_to(folder).parts}
    }
    for name in list(files):
        if name.endswith("trials.index"):
            del files[name]
        elif name.endswith("trials.jsonl"):
            files[name] = [{**json.loads(line), "timing": None} for line in files[name].splitlines()]
    return files


@pytest.fixture
def desks(tmp_path):
    """Two folders with cases on GitHub and one with a shell, which is not recorded."""
    here, other = tmp_path / "here", tmp_path / "other"
    for case in (*GITHUB, SHELL):
        shutil.copytree(ROOT / "cases" / case, here / "cases" / case)
    for file in ("mendbench.toml", "cases/split.yaml", "cases/protocol.yaml"):
        shutil.copy(ROOT / file, here / file)
    for case in GITHUB:
        recorded = here / "cassettes" / case
        recorded.mkdir(parents=True)
        for path in (ROOT / "cassettes" / case).iterdir():
            if path.stem in {"world", "world.trajectories", MODEL}:
                shutil.copy(path, recorded)
    shutil.copytree(here, other)
    return here, other


@pytest.mark.slow
def test_a_system_without_anything_of_linux_replays_reports_compares_and_gates_to_the_same_bytes(desks):
    here, other = desks
    expected, found = done(here, REPLAY), done(other, [*REPLAY, *REFUSED], OTHER_SYSTEM)
    assert [code for code, _, _ in expected] == [0] * len(REPLAY), expected
    for command, one, two in zip(REPLAY, expected, found, strict=False):
        assert [two[0], two[1], two[2].replace(str(other), str(here))] == one, command
    refused = [(code, err.splitlines()[1:]) for code, _, err in found[len(REPLAY) :]]
    assert refused == [(2, [f"mendbench: {line}"]) for line in REFUSED.values()]
    shutil.rmtree(other / ".refused.partial")
    assert written(other) == written(here)
    assert {"reports/latest/trials.jsonl", "reports/latest/index.html", "baseline.tsv", "junit.xml"} <= written(
        here
    ).keys()


def test_appended_text_keeps_its_line_ends_on_another_system(tmp_path):
    code = "from pathlib import Path; from mendbench.io.files import append_durably; append_durably(Path('log'), 'a\\nb\\n')"
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (OTHER_SYSTEM, ROOT / "src")))}
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environ, timeout=60, check=True)
    assert (tmp_path / "log").read_bytes() == b"a\nb\n"
