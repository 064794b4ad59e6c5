from __future__ import annotations

import pytest

from mendbench.errors import BadInput
from mendbench.services.mcp_files.world import FilesystemServer
from tests.fakes.sandbox import installed, mounted
from tests.services.mcp_contract import called


@pytest.fixture
def world(monkeypatch):
    installed(monkeypatch)
    made = FilesystemServer()
    yield made
    made.stop()


@pytest.fixture
def folder(world):
    return mounted(world.start().command, "/srv/mendbench/files")


def test_the_server_may_reach_one_folder_and_no_network(world):
    command = world.start().command
    assert command[-1] == "/srv/mendbench/files"
    assert "--unshare-all" in command
    assert "--share-net" not in command


def test_the_case_s_files_lie_over_the_seed_and_null_takes_one_away(world, folder):
    world.reset({"files": {"rota/quay-north.json": "{}", "new/deep.txt": "new", "log/bell.txt": None}})
    assert (folder / "rota/quay-north.json").read_text() == "{}"
    assert (folder / "new/deep.txt").read_text() == "new"
    assert not (folder / "log").exists()
    assert (folder / "notices/ice.md").exists()


def test_a_reset_takes_away_what_was_there(world, folder):
    (folder / "notices/left.md").write_text("left by the scope before")
    (folder / "elsewhere").symlink_to("/usr")
    world.reset({})
    assert not (folder / "notices/left.md").exists()
    assert not (folder / "elsewhere").is_symlink()
    assert "quay-north" in (folder / "rota/index.json").read_text()


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "", "README.md/x"])
def test_a_file_that_cannot_be_there_is_refused_in_one_line(world, folder, path):
    with pytest.raises(BadInput) as caught:
        world.reset({"files": {path: "x"}})
    assert "\n" not in str(caught.value)


def test_it_has_to_be_started_first_and_leaves_nothing_behind(world):
    with pytest.raises(BadInput, match="reset before start"):
        world.reset({})
    folder = mounted(world.start().command, "/srv/mendbench/files")
    world.stop()
    world.stop()
    assert not folder.exists()


def test_a_file_s_text_is_the_content():
    assert "quay-north.json" in called("mcp_files", "success").outputs["content"]


def test_a_listing_comes_in_the_order_of_names():
    listing = called("mcp_files", "listing").outputs["content"]
    assert listing == "[FILE] index.json\n[FILE] lantern-watch.json\n[FILE] quay-north.json"


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("tool error", "ENOENT: no such file or directory, open '/srv/mendbench/files/rota/quay-south.json'"),
        ("outside", "Access denied - path outside allowed directories: /etc/passwd not in /srv/mendbench/files"),
        ("no match", "Could not find exact match for edit:\nsnow"),
        ("unknown tool", "MCP error -32602: Tool erase_file not found"),
        ("invalid arguments", "MCP error -32602: Input validation error: Invalid arguments for tool write_file: Invalid input: expected string, received undefined at content"),
    ],
)  # fmt: skip
def test_every_error_is_a_tool_error_even_one_of_the_protocol(what, said):
    output = called("mcp_files", what)
    assert (output.noticed.message, output.outputs["error_details"]["is_tool_error"]) == (said, True)
