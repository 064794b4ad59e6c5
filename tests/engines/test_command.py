"""A command as an engine: what it is given, what is read of it, and what every way of going wrong comes to."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from mendbench.engines import EngineFailed, Limits
from mendbench.engines.command import _endless
from mendbench.engines.document import EngineCheckpoint
from mendbench.errors import ReplayMiss
from mendbench.replay.guard import guarded
from tests.fakes.engine import FakeDetector, fault, said
from tests.fakes.engines import HOST, body_of, executed, guest_book, inn, plain_engine, shell_engine

OK = """echo '{"success": true}'"""


def failed(engine, workflow=None, world=None):
    with pytest.raises(EngineFailed) as raised:
        executed(engine, workflow or guest_book(), world or inn())
    return str(raised.value)


def test_what_it_sends_reaches_the_world_under_its_own_name_and_node():
    world = inn()
    execution = executed(plain_engine(), guest_book(), world)
    assert world.calls() == [f"GET {HOST}/guests/7", f"POST {HOST}/notes"]
    assert body_of(world.sent[1]) == {"text": "Welcome Ina!"}
    assert [one.node for one in world.exchanges] == ["guest", "note"]
    assert (execution.outcome, execution.states(), execution.outputs) == (
        "success", {"guest": "success", "note": "success"}, {"number": "n-1"},
    )  # fmt: skip


def test_no_port_is_sent_or_reported():
    """A URL of a response comes rewritten, and goes back as it was: in a request, in a failure, in an output."""
    workflow = guest_book("${guest.response.more}", link="see https://elsewhere.example/a and ${guest.response.more}")
    workflow["nodes"].append({"id": "next", "type": "http", "params": {"url": "${guest.response.more}"}})
    workflow["edges"].append({"from": "note", "to": "next"})
    workflow["outputs"] = {"more": {"source": "${guest.response.more}"}}
    world = inn(**{f"GET {HOST}/guests/8": said({"see": f"{HOST}/help"}, 404)})
    execution = executed(plain_engine(), workflow, world)
    assert body_of(world.sent[1]) == {
        "text": f"{HOST}/guests/8",
        "link": f"see https://elsewhere.example/a and {HOST}/guests/8",
    }
    assert world.calls()[2] == f"GET {HOST}/guests/8"
    failure = execution.failures[0]
    assert (failure.node_id, failure.status_code, failure.raw_response) == ("next", 404, {"see": f"{HOST}/help"})
    assert "127.0.0.1" not in repr(execution)
    assert not [name for name in failure.response_headers if name.lower().startswith("mendbench")]


def test_plain_http_stays_plain_http():
    plain = "http://old.saltmarsh.example:8080/x"
    workflow = {"nodes": [{"id": "a", "type": "http", "params": {"url": plain}}]}
    world = inn(**{f"GET {plain}": said({"ok": 1})})
    executed(plain_engine(), workflow, world)
    assert world.calls() == [f"GET {plain}"]


def test_a_host_that_a_template_names_is_asked_for_in_the_world_too():
    workflow = {"nodes": [{"id": "a", "type": "http", "params": {"url": "https://${host}/x"}}]}
    world = inn(**{"GET https://late.example/x": said({"ok": 1})})
    assert executed(plain_engine(), workflow, world, inputs={"host": "late.example"}).outcome == "success"
    assert world.calls() == ["GET https://late.example/x"]


def test_an_answer_that_did_not_come_is_no_answer_for_the_command_either():
    world = inn(**{f"GET {HOST}/guests/7": fault("dns")})
    execution = executed(plain_engine(), guest_book(), world)
    assert execution.states() == {"guest": "error", "note": "not_run"}
    assert execution.failures[0].message.startswith("no response")


def test_it_goes_on_from_the_checkpoint_that_it_declares_to_understand():
    engine, world = (
        plain_engine(),
        inn(**{f"POST {HOST}/notes": [said({"why": "no tag"}, 422), said({"id": "n-2"}, 201)]}),
    )
    first = executed(engine, guest_book(), world)
    assert isinstance(first.checkpoint, EngineCheckpoint)
    second = executed(engine, guest_book(tag="x"), world, checkpoint=first.checkpoint)
    assert (second.outcome, len(world.calls())) == ("success", 3)


def test_one_that_does_not_declare_it_starts_over():
    engine, world = plain_engine(resume=False), inn(**{f"POST {HOST}/notes": [said({}, 422), said({"id": "n-2"}, 201)]})
    first = executed(engine, guest_book(), world)
    executed(engine, guest_book(tag="x"), world, checkpoint=first.checkpoint)
    assert len(world.calls()) == 4


def test_secrets_are_taken_out_of_what_it_prints():
    secret = os.urandom(12).hex()
    world = inn(**{f"GET {HOST}/guests/7": said({"why": f"{secret} is no key"}, 401)})
    execution = executed(plain_engine(secrets={"inn": secret}), guest_book(), world)
    assert execution.failures[0].raw_response == {"why": "<secret:inn> is no key"}


def test_real_time_is_taken_out_of_what_reaches_a_prompt():
    engine = plain_engine()
    execution = executed(engine, guest_book(), inn())
    shown = engine.describe(guest_book(), execution)
    assert shown["execution"]["duration_ms"] == 0
    assert {step["duration_ms"] for step in shown["execution"]["steps"]} == {0}
    assert "mendbench" not in shown


def test_what_it_calls_failed_the_detector_judges():
    world = inn(**{f"POST {HOST}/notes": said({"error": "closed"}, 403)})
    detector = FakeDetector("warning", "the inn is closed")
    execution = executed(plain_engine(), guest_book(), world, detector=detector)
    assert (execution.outcome, execution.warnings[0].message) == ("warning", "the inn is closed")
    assert execution.states()["note"] == "warning"
    assert [(one.status, one.body) for one in detector.seen] == [(403, {"error": "closed"})]
    assert (execution.failures[0].category, execution.failures[0].fixable) == ("non_repairable", False)


def test_one_that_judges_by_itself_is_left_to_it_in_a_trial_and_not_in_a_clean_run():
    world = inn(**{f"POST {HOST}/notes": said({"ok": False, "error": "closed"})})
    detector = FakeDetector("warning", "closed")
    own = executed(plain_engine(judge="engine"), guest_book(), world, detector=detector)
    assert (own.outcome, own.states()["note"]) == ("success", "success")
    clean = executed(plain_engine(judge="engine", truth=True), guest_book(), inn(**world.responses), detector=detector)
    assert (clean.outcome, clean.states()["note"]) == ("warning", "warning")


def test_without_a_detector_its_warning_is_an_error():
    printed = json.dumps(
        {"success": False, "errors": [{"node_id": "guest", "message": "closed", "category": "non_repairable"}]}
    )
    engine = shell_engine(f"echo '{printed}'")
    assert executed(engine, guest_book(), inn(), detector=FakeDetector()).outcome == "warning"
    assert executed(engine, guest_book(), inn()).outcome == "error"


@pytest.mark.parametrize(
    ("engine", "says"),
    [
        (partial(shell_engine, "exec /no/such/program"), "it ended with exit code 127"),
        (partial(plain_engine, "hangs", limits=Limits(time_s=0.2)), "it did not end within 0.2 s"),
        (partial(plain_engine, "speechless"), "it printed no JSON object on standard output; it said last: workflow finished, all is well"),
        (partial(plain_engine, "floods", limits=Limits(time_s=10, output_kb=64)), "it printed more than 64 KB on standard output"),
        (partial(plain_engine, "leaves"), "it left 1 process running: sleep"),
        (partial(plain_engine, "dies"), "it ended with exit code 1, and printed no JSON object on standard output; it said last: the flux is inverted"),
        (partial(plain_engine, "eats", limits=Limits(time_s=10, memory_mb=200)), "it took more than 200 MB of memory"),
        (partial(plain_engine, "unfinished"), "'success' is no true or false"),
        (partial(shell_engine, "echo '[1]'"), "it printed no JSON object"),
        (partial(shell_engine, """echo '{"success": false}'"""), "'success' is false, and 'errors' is empty"),
        (partial(shell_engine, """echo '{"success": true, "warnings": 3}'"""), "'warnings' is no list"),
        (partial(shell_engine, "kill -11 $$"), "it was ended by signal 11"),
        (partial(shell_engine, f"setsid sleep 60 >/dev/null 2>&1 & {OK}"), "it left 1 process running: sleep"),
    ],
    ids=lambda each: each[:30] if isinstance(each, str) else "",
)  # fmt: skip
def test_each_way_of_going_wrong_is_reported_in_one_line_and_bounded(engine, says):
    began = time.monotonic()
    words = failed(engine())
    assert says in words
    assert "\n" not in words
    assert time.monotonic() - began < 10


def test_a_command_that_is_not_there_is_reported():
    engine = shell_engine("true")
    engine._command = engine._command.__class__(name="gone", argv=("no-such-program",))
    assert failed(engine) == "it cannot be run (no-such-program: No such file or directory)"


def test_a_host_that_is_asked_for_past_the_world_is_reported():
    """Declared or not: over a proxy that is taken from the environment nothing can be recorded that is encrypted."""
    script = "exec python3 -c \"import urllib.request as u; u.urlopen('https://telemetry.example/x')\""
    words = failed(shell_engine(script))
    assert words.startswith("it asked for telemetry.example past the world")


def test_noise_before_the_document_is_passed_over():
    assert executed(plain_engine("chatty"), guest_book(), inn()).outcome == "success"


def test_a_miss_ends_the_execution_and_the_command():
    def missing(_request):
        raise ReplayMiss("POST", nearest=None, differs=(), record="mendbench run")

    began = time.monotonic()
    with pytest.raises(ReplayMiss):
        executed(plain_engine(), guest_book(), inn(**{f"POST {HOST}/notes": missing}))
    assert time.monotonic() - began < 10


def test_a_trial_stays_guarded_around_it():
    engine = plain_engine()
    with guarded():
        assert executed(engine, guest_book(), inn()).outcome == "success"
    with pytest.raises(BaseException, match="inside a trial"), guarded():
        socket.create_connection(("127.0.0.1", 9))


def test_the_world_of_a_guarded_trial_is_guarded_too():
    def reaches_out(_request):
        socket.create_connection(("127.0.0.1", 9))

    engine = plain_engine()
    with pytest.raises(BaseException, match="127.0.0.1 9 inside a trial"), guarded():
        executed(engine, guest_book(), inn(**{f"POST {HOST}/notes": reaches_out}))


def test_nodes_that_it_does_not_have_are_a_problem_of_the_workflow():
    workflow = {
        "ir_version": "0.1.0",
        "nodes": [{"id": "a", "type": "shell", "params": {"command": "ls"}}],
        "edges": [],
    }
    assert plain_engine().validate(workflow, {})[-1] == (
        "Node 'a' has the type 'shell', which this engine does not have. It has: http"
    )


def test_a_plain_request_past_the_world_is_reported_too():
    script = "exec python3 -c \"import urllib.request as u; u.urlopen('http://telemetry.example/x')\""
    world = inn()
    assert failed(shell_engine(script), world=world).startswith("it asked for telemetry.example past the world")
    assert world.calls() == []


def test_a_run_of_our_own_engine_imports_nothing_of_it():
    code = "import sys, mendbench.api, mendbench.trial.runner; print([name for name in sys.modules if name.startswith('mendbench.engines')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_one_that_asks_for_ever_is_ended(monkeypatch):
    monkeypatch.setattr("mendbench.engines.world_server.MOST_REQUESTS", 5)
    monkeypatch.setattr("mendbench.engines.command.MOST_REQUESTS", 5)
    code = f"import os, urllib.request as u\nwhile 1: u.urlopen(os.environ['MENDBENCH_WORLD_URL'] + '/{HOST[8:]}/guests/7').read()"
    world = inn()
    assert failed(shell_engine(f'exec python3 -c "{code}"'), world=world).startswith("it sent more than 5 requests")
    assert len(world.calls()) == 5


@pytest.mark.parametrize("framing", ["content-length: 5000", "transfer-encoding: chunked"])
def test_a_body_without_end_is_refused_and_never_held_whole(monkeypatch, framing):
    monkeypatch.setattr("mendbench.engines.loopback._LONGEST_BODY", 4096)
    code = (
        "import os, socket\nhost, port = os.environ['MENDBENCH_WORLD_URL'][7:].split(':')\ns = socket.create_connection((host, int(port)))\n"
        f"s.sendall(b'POST /{HOST[8:]}/notes HTTP/1.1\\r\\nhost: x\\r\\n{framing}\\r\\n\\r\\n1388\\r\\n' + b'x' * 5000 + b'\\r\\n')\n"
        "print(s.recv(100).split()[1].decode())"
    )
    world = inn()
    words = failed(shell_engine(f'exec python3 -c "{code}"'), world=world)
    assert words.endswith("it said last: 413")
    assert world.calls() == []


def test_traces_are_kept_as_far_as_they_can_be_read(tmp_path):
    script = "cd $MENDBENCH_TRACE_DIR; echo a > plain; mkfifo pipe; ln -s /etc/hostname link; " + OK
    engine = shell_engine(script)
    engine._command = replace(engine._command, traces=str(tmp_path / "kept"))
    assert executed(engine, guest_book(), inn()).outcome == "success"
    (place,) = (tmp_path / "kept").iterdir()
    assert (place / "plain").read_text() == "a\n"
    assert (place / "link").is_symlink()
    assert not (place / "pipe").exists()


@pytest.mark.parametrize("instead", ["", '; ln -s /etc "$MENDBENCH_TRACE_DIR"', '; touch "$MENDBENCH_TRACE_DIR"'])
def test_one_that_removes_its_trace_folder_does_no_harm(tmp_path, instead):
    engine = shell_engine(f'rm -rf "$MENDBENCH_TRACE_DIR"{instead}; {OK}')
    engine._command = replace(engine._command, traces=str(tmp_path / "kept"))
    assert executed(engine, guest_book(), inn()).outcome == "success"


def test_traces_that_nest_deeper_than_is_followed_are_kept_as_far(tmp_path, monkeypatch):
    def too_deep(written, place, **_how):
        (Path(place) / "d").mkdir()
        raise RecursionError("maximum recursion depth exceeded")

    monkeypatch.setattr(shutil, "copytree", too_deep)
    engine = shell_engine("touch $MENDBENCH_TRACE_DIR/file; " + OK)
    engine._command = replace(engine._command, traces=str(tmp_path / "kept"))
    assert executed(engine, guest_book(), inn()).outcome == "success"
    (place,) = (tmp_path / "kept").iterdir()
    assert (place / "d").is_dir()


def test_no_pipe_socket_or_device_is_copied(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    assert _endless(str(tmp_path), ["file", "folder", "link", "pipe"]) == {"pipe"}
    assert _endless("/dev", ["null", "zero"]) == {"null", "zero"}


@pytest.mark.parametrize(
    ("headers", "language"), [({}, None), ({"accept-language": "*"}, "*"), ({"accept-language": "de"}, "de")]
)
def test_a_header_of_its_client_is_part_of_a_request_only_where_the_node_names_it(headers, language):
    workflow, world = guest_book(), inn()
    workflow["nodes"][0]["params"]["headers"] = headers
    executed(plain_engine("adds accept-language: *"), workflow, world)
    assert [one.header("Accept-Language") for one in world.sent] == [language, None]
