"""The error of a node, as the proof of a case reports it."""

from mendbench.model.execution import NodeRecord, Observation
from mendbench.verify.reasons import error_of


def failed(message, body):
    noticed = Observation(kind="http", message=message, node_id="note", node_type="http", status=409, body=body)
    return error_of(NodeRecord(node_id="note", node_type="http", state="error", observation=noticed))


def test_the_body_that_came_with_an_error_is_shown_once():
    assert failed("HTTP 409", {"error": "name_taken"}) == 'HTTP 409: {"error":"name_taken"}'
    assert failed("HTTP 409: name_taken", "name_taken") == "HTTP 409: name_taken"
    assert failed("HTTP 409", {}) == "HTTP 409"
