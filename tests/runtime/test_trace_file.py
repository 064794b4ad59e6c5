from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput
from mendbench.runtime import trace_file
from mendbench.runtime.trace_file import LAST, read_trace, write_trace
from mendbench.runtime.trace_views import errors_list, node_ids, node_view

TRACE = {"format": 1, "result": {}, "workflow": {}, "executions": [], "attempts": []}

RAN = {"attempt": 0, "nodes": [], "failures": [], "warnings": []}

JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def test_what_is_written_is_read_again(tmp_path):
    write_trace({**TRACE, "file": "é\ud800"}, tmp_path / "t.json")
    assert read_trace(tmp_path / "t.json")["file"] == "é\ud800"


def test_the_default_folder_ignores_itself_and_another_is_left_alone(tmp_path):
    write_trace(TRACE, tmp_path / LAST)
    write_trace(TRACE, tmp_path / "mine" / "t.json")
    assert (tmp_path / ".mendbench" / ".gitignore").read_text() == "*\n"
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["t.json"]


def test_no_trace_is_there_before_git_ignores_it(tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr(trace_file, "ignore_folder", lambda folder: written.append(folder.name))
    monkeypatch.setattr(trace_file, "write_atomically", lambda path, _text: written.append(path.name))
    write_trace(TRACE, tmp_path / LAST)
    assert written == [".mendbench", "last-trace.json"]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="--trace"):
        write_trace(TRACE, tmp_path / "file" / "t.json")


def test_without_a_trace_the_command_that_writes_one_is_said(tmp_path):
    with pytest.raises(BadInput, match="mendbench workflow run FILE"):
        read_trace(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "no JSON"),
        ("[]", "no trace"),
        ('{"format": 1}', "no trace"),
        (json.dumps({**TRACE, "format": 9}), "format 9"),
        (json.dumps({**TRACE, "result": 1}), "result"),
        (json.dumps({**TRACE, "executions": [3]}), r"executions\[0\]"),
        (json.dumps({**TRACE, "executions": [{"nodes": [{}]}]}), r"executions\[0\]"),
        (json.dumps({**TRACE, "attempts": None}), "attempts: None, where a list is due"),
        (
            json.dumps({**TRACE, "executions": [RAN | {"nodes": [{"node_id": "a", "exchanges": []}]}]}),
            r"executions\[0\]\.nodes\[0\]\.state: missing",
        ),
        (
            json.dumps(
                {**TRACE, "executions": [RAN | {"failures": [{"node_id": "a", "message": "x", "problems": [[]]}]}]}
            ),
            r"problems\[0\]: \[\], where an object",
        ),
        (
            json.dumps(
                {**TRACE, "executions": [RAN | {"failures": [{"node_id": "a", "message": "x", "upstream": [1]}]}]}
            ),
            r"upstream\[0\]",
        ),
        (
            json.dumps({**TRACE, "executions": [RAN | {"nodes": [{"node_id": 5, "state": "error", "exchanges": []}]}]}),
            r"node_id: 5, where a text",
        ),
        (
            json.dumps(
                {
                    **TRACE,
                    "executions": [
                        RAN
                        | {
                            "nodes": [
                                {"node_id": "a", "state": "error", "exchanges": [{"request": {}, "response": {}}]}
                            ]
                        }
                    ],
                }
            ),
            r"exchanges\[0\]\.request",
        ),
    ],
)
def test_a_broken_trace_is_refused_in_one_line(tmp_path, text, says):
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(BadInput, match=says) as refused:
        read_trace(tmp_path / "t.json")
    assert "\n" not in str(refused.value)


@given(JSONS, JSONS)
def test_whatever_stands_in_an_execution_is_refused_or_can_be_looked_at(tmp_path_factory, node, more):
    path = tmp_path_factory.mktemp("traces") / "t.json"
    run = {"attempt": 0, "nodes": [node], "failures": [], "warnings": [], "outputs": more}
    path.write_text(json.dumps({**TRACE, "executions": [run]}))
    try:
        trace = read_trace(path)
    except BadInput:
        return
    assert errors_list(trace)["errors"] == []
    assert [node_view(trace, name, full=False) for name in node_ids(trace)]
