from __future__ import annotations

import json

import pytest

from mendbench.errors import BadInput
from mendbench.replay.shell_live import ShellLive, folder_digest, sandbox_options
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


def in_folder(tmp_path, name="made"):
    """Stands for bubblewrap: runs the command in the folder that is bound as the home."""
    program = tmp_path / "bwrap-in-folder"
    program.write_text(
        '#!/bin/sh\nwhile [ "$1" != "--" ]; do\n  [ "$1" = "--bind" ] && cd "$2"\n  shift\ndone\nshift\nexec "$@"\n'
    )
    program.chmod(0o755)
    folder = tmp_path / name
    folder.mkdir()
    return folder, ShellLive(allow_shell=True, environ={}, folder=folder, bwrap=str(program))


@pytest.mark.parametrize(
    ("text", "only_read"),
    [
        ("cat a.txt", True),
        ("cat gone.txt", True),
        ("echo one > a.txt", True),
        ("echo two > a.txt", False),
        ("rm a.txt", False),
        ("mkdir new", False),
        ("chmod 600 a.txt", False),
        ("ln -s a.txt b.txt", False),
        ("echo more > c.txt; rm c.txt", True),
    ],
)
def test_a_command_changed_the_world_if_the_folder_is_another_one(tmp_path, text, only_read):
    folder, shell = in_folder(tmp_path)
    (folder / "a.txt").write_text("one\n")
    (folder / "a.txt").chmod(0o644)
    shell.ask(command(text))
    assert shell.reads(command(text)) is only_read
    assert shell.resets(command(text))


def test_the_folder_that_a_command_begins_in_is_no_change(tmp_path):
    folder, shell = in_folder(tmp_path)
    shell.ask(command("true", cwd="/data"))
    assert shell.reads(command("true"))
    assert (folder / "data").is_dir()
    shell.ask(command("true", cwd="../outside"))
    assert not (tmp_path / "outside").exists()


def test_without_a_folder_nothing_stays_that_a_command_did(bwrap, tmp_path):
    shell = ShellLive(allow_shell=True, environ={}, bwrap=bwrap)
    shell.ask(command(f"touch {tmp_path}/made"))
    assert shell.reads(command("x"))


def test_a_folder_is_the_home_of_the_sandbox(tmp_path):
    options = sandbox_options({}, {}, tmp_path)
    assert options[options.index("--bind") + 1 : options.index("--bind") + 3] == [str(tmp_path), "/sandbox"]
    tmpfs = [options[i + 1] for i, each in enumerate(options) if each == "--tmpfs"]
    assert tmpfs == ["/tmp"]


def test_the_digest_of_a_folder_tells_names_and_contents_apart(tmp_path):
    for name, content in (("one", "x"), ("two", "x"), ("three", "y")):
        (tmp_path / name).mkdir()
        (tmp_path / name / ("b" if name == "two" else "a")).write_text(content)
    digests = {folder_digest(tmp_path / name) for name in ("one", "two", "three")}
    assert len(digests) == 3
    assert folder_digest(tmp_path / "one") in digests
