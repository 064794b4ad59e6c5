"""What the items of a batch count as after a choice."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.detectors import detector
from mendbench.io.virtual_clock import VirtualClock
from mendbench.runtime.engine import MendbenchEngine
from mendbench.secrets.redaction import Redactor
from mendbench.workflow_app.choices import Choice, Impossible, Resume, RunState, after, stopped
from tests.fakes.engine import FakeWorld, chain, http, said

PRE, CHAT, LOG = "https://api.test/pre", "https://api.test/chat", "https://api.test/log"
ENGINE = MendbenchEngine()
CHANNEL = {"ch": {"type": "string"}}


def world(refused=("c",), channels=("new",)):
    """A chat service that refuses these texts in all channels but these; everything else is accepted."""

    def chat(request):
        asked = json.loads(request.body)
        bad = asked["t"] in refused and asked["channel"] not in channels
        return said({"ok": False, "error": "channel_not_found"} if bad else {"ok": True})

    return FakeWorld(
        {f"POST {CHAT}": chat, f"POST {LOG}": said({"ok": True}), f"POST {PRE}": said({}, 422)}, VirtualClock()
    )


def posting(channel="old", items=("a", "b", "c"), **more):
    body = {"channel": channel, "t": "${item}"}
    return {**http("b", CHAT, body=body), "batch": {"items": items if isinstance(items, str) else [*items], **more}}


def execute(document, inputs, reach, checkpoint=None):
    return ENGINE.execute(
        document, inputs, reach, checkpoint=checkpoint, detector=detector("structural"), clock=reach.clock
    )  # fmt: skip


def standing(document, reach, checkpoint=None, **inputs):
    return RunState(document=document, inputs=inputs, execution=execute(document, inputs, reach, checkpoint))


def leaves(where):
    return stopped(where, secrets={}, redact=Redactor({}).value, repairer=False).leaves


def chosen(where, value, param="body.channel", *, within=False):
    leaf = next(leaf for leaf in leaves(where) if leaf.param == param and leaf.within == within)
    return after(where, Choice(name="value", leaf=leaf, value=value), ENGINE.validate)


def go_on(ways, reach):
    assert isinstance(ways, Resume), ways
    execution = execute(ways.document, ways.inputs, reach, ways.checkpoint)
    return RunState(document=ways.document, inputs=ways.inputs, execution=execution)


def texts(reach):
    """What was posted, as ``channel:text``."""
    asked = [json.loads(one.body) for one in reach.sent if one.url == CHAT]
    return [f"{one['channel']}:{one['t']}" for one in asked]


@pytest.mark.parametrize("channel", ["old", "${ch}", "${ch}-"])
@pytest.mark.parametrize("items", [("a", "b", "c"), ("a", "a", "c"), "${things}"])
def test_with_another_value_a_batch_goes_on_at_the_item_that_stopped_it(channel, items):
    reach = world(channels=("new", "new-"))
    list_of = {"things": {"type": "array"}} if items == "${things}" else {}
    declared = {**(CHANNEL if "ch" in channel else {}), **list_of}
    given_inputs = {"ch": "old", "things": ["a", "b", "c"]}
    document = chain(posting(channel, items), inputs=declared)
    where = standing(document, reach, **{name: given_inputs[name] for name in declared})
    before = texts(reach)
    assert len(before) == 3
    there = go_on(chosen(where, "new", within=channel == "${ch}-"), reach)
    assert there.execution.outcome == "success"
    assert texts(reach)[3:] == [f"{channel.replace('old', 'new').replace('${ch}', 'new')}:c"]


def test_a_value_that_is_taken_back_tries_the_item_again_and_no_other():
    reach = world()
    where = standing(chain(posting()), reach)
    where = go_on(chosen(where, "older"), reach)
    where = go_on(chosen(where, "old"), reach)
    assert where.execution.outcome == "warning"
    go_on(chosen(where, "new"), reach)
    assert texts(reach) == ["old:a", "old:b", "old:c", "older:c", "old:c", "new:c"]


def test_once_what_is_missing_is_there_only_the_item_that_stopped_is_tried_again():
    reach = world()
    where = standing(chain(posting()), reach)
    go_on(after(where, Choice(name="create"), ENGINE.validate), reach)
    assert texts(reach) == ["old:a", "old:b", "old:c", "old:c"]


def test_where_every_item_failed_all_are_tried_again():
    reach = world(refused=("a", "b"))
    where = standing(chain(posting(items=("a", "b"), error_handling="continue")), reach)
    assert go_on(chosen(where, "new"), reach).execution.outcome == "success"
    assert texts(reach) == ["old:a", "old:b", "new:a", "new:b"]


def test_what_another_value_leaves_alone_is_said_with_it():
    where = standing(chain(posting()), world())
    notes = {leaf.param: leaf.note for leaf in leaves(where)}
    assert notes["body.channel"] == "what has run with the old value is not run again: the items of b that are done"
    fresh = standing(chain(posting(items=("c",))), world())
    assert {leaf.note for leaf in leaves(fresh)} == {None}


def test_a_value_with_which_other_items_are_gone_through_is_refused_once_some_are_done():
    reach = world()
    document = chain(posting("${ch}", "${ch}"), inputs={"ch": {"type": "array"}})
    where = standing(document, reach, ch=["a", "b", "c"])
    ways = chosen(where, '["b", "c", "d"]')
    assert ways == Impossible(
        problem="items of b would run again with it: run the workflow again from its start with that value"
    )


def test_a_batch_that_is_skipped_is_not_run_again():
    reach = world()
    where = standing(chain(posting(), http("log", LOG, body={})), reach)
    there = go_on(after(where, Choice(name="skip"), ENGINE.validate), reach)
    assert there.execution.outcome == "warning"
    assert texts(reach) == ["old:a", "old:b", "old:c"]
    assert reach.calls()[-1] == f"POST {LOG}"


def warned_before(batch):
    """A step that a batch follows, in the words with which it is accepted, and in those with which it is not."""
    good, bad = ({"channel": name, "t": "c"} for name in ("new", "gone"))
    return tuple(chain(http("first", CHAT, body=body), batch) for body in (good, bad))


@pytest.mark.parametrize("items", [("x", "y"), ("x", "c"), ("x", "y", "c")])
@pytest.mark.parametrize("goes_on", [{}, {"error_handling": "continue"}])
def test_skipping_onto_a_batch_runs_none_of_its_done_items_again(items, goes_on):
    reach = world()
    good, bad = warned_before(posting(items=items, **goes_on))
    done = execute(good, {}, reach)
    first = texts(reach)
    where = standing(bad, reach, done.checkpoint)
    assert where.execution.failures[0].node_id == "first"
    go_on(after(where, Choice(name="skip"), ENGINE.validate), reach)
    later = texts(reach)[len(first) + 1 :]
    assert set(later) <= {"old:c"}


def test_an_input_that_a_completed_batch_received_too_does_not_run_it_again():
    reach = world()
    before = {**posting("new", ("x", "y")), "id": "first"}
    before["params"]["body"]["about"] = "${ch}"
    send = http("send", CHAT, body={"channel": "${ch}", "t": "c"})
    where = standing(chain(before, send, inputs=CHANNEL), reach, ch="gone")
    leaf = next(leaf for leaf in leaves(where) if leaf.param == "body.channel")
    assert leaf.note == "what has run with the old value is not run again: first"
    assert go_on(chosen(where, "new"), reach).execution.outcome == "success"
    assert texts(reach) == ["new:x", "new:y", "gone:c", "new:c"]


@given(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=6), st.lists(st.sampled_from(["old", "x", "new"]), max_size=4)
)
def test_whatever_values_are_given_in_turn_no_item_that_is_done_is_sent_again(items, values):
    reach = world()
    where = standing(chain(posting(items=tuple(items))), reach)
    for value in values:
        if where.execution.outcome != "warning":
            break
        ways = chosen(where, value)
        if isinstance(ways, Resume):
            where = go_on(ways, reach)
    accepted = [one.split(":")[1] for one in texts(reach) if one.startswith("new:") or not one.endswith(":c")]
    assert accepted == items[: len(accepted)]
    assert (where.execution.outcome == "success") == (len(accepted) == len(items))
