import json
import secrets

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.execution import Judgement
from mendbench.runtime.engine import MendbenchEngine
from tests.fakes.engine import FakeDetector, FakeWorld, chain, fault, http, said

BASE = "https://api.example.com"
NOTES = f"{BASE}/notes"


def execute(workflow, world, *, checkpoint=None, detector=None, inputs=None):
    return MendbenchEngine().execute(
        workflow, inputs or {}, world, checkpoint=checkpoint, detector=detector, clock=world.clock
    )


def notes(items, text="${item}", **batch):
    return chain({**http("note", NOTES, body={"text": text}), "batch": {"items": items, **batch}})


class Desk(FakeWorld):
    """Takes notes, but for texts that it refuses (so many times, or always)."""

    def __init__(self, **refused):
        super().__init__({f"POST {NOTES}": self.note})
        self.refused = dict(refused)

    def note(self, request):
        text = json.loads(request.body)["text"]
        left = self.refused.get(text, 0)
        if left:
            self.refused[text] = left - 1
            return said({"message": f"{text} is refused"}, 422)
        return said({"id": text}, 201)


def sent(world):
    return [json.loads(exchange.request.body)["text"] for exchange in world.traffic()]


ALWAYS = 99


def test_a_batch_runs_its_node_once_for_each_item_in_order():
    world = Desk()
    execution = execute(notes(["a", "b"], "${__index__}: ${item}"), world)
    assert execution.outcome == "success"
    assert sent(world) == ["0: a", "1: b"]
    outputs = execution.nodes[0].outputs
    assert [item["item"] for item in outputs["results"]] == ["a", "b"]
    assert [item["response"]["id"] for item in outputs["results"]] == ["0: a", "1: b"]
    assert (outputs["count"], outputs["success_count"], outputs["error_count"], outputs["errors"]) == (2, 2, 0, None)
    assert "response" not in outputs


def test_the_items_may_come_from_another_node_and_have_a_name_of_their_own():
    world = Desk()
    world.responses[f"GET {BASE}/people"] = said({"people": [{"name": "ada"}, {"name": "bo"}]})
    batch = {"items": "${fetch.response.people}", "as": "person"}
    node = {**http("note", NOTES, body={"text": "${person.name}"}), "batch": batch}
    execution = execute(
        chain(http("fetch", f"{BASE}/people"), node, outputs={"n": {"source": "${note.success_count}"}}), world
    )
    assert execution.outputs == {"n": 2}
    assert [world.body(1), world.body(2)] == [{"text": "ada"}, {"text": "bo"}]


def test_an_empty_list_is_no_failure():
    execution = execute(notes("${names}"), Desk(), inputs={"names": []})
    assert execution.outcome == "success"
    assert execution.nodes[0].outputs["count"] == 0


def test_the_first_failing_item_ends_the_batch_and_its_failure_is_the_nodes():
    world = Desk(b=ALWAYS)
    execution = execute(notes(["a", "b", "c"]), world)
    assert execution.outcome == "error"
    assert sent(world) == ["a", "b"]
    failure = execution.failures[0]
    assert (failure.message, failure.status_code) == ("HTTP 422", 422)
    assert failure.raw_response == {"message": "b is refused"}
    assert failure.batch_item == {"index": 1, "count": 3, "item": "b"}
    assert [(source.template, source.value) for source in failure.upstream] == [("${item}", "b")]
    assert execution.nodes[0].outputs["batch_metadata"]["not_run"] == 1


def test_a_batch_that_goes_on_ends_in_a_warning_that_stops_nothing():
    world = Desk(b=ALWAYS)
    workflow = notes(["a", "b", "c"], error_handling="continue")
    workflow["nodes"].append(http("after", NOTES, body={"text": "${note.error_count} failed"}))
    workflow["edges"] = [{"from": "note", "to": "after"}]
    execution = execute(workflow, world)
    assert sent(world) == ["a", "b", "c", "1 failed"]
    assert execution.outcome == "warning"
    assert execution.failures == ()
    assert [(warning.node_id, warning.severity) for warning in execution.warnings] == [("note", "info")]
    assert execution.warnings[0].message == "1 of 3 items failed: item 2: HTTP 422"
    assert execution.nodes[0].outputs["errors"] == [{"index": 1, "item": "b", "error": "HTTP 422"}]


def test_a_batch_in_which_every_item_fails_has_failed():
    execution = execute(notes(["a", "b"], error_handling="continue"), Desk(a=ALWAYS, b=ALWAYS))
    assert execution.outcome == "error"
    assert execution.nodes[0].outputs["error_count"] == 2


def test_an_item_is_tried_so_often_as_the_batch_says_and_waits_in_between():
    world = Desk(a=2)
    execution = execute(notes(["a"], max_retries=3, retry_wait=5), world)
    assert execution.outcome == "success"
    assert sent(world) == ["a", "a", "a"]
    assert execution.duration_ms == 3 * 10 + 2 * 5000
    assert execute(notes(["a"], max_retries=2), Desk(a=2)).outcome == "error"


def test_a_detector_judges_every_item():
    execution = execute(notes(["a", "b"]), Desk(a=ALWAYS), detector=FakeDetector("success"))
    assert execution.outcome == "success"
    stopped = execute(notes(["a", "b"]), Desk(a=ALWAYS), detector=FakeDetector())
    assert stopped.outcome == "warning"
    assert (stopped.failures[0].fixable, stopped.failures[0].status_code) == (False, 422)
    assert stopped.failures[0].batch_item == {"index": 0, "count": 2, "item": "a"}


@pytest.mark.parametrize(
    ("items", "says"),
    [("${names.nope}", "batch.items"), ("${names}", "Batch items must be a list, got str")],
)
def test_what_is_no_list_fails_before_anything_is_sent(items, says):
    world = Desk()
    execution = execute(notes(items), world, inputs={"names": "ada"})
    assert execution.outcome == "error"
    assert says in execution.failures[0].message
    assert world.traffic() == ()


def test_an_item_without_the_field_is_a_template_error_that_names_the_fields_of_the_item():
    execution = execute(notes([{"name": "ada"}], "${item.nam}"), Desk())
    failure = execution.failures[0]
    assert failure.category == "template_error"
    assert failure.available_fields == ("item.name",)
    assert failure.suggestion == "${item.name}"


# resume


def test_items_that_were_done_are_not_done_again():
    world = Desk(b=1)
    first = execute(notes(["a", "b", "c"]), world)
    second = execute(notes(["a", "b", "c"]), world, checkpoint=first.checkpoint)
    assert second.outcome == "success"
    assert sent(world) == ["a", "b", "b", "c"]
    assert [item["response"]["id"] for item in second.nodes[0].outputs["results"]] == ["a", "b", "c"]


def test_a_batch_that_is_done_is_not_run_again():
    world = Desk()
    first = execute(notes(["a", "b"]), world)
    second = execute(notes(["a", "b"]), world, checkpoint=first.checkpoint)
    assert second.nodes[0].cached
    assert second.nodes[0].outputs == first.nodes[0].outputs
    third = execute(notes(["a", "c", "b"]), world, checkpoint=second.checkpoint)
    assert third.nodes[0].modified
    assert sent(world) == ["a", "b", "c"]


def test_equal_items_are_each_done_once():
    world = Desk(b=1)
    first = execute(notes(["a", "a", "b"]), world)
    execute(notes(["a", "a", "b"]), world, checkpoint=first.checkpoint)
    assert sent(world) == ["a", "a", "b", "b"]


@given(
    items=st.lists(st.sampled_from("abcdef"), max_size=8),
    refused=st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 3)),
    goes_on=st.booleans(),
)
def test_however_a_batch_breaks_off_a_resume_repeats_no_effect(items, refused, goes_on):
    world = Desk(**refused)
    workflow = notes("${items}", error_handling="continue" if goes_on else "fail_fast")
    execution = execute(workflow, world, inputs={"items": items})
    for _ in range(len(items) * 3):
        if execution.outcome != "error":
            break
        execution = execute(workflow, world, inputs={"items": items}, checkpoint=execution.checkpoint)
    accepted = [json.loads(exchange.request.body)["text"] for exchange in world.traffic() if exchange.accepted]
    outputs = execution.nodes[0].outputs
    assert outputs["success_count"] == len(accepted)
    assert sorted(accepted) == sorted(item["item"] for item in outputs["results"] if "error" not in item)
    assert outputs["count"] == len(items)


def test_items_of_a_batch_that_was_renamed_are_not_done_again():
    world = Desk(c=1)
    first = execute(notes(["a", "b", "c"]), world)
    renamed = notes(["a", "b", "d"])
    renamed["nodes"][0]["id"] = "post_all"
    second = execute(renamed, world, checkpoint=first.checkpoint)
    assert second.outcome == "success"
    back = execute(notes(["a", "a", "b", "d"]), world, checkpoint=second.checkpoint)
    assert back.outcome == "success"
    assert sent(world) == ["a", "b", "c", "d", "a"]


def test_items_are_remembered_over_an_execution_that_failed_before_them():
    world = Desk(c=1, z=1)
    checkpoint = None
    for items in (["a", "b", "c"], ["z", "a", "b"], ["a", "b", "d"]):
        checkpoint = execute(notes(items), world, checkpoint=checkpoint).checkpoint
    assert sent(world) == ["a", "b", "c", "z", "d"]


def test_an_item_that_was_warned_of_is_done_and_a_partial_one_ends_no_batch():
    class Partial:
        name = "partial"

        def judge(self, observation):
            return Judgement(state="warning", message=f"judged: {observation.message}", severity="info")

    world = Desk(a=1)
    execution = execute(notes(["a", "b"]), world, detector=Partial())
    assert execution.warnings[0].message == "1 of 2 items failed: item 1: judged: HTTP 422"
    again = execute(notes(["a", "b", "c"]), world, detector=Partial(), checkpoint=execution.checkpoint)
    assert again.outcome == "warning"
    assert sent(world) == ["a", "b", "c"]


def test_what_later_nodes_receive_of_a_failed_item_hangs_on_no_detector():
    workflow = notes(["a", "b"], error_handling="continue")
    for judge in (None, FakeDetector(words="worded otherwise")):
        outputs = execute(workflow, Desk(a=ALWAYS), detector=judge).nodes[0].outputs
        assert outputs["errors"] == [{"index": 0, "item": "a", "error": "HTTP 422"}]


def test_a_failure_shows_the_request_of_the_item_that_failed():
    execution = execute(notes(["a", "b"], error_handling="continue"), Desk(a=ALWAYS, b=ALWAYS))
    failure = execution.failures[0]
    assert failure.batch_item["item"] == "a"
    assert failure.request_sent.body == {"text": "a"}
    unsent = execute(chain({**http("note", "${item}"), "batch": {"items": ["nowhere"]}}), Desk())
    assert unsent.failures[0].request_sent is None


def test_a_batch_with_one_failure_that_an_edit_mends_is_an_error():
    class Plain:
        name = "plain"

        def judge(self, observation):
            state = "warning" if "first" in str(observation.body) else "error"
            return Judgement(state=state, message=observation.message)

    world = Desk(first=ALWAYS, second=ALWAYS)
    execution = execute(notes(["first", "second"], error_handling="continue"), world, detector=Plain())
    assert execution.outcome == "error"
    assert execution.failures[0].batch_item["index"] == 1


def test_a_write_that_may_have_been_done_is_not_tried_again():
    world = FakeWorld({f"POST {NOTES}": fault("timeout")})
    execution = execute(notes(["a"], max_retries=3), world)
    assert execution.outcome == "error"
    assert len(world.sent) == 1


def test_a_partial_failure_is_shown_to_whoever_repairs_a_later_one():
    workflow = notes(["a", "b"], error_handling="continue")
    workflow["nodes"].append(http("after", f"{BASE}/none"))
    workflow["edges"] = [{"from": "note", "to": "after"}]
    failure = execute(workflow, Desk(a=ALWAYS)).failures[0]
    assert [(earlier.node_id, earlier.message) for earlier in failure.earlier] == [
        ("note", "1 of 2 items failed: item 1: HTTP 422")
    ]


def test_many_failures_are_counted_and_the_first_are_named():
    items = [f"n{index}" for index in range(40)]
    execution = execute(notes([*items, "good"], error_handling="continue"), Desk(**dict.fromkeys(items, ALWAYS)))
    assert execution.warnings[0].message.endswith("item 5: HTTP 422; and 35 more")


def test_a_credential_among_the_items_is_not_shown():
    secret = secrets.token_hex(8)
    execution = execute(notes([secret], "${password}", **{"as": "password"}), Desk(**{secret: ALWAYS}))
    assert secret not in str(execution.failures[0].batch_item)


# validation


@pytest.mark.parametrize(
    ("batch", "text", "says"),
    [
        ({"items": "${nope.list}"}, "${item}", "references non-existent node 'nope' in parameter 'batch.items'"),
        ({"items": "${item}"}, "${item}", "undefined input '${item}' in parameter 'batch.items'"),
        ({"items": ["a"], "as": "one"}, "${item}", "undefined input '${item}'"),
        ({"items": []}, "${item}", "batch.items"),
        ({"items": ["a"], "as": "note"}, "${note}", "calls its batch's item 'note', which is a node"),
        ({"items": ["a"], "as": "__index__"}, "${__index__}", "which is the name of its place"),
        ({"items": ["a"], "max_retries": 11}, "${item}", "greater than the maximum of 10"),
    ],
)
def test_a_batch_is_checked_before_it_runs(batch, text, says):
    workflow = chain({**http("note", NOTES, body={"text": text}), "batch": batch})
    assert any(says in problem for problem in MendbenchEngine().validate(workflow, {}))


def test_later_nodes_know_what_a_batch_puts_out():
    workflow = notes(["a"])
    workflow["outputs"] = {"x": {"source": "${note.response}"}}
    assert "does not output 'response'" in MendbenchEngine().validate(workflow, {})[0]


def test_a_judgement_of_partial_failure_is_the_same_without_a_detector_and_with_one():
    class Warns:
        name = "warns"

        def judge(self, observation):
            return Judgement(state="warning", message=observation.message)

    workflow = notes(["a", "b"], error_handling="continue")
    states = {execute(workflow, Desk(a=ALWAYS), detector=detector).states()["note"] for detector in (None, Warns())}
    assert states == {"warning"}
