import json

import pytest

from mendbench.corpus.labelled_responses import read_responses
from mendbench.errors import BadInput

ROW = {
    "service": "Parcel",
    "status": 404,
    "headers": {"Retry-After": "3"},
    "body": {"error": "no such parcel"},
    "truth": "warning",
}


def written(tmp_path, *rows):
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


def test_a_row_is_read(tmp_path):
    (row,) = read_responses(written(tmp_path, ROW))
    assert (row.id, row.service, row.status, row.truth) == ("line 1", "Parcel", 404, "warning")
    assert row.headers == {"retry-after": "3"}


def test_only_body_and_truth_are_needed(tmp_path):
    (row,) = read_responses(written(tmp_path, {"body": None, "truth": "success"}))
    assert (row.status, row.headers, row.method) == (200, {}, "")


def test_unknown_keys_and_empty_lines_are_ignored(tmp_path):
    assert len(read_responses(written(tmp_path, {**ROW, "note": 1}, "", ROW))) == 2


def test_a_body_that_is_json_in_a_text_is_parsed(tmp_path):
    (row,) = read_responses(written(tmp_path, {**ROW, "body": '{"ok": false}'}))
    assert row.body == {"ok": False}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("{", r"rows\.jsonl:1:2: no JSON"),
        ("[]", r"rows\.jsonl:1: not an object; write an object with service"),
        ({**ROW, "truth": "warn"}, r"rows\.jsonl:1: truth: 'warn'; write success, warning or error"),
        ({"body": 1}, r"rows\.jsonl:1: truth: missing; write success, warning or error"),
        ({**ROW, "status": "404"}, r"rows\.jsonl:1: status: '404'; write an HTTP status as a number"),
        ({"statsu": 404, "truth": "error"}, r"rows\.jsonl:1: statsu: unknown key 'statsu'; did you mean 'status'"),
        ({**ROW, "headers": []}, r"rows\.jsonl:1: headers"),
    ],
)
def test_a_bad_row_is_named_with_its_line(tmp_path, row, message):
    with pytest.raises(BadInput, match=message):
        read_responses(written(tmp_path, row))


def test_an_empty_file_is_refused(tmp_path):
    with pytest.raises(BadInput, match="no response in it"):
        read_responses(written(tmp_path, ""))


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(BadInput, match="name a file of labelled responses"):
        read_responses(tmp_path / "none.jsonl")


def test_rows_to_explain_need_no_truth(tmp_path):
    (row,) = read_responses(written(tmp_path, {"body": 1}), labelled=False)
    assert row.truth is None
