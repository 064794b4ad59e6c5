import json
from typing import get_args

import pytest
import yaml

from mendbench.corpus.case_file import CaseFile
from mendbench.corpus.labels import MARK, missing_labels
from mendbench.errors import BadInput
from mendbench.importing.scaffold import SCHEMA_FILE, Draft, case_text, write_draft
from mendbench.model.case import Kind


def draft(**more):
    return Draft(**{"family": "http", "name": "new-one", **more})


@pytest.mark.parametrize("kind", get_args(Kind))
def test_a_new_case_of_each_kind_knows_every_key_it_needs(kind):
    document = yaml.safe_load(case_text(draft(kind=kind)))
    known, needed = set(CaseFile.model_json_schema()["properties"]), set(CaseFile.model_json_schema()["required"])
    assert set(document) <= known
    assert needed <= set(document)
    who = {fault["who"] for fault in document["faults"]}
    assert (
        who
        == {
            "repairable": {"edit"},
            "needs_user": {"user"},
            "transient": {"retry"},
            "control": set(),
            "mixed": {"edit", "user"},
        }[kind]
    )
    assert ("fix" in document) == (kind in {"repairable", "mixed"})


@pytest.mark.parametrize("kind", get_args(Kind))
def test_each_mark_is_reported_once_with_its_line(tmp_path, kind):
    write_draft(draft(kind=kind), tmp_path)
    folder = tmp_path / "http/new-one"
    found = [str(one) for one in missing_labels(folder)]
    text = (folder / "case.yaml").read_text(encoding="utf-8")
    rows = [
        at
        for at, line in enumerate(text.splitlines(), start=1)
        if not line.startswith("#")
        for _ in range(line.count(MARK))
    ]
    assert [int(line.partition("case.yaml:")[2].partition(":")[0]) for line in found if "case.yaml" in line] == rows
    assert sum("workflow.json" in line for line in found) == json.dumps(draft().workflow).count(MARK)


def test_the_schema_stands_where_the_header_says(tmp_path):
    write_draft(draft(), tmp_path)
    path = tmp_path / "http/new-one/case.yaml"
    named = path.read_text(encoding="utf-8").splitlines()[0].partition("$schema=")[2]
    schema = json.loads((path.parent / named).resolve().read_text(encoding="utf-8"))
    assert (path.parent / named).resolve() == tmp_path / SCHEMA_FILE
    assert "wrong_fixes" in schema["properties"]


def test_an_old_schema_is_replaced_and_a_new_one_left(tmp_path):
    (tmp_path / SCHEMA_FILE).write_text("{}", encoding="utf-8")
    assert tmp_path / SCHEMA_FILE in write_draft(draft(), tmp_path)
    assert tmp_path / SCHEMA_FILE not in write_draft(draft(name="next-one"), tmp_path)


def test_what_failed_is_quoted_without_ending_the_comment(tmp_path):
    said = "HTTP 422\ntitle: hacked\x1b[2J " + "long " * 200
    text = case_text(draft(failed="write", said=said, seen={"fetch": "success", "write": "error"}))
    document = yaml.safe_load(text)
    assert MARK in document["title"]
    assert document["faults"][0]["surfaces"] == "write"
    assert document["expect"]["first"]["fetch"] == "success"
    assert max(len(line) for line in text.splitlines() if line.startswith("# ")) <= 130


def test_a_folder_that_is_there_is_refused(tmp_path):
    write_draft(draft(), tmp_path)
    with pytest.raises(BadInput, match="it is there already"):
        write_draft(draft(), tmp_path)


def test_several_marks_in_one_json_text_are_reported_each(tmp_path):
    (tmp_path / "workflow.json").write_text(
        json.dumps({"a": f"{MARK} x {MARK} y", "b": [f"{MARK} z"]}, indent=1), encoding="utf-8"
    )
    assert [str(one).partition("workflow.json")[2] for one in missing_labels(tmp_path)] == [
        f":2:8: a is not labelled; x {MARK} y",
        f":2:19: a is not labelled; x {MARK} y",
        ":4:4: b.0 is not labelled; z",
    ]


def test_a_file_that_is_broken_has_no_labels_to_miss(tmp_path):
    (tmp_path / "workflow.json").write_text("{" + MARK, encoding="utf-8")
    (tmp_path / "case.yaml").write_bytes(b"\xff" + MARK.encode())
    assert missing_labels(tmp_path) == ()
