from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mendbench.errors import BadInput
from mendbench.services.sandboxed import Program, merged_files, node_package, python_module, sandboxed
from tests.fakes.sandbox import installed, mounted


def test_a_python_server_runs_in_this_environment_and_takes_no_module_from_its_data(monkeypatch):
    installed(monkeypatch)
    program = python_module("x", "mcp-server-x", "-m", "mcp_server_x")
    assert program.words == (sys.executable, "-P", "-m", "mcp_server_x")
    assert program.reads[sys.prefix] == Path(sys.prefix)


def test_a_node_server_stands_at_the_same_place_on_every_machine(monkeypatch):
    installed(monkeypatch)
    program = node_package("x", "@modelcontextprotocol/server-filesystem", "mcp-server-filesystem", "a.js")
    assert program.words == ("/opt/node/bin/node", "a.js")
    assert program.reads["/opt/node_modules"] == Path("/opt/npm/node_modules")


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ({"node": None}, "Node.js is not installed; install Node.js"),
        ({"mcp_server_filesystem": None}, "the npm package server-filesystem is not installed; run `make record-world`"),
        ({"mcp_server_filesystem": "/usr/bin/false"}, "the npm package server-filesystem is not installed"),
    ],
)  # fmt: skip
def test_what_a_node_server_lacks_is_named(monkeypatch, missing, said):
    installed(monkeypatch, **missing)
    with pytest.raises(BadInput, match=said):
        node_package("x", "server-filesystem", "mcp-server-filesystem")


def test_a_python_server_that_is_not_installed_is_named():
    with pytest.raises(BadInput, match="the package no-such-server is not installed; run `make record-world`"):
        python_module("x", "no-such-server")


def test_without_bubblewrap_nothing_runs(monkeypatch):
    installed(monkeypatch, bwrap=None)
    with pytest.raises(BadInput, match=r"bubblewrap \(bwrap\) is not installed"):
        sandboxed("x", Program(words=("true",), reads={}), data={})


def test_the_sandbox_sees_programs_its_data_and_a_fixed_environment(monkeypatch, tmp_path):
    installed(monkeypatch)
    program = Program(words=("run", "it"), reads={"/opt/here": tmp_path, "/usr/lib/within": tmp_path})
    command = sandboxed("x", program, data={"/srv/mendbench/x": tmp_path}, environ={"MORE": "1"})
    assert command[-3:] == ("--", "run", "it")
    assert command[-5:-3] == ("--chdir", "/srv/mendbench/x")
    assert mounted(command, "/srv/mendbench/x") == tmp_path
    assert mounted(command, "/opt/here") == tmp_path
    assert "/usr/lib/within" not in command
    assert command[command.index("HOME") + 1] == "/srv/mendbench"
    assert command[command.index("MORE") + 1] == "1"
    assert {"--clearenv", "--unshare-all", "--die-with-parent"} <= set(command)
    assert "--share-net" in sandboxed("x", program, data={}, network=True)


def test_files_lie_over_the_seed_s_and_null_takes_one_away():
    seed = {"a": "1", "b": "2"}
    assert merged_files("x", seed, {"b": None, "c": "3"}) == {"a": "1", "c": "3"}
    assert seed == {"a": "1", "b": "2"}
