from __future__ import annotations

import shutil
import subprocess

import pytest

from mendbench.errors import BadInput
from mendbench.services.mcp_git.world import GitServer
from tests.fakes.sandbox import installed, mounted
from tests.services.mcp_contract import called

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="Git is not installed")
HEAD = "4eb9c33faf54d4d893c6c0b16f54bb00bcbdd249"


@pytest.fixture
def world(monkeypatch):
    installed(monkeypatch)
    made = GitServer()
    yield made
    made.stop()


@pytest.fixture
def git(world):
    folder = mounted(world.start().command, "/srv/mendbench/git")

    def run(*words):
        return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()

    return run


@needs_git
def test_the_repository_has_the_same_hashes_every_time(world, git):
    assert git("rev-parse", "HEAD") == HEAD
    world.reset({"commits": [{"message": "More", "files": {"a": "b"}}]})
    assert git("rev-parse", "HEAD~1") == HEAD
    more = git("rev-parse", "HEAD")
    world.reset({})
    assert git("rev-parse", "HEAD") == HEAD
    world.reset({"commits": [{"message": "More", "files": {"a": "b"}}]})
    assert git("rev-parse", "HEAD") == more


@needs_git
def test_the_operator_s_own_configuration_has_no_say(world, git, monkeypatch, tmp_path):
    (tmp_path / ".gitconfig").write_text("[core]\n\tautocrlf = true\n[user]\n\tname = Somebody\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Somebody")
    world.reset({})
    assert git("rev-parse", "HEAD") == HEAD


@needs_git
def test_commits_branches_and_files_of_the_case_come_after_the_seed(world, git):
    world.reset(
        {
            "commits": [{"message": "Fell W1", "files": {"rows/west.csv": None, "felled/w1.txt": "W1\n"}}],
            "branches": {"rows/bud-sticks": "HEAD~1"},
            "files": {"note.txt": "loose", "README.md": None},
        }
    )
    assert git("log", "-1", "--format=%s|%an|%aI") == "Fell W1|Ines Falk|2025-12-06T00:00:00+00:00"
    assert git("show", "--name-status", "--format=", "HEAD").split() == ["A", "felled/w1.txt", "D", "rows/west.csv"]
    assert git("rev-parse", "rows/bud-sticks") == HEAD
    assert git("status", "--porcelain").splitlines() == ["D README.md", "?? note.txt"]


@needs_git
@pytest.mark.parametrize(
    ("state", "said"),
    [
        ({"files": {"../out": "x"}}, "no file can be at"),
        ({"files": {".git/config": "x"}}, "no file can be at"),
        ({"files": {"README.md/inside": "x"}}, "README.md/inside"),
        ({"branches": {"x": "no-such-revision"}}, "git branch"),
    ],
)
def test_a_state_that_cannot_be_built_is_refused_in_one_line(world, state, said):
    world.start()
    with pytest.raises(BadInput, match=said) as caught:
        world.reset(state)
    assert "\n" not in str(caught.value)


def test_a_reset_needs_a_started_world(world):
    with pytest.raises(BadInput, match="reset before start"):
        world.reset({})


@needs_git
def test_commits_of_the_server_itself_are_dated_too(world):
    command = world.start().command
    assert command[command.index("GIT_COMMITTER_DATE") + 1] == "2026-01-01T00:00:00+0000"


def test_a_file_that_is_json_becomes_outputs():
    output = called("mcp_git", "success")
    assert output.outputs["scion_lane"] == "rows/winter-wood"


def test_the_recorded_log_has_the_hash_of_the_seed():
    assert f"Commit: {HEAD}" in called("mcp_git", "log").outputs["result"]


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("tool error", "Error executing tool git_show: Ref 'no-such-branch' did not resolve to an object"),
        ("another folder", "Error executing tool git_status: Repository path '/srv' is outside the allowed repository '/srv/mendbench/git'"),
        ("commit", "Error executing tool git_commit: No changes staged for commit. Use git_add to stage changes first; git_status shows what is currently staged."),
    ],
)  # fmt: skip
def test_a_tool_s_own_error_is_reported_in_its_words(what, said):
    output = called("mcp_git", what)
    assert (output.noticed.message, output.outputs["error_details"]["is_tool_error"]) == (said, True)


def test_a_missing_argument_is_a_tool_error_that_names_it():
    assert "revision\n  Field required" in called("mcp_git", "invalid arguments").outputs["error"]


def test_an_argument_that_the_tool_does_not_have_is_dropped_without_a_word():
    output = called("mcp_git", "dropped argument")
    assert output.noticed is None
    assert output.outputs["result"].count("Commit: ") == 4


def test_an_unknown_tool_is_a_protocol_error():
    output = called("mcp_git", "unknown tool")
    assert output.noticed.message == "MCP tool failed: Unknown tool: git_bisect"
    assert output.answered.body["error"]["code"] == -32602
