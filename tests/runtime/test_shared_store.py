from mendbench.runtime.engine import MendbenchEngine
from mendbench.runtime.shared_store import shared_store
from tests.fakes.engine import FakeDetector, FakeWorld, chain, http, said

BASE = "https://api.example.com"
REFUSED = said({"ok": False, "error": "channel_not_found"})


def store_of(workflow, responses, *, detector=None, checkpoint=None):
    world = FakeWorld(responses)
    execution = MendbenchEngine().execute(
        workflow, {}, world, checkpoint=checkpoint, detector=detector, clock=world.clock
    )
    return shared_store(execution), execution


def test_a_warning_that_stops_the_run_says_that_no_repair_may_be_tried():
    store, _ = store_of(
        chain(http("slack-fetch", f"{BASE}/a"), http("b", f"{BASE}/b")),
        {f"GET {BASE}/a": REFUSED},
        detector=FakeDetector(),
    )
    assert store["__warnings__"] == {"slack-fetch": "API error: channel_not_found"}
    assert store["__non_repairable_error__"] is True
    assert store["__execution__"]["completed_nodes"] == ["slack-fetch"]
    assert store["__execution__"]["node_actions"] == {"slack-fetch": "error"}
    assert store["__execution__"]["failed_node"] == "slack-fetch"


def test_a_warning_that_an_edge_handles_is_collected_and_stops_nothing():
    workflow = chain(
        http("a", f"{BASE}/a"),
        http("b", f"{BASE}/b"),
        http("c", f"{BASE}/c"),
        edges=[("a", "b", "warning"), ("b", "c")],
    )
    responses = {f"GET {BASE}/a": REFUSED, f"GET {BASE}/b": said({}), f"GET {BASE}/c": REFUSED}
    store, _ = store_of(workflow, responses, detector=FakeDetector())
    assert list(store["__warnings__"]) == ["a", "c"]
    assert store["__non_repairable_error__"] is True
    handled, _ = store_of(workflow, {**responses, f"GET {BASE}/c": said({})}, detector=FakeDetector())
    assert list(handled["__warnings__"]) == ["a"]
    assert "__non_repairable_error__" not in handled


def test_an_error_may_be_repaired_and_its_node_has_not_completed():
    store, _ = store_of(chain(http("a", f"{BASE}/a")), {f"GET {BASE}/a": said({}, 422)})
    assert "__non_repairable_error__" not in store
    assert store["__warnings__"] == {}
    assert store["__execution__"]["completed_nodes"] == []
    assert store["__execution__"]["failed_node"] == "a"


def test_a_resume_states_what_was_cached_and_what_was_run_again():
    workflow = chain(http("a", f"{BASE}/a"), http("b", f"{BASE}/b"), http("c", f"{BASE}/c"))
    responses = {f"GET {BASE}/{name}": said({}) for name in "ab"} | {f"GET {BASE}/c": said({}, 404)}
    _, first = store_of(workflow, responses)
    workflow["nodes"][1]["params"]["headers"] = {"X-Page": "2"}
    store, _ = store_of(workflow, {**responses, f"GET {BASE}/c": said({})}, checkpoint=first.checkpoint)
    assert store["__cache_hits__"] == ["a"]
    assert store["__modified_nodes__"] == ["b"]
    assert set(store["__execution__"]["node_hashes"]) == {"a", "b", "c"}
