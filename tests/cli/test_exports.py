"""``mendbench report`` with what it writes for others."""

import json
from pathlib import Path

import pytest
from junitparser import JUnitXml

from tests.fakes import cases


@pytest.fixture
def run(after, corpus, monkeypatch):
    """The folder of a run with a trial that is wrong."""
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    cases.copy_of(after(("run", "--strategy", "none", "--workers", "1", "--out", "reports/run")), corpus)
    return corpus / "reports/run"


def test_all_is_written_and_said_and_the_table_is_still_printed(run, corpus, mendbench, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(corpus / "summary.md"))
    words = (
        "--junit",
        "out/a.xml",
        "--markdown",
        "out/a.md",
        "--csv",
        "out/csv",
        "--parquet",
        "out/pq",
        "--github-summary",
    )
    result = mendbench("report", run, *words)
    assert result.code == 0
    assert "report: " in result.out
    tables = ("trials", "attempts", "nodes", "scores")
    assert result.err.splitlines() == [
        f"mendbench: wrote {file}"
        for file in (
            "out/a.xml", "out/a.md", *(f"out/csv/{one}.csv" for one in tables), *(f"out/pq/{one}.parquet" for one in tables),
            corpus / "summary.md",
        )
    ]  # fmt: skip
    assert len(list(JUnitXml.fromfile("out/a.xml"))) > 1
    assert (corpus / "out/a.md").read_text("utf-8") == (corpus / "summary.md").read_text("utf-8")


def test_annotations_leave_standard_output_to_the_table(run, mendbench):
    result = mendbench("report", run, "--annotations", "--format", "json")
    assert json.loads(result.out)["trials"]
    lines = result.err.splitlines()
    assert lines
    assert all(line.startswith("::warning file=cases/") for line in lines)
    assert any(f"title={cases.RENAMED}::" in line for line in lines)


def test_an_unjudged_trial_stays_unjudged_and_so_does_the_exit_code(corpus, mendbench):
    (corpus / "cassettes" / cases.RENAMED / f"{cases.MODEL}.yaml").unlink()
    assert mendbench("run", "--strategy", "none", "--workers", "1", "--out", "reports/run").code == 3
    result = mendbench("report", "reports/run", "--junit", "a.xml", "--annotations")
    assert result.code == 3
    assert JUnitXml.fromfile("a.xml").errors > 0
    assert f"::error file=cases/{cases.RENAMED}/case.yaml," in result.err


def test_against_a_baseline_what_is_as_it_was_is_not_red(run, mendbench):
    assert mendbench("report", run, "--junit", "a.xml").code == 0
    assert JUnitXml.fromfile("a.xml").failures > 0
    assert mendbench("gate", run, "--baseline", "baseline.tsv", "--update").code == 0
    result = mendbench(
        "report", run, "--against", "baseline.tsv", "--junit", "a.xml", "--markdown", "a.md", "--annotations"
    )
    assert result.code == 0
    found = JUnitXml.fromfile("a.xml")
    assert (found.failures, found.errors) == (0, 0)
    assert "::" not in result.err
    assert "### What changed\n\n✅ gate passed: " in Path("a.md").read_text("utf-8")


def test_against_a_baseline_what_got_worse_is_red(run, corpus, mendbench):
    assert mendbench("gate", run, "--baseline", "baseline.tsv", "--update").code == 0
    before = (corpus / "baseline.tsv").read_text("utf-8")
    lines = [
        line for line in before.splitlines() if line.split("\t")[0] == "http/renamed-field" and "\ttwo-layer\t" in line
    ]
    wrong = next(line for line in lines if "\tincorrect\tunrepaired\t" in line)
    (corpus / "baseline.tsv").write_text(
        before.replace(wrong, wrong.replace("\tincorrect\tunrepaired\t", "\tcorrect\trepaired\t")), "utf-8"
    )
    gate = mendbench("gate", run, "--baseline", "baseline.tsv")
    result = mendbench("report", run, "--against", "baseline.tsv", "--junit", "a.xml", "--annotations")
    found = JUnitXml.fromfile("a.xml")
    assert (gate.code, result.code, found.failures) == (1, 0, 2)
    (line,) = [one for one in result.err.splitlines() if one.startswith("::error")]
    assert line.startswith(f"::error file=cases/{cases.RENAMED}/case.yaml,line=")
    assert ",title=lost::" in line


UNWRITABLE = (
        (("--against", "baseline.tsv"), "--against: nothing to write it to; give --junit, --markdown, --github-summary or --annotations too, or a run's folder"),
        (("--against", "no.tsv", "--junit", "a.xml"), "no.tsv: no such file or folder; name a baseline's file or a run's folder"),
        (("--junit", "reports/run/a.xml"), "reports/run/a.xml: it lies in the folder of the run; write beside "),
        (("--github-summary",), "GITHUB_STEP_SUMMARY: not set; leave --github-summary away outside GitHub Actions, or write the same with --markdown FILE"),
        (("--csv", "mendbench.toml"), "mendbench.toml/trials.csv: "),
)  # fmt: skip


def test_what_cannot_be_written_is_one_line(run, mendbench):
    results = [(words, says, mendbench("report", run, *words)) for words, says in UNWRITABLE]
    assert [(words, one) for words, says, one in results if one.code != 2 or says not in one.line] == []


def test_an_against_that_nothing_mentions_leaves_the_report_as_it_was(run, mendbench):
    report = Path(run) / "index.html"
    report.write_text("as it was", encoding="utf-8")
    assert mendbench("report", run, "--against", "no-such-folder").code == 2
    assert report.read_text(encoding="utf-8") == "as it was"
