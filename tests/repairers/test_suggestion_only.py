"""The repairer that applies our own suggestion and knows nothing else."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.model.failure import Failure
from mendbench.model.prompt import Prompt
from mendbench.repair.responses import Candidate, read_response
from mendbench.repairers.suggestion_only import SuggestionOnlyRepairer, suggested_edits
from mendbench.strategies import build_prompt, strategy
from tests.fakes.model_worlds import FakeModelWorld
from tests.repairers.prompts import plain
from tests.strategies import invented

WRONG, RIGHT = "${shelf.response.name}", "${shelf.response.full_name}"


def failed(node="card", *, suggestion=RIGHT, unresolved=(WRONG,)):
    return Failure(
        source="runtime", category="template_error", message="Unresolved variables", node_id=node,
        suggestion=suggestion, unresolved=unresolved,
    )  # fmt: skip


def node(name="card", **params):
    return {"id": name, "type": "http", "params": params}


def view(*nodes, failures=(), outputs=None):
    seen = invented.view("Write a card.", list(nodes), *failures)
    return replace(seen, workflow={**seen.workflow, "outputs": outputs or {}})


def reply(prompt: Prompt):
    model_world = FakeModelWorld()
    said = SuggestionOnlyRepairer().reply(prompt, model_world, sample=0, times_asked=0)
    assert model_world.sent == []
    assert (said.model_request, said.model) == (None, None)
    return said.text


def mended(seen, name="none"):
    """The workflow after the response."""
    got = read_response(reply(build_prompt(seen, strategy(name))), seen.workflow)
    assert isinstance(got, Candidate)
    return got.document


@pytest.mark.parametrize("name", ["none", "full-context", "cli-text"])
def test_the_suggested_template_is_written_where_the_other_one_stands_whatever_the_strategy_states(name):
    seen = view(node(body={"line": f"Hi {WRONG}, {WRONG}!", "rows": [[WRONG], 3]}, url="x"), failures=(failed(),))
    params = mended(seen, name)["nodes"][0]["params"]
    assert params == {"body": {"line": f"Hi {RIGHT}, {RIGHT}!", "rows": [[RIGHT], 3]}, "url": "x"}


def test_only_the_failed_node_is_touched():
    seen = view(node("other", text=WRONG), node(text=WRONG), failures=(failed(),))
    document = mended(seen)
    assert [one["params"]["text"] for one in document["nodes"]] == [WRONG, RIGHT]


def test_the_items_of_a_batch_are_mended_too():
    batched = {**node(text="${item}"), "batch": {"items": WRONG}}
    assert mended(view(batched, failures=(failed(),)))["nodes"][0]["batch"] == {"items": RIGHT}


def test_a_failure_of_no_node_is_mended_in_the_outputs():
    outputs = {"who": {"source": WRONG}, "what": {"source": "${shelf.response}"}}
    seen = view(node(text="x"), failures=(failed(None),), outputs=outputs)
    assert mended(seen)["outputs"] == {"who": {"source": RIGHT}, "what": {"source": "${shelf.response}"}}


def test_of_several_unresolved_templates_the_one_most_like_the_suggestion_is_replaced():
    unresolved = ("${shelf.response.zebra}", WRONG)
    seen = view(node(a=unresolved[0], b=WRONG), failures=(failed(unresolved=unresolved),))
    assert mended(seen)["nodes"][0]["params"] == {"a": unresolved[0], "b": RIGHT}


@pytest.mark.parametrize(
    "failure", [failed(suggestion=None), failed(unresolved=()), failed(suggestion="strict"), failed("gone")]
)
def test_without_a_suggestion_that_can_be_applied_nothing_is_edited(failure):
    seen = view(node(text=WRONG), node("gone"), failures=(failure,))
    assert json.loads(reply(build_prompt(seen, strategy("none")))) == {"edits": []}


def test_a_prompt_made_without_an_execution_gets_no_edit():
    assert json.loads(reply(plain(text=f"{WRONG} is unresolved. Did you mean {RIGHT}?"))) == {"edits": []}


def test_the_view_is_no_part_of_what_distinguishes_prompts():
    one, other = view(node(text="a"), failures=(failed(),)), view(node(text="a"), failures=(failed(suggestion=None),))
    prompts = [build_prompt(replace(other, request=one.request), strategy("none")) for other in (one, other)]
    assert prompts[0] == prompts[1]
    assert prompts[0].view is not prompts[1].view


@given(
    st.recursive(
        st.none() | st.text() | st.just(f"x {WRONG}"),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    )
)
def test_whatever_a_workflow_holds_every_edit_is_of_a_text_with_the_template(value):
    edits = suggested_edits(failed(), {"nodes": [{"id": "card", "params": value}, value]})
    assert all(RIGHT in edit["value"] and WRONG not in edit["value"] for edit in edits)
    assert bool(edits) == (WRONG in json.dumps(value))
