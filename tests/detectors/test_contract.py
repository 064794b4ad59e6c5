"""What holds for every detector."""

import inspect
import json
import math
import sys
from contextlib import contextmanager

from hypothesis import given
from hypothesis import strategies as st

from mendbench.api_errors.envelopes import accepted, failure_in
from mendbench.detectors import detector, detector_names
from mendbench.model.exchange import Response
from mendbench.model.execution import Observation
from mendbench.replay.effects import did
from tests.detectors.rows import ROWS
from tests.detectors.unseen import UNSEEN
from tests.fakes.tables import for_each

KEYS = st.sampled_from(
    ["ok", "error", "errors", "message", "code", "type", "status", "success", "successful", "isError", "data", "result",
     "content", "text", "jsonrpc", "response", "status_code", "extensions", "userErrors", "details", "detail", "needed", "x"],
)  # fmt: skip
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(max_size=30)
    | st.sampled_from(["channel_not_found", '{"ok": false}', "[{", "<html>", "HTTP 404", "${a.b}", "-32602", "not found"])
)  # fmt: skip
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=25
)
OBJECTS = st.dictionaries(KEYS, JSON, max_size=6)
KINDS = st.sampled_from(["http", "transport", "envelope", "mcp", "shell", "file", "llm", "template", "exception"])
SIGHTINGS = st.builds(
    Observation, kind=KINDS, message=st.text(max_size=60), node_id=st.just("n"), node_type=st.just("http"),
    status=st.none() | st.integers(0, 700), headers=OBJECTS, body=JSON, outputs=OBJECTS,
)  # fmt: skip


@given(observation=SIGHTINGS)
def test_judging_never_raises_and_always_says_something_of_a_failure(observation):
    judgements = {name: detector(name).judge(observation) for name in detector_names()}
    assert {one.state for one in judgements.values()} <= {"success", "warning", "error"}, judgements
    assert {type(one.message) for one in judgements.values()} == {str}
    silent = [name for name, one in judgements.items() if one.state == "warning" and not one.message]
    assert silent == [] or not observation.message


@for_each("name", detector_names())
def test_a_warning_is_one_readable_line_without_the_representation_of_an_object(name):
    judged = [detector(name).judge(row.observation) for row in (*ROWS, *UNSEEN)]
    said = [judgement.message for judgement in judged if judgement.state == "warning"]
    assert said
    assert [line for line in said if "\n" in line or "{'" in line or "None" in line] == []


@for_each("name", detector_names())
def test_an_error_keeps_the_words_of_the_sighting_so_that_no_prompt_depends_on_the_detector(name):
    judged = [(row, detector(name).judge(row.observation)) for row in ROWS]
    assert [
        row.id
        for row, judgement in judged
        if judgement.state == "error" and judgement.message != row.observation.message
    ] == []


@for_each("name", detector_names())
def test_a_body_nested_beyond_any_service_is_judged_too(name):
    body: object = {"ok": False, "error": math.inf}
    for _ in range(500):
        body = {"successful": True, "data": body}
    observation = Observation(kind="envelope", message="deep", node_id="n", node_type="http", status=200, body=body)
    assert detector(name).judge(observation).state in {"success", "error", "warning"}


SHELLS = st.sampled_from(
    [{"message": "no"}, {"ok": False}, {"status": "fail"}, {"success": 1, "failure": 1}, {"jsonrpc": "2.0"}, {}]
)
SLOTS = st.sampled_from(
    ["error", "errors", "message", "data", "result", "results", "content", "failed", "code", "needed"]
)
STEPS = st.lists(
    st.sampled_from(["list", "a", "error", "errors", "message", "data", "body", "text"]), min_size=1, max_size=4
)
DEPTHS = st.integers(200, 450)


@contextmanager
def frames_left(count):
    """Leave that many frames of the interpreter's recursion limit."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + count)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def nested(steps, depth):
    value = "the reason"
    for level in range(depth):
        step = steps[level % len(steps)]
        value = [value] if step == "list" else {step: value}
    return value


@given(shell=SHELLS, slot=SLOTS, steps=STEPS, depth=DEPTHS, in_list=st.booleans())
def test_however_deep_an_answer_is_nested_it_is_read_and_judged_without_recursion(shell, slot, steps, depth, in_list):
    body = {**shell, slot: nested(steps, depth)}
    body = [body] if in_list else body
    response = Response(status=200, body=json.dumps(body).encode())
    with frames_left(120):
        found = failure_in(body)
        assert accepted(response, body) is (found is None)
    with frames_left(120 + 2 * depth + 20):  # the parser of JSON itself takes a frame a level
        assert did(response) is (found is None)
    for kind in ("envelope", "mcp"):
        observation = Observation(
            kind=kind, message="m", node_id="n", node_type="http", status=200, body=body, outputs={"response": body}
        )
        for name in detector_names():
            with frames_left(120):
                assert detector(name).judge(observation).message
