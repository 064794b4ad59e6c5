"""The real MCP servers, where they are installed: they still answer what the tests replay, and the same twice."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace

import pytest

from mendbench.cassettes.cassette import load
from mendbench.errors import BadInput
from mendbench.model.exchange import Request
from mendbench.recording.recorder import Recorder
from mendbench.services import real_world
from tests.fakes.sandbox import installed
from tests.services.mcp_contract import CALLS, HERE, opened, record

SERVERS = sorted(CALLS)


@pytest.fixture(params=SERVERS)
def service(request):
    world = real_world(request.param)
    try:
        world.start()
    except BadInput as error:
        if "not installed" not in str(error):
            raise
        pytest.skip(f"{error}")
    finally:
        world.stop()
    return request.param


def responses(path):
    return [(entry.key, entry.request, replace(entry.response, elapsed_ms=0)) for entry in load(path)]


def test_the_installed_server_answers_what_is_recorded(service, tmp_path):
    record(service, tmp_path)
    assert responses(tmp_path / "world.yaml") == responses(HERE / service / "world.yaml")


@pytest.mark.parametrize("service", ["mcp_git"], indirect=True)
def test_each_scope_gets_the_server_afresh(service, tmp_path):
    body = b'{"repo_path": "/srv/mendbench/git", "branch_name": "twice"}'
    request = Request(method="POST", url="mcp://git/git_create_branch", body=body)
    with Recorder("new_episodes") as recorder:
        first, second = (
            opened(service, tmp_path / name, recorder).world.send(request).body for name in ("one", "other")
        )
    assert b"Created branch 'twice' from 'main'" in first
    assert first == second


@pytest.mark.parametrize("name", SERVERS)
def test_without_the_sandbox_no_server_starts_and_nothing_is_left_behind(name, monkeypatch, tmp_path):
    installed(monkeypatch, bwrap=None, git=sys.executable)
    monkeypatch.setattr("mendbench.services.mcp_git.world._git", lambda *words: None)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(BadInput, match=r"bubblewrap \(bwrap\) is not installed; ") as caught:
        real_world(name).start()
    assert "\n" not in str(caught.value)
    assert list(tmp_path.iterdir()) == []
