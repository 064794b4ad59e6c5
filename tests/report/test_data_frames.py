"""Data frames, CSV and Parquet: typed, reproducible, and no formula for a spreadsheet."""

import csv
import io
import subprocess
import sys
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput
from mendbench.model.field_types import field_types
from mendbench.model.trial_row import TrialRow
from mendbench.report import data_frames as module
from mendbench.report.data_frames import TABLES, csv_files, data_frame, data_frames, guarded, parquet_files
from mendbench.scoring.scores import score_names
from mendbench.trial.long_texts import whole
from tests.fakes.judged import mixed_run, odd_run
from tests.fakes.runs import small_run, stored_run

FORMULAS = ["=1+1", "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "＝1", "'=1", "'quoted'"]


def rows_of(data):
    return list(csv.DictReader(io.StringIO(data.decode("utf-8"), newline="")))


def test_a_row_is_a_trial_an_attempt_a_node_or_a_score():
    run = small_run()
    made = data_frames(run)
    assert len(made["trials"]) == len(run.rows)
    assert len(made["attempts"]) == sum(len(row["attempts"]) for row in run.rows)
    executions = [one for row in run.rows for one in (row["first"], *(a["execution"] for a in row["attempts"])) if one]
    assert len(made["nodes"]) == sum(len(one["nodes"]) for one in executions)
    treatments = {(row["strategy"], row["policy"], row["repairer"]) for row in run.rows}
    assert len(made["scores"]) == len(treatments) * len(score_names())


@pytest.mark.parametrize("run", [small_run(), mixed_run(), stored_run([])], ids=["small", "mixed", "empty"])
def test_columns_have_the_documented_types(run):
    for table, found in data_frames(run).items():
        assert {name: str(kind) for name, kind in found.dtypes.items()} == dict(TABLES[table])


def test_a_trial_is_flat():
    found = data_frame(mixed_run(), "trials").set_index("case").loc["slack/looks-right"]
    assert (found["verdict"], found["outcome"], found["attempts"], found["checks_failed"]) == (
        "incorrect",
        "plausible",
        1,
        1,
    )
    assert (found["prompt_tokens"], found["completion_tokens"]) == (300, 25)
    assert found["edits"] == "/nodes/greet/params/body/text"


def test_a_column_has_the_values_of_its_field():
    run = mixed_run()
    found = data_frame(run, "trials")
    plain = {name for name in field_types(TrialRow) if name in TABLES["trials"]}
    for name in plain - {"attempts", "requests", "repeated_side_effects", "collateral_edits", "edits", "problem"}:
        values = [None if pd.isna(value) else value for value in found[name]]
        assert values == [whole(row[name], run.texts) for row in run.rows], name
    assert len(plain) > 35


def test_what_is_not_known_is_missing_and_neither_zero_nor_false():
    found = data_frame(mixed_run(), "trials").set_index("case").loc["slack/missing"]
    for name in ("outcome", "wasted_attempts", "right_after_first", "progress", "cost_usd"):
        assert found[name] is pd.NA or pd.isna(found[name])
    assert found["problem"].startswith("no recording answers")


def test_an_attempt_has_its_answer_whole():
    found = data_frame(odd_run("long " * 100), "attempts")
    assert list(found["response"]) == ["long " * 100] * 3
    assert list(found["number"]) == [1, 1, 2]


def test_a_node_has_its_label_in_the_first_execution_only():
    found = data_frame(mixed_run(), "nodes")
    first = found[(found["case"] == "slack/looks-right") & (found["node"] == "greet")].set_index("execution")
    assert list(first["state"]) == ["error", "success"]
    assert first.loc[0, "expected"] == "error"
    assert pd.isna(first.loc[1, "expected"])


def test_an_undefined_score_has_no_value_and_says_why():
    found = data_frame(mixed_run(), "scores").set_index("score")
    assert pd.isna(found.loc["control_success", "value"])
    assert found.loc["control_success", "method"].startswith("none: ")
    repaired = found.loc["repair_success"]
    assert (repaired["numerator"], repaired["denominator"], repaired["cases"]) == (1, 5, 5)
    assert (repaired["lower_bound"], repaired["upper_bound"]) == (0.2, 0.4)
    assert repaired["low"] < repaired["value"] < repaired["high"]


def test_two_replays_of_one_commit_give_the_same_bytes():
    one, two = small_run(seconds=0.5), small_run(seconds=77.0)
    assert csv_files(one) == csv_files(two)
    assert parquet_files(one) == parquet_files(two)


def test_csv_is_rfc_4180():
    data = csv_files(odd_run('a "quoted", text\nof two lines'))["attempts.csv"]
    assert data.startswith(b"key,case,kind,part,engine,")
    assert data.endswith(b"\r\n")
    assert b'"a ""quoted"", text\nof two lines"' in data
    assert rows_of(data)[0]["response"] == 'a "quoted", text\nof two lines'
    assert len(rows_of(data)) == 3


@pytest.mark.parametrize("text", FORMULAS)
def test_no_cell_is_a_formula_and_the_text_can_be_had_back(text):
    run = odd_run(text)
    for data in csv_files(run).values():
        cells = [cell for line in rows_of(data) for cell in line.values()]
        assert not [
            cell
            for cell in cells
            if cell.startswith(("=", "+", "@", "\t", "\r", "＝")) or (cell[:1] == "-" and cell[1:2] == "1")
        ]
    response = rows_of(csv_files(run)["attempts.csv"])[0]["response"]
    assert response[0] == "'"
    assert response[1:] == text
    assert data_frame(run, "attempts")["response"][0] == text


def test_numbers_are_left_alone():
    run = small_run()
    row = {**run.rows[0], "cost_usd": -0.5}
    found = rows_of(csv_files(replace(run, rows=(row,)))["trials.csv"])[0]
    assert found["cost_usd"] == "-0.5"


@given(st.text(st.characters(exclude_categories=["Cc"], include_characters="\t\r\n")))
def test_a_guard_is_taken_off_again(text):
    made = guarded(text)
    assert not made.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert made.removeprefix("'") == text


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_any_text_goes_through_csv(text):
    found = rows_of(module._csv(data_frame(odd_run(text), "attempts")))[0]["response"]
    assert found == guarded(text)


def test_parquet_keeps_types_and_texts():
    run = odd_run("=1+1")
    for table, found in data_frames(run).items():
        back = pd.read_parquet(io.BytesIO(parquet_files(run)[f"{table}.parquet"]))
        assert {name: str(kind) for name, kind in back.dtypes.items()} == dict(TABLES[table])
        pd.testing.assert_frame_equal(back, found, check_dtype=False, check_categorical=False)


def test_parquet_of_no_trials_still_has_its_columns():
    back = pd.read_parquet(io.BytesIO(parquet_files(stored_run([]))["trials.parquet"]))
    assert list(back.columns) == list(TABLES["trials"])


def test_without_pyarrow_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(BadInput) as refused:
        parquet_files(small_run())
    assert str(refused.value) == (
        "Parquet: pyarrow is not installed; install it with `pip install 'mendbench[parquet]'`, or write CSV"
    )


def test_reports_do_not_pay_for_pandas():
    code = "import sys, mendbench.api; print([name for name in ('pandas', 'pyarrow', 'numpy') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_no_control_character_reaches_a_csv_file_but_those_that_order_lines():
    assert guarded("a\x1b[31m\x00b\x9bc\td\r\n") == "a\ufffd[31m\ufffdb\ufffdc\td\r\n"
