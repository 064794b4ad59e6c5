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
    assert json.loads(result.out)["detectors"][0]["n"] >= 200


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
    assert result.line == f"{rows}:1: status: 'x'; write an HTTP status as a number"


def test_an_unknown_detector_is_answered_with_the_closest(mendbench, rows):
    result = mendbench("detectors", "evaluate", str(rows), "--detector", "weigthed")
    assert (result.code, result.line.split(";")[1]) == (
        2,
        " did you mean 'weighted'? known: coded, graded, minimal, status-table, structural, weighted",
    )


READER = "claude-2026-11-batched"
LABELS = (
    '{"state": "warning", "reason": "it is absent"}',
    '{"state": "error", "reason": "x"}',
    "success, surely",
    '{"state":"warning"}',
)


@pytest.fixture
def prompts(rows, mendbench):
    result = mendbench("prompts", "export", "--labelled", "rows.jsonl", "--model", READER, "--out", "p.jsonl")
    assert (result.code, result.err) == (0, "mendbench: 4 prompts without a response; 0 answered\n")
    return [json.loads(line) for line in (rows.parent / "p.jsonl").read_text().splitlines()]


@pytest.fixture
def labels(rows, prompts):
    """Write one label for each row, in the order of the rows."""
    by_row = [
        next(one for one in prompts if json.dumps(row["body"]) in one["body"]["messages"][1]["content"]) for row in ROWS
    ]
    lines = [{"custom_id": one["custom_id"], "content": text} for one, text in zip(by_row, LABELS, strict=True)]
    (rows.parent / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return lines


def test_a_prompt_quotes_the_response_and_not_its_label(prompts):
    asked = next(one for one in prompts if "Parcel 7" in one["body"]["messages"][1]["content"])["body"]["messages"]
    assert asked[1]["content"] == (
        'Request: not known\n\nResponse of Parcel:\nHTTP 404\n\n{"error": "Parcel 7 not found"}\n'
    )


def test_a_model_that_labelled_the_responses_is_scored_beside_the_detectors(mendbench, labels):
    done = mendbench("prompts", "import", "a.jsonl", "--prompts", "p.jsonl", "--labelled", "rows.jsonl")
    assert (done.code, done.out) == (0, "4 responses recorded in 1 file; 4 prompts were exported\n")
    result = mendbench("detectors", "evaluate", "rows.jsonl", "--model", READER, "--format", "json")
    score = json.loads(result.out)["detectors"][-1]
    assert (score["detector"], score["accuracy"], score["unread"]) == (READER, 0.5, 1)
    assert score["confusion"]["success"]["error"] == 1, "a reply without a state counts as error"
    assert score["tokens"] > 100
    shown = mendbench("detectors", "evaluate", "rows.jsonl", "--model", READER).out
    assert f"{READER}: 1 response without a readable state, counted as error" in shown
    mixed = mendbench("detectors", "evaluate", "rows.jsonl", "--model", READER, "--unsure", "1", "--format", "json")
    assert json.loads(mixed.out)["detectors"][-1]["detector"] == f"weighted, {READER} for 3 below 100%"
    again = mendbench("prompts", "export", "--labelled", "rows.jsonl", "--model", READER)
    assert (again.out, again.err) == ("", "mendbench: 0 prompts without a response; 4 answered\n")


def test_a_model_that_labelled_only_some_is_refused(mendbench, rows, labels):
    (rows.parent / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in labels[:3]))
    assert mendbench("prompts", "import", "a.jsonl", "--prompts", "p.jsonl", "--labelled", "rows.jsonl").code == 3
    result = mendbench("detectors", "evaluate", "rows.jsonl", "--model", READER)
    assert result.code == 2
    assert (
        f"rows.jsonl: 1 of 4 responses have no label of {READER}; write the prompts with `mendbench prompts export"
        in result.err
    )


def test_a_label_that_differs_from_the_recorded_one_is_refused(mendbench, rows, labels):
    given = ("prompts", "import", "a.jsonl", "--prompts", "p.jsonl", "--labelled", "rows.jsonl")
    mendbench(*given)
    labels[0]["content"] = '{"state": "success", "reason": "y"}'
    (rows.parent / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in labels))
    result = mendbench(*given)
    assert result.code == 2
    assert "another response to" in result.err
    assert mendbench(*given, "--replace").code == 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--labelled", "rows.jsonl"), "--labelled: no model; name the model that labels the responses with --model"),
        (("--labelled", "rows.jsonl", "--model", "nobody"), "unknown model 'nobody'"),
        (("--labelled", "none.jsonl", "--model", READER), "none.jsonl: no such file"),
        (("--labelled", "rows", "--model", READER), "rows: no suffix in its name; rename it to rows.jsonl"),
        (("mcp", "--labelled", "rows.jsonl", "--model", READER), "--labelled: options that choose trials"),
    ],
)
def test_what_cannot_be_exported_is_one_line(mendbench, prompts, words, message):
    result = mendbench("prompts", "export", *words)
    assert result.code == 2
    assert message in result.err
    assert result.err.count("\n") == 1
