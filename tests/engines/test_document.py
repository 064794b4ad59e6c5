"""What a command prints, read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.engines import trailing_json as ending
from mendbench.engines.document import NoDocument, document_in, execution_of, without_moments
from mendbench.runtime.parse import salvaged

WORKFLOW = salvaged(
    {"nodes": [{"id": "a", "type": "http", "params": {}}, {"id": "b", "type": "http", "params": {}}], "edges": []}
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["node_id", "message", "steps", "a", "status"]), inner)
    ),
    max_leaves=8,
)
NAMES = ["errors", "warnings", "execution", "outputs", "mendbench", "status", "checkpoint", "metrics", "error"]


def read(**document):
    return execution_of(document_in(json.dumps(document)), WORKFLOW)


@given(st.booleans(), st.dictionaries(st.sampled_from(NAMES), JSON))
def test_whatever_json_it_is_it_is_read_or_refused(success, rest):
    try:
        execution = read(success=success, **rest)
    except NoDocument:
        return
    assert [record.node_id for record in execution.nodes] == ["a", "b"]


@given(JSON)
def test_whatever_stands_in_an_error_it_is_a_failure(value):
    names = [
        "category",
        "raw_response",
        "unresolved",
        "problems",
        "upstream",
        "request_sent",
        "available_fields",
        "status_code",
        "fixable",
    ]
    for name in names:
        assert len(read(success=False, errors=[{"node_id": "a", "message": "x", name: value}]).failures) == 1


def test_states_come_from_the_steps():
    steps = [
        {"node_id": "a", "status": "completed", "cached": True},
        {"node_id": "b", "status": "failed", "repaired": True},
    ]
    execution = read(success=False, errors=[{"node_id": "b", "message": "HTTP 500"}], execution={"steps": steps})
    assert execution.states() == {"a": "success", "b": "error"}
    assert (execution.nodes[0].cached, execution.nodes[1].modified, execution.nodes[1].message) == (
        True,
        True,
        "HTTP 500",
    )


def test_without_steps_they_come_from_what_was_sent():
    document = document_in('{"success": false, "errors": [{"node_id": "b", "message": "x"}]}')
    assert execution_of(document, WORKFLOW, seen=frozenset({"a"})).states() == {"a": "success", "b": "error"}
    assert execution_of(document, WORKFLOW).states() == {"a": "not_run", "b": "error"}


@pytest.mark.parametrize(
    ("document", "outcome"),
    [
        ({"success": True}, "success"),
        ({"success": True, "status": "degraded"}, "warning"),
        ({"success": True, "warnings": [{"node_id": "a", "message": "x"}]}, "warning"),
        ({"success": True, "warnings": [{"node_id": "a", "message": "x", "severity": "info"}]}, "success"),
        ({"success": False, "errors": [{"node_id": "a", "category": "non_repairable", "message": "x"}]}, "warning"),
        ({"success": False, "errors": [{"node_id": "a", "category": "api_validation", "message": "x"}]}, "error"),
        ({"success": True, "status": "error", "errors": [{"node_id": "a", "message": "x"}]}, "error"),
    ],
)
def test_the_outcome_is_reported_or_follows(document, outcome):
    assert read(**document).outcome == outcome


def test_a_warning_that_stopped_it_is_said():
    execution = read(
        success=False, errors=[{"node_id": "a", "category": "non_repairable", "message": "no such channel"}]
    )
    assert [(one.node_id, one.message) for one in execution.warnings] == [("a", "no such channel")]
    assert execution.states() == {"a": "warning", "b": "not_run"}


def test_what_is_reported_beyond_the_format_reaches_the_failure():
    more = {
        "suggestion": "${a.response.name}",
        "problems": [{"field": "title", "problem": "missing", "says": "required"}],
        "earlier": [3],
    }
    execution = read(success=False, errors=[{"node_id": "b", "message": "x"}], mendbench={"failures": [more]})
    failure = execution.failures[0]
    assert (failure.suggestion, failure.problems[0].field, failure.earlier) == ("${a.response.name}", "title", ())
    assert "mendbench" not in execution.agent


def test_a_document_after_noise_and_over_several_lines_is_found():
    said = "{not json}\nready\n" + json.dumps({"success": True}, indent=2) + "\n"
    assert document_in(said) == {"success": True}


@pytest.mark.parametrize(
    "before",
    ['{"loss": NaN}\n', '{"step": 1}\n' * 3, "[1]\n{'a': 1}\n", "{\n{\n", "50 %\r"],
    ids=["nan", "objects", "others", "braces", "bar"],
)
@pytest.mark.parametrize("document", ['{"success": true}', '{\n"success": true,\n"mendbench":\n{}\n}\n\n'])
def test_whatever_lines_stand_before_a_document_are_passed_over(before, document):
    assert document_in(before + document)["success"] is True


@pytest.mark.parametrize("line", ['{"step": 1}\n', '{"a":\n', '{"a": b}\n', '{"\n', "{\n"])
def test_many_lines_of_json_and_no_document_take_time_in_proportion(line, monkeypatch):
    gone = []

    class Counted(json.JSONDecoder):
        def raw_decode(self, text, at=0):
            try:
                value, end = super().raw_decode(text, at)
            except json.JSONDecodeError as error:
                gone.append(error.pos - at)
                raise
            gone.append(end - at)
            return value, end

    monkeypatch.setattr(ending, "reader_of", lambda _text: Counted())
    said = line * 20_000 + "bye"
    with pytest.raises(NoDocument, match="no JSON object"):
        document_in(said)
    assert sum(gone) <= (ending.TIMES + 1) * len(said)


def test_real_time_is_taken_out_and_the_worlds_time_is_kept():
    reported = {
        "success": True,
        "execution": {"duration_ms": 12},
        "outputs": {"response_time": 0.25, "timestamp": {"of": "data"}},
    }
    assert without_moments(reported)["execution"] == {"duration_ms": 0}
    assert without_moments(reported)["outputs"] == {"response_time": None, "timestamp": {"of": "data"}}
    virtual = {**reported, "mendbench": {"virtual_time": True}}
    assert without_moments(virtual) is virtual


@pytest.mark.parametrize(
    ("printed", "says"),
    [
        ('{"success": true, "outputs": {"a": NaN}}', "its JSON cannot be read: NaN is no JSON number; print null"),
        (
            '{"step": 1}\n{"success": true, "outputs": {"a": 1e999}}',
            "1e999 is no JSON number: it is too large; print null",
        ),
        ('{"success": true, "outputs": {"a": %s}}' % ("9" * 5000), "(5000 digits) is no JSON number"),
        ('{"success": true, "outputs": {"a": -Infinity}}', "-Infinity is no JSON number"),
        ('{"success": true, "outputs": {"a": %s}}' % ("[" * 300 + "]" * 300), "its JSON is nested more than 200 deep"),
        ("[" * 100_000, "it printed no JSON object"),
    ],
    ids=["nan", "large", "long", "infinity", "deep", "deepest"],
)
def test_json_that_nothing_further_on_could_take_is_refused(printed, says):
    with pytest.raises(NoDocument) as raised:
        document_in(printed)
    assert says in str(raised.value)


def test_parts_of_a_failure_that_are_not_reported_as_they_should_be_are_left_out():
    """What renders a prompt relies on them."""
    error = {
        "node_id": "note", "message": "x", "batch_item": {"index": 1}, "request_sent": {"method": "POST", "url": 7, "headers": {}},
        "problems": [{"field": "a", "problem": "odd", "says": "x"}, {"field": "a", "problem": "missing", "says": "x"}],
        "upstream": [{"param": "a"}], "earlier": [{"node_id": None, "message": "x"}],
    }  # fmt: skip
    execution = execution_of({"success": False, "errors": [error]}, salvaged({"nodes": []}))
    (failure,) = execution.failures
    assert (failure.batch_item, failure.request_sent, failure.upstream, failure.earlier) == (None, None, (), ())
    assert [one.field for one in failure.problems] == ["a"]
