from __future__ import annotations

import pytest

from mendbench.errors import BadInput
from mendbench.workflow_app import read_inputs, read_workflow
from mendbench.workflow_app.documents import save_workflow
from tests.fakes.tables import for_each


def test_a_value_may_hold_an_equals_sign_and_may_be_empty():
    assert read_inputs(["a=1=2", "b="]) == {"a": "1=2", "b": ""}


@for_each(("words", "says"), [(["a"], "NAME=VALUE"), (["=1"], "NAME=VALUE"), (["a=1", "a=2"], "twice")])
def test_what_is_no_pair_is_refused(words, says):
    with pytest.raises(BadInput, match=says):
        read_inputs(words)


@pytest.mark.parametrize(
    ("text", "says"),
    [("{,}", r"w.json:1:2"), ("[]", "JSON list"), ("3", "JSON int"), ("\udcff", "byte 0 is not UTF-8")],
)
def test_what_is_no_workflow_is_refused_in_one_line(tmp_path, text, says):
    path = tmp_path / "w.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadInput, match=says):
        read_workflow(path)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(BadInput, match=r"none\.json: no such file"):
        read_workflow(tmp_path / "none.json")


def test_a_workflow_is_saved_as_it_is_read(tmp_path):
    save_workflow({"nodes": ["ä"]}, tmp_path / "w.json")
    assert read_workflow(tmp_path / "w.json") == {"nodes": ["ä"]}
    with pytest.raises(BadInput, match="a folder of this path is a file; name another file"):
        save_workflow({}, tmp_path / "w.json" / "x.json")
