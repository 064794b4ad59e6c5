"""What is written of a run: whole files or none, in no run's folder, and red for what a baseline or another run says."""

import json
import shutil

import pytest
from junitparser import JUnitXml

from mendbench import api
from mendbench.errors import BadInput
from mendbench.report.markdown import CUT_LINE, STEP_SUMMARY
from tests.fakes import cases
from tests.fakes.judged import gate_says, mixed_run

TABLES = ["attempts", "nodes", "scores", "trials"]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the corpus with a run, whose rows those of the tests reuse."""
    root = cases.build(tmp_path_factory.mktemp("exports"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        run(root)
    return root


@pytest.fixture
def corpus(built, tmp_path, monkeypatch):
    root = cases.copy_of(built, tmp_path / "corpus")
    monkeypatch.chdir(root)
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    return root


def run(root, **options):
    made = api.RunOptions(out=root / "reports/run", workers=1, **{"strategies": ("full-context",), **options})
    return api.run(made, lambda *_: None)


def counts(path):
    found = JUnitXml.fromfile(str(path))
    return found.tests, found.failures, found.errors


def test_every_file_is_written_and_named(corpus, tmp_path):
    stored = run(corpus)
    wanted = {name: tmp_path / "out" / name for name in ("junit", "markdown", "csv", "parquet")}
    files = api.export(stored, **wanted)
    assert sorted(files) == sorted(
        [wanted["junit"], wanted["markdown"]]
        + [wanted[kind] / f"{name}.{kind}" for kind in ("csv", "parquet") for name in TABLES]
    )
    assert all(path.stat().st_size for path in files)


def test_a_run_is_read_from_its_folder(corpus, tmp_path):
    stored = run(corpus)
    api.export(stored.folder, junit=tmp_path / "a.xml")
    api.export(stored, junit=tmp_path / "b.xml")
    assert (tmp_path / "a.xml").read_bytes() == (tmp_path / "b.xml").read_bytes()


def test_nothing_named_is_nothing_written(corpus):
    stored = run(corpus)
    before = sorted(corpus.rglob("*"))
    assert api.export(stored) == ()
    assert sorted(corpus.rglob("*")) == before


@pytest.mark.parametrize("name", ["junit", "markdown", "csv", "parquet"])
def test_nothing_is_written_into_a_run(corpus, name):
    stored = run(corpus)
    with pytest.raises(BadInput, match="it lies in the folder of the run; write beside"):
        api.export(stored, **{name: stored.folder / "sub" / "x"})
    assert run(corpus).folder == stored.folder


def test_what_cannot_be_written_is_one_line_and_the_old_file_stays(corpus, tmp_path):
    stored = run(corpus)
    (tmp_path / "old.xml").write_text("old")
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(BadInput) as refused:
        api.export(stored, junit=tmp_path / "old.xml", csv=tmp_path / "file")
    assert str(refused.value).startswith(f"{tmp_path / 'file' / 'trials.csv'}: ")
    assert str(refused.value).endswith("; name another place")
    assert not list(tmp_path.glob(".*"))


def test_all_is_made_before_anything_is_written(corpus, tmp_path, monkeypatch):
    stored = run(corpus)
    monkeypatch.setattr("mendbench.report.data_frames.find_spec", lambda name: None)
    with pytest.raises(BadInput, match=r"pip install 'mendbench\[parquet\]'"):
        api.export(stored, junit=tmp_path / "a.xml", parquet=tmp_path / "tables")
    assert not (tmp_path / "a.xml").exists()


def test_data_frames_are_for_a_notebook(corpus):
    found = api.data_frames(run(corpus).folder)
    assert sorted(found) == TABLES
    assert set(found["trials"]["case"]) == {cases.RENAMED, cases.CLOSED, cases.QUIET}


def test_a_run_may_be_named_by_a_text(corpus, tmp_path):
    stored = run(corpus)
    name = str(stored.folder)
    assert sorted(api.data_frames(name)) == TABLES
    assert api.score(name) == api.score(stored)
    assert api.forensics(name) == api.forensics(stored)
    assert api.annotate(name) == api.annotate(stored)
    assert api.annotate(name, against=name) == ()
    assert api.export(name, csv=tmp_path / "tables")
    with pytest.raises(BadInput, match="no such file or folder"):
        api.annotate(name, against="nowhere")


def test_against_a_baseline_only_what_got_worse_is_red(corpus, tmp_path):
    good = run(corpus)
    api.accept_run(good, baseline=corpus / "baseline.tsv")
    api.export(good, junit=tmp_path / "same.xml", against=corpus / "baseline.tsv")
    assert counts(tmp_path / "same.xml")[1:] == (0, 0)

    cases.change_case(
        corpus,
        cases.RENAMED,
        lambda truth: truth["checks"].append({"output": {"node": "note", "path": "x", "equals": 1}}),
    )
    assert api.judged(run(corpus), corpus / "baseline.tsv").status == "open"


def test_against_another_run_newly_failing_trials_are_red(corpus, tmp_path):
    now = wrong(corpus)
    shutil.copytree(now.folder, corpus / "reports/before")
    rows = [json.loads(line) for line in (now.folder / "trials.jsonl").read_text("utf-8").splitlines()]
    lost = next(row for row in rows if row["case"] == cases.RENAMED)
    assert lost["verdict"] == "incorrect"
    lost.update(verdict="correct", outcome="repaired")
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (corpus / "reports/before/trials.jsonl").write_text(lines, "utf-8")

    found = api.judged(now, corpus / "reports/before")
    assert (found.status, found.failing) == ("failed", {lost["key"]})
    assert "1 newly failing" in found.verdict
    api.export(now, junit=tmp_path / "a.xml", against=corpus / "reports/before")
    assert counts(tmp_path / "a.xml")[1:] == (2, 0)


def test_a_run_against_itself_passes(corpus):
    now = run(corpus)
    shutil.copytree(now.folder, corpus / "reports/before")
    assert api.judged(now, corpus / "reports/before").verdict.endswith("none came out otherwise")


def test_against_nothing_that_is_there_is_one_line(corpus):
    with pytest.raises(BadInput, match="no-such: no such file or folder; name a baseline's file or a run's folder"):
        api.judged(run(corpus), corpus / "no-such")


def test_a_judgement_is_taken_as_it_is(tmp_path):
    made = mixed_run()
    said = gate_says(made)
    assert api.judged(made, said) is said
    assert api.judged(made, None) is None
    api.export(made, junit=tmp_path / "a.xml", against=said)
    assert counts(tmp_path / "a.xml") == (8, 4, 0)


def test_the_steps_summary_is_appended_to(corpus, tmp_path, monkeypatch):
    stored, place = run(corpus), tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(place))
    assert api.export(stored, github=True) == (place,)
    once = place.read_text("utf-8")
    assert once.startswith("## mendbench\n")
    api.export(stored, github=True)
    assert place.read_text("utf-8") == f"{once}\n\n{once}"


def test_the_steps_summary_is_no_longer_than_github_takes(corpus, tmp_path, monkeypatch):
    stored, place = run(corpus), tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(place))
    place.write_bytes(b"x" * (STEP_SUMMARY - CUT_LINE - 300))
    api.export(stored, github=True)
    assert place.stat().st_size <= STEP_SUMMARY
    assert "_Cut for its length: " in place.read_text("utf-8")
    with pytest.raises(BadInput, match="bytes of 1048576 are in it already; let a step of its own do this"):
        api.export(stored, github=True)


@pytest.mark.parametrize("value", [None, ""])
def test_outside_github_there_is_no_summary_and_nothing_is_written(corpus, tmp_path, monkeypatch, value):
    stored = run(corpus)
    if value is not None:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", value)
    with pytest.raises(BadInput, match="GITHUB_STEP_SUMMARY: not set; leave --github-summary away outside GitHub"):
        api.export(stored, junit=tmp_path / "a.xml", github=True)
    assert not (tmp_path / "a.xml").exists()


def wrong(root):
    return run(root, strategies=("none",), policies=("two-layer",))


def test_an_annotation_stands_where_the_repository_has_the_case(corpus):
    line = next(one for one in api.annotate(wrong(corpus)) if cases.RENAMED in one)
    found = (corpus / "cases" / cases.RENAMED / "case.yaml").read_text("utf-8").splitlines().index("faults:") + 1
    assert line.startswith(f"::warning file=cases/http/renamed-field/case.yaml,line={found},title=http/renamed-field::")


def test_a_case_is_reported_relative_to_the_repositorys_root(corpus, monkeypatch):
    stored = wrong(corpus)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(corpus.parent))
    assert "file=corpus/cases/http/renamed-field/case.yaml," in "\n".join(api.annotate(stored))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(corpus / "reports"))
    assert "file=" not in "\n".join(api.annotate(stored))
    monkeypatch.delenv("GITHUB_WORKSPACE")
    (corpus.parent / ".git").mkdir()
    assert "file=corpus/cases/" in "\n".join(api.annotate(stored))


def test_a_case_that_is_gone_has_no_place(corpus):
    stored = wrong(corpus)
    (corpus / "cases" / cases.RENAMED / "case.yaml").unlink()
    line = next(one for one in api.annotate(stored) if cases.RENAMED in one)
    assert line.startswith("::warning title=http/renamed-field::")


def test_against_a_judgement_only_that_is_annotated():
    made = mixed_run()
    assert len(api.annotate(made, against=gate_says(made))) == 4
