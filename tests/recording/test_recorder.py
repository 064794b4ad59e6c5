"""What may be asked for real while recording."""

from __future__ import annotations

from typing import ClassVar

import pytest

from mendbench.cassettes.recordings import Recordings
from mendbench.config.tables import ModelConfig
from mendbench.errors import BadInput, MendbenchError
from mendbench.live.chat_model import ChatCaller
from mendbench.live.shell import ShellLive
from mendbench.model.exchange import Request, Response
from mendbench.ports.world import StdioServer, StreamableServer
from mendbench.recording.recorder import Recorder
from mendbench.recording.scope_recording import Recording
from mendbench.runtime.engine import MendbenchEngine
from mendbench.trial.scope import open_scope
from tests.fakes.engine import chain
from tests.fakes.scoring import make_case

REAL = make_case(recorded_from={"datasette": "real"}, state={"datasette": {"sql": "select 1"}})
GET = Request(method="GET", url="http://data.datasette.example/germbank.json")


class FakeServer:
    """A real server that starts nothing and remembers what was done to it."""

    name = "datasette"
    hosts = ("data.datasette.example",)

    def __init__(self):
        self.done = []

    def start(self):
        self.done.append("start")
        return "http://127.0.0.1:1"

    def reset(self, state):
        self.done.append(("reset", state))

    def stop(self):
        self.done.append("stop")


@pytest.fixture
def server(monkeypatch):
    found = FakeServer()
    monkeypatch.setattr("mendbench.recording.recorder.real_world", lambda name: found)
    monkeypatch.setattr(
        "mendbench.recording.recorder.HttpLive.send", lambda self, request: Response(status=200, body=b"{}")
    )
    return found


def test_in_replay_nothing_may_be_asked():
    recorder = Recorder()
    assert recorder.for_trial(REAL, None) == Recording()
    assert recorder.model_caller() is None


def test_a_simulated_case_needs_no_server():
    recording = Recorder("new_episodes").for_trial(make_case(), None)
    assert (recording.mode, recording.live.serves(GET), recording.trajectory) == ("new_episodes", False, False)
    assert Recorder("all", trajectory=True).for_trial(make_case(), None).trajectory is True


def test_a_real_server_is_started_when_it_is_first_asked_and_stopped_at_the_end(server):
    with Recorder("new_episodes") as recorder:
        first, second = recorder.for_trial(REAL, None).live, recorder.for_trial(REAL, None).live
        assert server.done == []
        first.send(GET)
        second.send(GET)
        assert [what for what in server.done if what == "start"] == ["start"]
    assert server.done[-1] == "stop"


def test_each_scope_resets_the_server_to_its_own_state_and_only_once(server):
    variant = REAL.variants[0].__class__(name="other", inputs={}, state={"datasette": {"sql": "select 2"}}, checks=())
    with Recorder("new_episodes") as recorder:
        for scope in (recorder.for_trial(REAL, None).live, recorder.for_trial(REAL, variant).live):
            scope.send(GET)
            scope.send(GET)
    resets = [what for what in server.done if isinstance(what, tuple)]
    assert resets == [("reset", {"sql": "select 1"}), ("reset", {"sql": "select 2"})]


def test_a_server_is_stopped_whatever_happens(server):
    with pytest.raises(ZeroDivisionError), Recorder("new_episodes") as recorder:
        recorder.for_trial(REAL, None).live.send(GET)
        raise ZeroDivisionError
    assert server.done[-1] == "stop"


def test_only_its_own_hosts_are_asked_of_a_server(server):
    live = Recorder("new_episodes").for_trial(REAL, None).live
    assert live.serves(GET)
    assert not live.serves(Request(method="GET", url="https://elsewhere.example/"))


def test_a_case_with_shell_commands_gets_a_shell_and_no_server():
    live = Recorder("new_episodes").for_trial(make_case(recorded_from={"shell": "real"}), None).live
    assert live.serves(Request(method="POST", url="shell://sandbox/"))
    assert not live.serves(GET)
    assert ShellLive(allow_shell=False, environ={}).serves(Request(method="POST", url="shell://sandbox/"))


def test_a_model_is_asked_where_the_configuration_says():
    recorder = Recorder(
        "new_episodes", {"tiny": ModelConfig(base_url="http://127.0.0.1:1/v1", api_key_env="KEY", timeout_s=7)}
    )
    assert recorder.caller("tiny") == ChatCaller(
        base_url="http://127.0.0.1:1/v1", api_key_env="KEY", timeout_s=7, place="models.tiny"
    )


@pytest.mark.parametrize("models", [{}, {"tiny": ModelConfig()}])
def test_a_model_without_an_address_is_reported_when_it_is_asked(models):
    with pytest.raises(BadInput, match=r"models\.tiny: no base_url; configure one, or replay with --record none"):
        Recorder("new_episodes", models).model_caller().send({"model": "tiny", "messages": []})


def test_recordings_are_opened_once_where_everything_is_recorded_again_and_afresh_else(tmp_path):
    journal, missing = Recorder("all"), Recorder("new_episodes")
    assert journal.recordings(tmp_path) is journal.recordings(tmp_path)
    assert journal.recordings(tmp_path) is not journal.recordings(tmp_path / "other")
    assert missing.recordings(tmp_path) is not missing.recordings(tmp_path)


class FakeMcp(FakeServer):
    """A real MCP server of the same kind."""

    hosts = ("Demo",)

    def __init__(self, reach, reads=None):
        super().__init__()
        self.reach, self.only_reads = reach, reads

    def start(self):
        self.done.append("start")
        return self.reach

    def reads(self, request):
        return self.only_reads


class FakeSession:
    """What speaks MCP: remembers what it was given, and that it was closed."""

    made: ClassVar[list[FakeSession]] = []

    def __init__(self, servers):
        self.servers, self.closed = servers, False
        FakeSession.made.append(self)

    def serves(self, request):
        return request.url.startswith("mcp:")

    def send(self, request):
        return Response(status=200, body=b"{}")

    def reads(self, request):
        return request.url.endswith("look")

    def close(self):
        self.closed = True


CALL = Request(method="POST", url="mcp://demo/look")


@pytest.fixture
def sessions(monkeypatch):
    monkeypatch.setattr("mendbench.recording.recorder.McpLive", FakeSession)
    monkeypatch.setattr(FakeSession, "made", [])

    def of(reach, **options):
        found = FakeMcp(reach, **options)
        monkeypatch.setattr("mendbench.recording.recorder.real_world", lambda name: found)
        return found

    return of


STDIO, HTTP = StdioServer(command=("serve", "--it")), StreamableServer(url="http://127.0.0.1:9/mcp")


@pytest.mark.parametrize(("reach", "expected"), [(STDIO, ("serve", "--it")), (HTTP, "http://127.0.0.1:9/mcp")])
def test_an_mcp_server_is_spoken_to_by_its_command_or_its_url(sessions, reach, expected):
    sessions(reach)
    with Recorder("new_episodes") as recorder:
        assert recorder.for_trial(REAL, None).live.send(CALL).status == 200
    assert [session.servers for session in FakeSession.made] == [{"Demo": expected}]


def test_each_scope_speaks_to_an_mcp_server_again_and_the_one_before_has_ended_by_its_reset(sessions):
    world = sessions(STDIO)
    ended = []
    world.reset = lambda state: ended.append([session.closed for session in FakeSession.made])
    with Recorder("new_episodes") as recorder:
        recorder.for_trial(REAL, None).live.send(CALL)
        recorder.for_trial(REAL, None).live.send(CALL)
    assert ended == [[], [True]]
    assert [session.closed for session in FakeSession.made] == [True, True]


def test_a_scope_never_asks_a_server_that_another_scope_has_reset(sessions):
    sessions(STDIO)
    with Recorder("new_episodes") as recorder:
        first, second = (recorder.for_trial(REAL, None).live for _ in range(2))
        first.send(CALL)
        second.send(CALL)
        with pytest.raises(MendbenchError, match="another scope"):
            first.send(CALL)


def test_a_server_that_speaks_mcp_is_no_host_for_http(sessions):
    sessions(STDIO)
    with Recorder("new_episodes") as recorder:
        live = recorder.for_trial(REAL, None).live
        assert live.send(Request(method="GET", url="http://demo/look")).fault == "dns"


@pytest.mark.parametrize(
    ("of_world", "url", "expected"),
    [(None, "mcp://demo/look", True), (None, "mcp://demo/put", False), (True, "mcp://demo/put", True)],
)
def test_the_world_or_else_the_tool_declares_what_only_reads(sessions, of_world, url, expected):
    sessions(STDIO, reads=of_world)
    with Recorder("new_episodes") as recorder:
        live = recorder.for_trial(REAL, None).live
        request = Request(method="POST", url=url)
        live.send(request)
        assert live.reads(request) is expected


def test_a_session_that_cannot_be_closed_keeps_no_server_running(sessions, monkeypatch):
    world = sessions(STDIO)
    monkeypatch.setattr(FakeSession, "close", lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError), Recorder("new_episodes") as recorder:
        recorder.for_trial(REAL, None).live.send(CALL)
    assert world.done[-1] == "stop"


FILES = make_case(recorded_from={"file": "real"}, state={"file": {"a.txt": "mine", "b.txt": None}})
READ = Request(method="GET", url="file://sandbox/a.txt")


def test_each_scope_gets_a_folder_of_its_own_with_the_files_of_its_state():
    variant = FILES.variants[0].__class__(name="other", inputs={}, state={"file": {"a.txt": "theirs"}}, checks=())
    with Recorder("new_episodes") as recorder:
        own, other = (recorder.for_trial(FILES, each).live for each in (None, variant))
        own.send(Request(method="PUT", url="file://sandbox/new.txt", body=b"x"))
        assert (own.send(READ).body, other.send(READ).body) == (b"mine", b"theirs")
        assert other.send(Request(method="GET", url="file://sandbox/new.txt")).status == 404
        assert own.send(Request(method="GET", url="file://sandbox/b.txt")).status == 404
        folders = list(recorder._folders)
        assert [folder.is_dir() for folder in folders] == [True, True]
    assert [folder.exists() for folder in folders] == [False, False]


def test_a_case_whose_files_lie_outside_the_folder_is_refused():
    case = make_case(recorded_from={"file": "real"}, state={"file": {"../a": "x"}})
    with Recorder("new_episodes") as recorder:
        live = recorder.for_trial(case, None).live
        with pytest.raises(BadInput, match=r"case\.yaml: state\.file: no file can be at \.\./a"):
            live.send(READ)


def test_a_workflow_of_files_replays_without_a_disk(tmp_path):
    nodes = (
        {"id": "get", "type": "read-file", "params": {"file_path": "a.txt"}},
        {"id": "put", "type": "write-file", "params": {"file_path": "b.txt", "content": "${get.content}!"}},
        {"id": "back", "type": "read-file", "params": {"file_path": "${put.file_path}"}},
    )
    document = chain(*nodes)

    def ended(recorder):
        recording = recorder.for_trial(FILES, None)
        scope = open_scope(FILES, None, Recordings.open(tmp_path), recording, "record it")
        return MendbenchEngine().execute(
            document, {}, scope.world, checkpoint=None, detector=None, clock=scope.clock
        ), scope.world.traffic()

    with Recorder("new_episodes") as recorder:
        recorded, live = ended(recorder)
    replayed, exchanges = ended(Recorder())
    assert recorded.outcome == "success"
    assert recorded.nodes[2].outputs["content"] == "1: 1: mine!"
    assert replayed == recorded
    assert {exchange.origin for exchange in live} == {"live"}
    assert {exchange.origin for exchange in exchanges} == {"recorded"}


def test_a_model_whose_prompts_are_answered_elsewhere_is_never_asked_and_another_one_without_a_server_is_refused_when_it_is():
    elsewhere, forgotten = ModelConfig(asked="in batches"), ModelConfig()
    recorder = Recorder("new_episodes", {"far": elsewhere, "tiny": forgotten})
    assert recorder.model_caller("far") is None
    assert recorder.model_caller("tiny") is not None
    assert Recorder("none", {"tiny": forgotten}).model_caller("tiny") is None
