"""Model requests that are under way while trials go on."""

from __future__ import annotations

import threading

import pytest

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import Recordings, model_file
from mendbench.errors import Incomplete
from mendbench.live.rate_limit import Pace
from mendbench.replay.request_queue import RequestQueue, ResponsePending
from tests.fakes.recording import MODEL, PATIENCE_S, PromptModel, goes, key_of
from tests.fakes.worlds import completion


def queue_of(at_once=1, **options):
    pace = Pace(at_once=at_once)
    return RequestQueue(lambda model: pace, **options)


def keys_in(folder):
    return [entry.key for entry in cassette.load(folder / model_file(MODEL))]


def test_a_trial_waits_for_its_answer_and_then_goes_on(tmp_path):
    model = PromptModel()
    with queue_of() as queue:
        with pytest.raises(ResponsePending) as pending:
            goes(Recordings.open(tmp_path), ["one"], model, queue=queue)
        assert pending.value.key == key_of("one")
        queue.release(pending.value.key)
        (said,) = goes(Recordings.open(tmp_path), ["one"], model, queue=queue)
    assert "to one" in said
    assert model.asked == ["one"]


def test_nobody_sees_an_answer_before_it_is_released_though_it_is_there(tmp_path):
    model = PromptModel()
    with queue_of() as queue:
        with pytest.raises(ResponsePending):
            goes(Recordings.open(tmp_path), ["one"], model, queue=queue)
        with queue._changed:
            assert queue._changed.wait_for(lambda: queue._held[key_of("one")], PATIENCE_S)
        assert keys_in(tmp_path) == [key_of("one")]
        with pytest.raises(ResponsePending):
            goes(Recordings.open(tmp_path), ["one"], model, queue=queue)
        queue.release(key_of("one"))
        goes(Recordings.open(tmp_path), ["one"], model, queue=queue)
    assert model.asked == ["one"]


def test_what_was_asked_for_one_case_is_not_asked_again_for_another(tmp_path):
    model = PromptModel()
    with queue_of() as queue:
        with pytest.raises(ResponsePending):
            goes(Recordings.open(tmp_path / "a"), ["same"], model, queue=queue)
        with pytest.raises(ResponsePending):
            goes(Recordings.open(tmp_path / "b"), ["same"], model, queue=queue)
        queue.release(key_of("same"))
        said = [goes(Recordings.open(tmp_path / name), ["same"], model, queue=queue) for name in ("a", "b")]
    assert said[0] == said[1]
    assert model.asked == ["same"]
    assert keys_in(tmp_path / "a") == keys_in(tmp_path / "b") == [key_of("same")]


def test_what_has_no_pace_is_asked_at_once_by_who_wants_it(tmp_path):
    model = PromptModel()
    with RequestQueue(lambda model: None) as queue:
        (said,) = goes(Recordings.open(tmp_path), ["one"], model, queue=queue)
    assert "to one" in said


def test_where_all_is_recorded_again_the_new_answer_stands_where_the_old_one_stood(tmp_path):
    goes(Recordings.open(tmp_path), ["one", "two"], PromptModel())
    fresh, shared = PromptModel(), Recordings.open(tmp_path)
    with queue_of() as queue:
        for prompt in ("two", "three", "one"):
            with pytest.raises(ResponsePending):
                goes(shared, [prompt], fresh, queue=queue, mode="all")
            queue.release(key_of(prompt))
            goes(shared, [prompt], fresh, queue=queue, mode="all")
    assert fresh.asked == ["two", "three", "one"]
    assert keys_in(tmp_path) == [key_of(prompt) for prompt in ("one", "two", "three")]


class Failing:
    """A model of which one prompt gets no response."""

    def __init__(self):
        self.asked = []

    def send(self, model_request):
        self.asked.append(model_request["messages"][0]["content"])
        if self.asked[-1] == "bad":
            raise Incomplete("no response")
        return completion("good")


def test_a_failure_is_reported_whoever_waits_and_nothing_after_it_is_asked(tmp_path):
    model = Failing()
    with queue_of() as queue:
        for prompt in ("good", "bad", "later"):
            try:
                goes(Recordings.open(tmp_path), [prompt], model, queue=queue)
            except ResponsePending:
                continue
            except Incomplete:
                assert prompt == "later"
        with pytest.raises(Incomplete, match="no response"):
            queue.release(key_of("bad"))
        with pytest.raises(Incomplete, match="no response"):
            queue.release(key_of("later"))
    assert model.asked == ["good", "bad"]
    assert keys_in(tmp_path) == [key_of("good")]


class Slow:
    """A model that answers when an event says so."""

    def __init__(self):
        self.begun, self.may_answer = threading.Event(), threading.Event()

    def send(self, model_request):
        self.begun.set()
        assert self.may_answer.wait(PATIENCE_S)
        return completion("late")


@pytest.fixture
def slow():
    model = Slow()
    yield model
    model.may_answer.set()


def test_an_answer_under_way_when_it_is_closed_is_waited_for_and_kept(tmp_path, slow, monkeypatch):
    queue = queue_of(grace_s=PATIENCE_S)
    for prompt in ("one", "two"):
        with pytest.raises(ResponsePending):
            goes(Recordings.open(tmp_path), [prompt], slow, queue=queue)
    assert slow.begun.wait(PATIENCE_S)
    stop = Pace.stop
    monkeypatch.setattr(Pace, "stop", lambda self: (stop(self), slow.may_answer.set()))
    queue.close()
    assert keys_in(tmp_path) == [key_of("one")]


def test_an_answer_that_takes_too_long_is_given_up_and_never_written_later(tmp_path, slow):
    queue = queue_of(grace_s=0.0)
    with pytest.raises(ResponsePending):
        goes(Recordings.open(tmp_path), ["one"], slow, queue=queue)
    assert slow.begun.wait(PATIENCE_S)
    queue.close()
    slow.may_answer.set()
    for lane in queue._lanes.values():
        lane.threads[0].join(PATIENCE_S)
    assert keys_in(tmp_path) == []
    queue.close()
