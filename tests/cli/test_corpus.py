"""The first line of a command that uses a corpus, and the same commands in folders below the configuration."""

import json
import shutil

import pytest

from mendbench.config.shipped import shipped_root
from tests.fakes import cases

RULES = ("run", cases.RENAMED, "--repairer", "rules", "--strategy", "none", "--policy", "naive", "--workers", "1")


@pytest.fixture
def below(corpus, monkeypatch):
    """The folder of the cases, which is the current one."""
    monkeypatch.chdir(corpus / "cases")
    return corpus


@pytest.mark.parametrize(
    "words",
    [
        RULES,
        ("case", "check", cases.QUIET, "--workers", "1"),
        ("case", "list"),
        ("case", "show", cases.RENAMED),
        ("strategy", "render", "summary", cases.RENAMED),
        ("strategy", "diff", "summary", "none", cases.RENAMED),
        ("strategy", "ablate", "mend", cases.RENAMED, "--prompts-only"),
        ("prompts", "export", "--workers", "1"),
        ("prompts", "diff", "--workers", "1"),
        ("prompts", "repeatability"),
        ("prompts", "prune", "--workers", "1"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_the_first_line_names_the_configuration_and_the_cases(corpus, mendbench, words):
    result = mendbench(*words)
    assert result.corpus == f"mendbench: configuration: {corpus}/mendbench.toml; cases: {corpus}/cases (3)\n"


def test_other_commands_have_no_such_line(corpus, mendbench):
    assert [mendbench(*words).corpus for words in (("schema", "case"), ("strategy", "list"), ("case", "--help"))] == [
        ""
    ] * 3


def test_named_cases_are_named_in_the_first_line(corpus, mendbench, empty):
    shutil.copytree(corpus / "cases", empty / "mine")
    result = mendbench("case", "list", "--cases", "mine")
    assert result.corpus.endswith("; using the packaged configuration; cases: mine (3)\n")
    assert cases.RENAMED in result.out


def test_cases_without_a_configuration_are_not_passed_over_for_the_packaged_corpus(corpus, mendbench, monkeypatch):
    (corpus / "mendbench.toml").unlink()
    monkeypatch.chdir(corpus / "cassettes")
    for words in (("run",), ("case", "list"), ("strategy", "render", "summary", cases.RENAMED)):
        result = mendbench(*words)
        assert (result.code, result.corpus) == (2, "")
        assert result.line == (
            f"{corpus}/cases: cases without a mendbench.toml; write a configuration with `mendbench init` in {corpus}, "
            "or name the cases with --cases"
        )
    assert mendbench("case", "list", "--cases", "../cases", "--cassettes", ".").code == 0


def test_without_a_configuration_the_first_line_says_that_the_packaged_corpus_is_used(empty, mendbench):
    (empty / ".git").mkdir()
    result = mendbench("case", "list", "control", "--format", "json")
    count = len(list(shipped_root().glob("cases/*/*/case.yaml")))
    assert result.corpus == f"mendbench: no mendbench.toml up to {empty}; using the packaged corpus ({count} cases)\n"
    assert (result.err, {row["family"] for row in json.loads(result.out)}) == ("", {"control"})


def test_a_command_below_the_configuration_uses_its_cases_and_writes_to_its_folder(below, mendbench):
    result = mendbench(*RULES)
    assert result.code == 0
    assert result.corpus.endswith(f"cases: {below}/cases (3)\n")
    assert result.out.endswith("report: ../reports/latest/index.html\n")
    assert (below / "reports" / "latest" / "run.json").is_file()
    assert sorted(path.name for path in (below / "cases").iterdir()) == ["control", "http"]


def test_report_gate_and_compare_find_run_and_baseline_from_below(below, mendbench):
    mendbench(*RULES)
    assert mendbench("report").code == 0
    assert mendbench("gate", "--update").code == 0
    assert (below / "baseline.tsv").is_file()
    assert mendbench("gate").code == 0
    assert "/cases: no protocol.yaml" in mendbench("compare").line


def test_options_are_relative_to_the_current_folder(below, mendbench):
    mendbench(*RULES, "--out", "mine", "--cases", ".", "--cassettes", "../cassettes")
    assert (below / "cases" / "mine" / "run.json").is_file()


def test_a_new_case_and_the_proofs_belong_to_the_folder_of_the_configuration(below, mendbench):
    result = mendbench("case", "new", "http/first")
    assert (below / "cases" / "http" / "first" / "case.yaml").is_file()
    assert result.out.endswith("`mendbench case check http/first` lists them\n")
    mendbench("case", "check", cases.QUIET, "--workers", "1")
    assert (below / ".mendbench" / "proofs" / f"{cases.QUIET}.json").is_file()


def test_a_command_that_is_relative_to_the_configuration_is_refused_elsewhere(below, mendbench):
    with (below / "mendbench.toml").open("a", encoding="utf-8") as config:
        config.write('[engines.own]\ncommand = ["sh", "adapter.sh"]\n')
    (below / "adapter.sh").write_text("exit 1\n", encoding="utf-8")
    result = mendbench(*RULES, "--engine", "own")
    assert result.code == 2
    assert result.line.startswith(
        f"engine own: its command names 'adapter.sh', which is in {below}, and runs in the current"
    )
