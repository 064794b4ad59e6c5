"""Servers that misbehave: each ends in one line that says what the server did."""

import os
import sys

import pytest

from mendbench.probing import stdio
from mendbench.probing.connection import Lost
from mendbench.probing.stdio import StdioSession
from tests.fakes import probed


def session(mode="", **options):
    return StdioSession(probed.command(mode), dict(os.environ), **options)


@pytest.fixture
def connected(tmp_path):
    one = session(cwd=str(tmp_path))
    yield one
    one.close()


def test_all_pages_of_the_tools_are_listed(connected):
    assert [tool["name"] for tool in connected.list_tools()] == ["find_book", "lend_book", "burn_book"]
    assert (connected.info.name, connected.info.version) == ("library", "7")


def test_a_response_is_the_whole_message(connected):
    found = connected.call("find_book", {"shelf_id": "s-17", "sort_by": "colour"})
    assert found == {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Invalid params"}}


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("exits", "it ended with exit code 1; its last line on stderr: no ledger found"),
        ("floods", "it wrote more than 2,000 lines before its response; a line on stdout that is not JSON-RPC: tick"),
        ("endless-line", "it wrote more than 4,000,000 bytes in one line"),
    ],
)
def test_a_server_that_does_not_start_is_described(mode, message):
    with pytest.raises(Lost) as caught:
        session(mode)
    assert str(caught.value).startswith(message)


def test_a_server_that_does_not_answer_is_ended_at_its_limit():
    with pytest.raises(Lost, match="^no answer within 0.2 s$"):
        session("hangs", start_s=0.2)


def test_a_program_that_cannot_be_run_is_described():
    with pytest.raises(Lost, match="No such file or directory"):
        StdioSession(["/nowhere/library"], {})


def test_a_greeting_on_stdout_is_passed_over(tmp_path):
    one = session("talks", cwd=str(tmp_path))
    try:
        assert one.list_tools()
    finally:
        one.close()


def test_a_server_that_uses_too_much_memory_is_ended(monkeypatch):
    monkeypatch.setattr(stdio, "MAX_MEMORY_MB", 1)
    monkeypatch.setattr(stdio, "_WEIGH_EVERY_S", 0.0)
    with pytest.raises(Lost, match="it used more than 1 MB of memory"):
        session("hangs")


def test_closing_ends_the_children_of_a_server_too(tmp_path):
    child = "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)"
    serve = f"{child}; import runpy; sys.argv = [sys.argv[1]]; runpy.run_path(sys.argv[0], run_name='__main__')"
    one = StdioSession([sys.executable, "-c", serve, probed.SERVER], dict(os.environ), cwd=str(tmp_path))
    left = stdio.descendants(one._process.pid)
    assert left
    one.close()
    assert not any(stdio._runs(pid, fields) for pid, fields in left.items())
