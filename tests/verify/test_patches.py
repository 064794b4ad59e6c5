"""The patch between two workflows: it applies, and it names nodes as people do."""

import copy

import pytest

from mendbench.values.json_patch import apply_patch
from mendbench.verify.patches import patch_between
from tests.fakes.cases import HOST, set_text, workflow

BROKEN = workflow("Hello!")
EXTRA = {"id": "extra", "type": "transform", "params": {"data": {}, "expression": "@"}}


def changed(change):
    document = copy.deepcopy(BROKEN)
    change(document)
    return document


def test_a_changed_parameter_is_one_operation_at_the_nodes_id():
    assert patch_between(BROKEN, workflow("Hi!")) == tuple(set_text("Hi!"))
    assert patch_between(BROKEN, BROKEN) == ()


def test_a_new_node_is_one_operation_at_its_place():
    at = {"op": "add", "value": EXTRA}
    assert patch_between(BROKEN, changed(lambda w: w["nodes"].insert(1, EXTRA))) == ({**at, "path": "/nodes/1"},)
    assert patch_between(BROKEN, changed(lambda w: w["nodes"].append(EXTRA))) == ({**at, "path": "/nodes/-"},)


@pytest.mark.parametrize(
    "change",
    [
        lambda w: w["nodes"].append(EXTRA),
        lambda w: w["nodes"].insert(1, EXTRA),
        lambda w: (w["nodes"].pop(0), w["edges"].clear()),
        lambda w: w["nodes"].reverse(),
        lambda w: w["nodes"][0].update(id="renamed"),
        lambda w: w["nodes"].append({**EXTRA, "id": "7"}),
        lambda w: w["edges"].append({"from": "note", "to": "person", "action": "error"}),
        lambda w: w.update(outputs={"a/b~c": {"source": "${note.response.id}"}}),
        lambda w: w["inputs"].pop("token"),
        lambda w: w["nodes"][1]["params"].update(url=f"{HOST}/1", body=[1, {"x": None}]),
        lambda w: w["nodes"][1]["params"]["body"].update(tag=1.0),
    ],
)
def test_any_change_applies(change):
    after = changed(change)
    patch = patch_between(BROKEN, after)
    assert patch
    assert apply_patch(BROKEN, patch) == after
