"""Fingerprints of trials: which have none, and which of the two a row is stored under."""

from mendbench.config.tables import RepairerConfig
from mendbench.trial.inputs import TrialInputs, code_digest, files_digest, reads_all_recordings
from tests.fakes.cases import MODEL, RENAMED, context_of, key


def row(**more):
    return {"verdict": "correct", "problem": None, "evidence": {"workflow_asks_models": False}, **more}


def test_a_trial_in_an_external_engine_or_with_an_own_repairer_always_has_to_be_executed(root):
    inputs = TrialInputs(context_of(root, repairers={"ours": RepairerConfig(command=["true"])}))
    assert inputs.fingerprints(key()) is not None
    assert inputs.fingerprints(key(repairer="ours")) is None
    assert inputs.fingerprints(key(repairer="package.module:function")) is None
    assert inputs.fingerprints(key(engine="cmd: other")) is None


def test_a_crashed_trial_has_no_fingerprint(root):
    inputs = TrialInputs(context_of(root))
    assert inputs.fingerprint(key(), row(verdict="crashed")) is None
    assert inputs.fingerprint(key(), row()) == inputs.fingerprints(key())[0]


def test_a_trial_whose_workflow_asks_models_or_that_misses_a_recording_depends_on_all_recordings_of_its_case(root):
    inputs, problem = TrialInputs(context_of(root)), {"kind": "unjudged", "message": "not recorded"}
    assert inputs.fingerprint(key(), row(problem=problem)) == inputs.fingerprints(key())[1]
    assert reads_all_recordings(row(evidence={"workflow_asks_models": True}))
    assert not reads_all_recordings(row())


def test_recordings_of_another_model_change_only_the_second_fingerprint(root):
    before = TrialInputs(context_of(root)).fingerprints(key())
    (root / "cassettes" / RENAMED / "other-model.yaml").write_text("[]\n", "utf-8")
    after = TrialInputs(context_of(root)).fingerprints(key())
    assert before[0] == after[0]
    assert before[1] != after[1]


def test_the_recordings_of_a_model_are_found_by_the_name_of_its_server(root):
    path = root / "cassettes" / RENAMED / f"{MODEL}.yaml"
    before = TrialInputs(context_of(root)).fingerprints(key())
    path.write_text(path.read_text("utf-8") + "\n", "utf-8")
    assert TrialInputs(context_of(root)).fingerprints(key())[0] != before[0]


def test_the_digest_of_the_code_is_made_once_and_leaves_front_ends_out():
    assert code_digest() == code_digest()
    assert files_digest() != files_digest(frozenset({"cli"}))


def test_every_kind_of_file_is_part_of_the_code(tmp_path, monkeypatch):
    monkeypatch.setattr("mendbench.version.__file__", str(tmp_path / "version.py"))
    seen = [files_digest()]
    for name in ("a.py", "phrases.tsv", "data/table.csv", "page.css"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("1")
        seen.append(files_digest())
        (tmp_path / name).write_text("2")
        seen.append(files_digest())
    assert len(set(seen)) == len(seen)
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "a.pyc").write_text("1")
    assert files_digest() == seen[-1]
