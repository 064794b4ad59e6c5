from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import TRAJECTORIES, WORLD, Recordings
from mendbench.errors import BrokenService, ReplayMiss
from mendbench.io.virtual_clock import START_MS, VirtualClock
from mendbench.model.exchange import Response
from mendbench.replay.model_cassette import ModelCassette
from mendbench.replay.world import UNKNOWN_HOST, ScopedWorld, SimulatedPart
from mendbench.secrets.redaction import Redactor, canary
from tests.fakes.worlds import (
    ClassifyingLive,
    FakeLive,
    ForbiddenLive,
    NotesService,
    ScriptedCaller,
    get,
    json_response,
    post,
)

TOKEN = canary("notes/adds", "notes")
NOTES = "https://notes.test/notes"
HINT = "mendbench run notes/adds --record new_episodes"


def simulated(folder, mode="none", service=None, **options):
    service = service or NotesService()
    options.setdefault("clock", VirtualClock())
    return ScopedWorld(
        recordings=options.pop("recordings", None) or Recordings.open(folder),
        services={"notes": SimulatedPart(service=service, state=service.seed())},
        hosts={"notes.test": "notes"},
        redactor=Redactor({"notes": TOKEN}),
        mode=mode,
        live=options.pop("live", ForbiddenLive()),
        record_hint=HINT,
        **options,
    )


def real(folder, live, mode="none", **options):
    return ScopedWorld(
        recordings=options.pop("recordings", None) or Recordings.open(folder),
        services={},
        hosts={"api.test": "api", "git": "git", "shell://sandbox": "shell", "file://sandbox": "file"},
        redactor=Redactor({"notes": TOKEN}),
        clock=options.pop("clock", VirtualClock()),
        mode=mode,
        live=live,
        record_hint=HINT,
        **options,
    )


def origins(world):
    return [exchange.origin for exchange in world.traffic()]


def said(response):
    return json.loads(response.body)


def test_what_was_recorded_is_replayed_byte_for_byte_without_asking_the_service(tmp_path):
    sends = [post(NOTES, {"text": "a"}), get(NOTES), post(NOTES, {}), get(NOTES)]
    recording = simulated(tmp_path, "new_episodes")
    recorded = [recording.send(request) for request in sends]
    service = NotesService()
    replaying = simulated(tmp_path, service=service, live=None)
    assert [replaying.send(request) for request in sends] == recorded
    assert service.calls == []
    assert origins(recording) == origins(replaying) == ["recorded"] * 4
    assert replaying.traffic() == recording.traffic()


def test_deleting_an_exchange_gives_the_same_answers_marked_derived(tmp_path):
    sends = [post(NOTES, {"text": "a"}), get(NOTES), post(NOTES, {"text": "b"}), get(NOTES)]
    recording = simulated(tmp_path, "new_episodes")
    recorded = [recording.send(request) for request in sends]
    kept = cassette.load(tmp_path / WORLD)
    cassette.rewrite(tmp_path / WORLD, [*kept[:1], *kept[3:]])
    replaying = simulated(tmp_path)
    assert [replaying.send(request) for request in sends] == recorded
    assert origins(replaying) == ["recorded", "derived", "derived", "recorded"]


def test_a_derived_answer_knows_the_scopes_earlier_requests_at_their_own_times(tmp_path):
    simulated(tmp_path, "new_episodes").send(post(NOTES, {"text": "a"}))
    clock = VirtualClock()
    world = simulated(tmp_path, clock=clock)
    world.send(post(NOTES, {"text": "a"}))
    clock.advance(5000)
    assert said(world.send(get(NOTES))) == {"notes": [{"text": "a", "at": START_MS}]}
    assert origins(world) == ["recorded", "derived"]


def test_scopes_do_not_see_each_other(tmp_path):
    simulated(tmp_path).send(post(NOTES, {"text": "a"}))
    assert said(simulated(tmp_path).send(get(NOTES))) == {"notes": []}


@given(picks=st.lists(st.integers(0, 4), max_size=8), recorded_first=st.integers(0, 8))
def test_two_scopes_with_equal_sends_get_equal_answers(picks, recorded_first):
    choices = [
        get(NOTES),
        post(NOTES, {"text": "a"}),
        post(NOTES, {"text": "b"}),
        post(NOTES, {}),
        get("https://else.test/"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        recorder = simulated(Path(folder), "new_episodes")
        for pick in picks[:recorded_first]:
            recorder.send(choices[pick])
        worlds = [simulated(Path(folder)), simulated(Path(folder))]
        responses = [[world.send(choices[pick]) for pick in picks] for world in worlds]
        assert responses[0] == responses[1]
        assert worlds[0].traffic() == worlds[1].traffic()
        fresh = simulated(Path(folder) / "none")
        assert [fresh.send(choices[pick]) for pick in picks] == responses[0]


def test_recording_nothing_new_leaves_the_file_alone(tmp_path):
    sends = [post(NOTES, {"text": "a"}), get(NOTES), get(NOTES)]
    for _ in range(2):
        world = simulated(tmp_path, "new_episodes")
        for request in sends:
            world.send(request)
    assert len(cassette.load(tmp_path / WORLD)) == 2


def test_the_service_gets_the_raw_request_and_everybody_else_the_redacted_one(tmp_path):
    request = get("https://notes.test/secret", headers=(("Authorization", f"Bearer {TOKEN}"),))
    service = NotesService()
    recording = simulated(tmp_path, "new_episodes", service)
    response = recording.send(request)
    assert service.calls[0].header("authorization") == f"Bearer {TOKEN}"
    assert said(response) == {"you_sent": "Bearer <secret:notes>"}
    assert TOKEN not in (tmp_path / WORLD).read_text()
    assert simulated(tmp_path / "other").send(request).body == response.body
    assert TOKEN not in repr(recording.traffic())


def test_an_undeclared_host_does_not_exist_while_recording_and_in_replay(tmp_path):
    for mode in ("none", "new_episodes", "all"):
        clock = VirtualClock()
        world = simulated(tmp_path, mode, clock=clock)
        assert world.send(get("https://elsewhere.test/")) == Response(status=0, fault="dns", elapsed_ms=30)
        assert clock.now_ms() - START_MS == 30
        assert [exchange.accepted for exchange in world.traffic()] == [False]
    assert not (tmp_path / WORLD).exists()


def test_a_miss_names_the_nearest_request_what_differs_and_the_command(tmp_path):
    real(tmp_path, FakeLive(lambda _r: json_response({"ok": True})), "new_episodes").send(
        post("https://api.test/chat", {"channel": "C1", "text": "hi"})
    )
    with pytest.raises(ReplayMiss) as caught:
        real(tmp_path, None).send(post("https://api.test/chat", {"channel": "C2", "text": "hi"}))
    assert caught.value.differs == ("body.channel",)
    assert caught.value.nearest == "POST https://api.test/chat"
    assert caught.value.record == HINT
    with pytest.raises(ReplayMiss) as caught:
        real(tmp_path / "empty", ForbiddenLive()).send(get("https://api.test/"))
    assert caught.value.nearest is None


def test_a_miss_says_when_only_the_place_in_the_scope_differs(tmp_path):
    live = FakeLive(
        lambda request: json_response({"ok": request.method == "GET"}, 200 if request.method == "GET" else 422)
    )
    recording = real(tmp_path, live, "new_episodes")
    recording.send(post("https://api.test/a", {}))
    recording.send(get("https://api.test/b"))
    replaying = real(tmp_path, None)
    replaying.send(post("https://api.test/a", {}))
    with pytest.raises(ReplayMiss) as caught:
        replaying.send(post("https://api.test/a", {}))
    assert caught.value.differs == ("n",)


def test_reads_before_and_after_a_write_are_distinguished_and_refused_writes_change_nothing(tmp_path):
    notes = []

    def responses(request):
        if request.method == "GET":
            return json_response({"notes": len(notes)})
        if request.body == b"{}":
            return json_response({"ok": False, "error": "empty"})
        notes.append(request)
        return json_response({"ok": True})

    sends = [
        get("https://api.test/n"),
        post("https://api.test/n", {}),
        get("https://api.test/n"),
        post("https://api.test/n", {"a": 1}),
        get("https://api.test/n"),
    ]
    recording = real(tmp_path, FakeLive(responses), "new_episodes")
    recorded = [said(recording.send(request)) for request in sends]
    assert [each.get("notes") for each in recorded] == [0, None, 0, None, 1]
    replaying = real(tmp_path, None)
    assert [said(replaying.send(request)) for request in sends] == recorded
    assert [exchange.accepted for exchange in replaying.traffic()] == [True, False, True, True, True]
    assert origins(recording) == ["live"] * 5
    assert origins(replaying) == ["recorded"] * 5
    assert len(cassette.load(tmp_path / WORLD)) == 4


@pytest.mark.parametrize(
    ("last", "repeats"),
    [
        (json_response({"v": 1}), True),
        (json_response({"v": 1}, 404), True),
        (json_response({}, 429), False),
        (json_response({}, 503), False),
        (Response(status=0, fault="timeout", elapsed_ms=5), False),
    ],
)
def test_a_safe_read_beyond_the_last_one_repeats_it_unless_another_try_might_do_better(tmp_path, last, repeats):
    real(tmp_path, FakeLive(lambda _r: last), "new_episodes").send(get("https://api.test/x"))
    world = real(tmp_path, None)
    world.send(get("https://api.test/x"))
    if repeats:
        assert world.send(get("https://api.test/x")) == world.send(get("https://api.test/x")) == last
    else:
        with pytest.raises(ReplayMiss):
            world.send(get("https://api.test/x"))


def test_a_write_is_never_repeated_from_an_earlier_answer(tmp_path):
    real(tmp_path, FakeLive(lambda _r: json_response({}, 422)), "new_episodes").send(post("https://api.test/x", {}))
    world = real(tmp_path, None)
    world.send(post("https://api.test/x", {}))
    with pytest.raises(ReplayMiss):
        world.send(post("https://api.test/x", {}))


def test_polling_is_recorded_as_it_changes(tmp_path):
    states = iter(["pending", "pending", "done"])
    recording = real(tmp_path, FakeLive(lambda _r: json_response({"state": next(states)})), "new_episodes")
    seen = [said(recording.send(get("https://api.test/job")))["state"] for _ in range(3)]
    replaying = real(tmp_path, None)
    assert [said(replaying.send(get("https://api.test/job")))["state"] for _ in range(4)] == [*seen, "done"]


def test_a_failing_read_is_recorded_again_until_it_succeeds(tmp_path):
    states = iter([json_response({}, 503), json_response({"ok": True})])
    recording = real(tmp_path, FakeLive(lambda _r: next(states)), "new_episodes")
    assert [recording.send(get("https://api.test/x")).status for _ in range(2)] == [503, 200]
    replaying = real(tmp_path, None)
    assert [replaying.send(get("https://api.test/x")).status for _ in range(3)] == [503, 200, 200]


def test_a_server_that_began_afresh_is_led_through_the_writes_that_came_from_the_record(tmp_path):
    real(tmp_path, FakeLive(lambda _r: json_response({"ok": True})), "new_episodes").send(
        post("https://api.test/x", {"a": 1})
    )
    for afresh, expected in ((True, ["POST", "GET"]), (False, ["GET"])):
        live = FakeLive(lambda _r: json_response({"ok": True, "n": 1}), starts_afresh=afresh)
        world = real(tmp_path, live, "new_episodes")
        world.send(post("https://api.test/x", {"a": 1}))
        world.send(get(f"https://api.test/x?afresh={afresh}"))
        assert [request.method for request in live.asked] == expected


def test_recording_everything_again_replaces_each_key_once(tmp_path):
    real(tmp_path, FakeLive(lambda _r: json_response({"v": 1})), "new_episodes").send(get("https://api.test/x"))
    live = FakeLive(lambda _r: json_response({"v": 2}))
    recordings = Recordings.open(tmp_path)
    for _ in range(2):
        assert said(real(tmp_path, live, "all", recordings=recordings).send(get("https://api.test/x"))) == {"v": 2}
    assert len(live.asked) == 1
    assert [said(entry.response) for entry in cassette.load(tmp_path / WORLD)] == [{"v": 2}]


def test_what_a_run_of_edits_led_to_stands_in_the_trajectories_and_never_in_the_proof(tmp_path):
    world = real(tmp_path, FakeLive(lambda _r: json_response({"v": 1})), "new_episodes", trajectory=True)
    world.send(get("https://api.test/first"))
    world.begin_execution()
    world.send(get("https://api.test/edited"), node="fetch")
    urls = [entry.request.url for entry in cassette.load(tmp_path / TRAJECTORIES)]
    assert urls == ["https://api.test/first", "https://api.test/edited"]
    assert cassette.load(tmp_path / WORLD) == ()
    assert [(exchange.phase, exchange.node) for exchange in world.traffic()] == [(0, None), (1, "fetch")]


def test_the_clock_moves_by_the_recorded_time_in_both_modes(tmp_path):
    times = []
    for mode, live in (("new_episodes", FakeLive(lambda _r: json_response({}, elapsed_ms=777))), ("none", None)):
        clock = VirtualClock()
        real(tmp_path, live, mode, clock=clock).send(get("https://api.test/x"))
        times.append(clock.now_ms() - START_MS)
    assert times == [777, 777]


def test_a_sender_that_waits_less_than_the_world_takes_sees_a_timeout_though_the_write_happened(tmp_path):
    clock = VirtualClock()
    world = simulated(tmp_path, service=NotesService(elapsed_ms=8000), clock=clock)
    assert world.send(post(NOTES, {"text": "a"}, timeout_s=5)) == Response(status=0, fault="timeout", elapsed_ms=5000)
    assert clock.now_ms() - START_MS == 5000
    assert world.traffic()[0].accepted
    assert len(said(world.send(get(NOTES, timeout_s=30)))["notes"]) == 1


def test_mcp_shell_and_file_requests_go_the_same_way(tmp_path):
    sends = [
        post("mcp://git/issue_create", {"title": "x"}),
        get("mcp://git/tools/list"),
        post("shell://sandbox/", {"command": "ls"}),
        get("file://sandbox/a.txt"),
    ]
    recording = real(tmp_path, FakeLive(lambda request: json_response({"url": request.url})), "new_episodes")
    recorded = [recording.send(request) for request in sends]
    replaying = real(tmp_path, None)
    assert [replaying.send(request) for request in sends] == recorded
    assert [entry.service for entry in cassette.load(tmp_path / WORLD)] == ["git", "git", "shell", "file"]


def test_an_edit_that_adds_a_missing_credential_is_not_served_the_refusal(tmp_path):
    def responses(request):
        return (
            json_response({"ok": True})
            if request.header("authorization")
            else json_response({"message": "who are you"}, 401)
        )

    recording = real(tmp_path, FakeLive(responses), "new_episodes")
    known = get("https://api.test/me", headers=(("Authorization", f"Bearer {TOKEN}"),))
    assert recording.send(get("https://api.test/me")).status == 401
    assert recording.send(known).status == 200
    assert real(tmp_path, None).send(known).status == 200


def test_a_node_that_asks_a_model_is_answered_by_the_ask_book_on_the_scopes_clock(tmp_path):
    recordings, clock = Recordings.open(tmp_path), VirtualClock()
    model_world = ModelCassette(
        recordings=recordings, redactor=Redactor({}), mode="new_episodes", caller=ScriptedCaller(["hi"])
    )
    world = real(tmp_path, None, recordings=recordings, clock=clock, model_world=model_world)
    model_request = {
        "model": "m",
        "messages": [{"role": "user", "content": "x"}],
        "params": {},
        "response_format": None,
        "draw": 0,
    }
    response = world.send(post("model://m/chat", model_request), node="write")
    assert said(response)["choices"][0]["message"]["content"] == "hi"
    assert clock.now_ms() - START_MS == 1234
    assert world.traffic()[0].node == "write"
    assert model_world.traffic() == ()


def test_replay_imports_no_http_client_no_vcrpy_and_no_mcp():
    script = (
        "import sys, mendbench.replay.world, mendbench.replay.model_cassette, mendbench.replay.guard, mendbench.live.chat_model,"
        " mendbench.live.mcp_servers, mendbench.live.shell, mendbench.live.sandbox_files\n"
        "heavy = {'vcr', 'httpx2', 'httpx', 'mcp', 'tenacity', 'pydantic', 'pandas', 'anyio'} & set(sys.modules)\n"
        "sys.exit(f'imported {sorted(heavy)}' if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert done.returncode == 0, done.stderr


def test_a_file_of_another_host_or_without_a_declared_folder_does_not_exist(tmp_path):
    assert real(tmp_path, ForbiddenLive()).send(get("file://sandbox2/a.txt")) == UNKNOWN_HOST
    assert simulated(tmp_path).send(get("file://sandbox/a.txt")) == UNKNOWN_HOST


QUERY = "https://notes.test/query"


def changes(world):
    return [exchange.changed for exchange in world.traffic()]


def test_the_state_and_not_the_method_decides_what_a_request_changed_while_recording_in_replay_and_derived(tmp_path):
    sends = [post(QUERY, {}), get(f"{NOTES}?add=a"), get(NOTES), post(QUERY, {}), post(QUERY, {}), post(NOTES, {})]
    recording = simulated(tmp_path, "new_episodes")
    recorded = [recording.send(request) for request in sends]
    assert [len(said(recorded[index])["notes"]) for index in (0, 2, 3, 4)] == [0, 1, 1, 1]
    replaying, deriving = simulated(tmp_path, live=None), simulated(tmp_path / "none", live=None)
    for world in (replaying, deriving):
        assert [world.send(request) for request in sends] == recorded
    assert changes(recording) == changes(replaying) == changes(deriving) == [False, True, False, False, False, False]
    assert origins(replaying) == ["recorded"] * 6
    assert origins(deriving) == ["derived"] * 6
    assert [one.key for one in replaying.traffic()] == [one.key for one in deriving.traffic()]
    assert [entry.changed for entry in cassette.load(tmp_path / WORLD)] == [False, True, None, False, None]


def test_a_request_in_its_services_one_spelling_goes_with_it_and_no_key_knows_of_it(tmp_path):
    world = simulated(tmp_path)
    world.send(get(f"{NOTES}?add=a"))
    world.send(get(NOTES))
    meanings = [exchange.meaning for exchange in world.traffic()]
    assert meanings == [post(NOTES, {"text": "a"}), None]
    plain = simulated(tmp_path)
    plain.send(post(NOTES, {"text": "a"}))
    assert world.traffic()[0].key != plain.traffic()[0].key


def test_a_live_world_that_knows_its_reads_is_believed(tmp_path):
    def only_reads(request):
        return True if request.url.endswith("/search") else False if "?do" in request.url else None

    sends = [
        post("https://api.test/search", {}),
        get("https://api.test/x?do"),
        get("https://api.test/x"),
        post("https://api.test/x", {}),
    ]
    live = ClassifyingLive(lambda _request: json_response({"ok": True}), only_reads=only_reads)
    recording = real(tmp_path, live, "new_episodes")
    for request in sends:
        recording.send(request)
    replaying = real(tmp_path, None)
    for request in [*sends[:1], *sends]:
        replaying.send(request)
    assert changes(recording) == [False, True, False, True]
    assert changes(replaying) == [False, *changes(recording)]
    assert [entry.changed for entry in cassette.load(tmp_path / WORLD)] == [False, True, None, None]


def test_a_server_that_began_afresh_is_led_through_what_changed_it_and_what_it_refused(tmp_path):
    def responses(request):
        return json_response({"ok": True}, 422 if request.url.endswith("/refused") else 200)

    def only_reads(request):
        return True if request.url.endswith("/search") else False if "?do" in request.url else None

    sends = [
        post("https://api.test/search", {}),
        get("https://api.test/x?do"),
        get("https://api.test/x"),
        post("https://api.test/refused", {}),
    ]
    recording = real(tmp_path, ClassifyingLive(responses, only_reads=only_reads), "new_episodes")
    for request in sends:
        recording.send(request)
    live = ClassifyingLive(responses, starts_afresh=True, only_reads=only_reads)
    resuming = real(tmp_path, live, "new_episodes")
    for request in [*sends, get("https://api.test/new")]:
        resuming.send(request)
    assert [request.url for request in live.asked] == [sends[1].url, sends[3].url, "https://api.test/new"]


@given(picks=st.lists(st.integers(0, 5), max_size=8))
def test_what_changed_is_the_same_recorded_replayed_and_derived(picks):
    choices = [get(NOTES), post(NOTES, {"text": "a"}), get(f"{NOTES}?add=a"), post(QUERY, {}), post(NOTES, {}), get("https://else.test/")]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        made = []
        for world in (simulated(Path(folder), "new_episodes"), simulated(Path(folder)), simulated(Path(folder) / "no")):
            responses = [world.send(choices[pick]) for pick in picks]
            made.append((responses, changes(world), [exchange.key for exchange in world.traffic()]))
        assert made[0] == made[1] == made[2]
        assert made[0][1] == [pick in (1, 2) for pick in picks]


class BrokenNotes(NotesService):
    def response(self, state, request, now_ms):
        raise ImportError("No module named 'notes'")


def test_a_service_that_raises_is_neither_an_answer_nor_a_nodes_exception(tmp_path):
    world = simulated(tmp_path, "new_episodes", BrokenNotes())
    with pytest.raises(BrokenService, match="service notes: ImportError: No module named 'notes'"):
        world.send(get(NOTES))
    assert not issubclass(BrokenService, Exception)
    assert not (tmp_path / WORLD).exists()


def test_what_was_looked_for_in_the_record_is_not_looked_for_again_at_each_repetition(tmp_path, monkeypatch):
    real(tmp_path / "real", FakeLive(lambda _r: json_response({"v": 1})), "new_episodes").send(
        get("https://api.test/x")
    )
    looked = []
    world = Recordings.world
    monkeypatch.setattr(Recordings, "world", lambda self, key, **how: looked.append(key) or world(self, key, **how))
    repeated, derived = real(tmp_path / "real", None), simulated(tmp_path / "derived")
    for _ in range(50):
        assert said(repeated.send(get("https://api.test/x"))) == {"v": 1}
        derived.send(get(NOTES))
    assert len(looked) <= 2 * 2 * 50


def test_a_later_answer_of_the_record_is_repeated_and_none_from_before_a_change(tmp_path):
    sends = [get(NOTES), get(NOTES), post(NOTES, {"text": "a"}), get(NOTES), get(NOTES), get(NOTES)]
    recording = simulated(tmp_path, "new_episodes")
    recorded = [recording.send(request) for request in sends]
    world = simulated(tmp_path)
    assert [world.send(request) for request in sends] == recorded
    assert origins(world) == ["recorded"] * 6
