"""The program between us and an MCP server."""

import contextlib
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from mendbench.live import mcp_relay


def relayed(script, most=100_000):
    argv = [sys.executable, "-I", mcp_relay.__file__, str(most), "sh", "-c", script]
    return subprocess.run(
        argv, stdin=subprocess.DEVNULL, capture_output=True, start_new_session=True, timeout=60, check=False
    )


def test_lines_pass_and_the_last_words_follow():
    ran = relayed("echo one; echo two; echo 'no key' >&2; exit 3")
    assert (ran.stdout, ran.stderr, ran.returncode) == (b"one\ntwo\n", b"no key\n", 3)


def test_a_line_that_is_too_long_ends_it():
    ran = relayed("echo one; printf '%200000d'; sleep 60")
    assert b"it said more than 100000 bytes in one line" in ran.stderr
    assert ran.returncode == 1


@pytest.mark.parametrize("end", ["", "; printf '%200000d'; sleep 60"], ids=["by itself", "for a long line"])
def test_what_a_server_left_running_ends_with_it(tmp_path, end):
    relayed(f"sleep 60 >{os.devnull} 2>&1 & echo $! > {tmp_path}/pid{end}")
    with contextlib.suppress(ProcessLookupError):
        handle = os.pidfd_open(int((tmp_path / "pid").read_text()))
        ended, _, _ = select.select([handle], [], [], 20)
        os.close(handle)
        assert ended


def test_a_relay_in_somebody_elses_group_ends_nobody(tmp_path):
    script = f"{sys.executable} -I {Path(mcp_relay.__file__)} 1000 true; echo still here"
    ran = subprocess.run(
        ["sh", "-c", script],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        start_new_session=True,
        timeout=60,
        check=False,
    )
    assert ran.stdout == b"still here\n"
