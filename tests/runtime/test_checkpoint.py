import json
import secrets
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.execution import Checkpoint, Completed
from mendbench.runtime.checkpoint import completed_as, continued, node_digest, traces_of
from mendbench.runtime.engine import MendbenchEngine
from mendbench.secrets.redaction import Redactor
from tests.fakes.engine import FakeDetector, FakeWorld, chain, http, said

BASE = "https://api.example.com"


def execute(workflow, world, *, checkpoint=None, detector=None, inputs=None):
    return MendbenchEngine().execute(
        workflow, inputs or {}, world, checkpoint=checkpoint, detector=detector, clock=world.clock
    )


def post(node_id, **body):
    return http(node_id, f"{BASE}/{node_id}", body=body)


def world(**responses):
    """A world in which POSTs to these names answer so, or with {"id": name}."""
    return FakeWorld({f"POST {BASE}/{name}": response for name, response in responses.items()})


def done(digest, **outputs):
    return Completed(action="default", digest=digest, outputs=outputs)


# pure parts


def test_the_digest_distinguishes_type_parameters_and_action():
    digest = node_digest("http", {"a": 1, "b": [2]}, "default")
    assert digest == node_digest("http", {"b": [2], "a": 1.0}, "default")
    assert (
        len(
            {
                digest,
                node_digest("mcp", {"a": 1, "b": [2]}, "default"),
                node_digest("http", {"a": 2}, "default"),
                node_digest("http", {"a": 1, "b": [2]}, "error"),
            }
        )
        == 4
    )


def test_a_node_is_taken_from_the_checkpoint_only_if_it_would_do_the_same():
    checkpoint = Checkpoint(completed={"a": done("d1")})
    assert completed_as(checkpoint, "a", "d1", {"a"}) == ("a", done("d1"))
    assert completed_as(checkpoint, "a", "d2", {"a"}) is None
    assert completed_as(None, "a", "d1", {"a"}) is None


def test_a_renamed_node_is_known_by_what_it_does():
    checkpoint = Checkpoint(completed={"old": done("d1", x=1)})
    assert completed_as(checkpoint, "new", "d1", {"new"})[1].outputs == {"x": 1}
    assert completed_as(checkpoint, "new", "d1", {"new", "old"}) is None


def test_what_was_not_reached_again_is_kept():
    before = Checkpoint(completed={"a": done("d1"), "b": done("d2")}, failed_node="c")
    after = continued(before, {"a": done("d3")}, {}, None)
    assert after == Checkpoint(completed={"a": done("d3"), "b": done("d2")}, failed_node=None)


# resuming


def test_an_unchanged_workflow_resumed_from_its_end_sends_nothing():
    place = world(a=said({"id": 1}), b=said({"id": 2}))
    workflow = chain(post("a"), post("b", of="${a.response.id}"))
    first = execute(workflow, place)
    again = execute(workflow, place, checkpoint=first.checkpoint)
    assert len(place.sent) == 2
    assert all(record.cached for record in again.nodes)
    assert again.states() == first.states()
    assert again.checkpoint == first.checkpoint
    assert [record.outputs for record in again.nodes] == [record.outputs for record in first.nodes]


def test_only_the_failed_node_runs_again():
    place = world(a=said({"id": 1}), b=[said({}, 422), said({"id": 2})])
    first = execute(chain(post("a"), post("b", title="")), place)
    assert first.checkpoint.failed_node == "b"
    assert set(first.checkpoint.completed) == {"a"}
    second = execute(chain(post("a"), post("b", title="x")), place, checkpoint=first.checkpoint)
    assert second.outcome == "success"
    assert [record.cached for record in second.nodes] == [True, False]
    assert [record.modified for record in second.nodes] == [False, False]
    assert second.checkpoint.failed_node is None
    assert Counter(place.calls()) == {f"POST {BASE}/a": 1, f"POST {BASE}/b": 2}


def test_a_templated_parameter_counts_as_it_resolves():
    place = world(a=said({"id": 1, "name": "ada"}), b=said({}), c=said({}, 422))
    nodes = [post("a"), post("b", of="${a.response.id}"), post("c", x=1)]
    first = execute(chain(*nodes), place)
    nodes[1] = post("b", of="${a.response.name}")
    second = execute(chain(*nodes), place, checkpoint=first.checkpoint)
    assert [record.cached for record in second.nodes[:2]] == [True, False]
    assert second.nodes[1].modified
    assert place.body(3) == {"of": "ada"}


def test_a_changed_node_takes_its_dependants_along_and_nobody_else():
    place = FakeWorld(
        {
            f"POST {BASE}/a": lambda request: said({"echo": request.body.decode()}),
            f"POST {BASE}/b": said({}),
            f"POST {BASE}/c": said({}),
            f"POST {BASE}/d": said({}, 422),
        }
    )
    nodes = [post("a", v=1), post("b", of="${a.response.echo}"), post("c", v=1), post("d")]
    first = execute(chain(*nodes), place)
    nodes[0] = post("a", v=2)
    second = execute(chain(*nodes), place, checkpoint=first.checkpoint)
    assert [record.cached for record in second.nodes] == [False, False, True, False]
    assert [record.modified for record in second.nodes] == [True, True, False, False]


def test_a_rerun_with_equal_outputs_leaves_its_dependants_alone():
    place = world(a=said({"id": 1}), b=said({}), c=said({}, 422))
    nodes = [post("a", v=1), post("b", of="${a.response.id}"), post("c")]
    first = execute(chain(*nodes), place)
    nodes[0] = post("a", v=2)
    second = execute(chain(*nodes), place, checkpoint=first.checkpoint)
    assert [record.cached for record in second.nodes] == [False, True, False]


def test_an_old_namespace_is_replaced_whole():
    place = world(a=[said({}, 404), said({"id": 1})], b=said({}))
    edges = [("a", "b"), ("a", "b", "error")]
    first = execute(chain(post("a", v=1), post("b"), edges=edges), place)
    assert "error" in first.nodes[0].outputs
    second = execute(chain(post("a", v=2), post("b"), edges=edges), place, checkpoint=first.checkpoint)
    assert second.outcome == "success"
    assert "error" not in second.nodes[0].outputs


def test_a_node_put_in_front_of_a_completed_write_does_not_repeat_it():
    place = world(a=said({"id": 1}), b=said({}), c=said({}, 422))
    first = execute(chain(post("a"), post("b"), post("c")), place)
    between = {"id": "t", "type": "transform", "params": {"data": "${a.response}", "expression": "id"}}
    second = execute(
        chain(post("a"), between, post("b"), post("c", of="${t.result}")), place, checkpoint=first.checkpoint
    )
    assert [record.cached for record in second.nodes] == [True, False, True, False]


def test_a_renamed_node_does_not_repeat_its_effect():
    place = FakeWorld({f"POST {BASE}/a": said({"id": 1}), f"POST {BASE}/b": said({}, 422)})
    first = execute(chain(post("a"), post("b")), place)
    renamed = {**post("a"), "id": "a-new"}
    second = execute(chain(renamed, post("b", of="${a-new.response.id}")), place, checkpoint=first.checkpoint)
    assert second.nodes[0].cached
    assert place.calls().count(f"POST {BASE}/a") == 1


def test_a_completed_read_is_made_again_once_something_was_written():
    place = FakeWorld(
        {f"POST {BASE}/a": said({}), f"GET {BASE}/list": [said([]), said([1])], f"POST {BASE}/c": said({}, 422)}
    )
    nodes = [post("a", v=1), http("list", f"{BASE}/list"), post("c", of="${list.response}")]
    first = execute(chain(*nodes), place)
    same = execute(chain(*nodes), place, checkpoint=first.checkpoint)
    assert same.nodes[1].cached
    nodes[0] = post("a", v=2)
    second = execute(chain(*nodes), place, checkpoint=first.checkpoint)
    assert not second.nodes[1].cached
    assert place.body() == {"of": [1]}


def test_a_node_that_asked_nobody_has_neither_read_nor_changed_anything():
    assert traces_of((), 7) == (None, False)


def test_a_read_is_stale_after_a_write_of_an_execution_that_did_not_reach_it():
    place = FakeWorld({
        f"POST {BASE}/a": said({}), f"GET {BASE}/mid": [said({}), said({}, 422), said({})],
        f"GET {BASE}/list": [said([]), said([1])], f"POST {BASE}/c": [said({}, 422), said({})],
    })  # fmt: skip
    nodes = [post("a", v=1), http("mid", f"{BASE}/mid"), http("list", f"{BASE}/list"), post("c", of="${list.response}")]
    first = execute(chain(*nodes), place)
    nodes[0] = post("a", v=2)
    second = execute(chain(*nodes), place, checkpoint=first.checkpoint)
    assert second.states()["mid"] == "error"
    third = execute(chain(*nodes), place, checkpoint=second.checkpoint)
    assert [record.cached for record in third.nodes] == [True, False, False, False]
    assert place.body() == {"of": [1]}


def test_a_renamed_read_is_stale_too():
    place = FakeWorld(
        {f"POST {BASE}/a": said({}), f"GET {BASE}/list": [said([]), said([1])], f"POST {BASE}/c": said({}, 422)}
    )
    nodes = [post("a", v=1), http("list", f"{BASE}/list"), post("c", of="${list.response}")]
    first = execute(chain(*nodes), place)
    renamed = [post("a", v=2), http("entries", f"{BASE}/list"), post("c", of="${entries.response}")]
    execute(chain(*renamed), place, checkpoint=first.checkpoint)
    assert place.body() == {"of": [1]}


def test_a_write_after_a_read_does_not_make_it_stale():
    place = FakeWorld(
        {f"GET {BASE}/list": [said([]), said([1])], f"POST {BASE}/a": said({}), f"POST {BASE}/c": said({}, 422)}
    )
    nodes = [http("list", f"{BASE}/list"), post("a", of="${list.response}"), post("c")]
    first = execute(chain(*nodes), place)
    second = execute(chain(*nodes), place, checkpoint=first.checkpoint)
    assert [record.cached for record in second.nodes] == [True, True, False]


def test_one_gone_node_stands_for_one_new_one():
    place = world(a=said({}), z=said({}, 422))
    first = execute(chain(post("a", v=1), post("z")), place)
    same = {"url": f"{BASE}/a", "body": {"v": 1}}
    twins = [{"id": name, "type": "http", "params": same} for name in ("one", "two")]
    execute(chain(*twins, post("z")), place, checkpoint=first.checkpoint)
    assert place.calls().count(f"POST {BASE}/a") == 2


def test_without_a_detector_what_a_warning_edge_handles_is_not_done_again():
    place = world(a=said({"ok": False, "error": "channel_not_found"}), b=[said({}, 422), said({})])
    workflow = chain(post("a"), post("b"), edges=[("a", "b", "warning")])
    for detector in (None, FakeDetector()):
        place.sent.clear()
        place.counts.clear()
        first = execute(workflow, place, detector=detector)
        second = execute(workflow, place, checkpoint=first.checkpoint, detector=detector)
        assert second.nodes[0].cached
        assert place.calls().count(f"POST {BASE}/a") == 1


def test_an_effect_is_remembered_over_an_execution_that_did_not_reach_it():
    place = world(a=said({"id": 1}), b=said({}), c=said({}, 422))
    nodes = [post("a"), post("b"), post("c")]
    first = execute(chain(*nodes), place)
    broken = [{**post("a"), "params": {"url": "nowhere", "body": {}}}, *nodes[1:]]
    second = execute(chain(*broken), place, checkpoint=first.checkpoint)
    assert second.states() == {"a": "error", "b": "not_run", "c": "not_run"}
    third = execute(chain(*nodes), place, checkpoint=second.checkpoint)
    assert [record.cached for record in third.nodes] == [True, True, False]
    assert Counter(place.calls())[f"POST {BASE}/b"] == 1


def test_a_warned_node_is_not_run_again_and_its_warning_is_said_again():
    place = world(a=said({"ok": False, "error": "channel_not_found"}), b=said({}))
    workflow = chain(post("a"), post("b"))
    first = execute(workflow, place, detector=FakeDetector())
    second = execute(workflow, place, checkpoint=first.checkpoint, detector=FakeDetector())
    assert len(place.sent) == 1
    assert second.outcome == "warning"
    assert second.nodes[0].cached
    assert second.warnings == first.warnings
    assert second.failures == first.failures


def test_a_template_fault_beside_a_handled_warning_leaves_both_to_see():
    place = world(a=said({"ok": False, "error": "channel_not_found"}), b=said({"id": 1}), c=said({}))
    edges = [("a", "b", "warning"), ("b", "c")]
    first = execute(
        chain(post("a"), post("b"), post("c", of="${b.response.idd}"), edges=edges), place, detector=FakeDetector2()
    )
    assert first.outcome == "error"
    second = execute(
        chain(post("a"), post("b"), post("c", of="${b.response.id}"), edges=edges),
        place,
        checkpoint=first.checkpoint,
        detector=FakeDetector2(),
    )
    assert second.outcome == "warning"
    assert [warning.node_id for warning in second.warnings] == ["a"]
    assert second.states() == {"a": "warning", "b": "success", "c": "success"}
    assert Counter(place.calls()) == {f"POST {BASE}/{name}": 1 for name in "abc"}


class FakeDetector2(FakeDetector):
    """Warns of what an API said, and of nothing else."""

    def judge(self, observation):
        judgement = super().judge(observation)
        return type(judgement)(
            state="error" if observation.kind == "template" else "warning", message=judgement.message
        )


def test_a_failure_that_an_edge_handled_is_not_repeated_while_the_edge_is_there():
    place = world(a=said({}, 404), b=said({}), c=[said({}, 422), said({})])
    edges = [("a", "b", "error"), ("b", "c")]
    nodes = [post("a"), post("b"), post("c", v=1)]
    first = execute(chain(*nodes, edges=edges), place)
    assert first.checkpoint.failed_node == "c"
    nodes[2] = post("c", v=2)
    second = execute(chain(*nodes, edges=edges), place, checkpoint=first.checkpoint)
    assert second.states() == {"a": "error", "b": "success", "c": "success"}
    assert Counter(place.calls()) == {f"POST {BASE}/a": 1, f"POST {BASE}/b": 1, f"POST {BASE}/c": 2}
    third = execute(chain(*nodes, edges=[("a", "b"), ("b", "c")]), place, checkpoint=first.checkpoint)
    assert third.states()["a"] == "error"
    assert not third.nodes[0].cached


@given(st.integers(2, 6), st.data())
def test_no_completed_effect_is_ever_repeated_by_resuming(size, data):
    """Nodes fail in turn and are mended one after the other; each write that was accepted happened once."""
    names = [f"n{index}" for index in range(size)]
    broken = {name: data.draw(st.booleans(), label=name) for name in names}
    links = {
        name: data.draw(st.sampled_from([None, *names[:index]]), label=f"{name} of") for index, name in enumerate(names)
    }

    def response(request):
        return said({"id": request.url}, 422 if b'"bad": true' in request.body else 201)

    place = FakeWorld({f"POST {BASE}/{name}": response for name in names})

    def workflow():
        of = {name: f"${{{link}.response.id}}" if link else None for name, link in links.items()}
        return chain(*(post(name, bad=broken[name], of=of[name]) for name in names))

    execution = execute(workflow(), place)
    for _ in range(size):
        if execution.outcome == "success":
            break
        broken[execution.checkpoint.failed_node] = False
        execution = execute(workflow(), place, checkpoint=execution.checkpoint)
    assert execution.outcome == "success"
    accepted = Counter(exchange.request.url for exchange in place.traffic() if exchange.accepted)
    assert accepted == {f"{BASE}/{name}": 1 for name in names}
    sent = len(place.sent)
    assert execute(workflow(), place, checkpoint=execution.checkpoint).outcome == "success"
    assert len(place.sent) == sent


def test_a_completed_node_that_now_cannot_run_was_not_modified_and_keeps_what_it_did():
    place = world(a=said({"id": 1}), b=said({}), c=said({}, 422))
    nodes = [post("a"), post("b", of="${a.response.id}"), post("c")]
    first = execute(chain(*nodes), place)
    spoilt = [nodes[0], post("b", of="${a.response.idd}"), nodes[2]]
    second = execute(chain(*spoilt), place, checkpoint=first.checkpoint)
    assert second.states()["b"] == "error"
    assert not second.nodes[1].modified
    third = execute(chain(*nodes), place, checkpoint=second.checkpoint)
    assert [record.cached for record in third.nodes] == [True, True, False]


# what is shown of it


def described(secret, params):
    """Return the agent error format's JSON of a node that sent a secret, and of one that failed after it."""
    place = world(a=said({"id": 1}), b=said({}, 422))
    engine = MendbenchEngine(redact=Redactor({"token": secret}).value)
    sender = {**post("a"), "params": {**post("a")["params"], **params}}
    workflow = chain(sender, post("b"))
    workflow["inputs"] = {"token": {"type": "string", "required": True}}
    first = engine.execute(workflow, {"token": secret}, place, checkpoint=None, detector=None, clock=place.clock)
    return json.dumps(engine.describe(workflow, first), sort_keys=True).encode(), first


@pytest.mark.parametrize("value", ["${token}", "Bearer ${token}", "x ${token} y ${token}"])
def test_what_agents_receive_does_not_hang_on_a_secrets_value(value):
    params = {"headers": {"Authorization": value}}
    (shown, first), (other, second) = (described(secrets.token_urlsafe(24), params) for _ in range(2))
    assert shown == other
    assert set(json.loads(shown)["checkpoint"]["node_hashes"]) == {"a"}
    assert first.checkpoint.completed["a"].digest != second.checkpoint.completed["a"].digest


def test_the_hash_that_is_shown_depends_on_what_is_around_a_secret():
    secret = secrets.token_urlsafe(24)
    values = ("${token}", "Bearer ${token}", "Token ${token}", "${token}${token}", "wrong ${token}")
    shown = [
        described(secret, {"headers": {"Authorization": value}})[1].checkpoint.completed["a"].shown_digest
        for value in values
    ]
    assert len(set(shown)) == len(values)


@pytest.mark.parametrize("again", ["percent", "other", "wrong"])
def test_a_secret_that_is_sent_otherwise_is_sent_again(again):
    secret, other = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
    coded = {"percent": "".join(f"%{ord(char):02x}" for char in secret), "other": other, "wrong": "wrong"}[again]
    place = world(a=said({"id": 1}), b=said({}, 422))
    engine = MendbenchEngine(redact=Redactor({"one": secret, "two": other}).value)

    def run(token, checkpoint):
        return engine.execute(
            chain(post("a", token=token), post("b")),
            {},
            place,
            checkpoint=checkpoint,
            detector=None,
            clock=place.clock,
        )

    first = run(secret, None)
    assert run(secret, first.checkpoint).nodes[0].cached
    assert not run(coded, first.checkpoint).nodes[0].cached
