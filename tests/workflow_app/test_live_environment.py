from __future__ import annotations

import pytest

from mendbench.config.tables import Config, McpServerConfig, ModelConfig
from mendbench.errors import BadInput
from mendbench.model.exchange import Request
from mendbench.secrets.redaction import Redactor
from mendbench.workflow_app.live_environment import ConfiguredModels, real_outside


def config(**servers):
    matrix = {"strategies": ["none"], "policies": ["naive"]}
    return Config.model_validate({"matrix": matrix, "mcp": servers})


def opened(found):
    with real_outside(found, Redactor({}), allow_shell=False) as outside:
        return outside


def test_the_clock_is_the_real_one_and_nothing_was_sent():
    outside = opened(config())
    assert outside.clock.now_ms() > 1_700_000_000_000
    assert outside.world.traffic() == ()


def test_an_mcp_server_is_a_command_or_a_url():
    for server in ({}, {"command": ["x"], "url": "http://127.0.0.1:1"}):
        with pytest.raises(BadInput, match=r"mcp\.clock"):
            opened(config(clock=server))
    opened(config(clock={"command": ["x"]}, other={"url": "http://127.0.0.1:1"}))


def test_a_variable_that_a_server_needs_has_to_be_set(monkeypatch):
    monkeypatch.delenv("CLOCK_KEY", raising=False)
    with pytest.raises(BadInput, match="CLOCK_KEY is not set"):
        opened(config(clock={"command": ["x"], "env": ["CLOCK_KEY"]}))
    monkeypatch.setenv("CLOCK_KEY", "1")
    opened(config(clock={"command": ["x"], "env": ["CLOCK_KEY"]}))


def test_a_model_without_a_url_is_refused_with_those_that_have_one():
    models = ConfiguredModels({"a": ModelConfig(), "b": ModelConfig(base_url="http://127.0.0.1:1")})
    for name, says in (
        ("a", r"models\.a: no base_url; .* has one: b"),
        ("c", "unknown model 'c'; known: a, b; to use"),
    ):
        with pytest.raises(BadInput, match=says):
            models.send({"model": name, "messages": []})


def test_a_server_s_settings_are_published():
    assert set(McpServerConfig.model_fields) == {"command", "env", "url"}


def test_files_are_below_the_named_folder_or_the_projects_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put = Request(method="PUT", url="file://sandbox/a.txt", body=b"x")
    for options, place in (({}, ".mendbench/sandbox/a.txt"), ({"folder": tmp_path / "mine"}, "mine/a.txt")):
        with real_outside(config(), Redactor({}), allow_shell=False, **options) as outside:
            assert outside.world.send(put).status == 201
        assert (tmp_path / place).read_bytes() == b"x"
