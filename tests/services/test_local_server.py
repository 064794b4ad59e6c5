from __future__ import annotations

import pytest

from mendbench.errors import BadInput
from mendbench.services.local_server import LocalServer, refuse_absent

SAYS_WHERE = """
import os, time
print("ready at http://127.0.0.1:4711 with", sorted(os.environ), sys.argv[1:], flush=True)
time.sleep(600)
"""


@pytest.fixture
def server():
    made = LocalServer("shed")
    yield made
    made.stop()


def test_a_package_that_is_absent_is_named_with_what_installs_it():
    with pytest.raises(BadInput) as caught:
        refuse_absent("shed", "json", "no_such_module")
    assert str(caught.value) == (
        "service shed: the package no-such-module is not installed; run `make record-world`, which installs what recording needs"
    )


def test_nothing_is_refused_where_all_is_there():
    refuse_absent("shed", "json", "http")


def test_the_address_is_the_one_that_the_program_prints(server, tmp_path):
    environ = {"ONE": "1", "LC_ALL": "C.UTF-8"}
    assert server.start(SAYS_WHERE, "word", log=tmp_path / "log", environ=environ) == "http://127.0.0.1:4711"
    said = (tmp_path / "log").read_text("utf-8")
    assert "['word']" in said
    assert "'ONE'" in said
    assert "'PATH'" not in said  # only what it was given


def test_a_program_that_ends_is_reported_with_its_last_words(server, tmp_path):
    with pytest.raises(BadInput) as caught:
        server.start("print('one'); sys.exit('no such shelf')", log=tmp_path / "log", environ={})
    assert str(caught.value) == "service shed: it ended with code 1: no such shelf; mend its set-up"


def test_a_program_that_listens_nowhere_in_time_is_stopped(server, tmp_path, monkeypatch):
    monkeypatch.setattr("mendbench.services.local_server.START_LIMIT_S", 0.0)
    with pytest.raises(BadInput, match="no answer within 0 s"):
        server.start("import time; time.sleep(600)", log=tmp_path / "log", environ={})
    assert server._process is None


def test_it_is_stopped_before_it_is_started_again(server, tmp_path):
    server.start(SAYS_WHERE, log=tmp_path / "log", environ={})
    first = server._process
    server.start(SAYS_WHERE, log=tmp_path / "log", environ={})
    assert first.poll() is not None


def test_it_ends_when_whoever_started_it_goes_away(server, tmp_path):
    server.start(SAYS_WHERE, log=tmp_path / "log", environ={})
    server._process.stdin.close()
    assert server._process.wait(20) == 0
