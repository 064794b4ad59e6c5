"""Runs judged again from their folders alone."""

import dataclasses
import errno
import json
import os
import shutil
from pathlib import Path

import pytest

from mendbench import api
from mendbench.api import rescoring, runs
from mendbench.errors import BadInput
from mendbench.results.run_document import totals_of_trials
from mendbench.results.store import open_run, read_run
from mendbench.scoring.judging import attempts, outcomes, progress
from mendbench.scoring.judging.version import EVIDENCE, SCORER
from tests.fakes import cases
from tests.fakes.cases import MODEL
from tests.fakes.runs import MODEL as OTHER
from tests.fakes.runs import key_of, repairable, row_of, small_run, stored_run, unjudged, unrepaired

ONE = api.RunOptions(workers=1)
RUN = Path("reports/latest")
TRIALS = RUN / "trials.jsonl"
PRICED = f"[models.{MODEL}]\nprices = {{input_per_million = 1, output_per_million = 2}}\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the invented corpus, with a run of it, of which nothing but the run's folder is kept."""
    root = cases.build(tmp_path_factory.mktemp("rescored"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        api.run(ONE, lambda *words: None)
    for name in ("cases", "cassettes"):
        shutil.rmtree(root / name)
    return root


@pytest.fixture
def root(built, tmp_path, monkeypatch):
    """Return a copy of it, which the test runs in."""
    monkeypatch.chdir(cases.copy_of(built, tmp_path / "copy"))
    return Path.cwd()


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Return a run made by hand in a folder without a configuration, one trial of it without a verdict."""
    monkeypatch.chdir(tmp_path)
    extra = row_of(repairable("lost"), unrepaired(), key_of(repairable("lost")), problem=unjudged())
    run = small_run(extra=(extra,))
    document = {
        **run.run,
        "digests": {"scorer": SCORER, "prices": {OTHER: {"source": "unknown"}}},
        **totals_of_trials(run.records),
    }
    with open_run(RUN, {}, resume=False) as folder:
        folder.take(run)
        folder.finish(document, {})
    return run


def bytes_of(folder=RUN):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def change(path, old, new, count=-1):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, count), encoding="utf-8")


def rule_changed(monkeypatch, table, rule, **changes):
    """Have one rule of a table say something else."""
    rules = tuple(dataclasses.replace(one, **changes) if one == rule else one for one in table.RULES)
    assert rules != table.RULES
    monkeypatch.setattr(table, "RULES", rules)


def counts(rescored_row):
    return rescored_row.verdicts, rescored_row.outcomes, rescored_row.labels, rescored_row.levels, rescored_row.costs


def test_a_fresh_run_stays_byte_by_byte_without_its_cases_and_recordings(root):
    before = bytes_of()
    rescored_row = api.rescore(RUN)
    assert bytes_of() == before
    assert counts(rescored_row) == (0, 0, 0, 0, 0)
    assert (rescored_row.before, rescored_row.scorer, rescored_row.prices) == (SCORER, SCORER, {MODEL: "unknown"})
    assert read_run(RUN).run == rescored_row.run.run
    assert [path.name for path in RUN.parent.iterdir()] == ["latest"]


def test_a_run_is_rescored_where_there_is_nothing_but_its_folder(made):
    before = bytes_of()
    api.rescore(RUN)
    after = bytes_of()
    assert {name: after[name] for name in before} == before
    assert set(after) - set(before) == {"index.html"}


def test_another_rule_changes_what_follows_from_it_and_is_counted(made, monkeypatch):
    plausible = [row["key"] for row in made.rows if row["outcome"] == "plausible"]
    rule = next(rule for rule in outcomes.RULES if (rule.kind, rule.outcome) == ("repairable", "plausible"))
    rule_changed(monkeypatch, outcomes, rule, outcome="repaired", right=True)
    rescored_row = api.rescore(RUN)
    assert counts(rescored_row) == (len(plausible), len(plausible), 0, 0, 0)
    stored = read_run(RUN)
    assert [row["key"] for row in stored.rows if row["key"] in plausible and row["outcome"] == "repaired"] == plausible
    assert stored.run["totals"] == json.loads(json.dumps(totals_of_trials(stored.records)["totals"]))
    assert stored.run["totals"] != made.run["totals"]
    assert stored.run["bounds"]["unjudged"] == 1
    kept = {name: [row[name] for row in made.rows] for name in ("requests", "evidence", "timing", "problem", "used")}
    assert {name: [row[name] for row in stored.rows] for name in kept} == kept


def test_rescoring_with_the_rules_of_before_gives_the_run_of_before(made, monkeypatch):
    api.rescore(RUN)
    before = bytes_of()
    with monkeypatch.context() as patch:
        rule_changed(patch, attempts, attempts.RULES[0], label="fruitless")
        rule_changed(patch, progress, progress.RULES[-2], level=progress.ELSEWHERE)
        rescored_row = api.rescore(RUN)
        assert counts(rescored_row)[:2] == (0, 0)
        assert min(rescored_row.labels, rescored_row.levels) > 0
    assert bytes_of() != before
    api.rescore(RUN)
    assert bytes_of() == before


def test_a_run_of_another_scorer_is_of_todays_afterwards(made, monkeypatch):
    later = f"{EVIDENCE}.999"
    monkeypatch.setattr(rescoring, "SCORER", later)
    rescored_row = api.rescore(RUN)
    assert (rescored_row.before, rescored_row.scorer) == (SCORER, later)
    assert read_run(RUN).run["digests"]["scorer"] == later


def test_costs_are_by_the_prices_of_today_and_the_run_says_by_which(root):
    config = root / "mendbench.toml"
    change(config, f"[models.{MODEL}]\n", PRICED)
    unknown = [attempt for row in read_run(RUN).rows for attempt in row["attempts"] if attempt["cost_usd"] is None]
    rescored_row = api.rescore(RUN)
    assert (counts(rescored_row)[:4], rescored_row.prices) == ((0, 0, 0, 0), {MODEL: "configuration"})
    assert rescored_row.costs == len(unknown) > 0
    stored = read_run(RUN)
    price = {"source": "configuration", "input_per_million": "1.0", "output_per_million": "2.0"}
    assert stored.run["digests"]["prices"] == {MODEL: price}
    costs = [attempt["cost_usd"] for row in stored.rows for attempt in row["attempts"]]
    assert None not in costs
    assert sum(costs) > 0
    before = bytes_of()
    config.unlink()
    assert api.rescore(RUN).costs == 0
    assert bytes_of() == before


def test_a_report_alone_judges_nothing(made, monkeypatch):
    before = bytes_of()
    rule_changed(monkeypatch, outcomes, outcomes.RULES[3], outcome="plausible", right=False)
    api.report(RUN)
    assert {name: text for name, text in bytes_of().items() if name != "index.html"} == before


def test_trials_that_crashed_before_anything_ran_are_rescored_too(made):
    row = {
        **made.rows[0],
        "attempts": [],
        "verdict": "crashed",
        "outcome": None,
        "problem": {"kind": "crashed", "message": "m"},
    }
    lone = stored_run([(row, made.texts)])
    with open_run(Path("lone"), {}, resume=False) as folder:
        folder.take(lone)
        folder.finish({**read_run(RUN).run, **totals_of_trials(lone.records)}, {})
    assert counts(api.rescore(Path("lone"))) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("run.json", '"format": 6', '"format": 2', "run.json: format: 2; this mendbench reads format 6: make the run again"),
        ("run.json", '"scorer": ', '"scored": ', "run.json: digests.scorer: missing; make the run again"),
        ("run.json", f'"{SCORER}"', '"0.4"', f"its evidence has version 0, not {EVIDENCE}; make the run again"),
        ("run.json", '"prices": ', '"priced": ', "run.json: digests.prices: missing; make the run again"),
        ("run.json", '"unknown"', "3.5", "run.json: digests.prices.tiny-coder: {'source': 3.5} is no price; make the run again"),
        ("run.json", '"digests"', '"digest"', "run.json: digests: missing; make the run again"),
        ("trials.jsonl", '"passes":', '"passed":', "trials.jsonl:1: evidence.verdict.passes: missing; make the run again"),
        ("trials.jsonl", '"gained":0', '"gained":-1', "label.gained: -1 is not a whole number; make the run again"),
        ("trials.jsonl", '"prompt_tokens":300', '"prompt_tokens":"300"', "trials.jsonl:1: attempts[0].prompt_tokens: '300', where"),
        ("trials.jsonl", "{", "", "trials.jsonl:1:17: no JSON"),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_again_is_one_line_that_says_what_to_do_and_nothing_is_written(
    made, file, old, new, said
):
    change(RUN / file, old, new, 1)
    before = bytes_of()
    with pytest.raises(BadInput) as raised:
        api.rescore(RUN)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert bytes_of() == before
    assert [path.name for path in RUN.parent.iterdir()] == ["latest"]


def test_a_folder_without_a_run_is_reported(root):
    with pytest.raises(BadInput, match="no run is in it; make one with `mendbench run`"):
        api.rescore(Path("reports"))


def test_a_temporary_folder_that_is_full_is_one_line_and_nothing_is_written(made, monkeypatch):
    before, write = bytes_of(), os.write

    def full(handle, data):
        if ".scratch" in str(Path(f"/proc/self/fd/{handle}").readlink()):
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(handle, data)

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(
        BadInput, match="the temporary folder: No space left on device; make room there, or name another"
    ):
        api.rescore(RUN)
    assert bytes_of() == before
    assert [path.name for path in RUN.parent.iterdir()] == ["latest"]


def test_a_report_that_cannot_be_made_leaves_the_old_one(made, monkeypatch):
    def parts(_run, _against):
        yield "<p>"
        raise OSError(errno.ENOSPC, "No space left on device")

    api.report(RUN)
    before = bytes_of()
    monkeypatch.setattr(runs, "html_parts", parts)
    with pytest.raises(BadInput, match=r"index\.html: No space left on device; make room"):
        api.report(RUN)
    assert bytes_of() == before
