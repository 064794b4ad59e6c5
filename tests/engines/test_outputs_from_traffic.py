"""What a node was answered stands for its outputs, where its engine reports none."""

import json

from tests.fakes.engine import said
from tests.fakes.engines import HOST, executed, guest_book, inn, plain_engine, shell_engine


def outputs(execution):
    return {record.node_id: record.outputs for record in execution.nodes}


def test_an_http_node_that_succeeded_has_its_last_answer():
    execution = executed(plain_engine(), guest_book(), inn())
    assert outputs(execution)["note"] == {"response": {"id": "n-1"}, "status_code": 201}
    assert outputs(execution)["guest"]["response"]["name"] == "Ina"


def test_one_that_failed_has_none():
    execution = executed(plain_engine(), guest_book(), inn(**{f"POST {HOST}/notes": said({"why": "closed"}, 422)}))
    assert outputs(execution)["note"] == {}


def test_what_is_reported_is_left_as_it_is_and_nothing_is_made_up():
    nodes = {"guest": {"state": "success", "outputs": {"name": "Una"}}, "note": {"state": "success"}}
    printed = json.dumps({"success": True, "mendbench": {"nodes": nodes}})
    execution = executed(shell_engine(f"echo '{printed}'"), guest_book(), inn())
    assert outputs(execution) == {"guest": {"name": "Una"}, "note": {}}
