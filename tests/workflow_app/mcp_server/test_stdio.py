"""The server as an agent meets it: its own process, a real client, over standard input and output."""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
from contextlib import asynccontextmanager

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from tests.fakes.loopback import greeting, issue, loopback

MENDBENCH = [sys.executable, "-c", "from mendbench.cli.main import main; main()"]
_TIMES = re.compile(r'("(?:duration_ms|response_time|elapsed_ms)": )[\d.]+')


@pytest.fixture
def base():
    with loopback({"GET /user": lambda _body: (200, {"name": "ada"}), "POST /issues": issue}) as url:
        yield url


def timeless(text):
    return _TIMES.sub(r"\g<1>0", text)


@asynccontextmanager
async def connected(folder, secret):
    env = {**os.environ, "THE_KEY": secret}
    server = StdioServerParameters(
        command=MENDBENCH[0], args=[*MENDBENCH[1:], "mcp", "serve", "--secret", "key=THE_KEY"], env=env, cwd=folder
    )
    async with Client(stdio_client(server)) as client:
        yield client


def test_what_the_server_says_is_what_the_command_line_prints(tmp_path, base, forked, monkeypatch):
    monkeypatch.chdir(tmp_path)
    secret = secrets.token_hex(16)
    (tmp_path / "flow.json").write_text(json.dumps(greeting(base, {"text": "é"})))
    broken = {"nodes": [{"id": "a", "type": "htp", "params": {"url": "${b.x}"}}]}
    (tmp_path / "broken.json").write_text(json.dumps(broken))
    result = {}

    async def talk():
        async with connected(tmp_path, secret) as client:
            result["tools"] = sorted(tool.name for tool in (await client.list_tools()).tools)
            for name, tool, arguments in (
                ("run", "run_workflow", {"workflow": "flow.json"}),
                ("errors", "inspect_trace", {"what": "errors"}),
                ("diff", "inspect_trace", {"what": "diff", "node": "greet"}),
                ("io", "inspect_trace", {"what": "io", "node": "greet"}),
                ("static", "run_workflow", {"workflow": broken}),
                ("validate", "validate_workflow", {"workflow": broken}),
                ("parts", "inspect_workflow", {"workflow": "flow.json"}),
            ):
                response = await client.call_tool(tool, arguments)
                result[name] = (response.is_error, response.content[0].text + "\n")

    def cli(*words):
        done = forked.run(*words, THE_KEY=secret)
        return done.returncode, done.stdout

    anyio.run(talk)
    assert result["tools"] == ["inspect_trace", "inspect_workflow", "run_workflow", "validate_workflow"]
    json_of = ("--output-format", "json")
    code, printed = cli("workflow", "run", "flow.json", "--secret", "key=THE_KEY", *json_of)
    assert (code, timeless(printed)) == (1, timeless(result["run"][1]))
    assert cli("workflow", "inspect", "flow.json", *json_of) == (0, result["parts"][1])
    assert result["run"][0] is True
    assert json.loads(printed)["errors"][0]["status_code"] == 422
    for name, words in (
        ("errors", ("errors", "list")),
        ("diff", ("debug", "validation-diff", "--node", "greet")),
        ("io", ("debug", "node-io", "--node", "greet")),
    ):
        assert timeless(cli(*words, "--format", "json")[1]) == timeless(result[name][1])
    # A workflow that does not run has no times: here not a byte differs.
    static = cli("workflow", "run", "broken.json", "--secret", "key=THE_KEY", *json_of)
    assert static == (1, result["static"][1])
    assert cli("workflow", "validate", "broken.json", *json_of) == (1, result["validate"][1])
    assert secret not in str(result)
