from __future__ import annotations

import json

import pytest

from mendbench.errors import BadInput
from mendbench.replay.shell_live import ShellLive, sandbox_options
from tests.fakes.worlds import get, post


@pytest.fixture
def bwrap(tmp_path):
    """Stands for bubblewrap: drops its options and runs what follows them."""
    program = tmp_path / "bwrap"
    program.write_text('#!/bin/sh\nwhile [ "$1" != "--" ]; do shift; done\nshift\nexec "$@"\n')
    program.chmod(0o755)
    return str(program)


def command(text, **more):
    return post("shell://sandbox/", {"command": text, "stdin": None, "cwd": None, "env": [], **more})


def test_a_command_gives_its_output_and_exit_code(bwrap):
    shell = ShellLive(allow_shell=True, environ={}, bwrap=bwrap)
    answer = shell.ask(command("cat; echo oops >&2; exit 3", stdin="typed"))
    assert answer.status == 200
    assert json.loads(answer.body) == {"stdout": "typed", "stderr": "oops\n", "exit_code": 3}


def test_nothing_runs_unless_it_is_allowed(bwrap, tmp_path):
    with pytest.raises(BadInput, match="--allow-shell"):
        ShellLive(allow_shell=False, environ={}, bwrap=bwrap).ask(command(f"touch {tmp_path}/made"))
    assert not (tmp_path / "made").exists()


def test_nothing_runs_without_the_sandbox(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match="bubblewrap is not installed"):
        ShellLive(allow_shell=True, environ={}).ask(command("true"))
    with pytest.raises(BadInput, match="cannot be run"):
        ShellLive(allow_shell=True, environ={}, bwrap=str(tmp_path / "gone")).ask(command("true"))


def test_a_command_that_takes_too_long_is_a_timeout(bwrap):
    answer = ShellLive(allow_shell=True, environ={}, bwrap=bwrap, patience_s=0.05).ask(
        command("exec tail -f /dev/null")
    )
    assert (answer.status, answer.fault, answer.elapsed_ms) == (0, "timeout", 50)


def test_a_body_without_a_command_is_refused(bwrap):
    with pytest.raises(BadInput, match="without a command"):
        ShellLive(allow_shell=True, environ={}, bwrap=bwrap).ask(post("shell://sandbox/", {"cmd": "x"}))


def test_the_sandbox_has_no_network_no_home_and_only_the_variables_wanted():
    options = sandbox_options({"cwd": "/data", "env": ["WANTED", "UNKNOWN"]}, {"WANTED": "1", "SECRET": "2"})
    assert options[0] == "--unshare-all"
    assert "--share-net" not in options
    assert "--clearenv" in options
    assert {options[i + 1] for i, each in enumerate(options) if each == "--setenv"} == {"PATH", "HOME", "WANTED"}
    assert options[options.index("--chdir") + 1] == "/sandbox/data"
    bound = {options[i + 1] for i, each in enumerate(options) if each == "--ro-bind"}
    assert not bound & {"/", "/home", "/root", "/etc"}
    assert "--bind" not in options


def test_it_serves_the_sandbox_only_and_never_begins_afresh():
    shell = ShellLive(allow_shell=True, environ={})
    assert shell.serves(command("x"))
    assert not shell.serves(get("https://a.test/"))
    assert not shell.resets(command("x"))
