from __future__ import annotations

import pytest

from mendbench.errors import EffectEscape
from mendbench.io.virtual_clock import VirtualClock
from mendbench.model.execution import NodeRecord
from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.events import NodeCached, NodeCompleted, NodeFailed, NodeStarted, NodeWarned, ending, quietly
from tests.fakes.engine import FakeDetector, FakeWorld, chain, http, said

ONE, TWO = "https://api.test/one", "https://api.test/two"
FLOW = chain(http("one", ONE), http("two", TWO))


def run(responses, *, workflow=FLOW, detector=None, checkpoint=None, on_event=None):
    clock = VirtualClock()
    engine = MendbenchEngine(on_event=on_event)
    world = FakeWorld(responses, clock)
    return engine.execute(workflow, {}, world, checkpoint=checkpoint, detector=detector, clock=clock)


def events_of(responses, **options):
    heard = []
    run(responses, on_event=heard.append, **options)
    return heard


def test_a_node_reports_when_it_starts_and_when_it_is_done():
    assert events_of({f"GET {ONE}": said({"a": 1}, elapsed_ms=1200), f"GET {TWO}": said({})}) == [
        NodeStarted(node_id="one", node_type="http"),
        NodeCompleted(node_id="one", duration_ms=1200, modified=False),
        NodeStarted(node_id="two", node_type="http"),
        NodeCompleted(node_id="two", duration_ms=10, modified=False),
    ]


def test_a_failed_node_is_the_last_that_is_heard_of():
    heard = events_of({f"GET {ONE}": said({}, 422)})
    assert heard[1:] == [NodeFailed(node_id="one", message="HTTP 422", duration_ms=10, modified=False)]


def test_a_warned_node_says_what_the_detector_said():
    heard = events_of({f"GET {ONE}": said({}, 404)}, detector=FakeDetector(words="API error: gone"))
    assert heard[1:] == [NodeWarned(node_id="one", message="API error: gone", duration_ms=10, modified=False)]


def test_a_node_from_the_checkpoint_is_cached_and_one_that_changed_is_run_again():
    reads = {f"GET {ONE}": said({"a": 1}), f"GET {TWO}": said({}, 422)}
    first = run(reads)
    heard = events_of({**reads, f"GET {TWO}": said({})}, checkpoint=first.checkpoint)
    assert heard[1] == NodeCached(node_id="one", state="success", message=None)
    assert heard[3] == NodeCompleted(node_id="two", duration_ms=10, modified=False)
    changed = chain(http("one", f"{ONE}?v=2"), http("two", TWO))
    again = events_of(
        {f"GET {ONE}?v=2": said({}), f"GET {TWO}": said({})}, checkpoint=first.checkpoint, workflow=changed
    )
    assert again[1] == NodeCompleted(node_id="one", duration_ms=10, modified=True)


def test_a_warning_kept_in_the_checkpoint_keeps_its_words():
    record = NodeRecord(node_id="a", node_type="http", state="warning", cached=True, message="API error: gone")
    assert ending(record) == NodeCached(node_id="a", state="warning", message="API error: gone")


def test_what_a_listener_raises_changes_nothing():
    def broken(event):
        raise RuntimeError(event.node_id)

    responses = {f"GET {ONE}": said({"a": 1}), f"GET {TWO}": said({})}
    assert run(responses, on_event=broken) == run(responses)


def test_an_escaping_effect_and_an_interrupt_are_not_kept_from_passing():
    def escaping(_event):
        raise EffectEscape

    with pytest.raises(EffectEscape):
        quietly(escaping)(NodeStarted(node_id="a", node_type="http"))


def test_a_document_that_does_not_validate_reports_nothing():
    assert events_of({}, workflow={"nodes": []}) == []
