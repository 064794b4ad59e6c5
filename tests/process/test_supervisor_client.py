"""What a keeper holds: the network of a command, and whatever the command starts."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from mendbench.engines import Command, CommandEngine, EngineFailed, Limits, declared_by, network_record
from mendbench.process.bounded_run import run_command
from mendbench.process.supervisor import asked_in, descendants
from mendbench.process.supervisor_client import HELD, OPEN, NotKept, Supervisor, network_of, why_not
from mendbench.secrets.redaction import Redactor
from tests.fakes.engines import executed, guest_book, inn, shell_engine

kept = pytest.mark.skipif(why_not(OPEN) is not None, reason=f"no keeper here: {why_not(OPEN)}")
held = pytest.mark.skipif(why_not(HELD) is not None, reason=f"networks cannot be held here: {why_not(HELD)}")

OK = """echo '{"success": true}'"""
PYTHON = f"{sys.executable} -S -E -c"


def failed(engine):
    with pytest.raises(EngineFailed) as raised:
        executed(engine, guest_book(), inn())
    return str(raised.value)


@held
@pytest.mark.parametrize(
    ("code", "host"),
    [
        ("socket.getaddrinfo('telemetry.example', 443)", "telemetry.example"),
        ("socket.create_connection(('192.0.2.7', 443), 0.5)", "another host by its address,"),
        pytest.param(
            "socket.socket(2, 2).sendto(b'x', ('192.0.2.7', 99))",
            "another host by its address,",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "socket.create_connection(('2001:db8::7', 443), 0.5)",
            "another host by its address,",
            marks=pytest.mark.slow,
        ),
    ],
    ids=["lookup", "tcp", "udp", "ipv6"],
)
def test_what_goes_past_the_world_and_the_proxy_reaches_nothing_and_is_reported(code, host):
    """Even where the program passes over it."""
    script = f"""{PYTHON} "import socket\ntry: {code}\nexcept OSError: pass"; {OK}"""
    assert failed(shell_engine(script)).startswith(f"it asked for {host} past the world")


@held
def test_a_look_up_whose_answer_nobody_waits_for_is_reported_too():
    query = r"b'\x12\x34\x01\x00\x00\x01' + bytes(6) + b'\x09telemetry\x07example\x00\x00\x01\x00\x01'"
    code = f"import os, socket\nfor line in open('/etc/resolv.conf'):\n w = line.split()\n if w[:1] == ['nameserver']: socket.socket(2, 2).sendto({query}, (w[1], 53))"
    resolvers = Path("/etc/resolv.conf").read_text(encoding="utf-8").splitlines()
    if not any(line.startswith("nameserver") and ":" not in line for line in resolvers):
        pytest.skip("this machine looks names up elsewhere")
    assert failed(shell_engine(f'{PYTHON} "{code}"; {OK}')).startswith("it asked for telemetry.example past the world")


@held
def test_a_machine_knows_its_own_names_still():
    code = "import socket; socket.getfqdn(); socket.create_server(('localhost', 0)).close()"
    assert executed(shell_engine(f'{PYTHON} "{code}"; {OK}'), guest_book(), inn()).outcome == "success"


@held
def test_an_open_network_is_the_machines_own():
    server = "import os; print(os.readlink('/proc/self/ns/net'))"
    environ = {**os.environ}
    limits = Limits(time_s=10)
    ran = run_command([sys.executable, "-S", "-E", "-c", server], environ, limits, mark="a")
    assert ran.out.decode().strip() == os.readlink("/proc/self/ns/net")  # noqa: PTH115  a link that names no path
    keeper = Supervisor(HELD)
    ran = run_command([sys.executable, "-S", "-E", "-c", server], environ, limits, mark="b", kept=keeper)
    assert ran.out.decode().strip() not in {"", os.readlink("/proc/self/ns/net")}  # noqa: PTH115


@kept
@pytest.mark.parametrize(
    "script",
    [
        "env -i setsid /bin/sleep 60 >/dev/null 2>&1 & sleep 0.1; " + OK,
        "(setsid sh -c 'env -i /bin/sleep 60 & exit' >/dev/null 2>&1 &); sleep 0.2; " + OK,
    ],
    ids=["own session, no environment", "forked twice"],
)
def test_no_child_gets_away_whatever_it_does_to_its_session_and_environment(script):
    before = set(descendants(os.getpid()))
    assert "it left 1 process running: sleep" in failed(shell_engine(script))
    assert set(descendants(os.getpid())) <= before


@kept
def test_the_memory_of_children_in_sessions_of_their_own_counts_too():
    script = f"setsid {PYTHON} 'x = bytearray(300_000_000); import time; time.sleep(30)'; {OK}"
    words = failed(shell_engine(script, limits=Limits(time_s=10, memory_mb=150)))
    assert words.startswith("it took more than 150 MB of memory")


@kept
def test_so_many_processes_and_no_more():
    script = "for each in 1 2 3 4 5 6 7 8; do sleep 30 & done; wait"
    assert failed(shell_engine(script, limits=Limits(time_s=10, processes=5))) == "it had more than 5 processes at once"


@kept
@pytest.mark.parametrize(
    ("script", "time_s", "says"),
    [
        ("trap '' TERM INT HUP; while :; do sleep 1; done", 0.2, "it did not end within 0.2 s"),
        ("kill -STOP $$", 0.2, "it did not end within 0.2 s"),
        ("sleep 0.1; kill -9 $PPID; sleep 30", 20, "it was ended by signal 9"),
        ("sleep 0.1; kill -9 0; sleep 30", 20, "it was ended by signal 9"),
    ],
)
def test_one_that_will_not_end_is_ended(script, time_s, says):
    began = time.monotonic()
    assert failed(shell_engine(script, limits=Limits(time_s=time_s))).startswith(says)
    assert time.monotonic() - began < 18


@kept
def test_standard_input_is_at_its_end_at_once():
    assert executed(shell_engine(f"cat; {OK}"), guest_book(), inn()).outcome == "success"


@kept
def test_nothing_is_left_of_a_command_whose_mendbench_was_killed(tmp_path):
    pid_file = tmp_path / "pid"
    code = (
        "import os\nfrom mendbench.process.bounded_run import Limits, run_command\n"
        f"run_command(['sh', '-c', 'env -i setsid sleep 60 & echo $! > {pid_file}; wait'], os.environ, Limits(), mark='m')"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 30
    while not (pid_file.is_file() and pid_file.read_text().strip()) and time.monotonic() < deadline:
        time.sleep(0.02)
    child = int(pid_file.read_text())
    process.send_signal(signal.SIGKILL)
    process.wait()
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(child)


@kept
def test_one_that_ends_its_keeper_does_not_get_away(tmp_path):
    script = f"echo $$ > {tmp_path}/pid; kill -9 $PPID; exec sleep 60"
    ran = run_command(["sh", "-c", script], os.environ, Limits(time_s=30), mark="that-one")
    assert ran.ending in {"exit", "absent"}
    child = int((tmp_path / "pid").read_text())
    with contextlib.suppress(ProcessLookupError):
        handle = os.pidfd_open(child)
        select.select([handle], [], [], 30)
        os.close(handle)
    assert not alive(child)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@kept
def test_a_keeper_that_does_not_start_says_why(monkeypatch, tmp_path):
    monkeypatch.setattr("mendbench.process.supervisor.__file__", str(tmp_path / "gone.py"))
    with pytest.raises(NotKept, match="what keeps it does not start"):
        Supervisor(HELD)


@kept
def test_a_network_that_cannot_be_held_this_once_ends_the_trial_in_words(monkeypatch):
    def refusing(*_words):
        raise NotKept("unshare: No space left on device")

    monkeypatch.setattr("mendbench.engines.command.network_of", lambda _wanted: HELD)
    monkeypatch.setattr("mendbench.engines.command.Supervisor", refusing)
    assert failed(shell_engine(OK)) == "its network could not be held: unshare: No space left on device"


def test_where_no_network_can_be_held_the_program_runs_and_the_record_says_so(monkeypatch):
    monkeypatch.setattr(
        "mendbench.process.supervisor_client.why_not", lambda _network: "unshare: Operation not permitted"
    )
    monkeypatch.setattr("mendbench.process.bounded_run.why_not", lambda _network: "only Linux can")
    assert network_record(HELD) == "open: this machine cannot hold it (unshare: Operation not permitted)"
    assert network_of(HELD) == OPEN
    command = Command(name="loose", argv=("/bin/sh", "-c", f"setsid sleep 60 >/dev/null 2>&1 & {OK}"))
    engine = CommandEngine(command, declared_by(command), Redactor({}))
    assert "it left 1 process running: sleep" in failed(engine)
    assert executed(shell_engine(OK), guest_book(), inn()).outcome == "success"


@kept
def test_a_command_that_looks_up_without_an_end_is_held_to_its_time_all_the_same(monkeypatch):
    keeper = Supervisor(OPEN)
    monkeypatch.setattr(keeper, "_next", lambda _timeout_s: {"asked": "telemetry.example"})
    outcomes = []
    waiting = threading.Thread(target=lambda: outcomes.append(keeper.wait(0.0)), daemon=True)
    waiting.start()
    waiting.join(10)
    held_up = waiting.is_alive()
    monkeypatch.setattr(keeper, "_next", lambda _timeout_s: None)
    waiting.join(10)
    keeper.end()
    assert not held_up
    assert outcomes == [None]


def test_a_query_is_read():
    name = b"".join(bytes([len(label)]) + label for label in (b"telemetry", b"example"))
    assert asked_in(b"\x12\x34\x01\x00\x00\x01" + bytes(6) + name + b"\x00\x00\x1c\x00\x01") == (
        "telemetry.example",
        28,
        35,
    )


@pytest.mark.parametrize("network", ["held", "open"])
def test_a_configured_network_is_the_commands(network):
    from mendbench.config.tables import EngineConfig  # noqa: PLC0415
    from mendbench.trial.engines import command_of, engines_document  # noqa: PLC0415

    engines = {"mine": EngineConfig(command=["/bin/sh", "-c", "exit"], network=network)}
    assert command_of("mine", engines).network == network
    document = engines_document(["mine"], engines)
    protection = document["mine"]["network"]
    assert protection == network or protection.startswith("open: ")
    assert json.loads(json.dumps(document)) == document
