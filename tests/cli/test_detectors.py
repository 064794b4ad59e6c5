import json

import pytest

ROWS = (
    {
        "id": "absent",
        "service": "Parcel",
        "status": 404,
        "headers": {},
        "body": {"error": "Parcel 7 not found"},
        "truth": "warning",
    },
    {
        "id": "form",
        "service": "Parcel",
        "status": 400,
        "headers": {},
        "body": {"error": "weight must be a number"},
        "truth": "error",
    },
    {"id": "fine", "service": "Tram", "status": 200, "headers": {}, "body": {"lines": []}, "truth": "success"},
    {
        "id": "odd",
        "service": "Tram",
        "status": 400,
        "headers": {},
        "body": {"error": "Bad credentials"},
        "truth": "error",
    },
)


@pytest.fixture
def rows(empty):
    path = empty / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_evaluate_prints_a_table_and_the_worst_mistakes(mendbench, rows):
    result = mendbench("detectors", "evaluate", str(rows))
    assert (result.code, result.err) == (0, "")
    assert "4 responses of 2 services" in result.out
    assert [line.split()[0] for line in result.out.splitlines() if line.startswith(("weighted ", "structural", "status-table"))] == [
        "weighted", "structural", "status-table",
    ]  # fmt: skip
    assert "odd" in result.out.split("mistakes")[1]


def test_evaluate_gives_json(mendbench, rows):
    result = mendbench("detectors", "evaluate", str(rows), "--detector", "weighted", "--format", "json")
    (score,) = json.loads(result.out)["detectors"]
    assert (score["detector"], score["n"], score["services"], score["accuracy"]) == ("weighted", 4, 2, 0.75)
    assert set(score["warning"]) == {"precision", "recall", "f1", "f1_interval"}
    assert score["confusion"]["error"] == {"success": 0, "warning": 1, "error": 1}
    assert [one["id"] for one in score["mistakes"]] == ["odd"]


def test_evaluate_without_a_file_takes_the_shipped_set(mendbench, empty):
    result = mendbench("detectors", "evaluate", "--detector", "status-table", "--format", "json")
    assert json.loads(result.out)["detectors"][0]["n"] >= 250


def test_explain_shows_state_and_evidence(mendbench, rows):
    result = mendbench("detectors", "explain", str(rows))
    assert result.code == 0
    assert "absent: warning" in result.out
    assert "status: 404" in result.out
    assert "fine: success" in result.out
    assert "no failure noticed" in result.out


def test_explain_gives_json(mendbench, rows):
    found = json.loads(mendbench("detectors", "explain", str(rows), "--format", "json").out)["responses"]
    assert [one["state"] for one in found] == ["warning", "error", "success", "warning"]
    assert {"path", "found", "weight"} == set(found[0]["evidence"][0])


@pytest.mark.parametrize("command", ["evaluate", "explain"])
def test_a_bad_row_is_named_in_one_line(mendbench, rows, command):
    rows.write_text('{"status": "x"}\n')
    result = mendbench("detectors", command, str(rows))
    assert (result.code, result.out) == (2, "")
    assert result.line == f"{rows}, line 1: status: 'x'; write an HTTP status as a number"


def test_an_unknown_detector_is_answered_with_the_closest(mendbench, rows):
    result = mendbench("detectors", "evaluate", str(rows), "--detector", "weigthed")
    assert (result.code, result.line.split(";")[1]) == (
        2,
        " did you mean 'weighted'? known: coded, graded, minimal, status-table, structural, weighted",
    )
