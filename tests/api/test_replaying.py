"""Incremental runs: a trial whose inputs are unchanged is not executed again, and every other one is."""

import json
import shutil
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
import yaml

from mendbench import api
from mendbench.api import replaying, runs
from mendbench.corpus import credentials
from mendbench.errors import BadInput
from mendbench.results.record_index import INDEX
from mendbench.results.row_cache import CACHE
from mendbench.results.store import read_run
from mendbench.trial import inputs as trial_inputs
from mendbench.trial.runner import run_trial
from tests.fakes import cases
from tests.fakes.cases import CLOSED, MODEL, QUIET, RENAMED, ScriptedRecorder, change_case, context_of, key

ONE = api.RunOptions(workers=1)
LATEST = Path("reports/latest")


def edit(path, old, new):
    text = Path(path).read_text("utf-8")
    assert old in text
    Path(path).write_text(text.replace(old, new), "utf-8")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Return the invented corpus with an own strategy and a placebo, their responses, and a complete run."""
    root = cases.build(tmp_path_factory.mktemp("built"))
    (root / "own").mkdir()
    shutil.copy(Path(trial_inputs.TEMPLATES) / "summary.md.j2", root / "own" / "mine.md.j2")
    edit(root / "mendbench.toml", '"full-context"]', '"full-context", "mine", "placebo"]')
    edit(root / "mendbench.toml", "[matrix]", '[paths]\nstrategies = ["own"]\n[matrix]')
    recorder, context = ScriptedRecorder(), context_of(root, strategy_dirs=(root / "own",))
    for case, strategy in product((RENAMED, CLOSED, QUIET), ("mine", "placebo")):
        run_trial(context, key(case, strategy, "naive"), recorder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        api.run(ONE)
    return root


@pytest.fixture(autouse=True)
def short_page(monkeypatch):
    """Write a page of one line for every report: here it only has to be there."""
    monkeypatch.setattr(runs, "html_parts", lambda *_: iter(["a page"]))


@pytest.fixture
def root(built, tmp_path, monkeypatch):
    monkeypatch.chdir(cases.copy_of(built, tmp_path / "corpus"))
    return Path.cwd()


def executed(options=ONE):
    """Run and return the keys of the executed trials."""
    found = []
    api.run(options, lambda done, total, last: found.append(last))
    return set(found)


def rows_of(folder=LATEST):
    """Return the rows of a run by key, without what depends on the machine and the time."""
    return {row["key"]: {**row, "timing": None} for row in read_run(folder).rows}


def files_of(folder=LATEST):
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_ino) for path in folder.iterdir()}


def test_nothing_is_executed_or_written_if_nothing_changed(root):
    before, notes = files_of(), []
    stored = api.run(ONE, lambda *_: pytest.fail("a trial was executed"), notes.append)
    assert files_of() == before
    assert len(stored.rows) == len(rows_of())
    assert notes == [f"{LATEST}: nothing changed since this run was made; --fresh executes every trial again"]


def test_fresh_executes_everything_and_gives_the_same_files(root):
    before, rows = files_of(), rows_of()
    assert executed(replace(ONE, fresh=True)) == set(rows)
    assert rows_of() == rows
    assert {name: files_of()[name][0] for name in ("texts.jsonl", "run.json")} == {
        name: before[name][0] for name in ("texts.jsonl", "run.json")
    }


def edit_template():
    edit("own/mine.md.j2", "{% endblock %}", " More.{% endblock %}")


def edit_title():
    change_case(Path.cwd(), CLOSED, lambda truth: truth.update(title="Another title"))


def edit_workflow():
    path = Path("cases", RENAMED, "workflow.json")
    path.write_text(json.dumps(json.loads(path.read_text("utf-8"))), "utf-8")


def edit_response():
    path = Path("cassettes", RENAMED, f"{MODEL}.yaml")
    edit(path, "person.response.called", "person.response.town")


def delete_responses():
    Path("cassettes", RENAMED, f"{MODEL}.yaml").unlink()


def add_responses_of_another_model():
    shutil.copy(Path("cassettes", RENAMED, f"{MODEL}.yaml"), Path("cassettes", RENAMED, "another.yaml"))


def price():
    edit(
        "mendbench.toml",
        f"[models.{MODEL}]\n",
        f"[models.{MODEL}]\nprices = {{ input_per_million = 1.0, output_per_million = 2.0 }}\n",
    )


def sampling():
    edit("mendbench.toml", f"[models.{MODEL}]\n", f'[models.{MODEL}]\nsampling = "unknown"\n')


def window():
    edit("mendbench.toml", f"[models.{MODEL}]\n", f"[models.{MODEL}]\nwindow = 16000\n")


def split():
    groups = {"train": ["desk-renamed-field"], "test": ["desk-closed-ledger", "desk-quiet"]}
    Path("cases/split.yaml").write_text(yaml.safe_dump({"format": 1, **groups, "half": []}), "utf-8")


def of_case(*names):
    return lambda key: key.split(" | ")[0] in names


def of_strategy(name):
    return lambda key: f" | {name} | " in key


def of_model(key):
    return MODEL in key


def nothing(_key):
    return False


def of_answers(key):
    return of_case(RENAMED)(key) and of_model(key)


CHANGES = [
    [(edit_template, of_strategy("mine")), (edit_title, of_case(CLOSED)), (edit_workflow, of_case(RENAMED))],
    [(edit_response, of_answers), (add_responses_of_another_model, nothing), (delete_responses, of_answers)],
    [(price, of_model), (sampling, of_model), (window, of_model)],
    [(split, of_case(CLOSED, QUIET, RENAMED))],
]
"""Changes one after the other in one corpus: of files, of responses, of what is configured of a model, and of the split."""


@pytest.mark.parametrize("changes", CHANGES, ids=lambda changes: changes[0][0].__name__)
def test_exactly_the_trials_that_a_change_affects_are_executed_and_no_old_row_survives(root, changes):
    wrong = {}
    for change, affects in changes:
        before = rows_of()
        change()
        unjudged = {key for key, row in before.items() if row["problem"]}
        also = unjudged & {key for key in before if change is add_responses_of_another_model and of_case(RENAMED)(key)}
        wanted, found = {key for key in before if affects(key)} | also, executed()
        wrong |= {} if found == wanted else {change.__name__: (found - wanted, wanted - found)}
    assert wrong == {}
    rows = rows_of()
    api.run(replace(ONE, fresh=True, out=Path("fresh")))
    assert rows == rows_of(Path("fresh"))
    assert (LATEST / "run.json").read_bytes() == Path("fresh/run.json").read_bytes()
    assert (LATEST / "texts.jsonl").read_bytes() == Path("fresh/texts.jsonl").read_bytes()


def test_other_code_another_python_or_another_package_executes_everything(root, monkeypatch):
    monkeypatch.setattr(trial_inputs, "code_digest", lambda: "other")
    monkeypatch.setattr(runs, "code_digest", lambda: "other")
    assert executed() == set(rows_of())


def test_another_version_of_a_shipped_template_executes_its_trials_and_those_that_are_measured_by_it(root, monkeypatch):
    load = trial_inputs.BenchContext.strategy

    def edited(self, name, case=None):
        found = load(self, name, case)
        return (
            replace(found, body=found.body.replace("{% endblock %}", ".{% endblock %}"))
            if name == "full-context"
            else found
        )

    monkeypatch.setattr(trial_inputs.BenchContext, "strategy", edited)
    monkeypatch.setattr(runs, "files_digest", lambda: "other")
    assert executed() == {key for key in rows_of() if " | full-context | " in key or " | placebo | " in key}


def test_other_code_of_the_report_executes_nothing_but_writes_the_report_again(root, monkeypatch):
    monkeypatch.setattr(runs, "files_digest", lambda: "other")
    before = files_of()
    assert executed() == set()
    after = files_of()
    assert after["trials.jsonl"][0] == before["trials.jsonl"][0]
    assert after["index.html"][1:] != before["index.html"][1:]


def test_a_missing_report_is_written_again_without_executing_anything(root):
    (LATEST / "index.html").unlink()
    assert executed() == set()
    assert (LATEST / "index.html").is_file()


def test_rows_come_from_the_cache_if_another_run_took_the_place_of_theirs(root):
    rows = rows_of()
    api.run(replace(ONE, strategies=("none",)))
    assert len(rows_of()) < len(rows)
    assert executed() == set()
    assert rows_of() == rows


def test_rows_come_from_the_replaced_run_if_the_cache_was_deleted(root):
    shutil.rmtree(CACHE.parent)
    edit_template()
    assert executed() == {key for key in rows_of() if of_strategy("mine")(key)}


def test_without_earlier_run_and_cache_everything_is_executed(root):
    rows = rows_of()
    shutil.rmtree(CACHE.parent)
    shutil.rmtree(LATEST)
    assert executed() == set(rows)


def test_a_run_whose_rows_were_edited_is_not_used(root):
    edit(LATEST / "trials.jsonl", '"api":"private"', '"api":"well-known"')
    shutil.rmtree(CACHE.parent)
    assert executed() == set(rows_of())
    assert {row["api"] for row in rows_of().values()} == {"private"}


def test_a_case_that_changes_during_a_run_refuses_the_run_and_stores_nothing(root):
    shutil.rmtree(CACHE.parent)
    shutil.rmtree(LATEST)

    def change(done, total, last):
        if done == 1:
            edit_title()

    with pytest.raises(BadInput, match="a case changed while the run went on"):
        api.run(ONE, change)
    assert executed() == set(rows_of())


def test_rows_that_an_interrupted_run_left_are_known_to_the_next_one(root):
    shutil.rmtree(CACHE.parent)
    shutil.rmtree(LATEST)

    def interrupt(done, total, last):
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        api.run(ONE, interrupt)
    assert len(executed()) == len(rows_of()) - 5
    assert all(read_run(LATEST).inputs.fingerprints)
    edit_template()
    assert executed() == {key for key in rows_of() if of_strategy("mine")(key)}


def test_a_run_that_was_interrupted_before_a_model_was_described_otherwise_begins_again(root):
    shutil.rmtree(CACHE.parent)
    shutil.rmtree(LATEST)

    def interrupt(done, total, last):
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        api.run(ONE, interrupt)
    sampling()
    assert executed() == set(rows_of())
    assert {row["sampling"] for row in rows_of().values() if row["model"]} == {"unknown"}


def test_a_crashed_trial_is_executed_again(root, monkeypatch):
    run_trials = replaying.run_trials

    def crash(context, keys, *more):
        for row, texts in run_trials(context, keys, *more):
            yield ({**row, "verdict": "crashed", "outcome": None} if row["case"] == QUIET else row), texts

    monkeypatch.setattr(replaying, "run_trials", crash)
    shutil.rmtree(CACHE.parent)
    api.run(replace(ONE, fresh=True))
    monkeypatch.undo()
    monkeypatch.chdir(root)
    assert executed() == {key for key in rows_of() if of_case(QUIET)(key)}


def test_the_number_of_reused_trials_is_stored(root):
    edit_template()
    mine = executed()
    found = read_run(LATEST)
    assert found.inputs.reused == len(found.rows) - len(mine)
    assert (LATEST / INDEX).is_file()


def test_a_credential_that_is_added_to_a_searched_recording_is_refused(root):
    path = Path("cassettes", RENAMED, "world.yaml")
    path = path if path.exists() else Path("cassettes", RENAMED, f"{MODEL}.yaml")
    path.write_text(path.read_text("utf-8") + "# token: ghp_" + "0aB1" * 9 + "\n", "utf-8")
    with pytest.raises(BadInput, match="credential"):
        api.run(ONE)


def test_a_fresh_run_does_not_search_unchanged_files_for_credentials_again(root, monkeypatch):
    searched = []
    monkeypatch.setattr(credentials, "refuse_credentials", lambda case, _recordings: searched.append(case.id))
    api.run(replace(ONE, fresh=True))
    assert searched == []
    edit_title()
    api.run(replace(ONE, fresh=True))
    assert searched == [CLOSED]
    api.run(replace(ONE, fresh=True))
    assert searched == [CLOSED]
