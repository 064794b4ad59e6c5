from __future__ import annotations

import base64
import json
import secrets

import pytest

from mendbench.errors import BadInput
from mendbench.io.folder_removal import emptied
from mendbench.live.shell import ShellLive, folder_digest, sandbox_options, variables_named
from mendbench.process.sandbox_limits import Bounds, fits
from mendbench.process.syscall_filter import call_filter
from tests.fakes.sandbox import IN_ITS_HOME, open_to_all, stand_in
from tests.fakes.worlds import get, post


@pytest.fixture
def tmp_path():
    """A folder that everybody may enter."""
    with open_to_all() as place:
        yield place


@pytest.fixture
def bwrap(tmp_path):
    """Stands for bubblewrap: drops its options, runs what follows them, and says how it ended."""
    return stand_in(tmp_path / "bwrap")


def command(text, **more):
    return post("shell://sandbox/", {"command": text, "stdin": None, "cwd": None, "env": [], **more})


def test_a_command_gives_its_output_and_exit_code(bwrap):
    shell = ShellLive(allow_shell=True, environ={}, bwrap=bwrap)
    response = shell.send(command("cat; echo oops >&2; exit 3", stdin="typed"))
    assert response.status == 200
    assert json.loads(response.body) == {"stdout": "typed", "stderr": "oops\n", "exit_code": 3}


def test_nothing_runs_unless_it_is_allowed(bwrap, tmp_path):
    with pytest.raises(BadInput, match="--allow-shell"):
        ShellLive(allow_shell=False, environ={}, bwrap=bwrap).send(command(f"touch {tmp_path}/made"))
    assert not (tmp_path / "made").exists()


def test_nothing_runs_without_the_sandbox(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(BadInput, match="bubblewrap is not installed"):
        ShellLive(allow_shell=True, environ={}).send(command("true"))
    with pytest.raises(BadInput, match="cannot be run"):
        ShellLive(allow_shell=True, environ={}, bwrap=str(tmp_path / "gone")).send(command("true"))


def test_a_command_that_takes_too_long_is_a_timeout(bwrap):
    response = ShellLive(allow_shell=True, environ={}, bwrap=bwrap, patience_s=0.05).send(
        command("exec tail -f /dev/null")
    )
    assert (response.status, response.fault, response.elapsed_ms) == (0, "timeout", 50)


def test_a_body_without_a_command_is_refused(bwrap):
    with pytest.raises(BadInput, match="without a command"):
        ShellLive(allow_shell=True, environ={}, bwrap=bwrap).send(post("shell://sandbox/", {"cmd": "x"}))


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
    program = stand_in(tmp_path / "bwrap-in-folder", IN_ITS_HOME)
    folder = tmp_path / name
    folder.mkdir()
    return folder, ShellLive(allow_shell=True, environ={}, folder=folder, bwrap=program)


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
    shell.send(command(text))
    assert shell.reads(command(text)) is only_read
    assert shell.resets(command(text))


def test_the_folder_that_a_command_begins_in_is_no_change(tmp_path):
    folder, shell = in_folder(tmp_path)
    shell.send(command("true", cwd="/data"))
    assert shell.reads(command("true"))
    assert (folder / "data").is_dir()
    shell.send(command("true", cwd="../outside"))
    assert not (tmp_path / "outside").exists()


def test_without_a_folder_nothing_stays_that_a_command_did(bwrap, tmp_path):
    shell = ShellLive(allow_shell=True, environ={}, bwrap=bwrap)
    shell.send(command(f"touch {tmp_path}/made"))
    assert shell.reads(command("x"))


def test_a_folder_is_the_home_of_the_sandbox(tmp_path):
    options = sandbox_options({}, {}, tmp_path)
    assert options[options.index("--bind") + 1 : options.index("--bind") + 3] == [str(tmp_path), "/sandbox"]
    tmpfs = [options[i + 1] for i, each in enumerate(options) if each == "--tmpfs"]
    assert "/tmp" in tmpfs
    assert "/sandbox" not in tmpfs


def test_the_digest_of_a_folder_distinguishes_names_and_contents(tmp_path):
    for name, content in (("one", "x"), ("two", "x"), ("three", "y")):
        (tmp_path / name).mkdir()
        (tmp_path / name / ("b" if name == "two" else "a")).write_text(content)
    digests = {folder_digest(tmp_path / name) for name in ("one", "two", "three")}
    assert len(digests) == 3
    assert folder_digest(tmp_path / "one") in digests


def test_a_command_that_goes_beyond_its_output_is_ended_and_says_so(bwrap):
    response = ShellLive(allow_shell=True, environ={}, bwrap=bwrap).send(command("exec yes"))
    assert (response.status, json.loads(response.body)) == (
        413,
        {"bound": "output", "says": "it wrote more than 1,000,000 bytes to one of its outputs"},
    )


def test_a_sandbox_that_cannot_be_set_up_is_no_failure_of_the_command(tmp_path):
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(BadInput, match=r"the sandbox cannot be set up \(No permissions to create new namespace\)"):
        ShellLive(allow_shell=True, environ={}, bwrap=str(program)).send(command("true"))


@pytest.mark.parametrize(
    ("fields", "status", "says"),
    [
        ({"cwd": "../outside"}, 403, "not in the sandbox's home"),
        ({"cwd": "a/../../outside"}, 403, "not in the sandbox's home"),
        ({"cwd": "link/new"}, 403, "not in the sandbox's home"),
        ({"cwd": "file/new"}, 409, "cannot be used"),
        ({"command": "true\0"}, 400, "NUL"),
        ({"command": "\ud800"}, 400, "no Unicode text"),
        ({"command": "x" * 100_001}, 413, "longer than 100,000 bytes"),
    ],
)
def test_what_cannot_be_run_is_refused_as_an_answer_and_nothing_is_made(tmp_path, fields, status, says):
    folder, shell = in_folder(tmp_path)
    (folder / "link").symlink_to(tmp_path)
    (folder / "file").write_text("x")
    before = sorted(tmp_path.rglob("*"))
    response = shell.send(post("shell://sandbox/", {"command": "true", **fields}))
    assert (response.status, says in response.body.decode()) == (status, True)
    assert sorted(tmp_path.rglob("*")) == before
    assert shell.reads(command("true"))


def test_a_credential_that_a_command_was_given_is_not_in_its_answer(bwrap):
    secret = secrets.token_urlsafe(24)
    shell = ShellLive(allow_shell=True, environ={"DEPLOY_TOKEN": secret, "REGION": "north-9"}, bwrap=bwrap)
    response = shell.send(command(f"echo {secret} north-9", env=["DEPLOY_TOKEN", "REGION"]))
    assert json.loads(response.body)["stdout"] == "<secret:DEPLOY_TOKEN> north-9\n"


def test_a_repaired_workflow_gets_no_variables_but_those_that_the_given_one_asks_for():
    nodes = [
        {"id": "a", "type": "shell", "params": {"command": "x", "env": ["ONE", 2]}},
        {"id": "b", "type": "shell", "params": {"command": "y"}},
        {"id": "c", "type": "http", "params": {"env": ["TWO"]}},
        "no node",
    ]
    assert variables_named({"nodes": nodes}) == {"ONE"}
    assert variables_named({}) == frozenset()


def test_files_beyond_the_bounds_are_reported_and_removed(tmp_path):
    bounds = Bounds(time_s=1, folder_bytes=100, entries=5)
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "small").write_text("x" * 100)
    assert fits(folder, bounds)
    (folder / "more").write_text("x")
    assert not fits(folder, bounds)
    inner = folder
    for _ in range(40):
        inner = inner / ("d" * 60)
        inner.mkdir()
    inner.joinpath("file").write_text("x")
    (folder / ("d" * 60)).chmod(0)
    (folder / "link").symlink_to(tmp_path)
    emptied(folder)
    assert list(folder.iterdir()) == []
    assert tmp_path.exists()


@pytest.mark.parametrize(
    ("machine", "known"), [("x86_64", True), ("aarch64", True), ("AArch64", True), ("riscv64", False)]
)
def test_system_calls_are_filtered_where_their_numbers_are_known(machine, known):
    code = call_filter(machine)
    assert (code is not None) is known
    assert code is None or len(code) % 8 == 0


def test_the_sandbox_is_given_the_filter_of_system_calls(tmp_path):
    program = stand_in(tmp_path / "bwrap", '[ "$1" = "--seccomp" ] && export FILTER=$(base64 -w0 <&"$2")')
    response = ShellLive(allow_shell=True, environ={}, bwrap=program).send(command('printf %s "$FILTER"'))
    assert base64.b64decode(json.loads(response.body)["stdout"]) == (call_filter() or b"")


def test_what_a_command_wrote_is_redacted_and_not_the_answer_around_it(bwrap):
    shell = ShellLive(allow_shell=True, environ={"DB_PASSWORD": "127", "PWD": "/in/a"}, bwrap=bwrap)
    response = shell.send(command("echo 'it is 127 in /in/a'; exit 127", env=["DB_PASSWORD", "PWD"]))
    assert json.loads(response.body) == {
        "stdout": "it is <secret:DB_PASSWORD> in /in/a\n",
        "stderr": "",
        "exit_code": 127,
    }
