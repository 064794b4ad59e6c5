"""Recordings of experiments stay out of the corpus until somebody adopts them."""

import json
from pathlib import Path

import pytest

from mendbench.cassettes import cassette
from mendbench.strategies.template import TEMPLATES
from tests.fakes import cases, prompts
from tests.fakes.prompts import few_strategies  # noqa: F401  a fixture

ONE = ("--workers", "1")
pytestmark = pytest.mark.usefixtures("few_strategies")


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    return prompts.write_bare(tmp_path_factory.mktemp("bare"))


@pytest.fixture(scope="module")
def imported(after, bare, tmp_path_factory):
    """The invented corpus, a strategy that no matrix names, and responses to its first prompts alone. Nobody may change it."""
    root = cases.copy_of(bare, tmp_path_factory.mktemp("own") / "corpus")
    text = (TEMPLATES / "full-context.md.j2").read_text(encoding="utf-8").replace("Errors to Fix", "Mistakes to Mend")
    (root / "mine.md.j2").write_text(text, encoding="utf-8")
    export = ("prompts", "export", "--strategy", "mine.md.j2", "--policy", "naive", "--out", "p.jsonl", *ONE)
    root = cases.copy_of(after(export, start=root), tmp_path_factory.mktemp("answered") / "corpus")
    (root / "a").write_text(prompts.in_shape("plain", prompts.replies(root / "p.jsonl")), encoding="utf-8")
    return after(("prompts", "import", "a", "--prompts", "p.jsonl", "--strategy", "mine.md.j2", *ONE), start=root)


@pytest.fixture
def corpus(imported, tmp_path, monkeypatch):
    """A copy of it to be changed, which is the current folder."""
    root = cases.copy_of(imported, tmp_path / "corpus")
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def recorded(corpus):
    """The number of responses."""
    return (corpus / "a").read_text(encoding="utf-8").count("\n")


def tree(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def private(corpus):
    return [entry for path in (corpus / ".mendbench").rglob("*.yaml") for entry in cassette.load(path)]


def test_an_experiment_changes_no_file_of_the_corpus(corpus, bare, recorded):
    assert {path.relative_to(corpus) for path in tree(corpus / "cassettes")} == {
        path.relative_to(bare) for path in tree(bare / "cassettes")
    }
    assert len(private(corpus)) == recorded


def test_its_own_trials_read_them(mendbench, recorded):
    left = mendbench("prompts", "export", "--strategy", "mine.md.j2", "--policy", "naive", *ONE).out.splitlines()
    assert not {json.loads(line)["custom_id"] for line in left} & {
        json.loads(line)["custom_id"] for line in Path("p.jsonl").read_text().splitlines()
    }


@pytest.mark.parametrize("words", [("prompts", "export"), ("run", "--details"), ("prompts", "prune")], ids=" ".join)
def test_nothing_else_sees_them(corpus, mendbench, recorded, words):
    with_them = mendbench(*words, *ONE)
    (corpus / ".mendbench" / "recordings").rename(corpus / "elsewhere")
    without = mendbench(*words, *ONE)
    assert (with_them.code, with_them.out) == (without.code, without.out)


def test_the_proof_of_the_cases_does_not_see_them(corpus, mendbench, recorded):
    for path in (corpus / ".mendbench").rglob("*.yaml"):
        path.write_text("version: 1\ninteractions: nonsense\n")
    assert mendbench("case", "check", *ONE).code == 0


def test_private_recordings_are_listed(corpus, mendbench, recorded):
    result = mendbench("recordings", "list")
    assert result.code == 0
    assert result.out.endswith(
        f"{recorded} private recordings that the corpus does not have; `mendbench recordings adopt` moves them into the corpus\n"
    )
    document = json.loads(mendbench("recordings", "list", "--format", "json").out)
    assert sum(file["entries"] for file in document["files"]) == recorded
    assert document["adopted"] is False


def test_adopting_moves_them_into_the_corpus_once(corpus, mendbench, recorded):
    result = mendbench("recordings", "adopt")
    assert (result.code, result.out.splitlines()[-1]) == (0, f"{recorded} recordings moved into the corpus")
    assert private(corpus) == []
    stored = [entry for path in (corpus / "cassettes").rglob(f"{cases.MODEL}.yaml") for entry in cassette.load(path)]
    assert len(stored) == recorded
    assert mendbench("recordings", "adopt").out == "0 recordings moved into the corpus\n"


def test_one_case_alone_can_be_adopted(corpus, mendbench, recorded):
    listed = mendbench("recordings", "list", "--format", "json")
    assert listed.err == ""
    (first, *_) = json.loads(listed.out)["files"]
    mendbench("recordings", "adopt", first["case"])
    assert len(private(corpus)) == recorded - first["entries"]


def test_a_broken_private_file_is_refused_before_anything_is_moved(corpus, mendbench, recorded):
    last = max((corpus / ".mendbench").rglob("*.yaml"))
    last.write_text("version: 1\ninteractions: nonsense\n")
    before = tree(corpus)
    result = mendbench("recordings", "adopt")
    assert result.code == 2
    assert str(last.relative_to(corpus)) in result.err
    assert tree(corpus) == before
