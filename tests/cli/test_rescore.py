"""``mendbench report RUN --rescore``."""

import dataclasses
import json
import shutil

import pytest

from mendbench.scoring.judging import outcomes
from mendbench.scoring.judging.version import EVIDENCE, SCORER
from tests.fakes import cases

NOTHING = (
    f"rescored: 3 trials by scorer {SCORER}: 0 verdicts, 0 outcomes, 0 labels, 0 progress levels and 0 costs changed"
)


@pytest.fixture
def ran(after, empty):
    """A run of three trials, without its cases and recordings, in the current folder."""
    words = ("--repairer", "rules", "--policy", "two-layer", "--workers", "1", "--strategy", "full-context")
    return shutil.copytree(after(("run", *words, "--out", "mine")) / "mine", empty / "mine")


def test_a_fresh_run_is_rescored_to_the_same_bytes_and_says_that_nothing_changed(ran, mendbench):
    before = {path.name: path.read_bytes() for path in ran.iterdir()}
    printed = mendbench("report", "mine").out
    result = mendbench("report", "mine", "--rescore")
    assert (result.code, result.line, result.out) == (0, NOTHING, printed)
    assert {path.name: path.read_bytes() for path in ran.iterdir()} == before


def test_how_many_judgements_changed_is_one_line(ran, mendbench, monkeypatch):
    last = dataclasses.replace(outcomes.RULES[-1], outcome="disturbed", right=False)
    monkeypatch.setattr(outcomes, "RULES", (*outcomes.RULES[:-1], last))
    result = mendbench("report", "mine", "--rescore")
    assert result.line == NOTHING.replace("0 verdicts, 0 outcomes", "1 verdict, 1 outcome")
    assert mendbench("report", "mine").err == ""


def test_a_run_of_an_older_scorer_says_by_which_it_was_judged_and_what_the_prices_are(corpus, mendbench):
    mendbench("run", "--workers", "1")
    path = corpus / "reports/latest/run.json"
    older = f"{EVIDENCE}.0"
    path.write_text(path.read_text().replace(f'"scorer": "{SCORER}"', f'"scorer": "{older}"'), encoding="utf-8")
    result = mendbench("report", "--rescore")
    assert result.line.startswith(f"rescored: 18 trials by scorer {SCORER}, and no longer by {older}: 0 verdicts, ")
    assert result.line.endswith(f" 0 costs changed; prices of today: {cases.MODEL} (unknown)")


def test_json_is_the_run_document_of_today(ran, mendbench):
    result = mendbench("report", "mine", "--rescore", "--format", "json")
    assert json.loads(result.out) == json.loads((ran / "run.json").read_text(encoding="utf-8"))
    assert result.code == 0


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("run.json", '{"format": 2}', "mine/run.json: format: 2; this mendbench reads format 6: make the run again"),
        ("trials.jsonl", "{", "mine/trials.jsonl:1:2: no JSON ("),
        ("trials.jsonl", '{"key": 1}\n{}\n{}\n', "mine/trials.jsonl:1: case: missing; make the run again"),
    ],
)
def test_what_cannot_be_rescored_is_one_line(ran, mendbench, file, text, message):
    (ran / file).write_text(text, encoding="utf-8")
    result = mendbench("report", "mine", "--rescore")
    assert (result.code, result.out) == (2, "")
    assert result.line.startswith(message)


def test_no_run_is_one_line_too(empty, mendbench):
    result = mendbench("report", "--rescore")
    assert (result.code, result.line) == (2, "reports/latest: no run is in it; make one with `mendbench run`")
