from __future__ import annotations

import asyncio
import ctypes
import importlib
import multiprocessing
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mendbench.errors import EffectEscape, GuardTripped
from mendbench.replay.guard import allowed, guarded

HERE = Path(__file__)


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
    "socket.gethostbyname": lambda: socket.gethostbyname("localhost"),
    "os.kill": lambda: os.kill(os.getpid(), 0),
    "open": lambda: (HERE.parent / "never.txt").open("a"),
    "os.mkdir": (HERE.parent / "never").mkdir,
    "os.remove": (HERE.parent / "never.txt").unlink,
    "os.rename": lambda: HERE.rename(HERE.parent / "never.txt"),
    "os.chmod": lambda: HERE.chmod(0o600),
    "os.truncate": lambda: os.truncate(HERE, 0),
    "os.symlink": lambda: (HERE.parent / "never").symlink_to("x"),
    "os.link": lambda: (HERE.parent / "never").hardlink_to(HERE),
    "signal.pthread_kill": lambda: signal.pthread_kill(threading.get_ident(), 0),
    "_winapi.CreateProcess": lambda: sys.audit("_winapi.CreateProcess", None, "true", "."),
    "winreg.SetValue": lambda: sys.audit("winreg.SetValue", 1, "Software", 1, "x"),
    "sqlite3.connect": lambda: sqlite3.connect(HERE.parent / "never.db"),
    "ctypes.dlsym": lambda: ctypes.CDLL(None).system,
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
    (tmp_path / "x").write_text("y")
    with guarded():
        assert (tmp_path / "x").read_text() == "y"
        with Path(os.devnull).open("w") as nowhere:
            nowhere.write("y")
        with sqlite3.connect(":memory:") as held:
            held.execute("select 1")


def test_the_trip_says_where_the_effect_was_aimed_at():
    with pytest.raises(GuardTripped) as caught, guarded():
        connect()
    assert caught.value.detail == "('127.0.0.1', 9)"


def unix():
    with socket.socket(socket.AF_UNIX) as each:
        each.connect("/nowhere")


def in_a_thread(effect):
    thread = threading.Thread(target=effect)
    thread.start()
    thread.join()


def in_a_thread_of_a_thread(effect):
    in_a_thread(lambda: in_a_thread(effect))


def in_an_executor(effect):
    with ThreadPoolExecutor(1) as pool:
        pool.submit(effect).result()


def in_a_task(effect):
    async def main():
        async def inner():
            effect()

        await asyncio.create_task(inner())

    asyncio.run(main())


def in_a_tasks_thread(effect):
    asyncio.run(asyncio.to_thread(effect))


@pytest.mark.parametrize(
    "beginning", [in_a_thread, in_a_thread_of_a_thread, in_an_executor, in_a_task, in_a_tasks_thread]
)
@pytest.mark.parametrize("effect", [connect, unix])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_what_is_begun_inside_a_trial_belongs_to_it(beginning, effect):
    with pytest.raises(GuardTripped), guarded():
        beginning(effect)


def test_a_thread_that_was_begun_where_effects_are_allowed_is_free():
    found = []
    with guarded(), allowed():
        in_a_thread(lambda: found.append(socket.getaddrinfo("127.0.0.1", 80)))
    assert found


def test_a_thread_outside_is_free_while_a_trial_goes_on():
    inside, outside = threading.Event(), threading.Event()
    found = []

    def other():
        inside.wait(10)
        found.append(socket.getaddrinfo("127.0.0.1", 80))
        outside.set()

    thread = threading.Thread(target=other)
    thread.start()
    with guarded():
        inside.set()
        outside.wait(10)
    thread.join()
    assert found


@pytest.mark.parametrize("kind", ["fork", "spawn"])
def test_a_process_of_multiprocessing_trips_it(kind):
    with pytest.raises(GuardTripped), guarded():
        multiprocessing.get_context(kind).Process(target=print).start()


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_module_may_be_imported_for_the_first_time_and_kept_compiled(tmp_path, monkeypatch, elsewhere):
    name = f"imported_for_the_first_time_{elsewhere}".lower()
    (tmp_path / f"{name}.py").write_text("RESPONSE = 42\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "compiled") if elsewhere else None)
    with guarded():
        assert importlib.import_module(name).RESPONSE == 42
    assert list(tmp_path.rglob("*.pyc"))


@pytest.mark.parametrize(
    "effect",
    [
        lambda cache: (cache / ".." / "new").open("w"),
        lambda cache: (cache / ".." / "new").mkdir(),
        lambda cache: (cache / ".." / "old").unlink(),
        lambda cache: (cache / "compiled").rename(cache.parent / "new"),
        lambda cache: (cache.parent / "old").rename(cache / "new"),
        lambda cache: (cache / "new").symlink_to(cache.parent),
        lambda cache: (cache / "new").hardlink_to(cache.parent / "old"),
        lambda cache: Path(f"{cache}s").mkdir(),
    ],
)
@pytest.mark.parametrize("elsewhere", [False, True])
def test_the_cache_of_compiled_modules_leads_nowhere_else(tmp_path, monkeypatch, effect, elsewhere):
    cache = tmp_path / "in" / ("compiled" if elsewhere else "__pycache__")
    cache.mkdir(parents=True)
    monkeypatch.setattr(sys, "pycache_prefix", str(cache) if elsewhere else None)
    for place in (cache / "compiled", cache.parent / "old"):
        place.touch()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(GuardTripped), guarded():
        effect(cache)
    assert sorted(tmp_path.rglob("*")) == before
