from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from mendbench.errors import EffectEscape, GuardTripped
from mendbench.replay.guard import allowed, guarded


def connect():
    with socket.socket() as each:
        each.connect(("127.0.0.1", 9))


def bind():
    with socket.socket() as each:
        each.bind(("127.0.0.1", 0))


def send():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as each:
        each.sendto(b"x", ("127.0.0.1", 9))


EFFECTS = {
    "socket.connect": connect,
    "socket.bind": bind,
    "socket.getaddrinfo": lambda: socket.getaddrinfo("localhost", 80),
    "socket.sendto": send,
    "subprocess.Popen": lambda: subprocess.run([sys.executable, "-c", ""], check=False),
    "os.system": lambda: os.system("true"),
    "os.posix_spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
    "os.fork": os.fork,
}


@pytest.mark.parametrize("event", EFFECTS)
def test_an_effect_inside_a_trial_trips_the_guard(event):
    with pytest.raises(GuardTripped, match="exchange port") as caught, guarded():
        EFFECTS[event]()
    assert caught.value.event == event


def test_the_guard_is_no_exception_that_a_node_could_take_for_an_api_failure():
    with pytest.raises(EffectEscape), guarded():
        try:
            connect()
        except Exception as error:
            raise AssertionError("a node caught the guard") from error


def test_a_trip_that_foreign_code_swallowed_is_raised_on_leaving():
    reached = []
    with pytest.raises(GuardTripped), guarded():
        try:
            connect()
        except BaseException:  # noqa: BLE001
            reached.append(True)
    assert reached == [True]


def test_another_error_on_its_way_is_not_replaced():
    with pytest.raises(KeyError), guarded():
        raise KeyError("x")


def test_effects_pass_outside_and_where_they_are_allowed():
    with guarded():
        pass
    assert socket.getaddrinfo("127.0.0.1", 80)
    with guarded(), allowed():
        assert socket.getaddrinfo("127.0.0.1", 80)


def test_the_guard_is_back_after_an_allowed_part():
    with pytest.raises(GuardTripped), guarded():
        with allowed():
            socket.getaddrinfo("127.0.0.1", 80)
        socket.getaddrinfo("127.0.0.1", 80)


def test_ordinary_work_inside_a_trial_passes(tmp_path):
    with guarded():
        (tmp_path / "x").write_text("y")
        assert (tmp_path / "x").read_text() == "y"


def test_the_trip_says_where_the_effect_was_aimed_at():
    with pytest.raises(GuardTripped) as caught, guarded():
        connect()
    assert caught.value.detail == "('127.0.0.1', 9)"
