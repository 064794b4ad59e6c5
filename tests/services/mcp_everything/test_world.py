from __future__ import annotations

import sys

import pytest

from mendbench.errors import BadInput
from mendbench.services.mcp_everything.world import EverythingServer
from tests.fakes.sandbox import installed
from tests.services.mcp_contract import called

MODULE = "mendbench.services.mcp_everything.world"
LISTENS = "import signal; print('listens at http://127.0.0.1:9/mcp', flush=True); signal.pause()"


@pytest.fixture
def server(monkeypatch):
    installed(monkeypatch)
    made = EverythingServer()

    def runs(script):
        monkeypatch.setattr(f"{MODULE}.sandboxed", lambda *words, **options: (sys.executable, "-c", script))
        return made

    yield runs
    made.stop()


def test_its_address_is_the_one_that_it_says_it_listens_at(server):
    assert server(LISTENS).start().url == "http://127.0.0.1:9/mcp"


def test_a_server_that_ends_is_reported_with_its_last_words(server):
    with pytest.raises(BadInput, match="ended with code 3: no such thing") as caught:
        server("import sys; print('starting'); print('no such thing'); sys.exit(3)").start()
    assert "\n" not in str(caught.value)


def test_it_has_no_state(server):
    world = server(LISTENS)
    world.start()
    world.reset({})


def test_it_has_to_be_started_first_and_leaves_nothing_behind(server):
    world = server(LISTENS)
    with pytest.raises(BadInput, match="reset before start"):
        world.reset({})
    world.start()
    folder, process = world._folder, world._server._process
    world.stop()
    world.stop()
    assert process.poll() is not None
    assert not folder.exists()


def test_structured_content_becomes_outputs():
    output = called("mcp_everything", "success")
    assert output.outputs["result"] == {"conditions": "Light rain / drizzle", "humidity": 82, "temperature": 36}
    assert output.outputs["humidity"] == 82


def test_a_text_is_the_result():
    assert called("mcp_everything", "text").outputs["result"] == "The sum of 2 and 40 is 42."


def test_several_blocks_become_a_list():
    words, link = called("mcp_everything", "blocks").outputs["result"]
    assert words.startswith("Here are 1 resource links")
    assert link["type"] == "resource_link"


def test_what_the_server_sees_of_its_environment_is_the_same_on_every_machine():
    seen = called("mcp_everything", "environment").outputs["result"]
    assert seen["HOME"] == "/srv/mendbench"
    assert not {"PORT", "HOSTNAME", "npm_config_prefix"} & set(seen)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("unknown tool", "MCP error -32602: Tool get-product not found"),
        ("invalid arguments", "MCP error -32602: Input validation error: Invalid arguments for tool get-sum: Invalid input: expected number, received string at a"),
        ("task only", "MCP error -32601: Tool simulate-research-query requires task augmentation (taskSupport: 'required')"),
    ],
)  # fmt: skip
def test_every_error_is_a_tool_error_even_one_of_the_protocol(what, said):
    output = called("mcp_everything", what)
    assert (output.noticed.message, output.outputs["error_details"]["is_tool_error"]) == (said, True)
