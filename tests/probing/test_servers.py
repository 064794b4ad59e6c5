import os
import sys

import pytest

from mendbench.errors import BadInput
from mendbench.probing.servers import INSIDE, CommandTarget, UrlTarget, _installation
from tests.fakes.misbehaving_mcp import misbehaving_mcp, texts
from tests.fakes.sandbox import installed

ASKS = """
import json, os, socket, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[1])), 1)
        reached = True
    except OSError:
        reached = False
    observed = {"cwd": os.getcwd(), "files": sorted(os.listdir()), "reached": reached, "environ": dict(os.environ)}
    if message["method"] == "tools/call":
        open("new", "w").close()
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"serverInfo": {}, **observed}}), flush=True)
"""


@pytest.fixture
def content(tmp_path):
    folder = tmp_path / "content"
    folder.mkdir()
    (folder / "notes.txt").write_text("ash")
    return folder


def asked(target):
    session = target.open()
    try:
        return session.call("look", {})["result"]
    finally:
        session.close()


def looking(tmp_path, content, **options):
    scratch, script = tmp_path / "scratch", tmp_path / "server.py"
    scratch.mkdir(exist_ok=True)
    script.write_text(ASKS)
    return CommandTarget(words=(sys.executable, str(script), "80"), scratch=scratch, content=content, **options)


def test_a_sandboxed_server_sees_its_folder_and_no_variables_of_ours(tmp_path, content, monkeypatch):
    monkeypatch.setenv("SECRET_OF_OURS", "swordfish")
    target = looking(tmp_path, content, environ={"LIBRARY_KEY": "k"})
    found = asked(target)
    assert (found["cwd"], found["files"], found["reached"]) == (INSIDE, ["notes.txt"], False)
    assert found["environ"]["LIBRARY_KEY"] == "k"
    assert "SECRET_OF_OURS" not in found["environ"]


def test_each_start_begins_with_a_fresh_copy_of_the_folder(tmp_path, content):
    target = looking(tmp_path, content, sandbox=False)
    target.open().close()
    before = target.files()
    assert asked(target)["files"] == ["notes.txt"]
    assert target.files() != before
    assert asked(target)["files"] == ["notes.txt"]
    assert sorted(path.name for path in content.iterdir()) == ["notes.txt"]


def test_a_folder_that_cannot_be_copied_is_named(tmp_path, content):
    os.mkfifo(content / "pipe")
    with pytest.raises(
        BadInput, match=r"--folder .*content: cannot be copied \(.*pipe.*\); name a folder with plain files"
    ):
        looking(tmp_path, content).open()


def test_a_program_that_is_not_found_is_named(tmp_path):
    with pytest.raises(BadInput, match="command 'no-such-program': not found; name a program on the PATH"):
        CommandTarget(words=("no-such-program",), scratch=tmp_path).open()


def test_without_bubblewrap_the_way_around_it_is_named(tmp_path, content, monkeypatch):
    installed(monkeypatch, bwrap=None)
    with pytest.raises(BadInput, match=r"bubblewrap \(bwrap\) is not installed; install it, or .*--no-sandbox"):
        looking(tmp_path, content).open()


def test_a_program_is_shown_with_what_is_installed_around_it(tmp_path):
    for made, around in (
        ("env/bin/serve", "env"),
        ("app/node_modules/serve/dist/index.js", "app/node_modules"),
        ("tools/serve.py", "tools"),
    ):
        path = tmp_path / made
        path.parent.mkdir(parents=True)
        path.touch()
        assert _installation(path) == (tmp_path / around,)


def test_only_the_loopback_interface_is_this_machine():
    for url, remote in (
        ("http://127.0.0.1:8000/mcp", False), ("http://localhost/mcp", False), ("http://[::1]/mcp", False),
        ("https://library.example/mcp", True), ("http://127.0.0.1.library.example/mcp", True),
    ):  # fmt: skip
        assert UrlTarget(url=url).remote is remote
    assert UrlTarget(url="https://library.example/mcp?key=swordfish").shown == "https://library.example/mcp"


def test_a_server_over_http_is_called_through_the_sdk():
    with misbehaving_mcp([texts("Bread")]) as server:
        session = UrlTarget(url=server.url).open()
        try:
            found = session.call("find_book", {})
        finally:
            session.close()
    assert found["result"]["content"] == [{"type": "text", "text": "Bread"}]


def test_without_the_sdk_a_url_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    session = UrlTarget(url="http://127.0.0.1/mcp").open()
    with pytest.raises(BadInput, match=r"the MCP SDK is not installed; pip install 'mendbench\[mcp\]'"):
        session.list_tools()
    session.close()


def test_a_url_that_nobody_serves_ends_in_one_line(tmp_path):
    with misbehaving_mcp([texts("Bread")]) as server:
        pass
    session = UrlTarget(url=f"{server.url}?key=swordfish").open()
    with pytest.raises(
        BadInput, match=r"/mcp: cannot be reached \(.*\); check the URL, and that the server runs"
    ) as caught:
        session.list_tools()
    session.close()
    assert "swordfish" not in str(caught.value)
