"""What holds for every detector."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mendbench.detectors import detector, detector_names
from mendbench.model.execution import Sighting
from tests.detectors.rows import ROWS
from tests.detectors.unseen import UNSEEN

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
    Sighting, kind=KINDS, message=st.text(max_size=60), node_id=st.just("n"), node_type=st.just("http"),
    status=st.none() | st.integers(0, 700), headers=OBJECTS, body=JSON, outputs=OBJECTS,
)  # fmt: skip


@pytest.mark.parametrize("name", detector_names())
@given(sighting=SIGHTINGS)
@settings(max_examples=150, deadline=None)
def test_judging_never_raises_and_always_says_something_of_a_failure(name, sighting):
    judgement = detector(name).judge(sighting)
    assert judgement.state in {"success", "warning", "error"}
    assert isinstance(judgement.message, str)
    assert judgement.message or judgement.state != "warning" or not sighting.message


@pytest.mark.parametrize("name", detector_names())
def test_a_warning_is_one_readable_line_without_the_representation_of_an_object(name):
    judged = [detector(name).judge(row.sighting) for row in (*ROWS, *UNSEEN)]
    said = [judgement.message for judgement in judged if judgement.state == "warning"]
    assert said
    assert [line for line in said if "\n" in line or "{'" in line or "None" in line] == []


@pytest.mark.parametrize("name", detector_names())
def test_an_error_keeps_the_words_of_the_sighting_so_that_no_prompt_depends_on_the_detector(name):
    judged = [(row, detector(name).judge(row.sighting)) for row in ROWS]
    assert [
        row.id for row, judgement in judged if judgement.state == "error" and judgement.message != row.sighting.message
    ] == []


@pytest.mark.parametrize("name", detector_names())
def test_a_body_nested_beyond_any_service_is_judged_too(name):
    body: object = {"ok": False, "error": math.inf}
    for _ in range(500):
        body = {"successful": True, "data": body}
    sighting = Sighting(kind="envelope", message="deep", node_id="n", node_type="http", status=200, body=body)
    assert detector(name).judge(sighting).state in {"success", "error", "warning"}
