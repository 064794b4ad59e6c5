from __future__ import annotations

import pytest

from mendbench.errors import BadInput
from mendbench.services.mcp_time.world import TimeServer
from tests.fakes.sandbox import installed, mounted
from tests.services.mcp_contract import called


@pytest.fixture
def world(monkeypatch):
    installed(monkeypatch)
    made = TimeServer()
    yield made
    made.stop()


def test_the_server_runs_in_the_sandbox_on_zones_that_are_not_the_machine_s(world):
    command = world.start().command
    assert command[0] == "/usr/bin/bwrap"
    assert "--share-net" not in command
    assert command[command.index("PYTHONTZPATH") + 1] == ""
    assert mounted(command, "/srv/mendbench/time").is_dir()


def test_its_clock_stands_where_every_scope_s_clock_starts_unless_the_case_says_otherwise(world):
    clock = mounted(world.start().command, "/srv/mendbench/time") / "now"
    assert clock.read_text() == "2026-01-01T00:00:00+00:00"
    world.reset({"now": "2026-07-01T12:00:00Z"})
    assert clock.read_text() == "2026-07-01T12:00:00+00:00"
    world.reset({})
    assert clock.read_text() == "2026-01-01T00:00:00+00:00"


def test_it_has_to_be_started_first_and_leaves_nothing_behind(world):
    with pytest.raises(BadInput, match="reset before start"):
        world.reset({})
    folder = mounted(world.start().command, "/srv/mendbench/time")
    world.stop()
    world.stop()
    assert not folder.exists()


def test_a_tool_s_structured_answer_becomes_outputs():
    output = called("mcp_time", "success")
    assert output.noticed is None
    assert output.outputs["target"]["datetime"] == "2026-01-01T14:15:00+05:45"
    assert output.outputs["result"]["time_difference"] == "+4.75h"


def test_the_clock_of_the_recording_stood_still():
    assert called("mcp_time", "clock").outputs["datetime"] == "2026-01-01T01:00:00+01:00"


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("tool error", "Error executing tool convert_time: Invalid timezone: 'No time zone found with key Mars/Olympus'"),
        ("bad value", "Error executing tool convert_time: Invalid time format. Expected HH:MM [24-hour format]"),
    ],
)  # fmt: skip
def test_a_tool_s_own_error_is_reported_in_its_words(what, said):
    output = called("mcp_time", what)
    assert (output.noticed.kind, output.noticed.message) == ("mcp", said)
    assert output.outputs["error_details"]["is_tool_error"] is True


def test_arguments_that_do_not_fit_are_a_tool_error_with_every_field():
    said = called("mcp_time", "invalid arguments").outputs["error"]
    assert "time\n  Input should be a valid string" in said
    assert "target_timezone\n  Field required" in said


def test_an_unknown_tool_is_a_protocol_error():
    output = called("mcp_time", "unknown tool")
    assert output.noticed.message == "MCP tool failed: Unknown tool: convert_tide"
    assert output.answered.body["error"]["code"] == -32602
    assert "is_tool_error" not in output.outputs["error_details"]
