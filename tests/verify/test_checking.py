"""Checking one case: what its surroundings lack is problems_of with its place."""

from dataclasses import replace

import pytest

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import Recordings
from mendbench.errors import Unwritable
from mendbench.verify.checking import ConfiguredTrials, check, check_case, stray_groups
from mendbench.verify.proof import UNUSED
from mendbench.verify.proof_store import stored_proof
from tests.fakes import cases
from tests.fakes.cases import CLOSED, MODEL, QUIET, RENAMED


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("checking"))


@pytest.fixture
def root(built, tmp_path):
    return cases.copy_of(built, tmp_path / "corpus")


def problems_of(root):
    return [str(one) for one in check_case(cases.context_of(root), QUIET).problems]


def test_a_case_whose_group_is_in_no_part_of_the_split_is_reported(root):
    (root / "cases" / "split.yaml").write_text("format: 1\ntrain: [other]\ntest: []\nhalf: []\n", encoding="utf-8")
    (said,) = problems_of(root)
    assert said.startswith(f"{root / 'cases' / 'split.yaml'}: the group ")
    assert f"of {QUIET} is in no part; put it under test, or under train" in said


def test_one_whose_group_is_in_a_part_is_not(root):
    group = cases.context_of(root).corpus.case(QUIET).group
    (root / "cases" / "split.yaml").write_text(f"format: 1\ntrain: []\ntest: [{group}]\nhalf: []\n", encoding="utf-8")
    assert problems_of(root) == []


def test_a_group_of_the_split_that_no_case_has_is_reported_unless_a_broken_case_may_have_it(root):
    group = cases.context_of(root).corpus.case(QUIET).group
    path = root / "cases" / "split.yaml"
    path.write_text(f"format: 1\ntrain: []\ntest: [{group}, desk-qiet]\nhalf: []\n", encoding="utf-8")
    (problem,) = stray_groups(cases.context_of(root))
    assert str(problem).startswith(f"{path}:3:1: test: unknown group 'desk-qiet'; did you mean {group!r}? known: ")
    cases.change_case(root, RENAMED, lambda truth: truth.pop("title"))
    assert stray_groups(cases.context_of(root)) == ()


def test_a_corpus_that_is_not_split_needs_none(root):
    assert problems_of(root) == []


def test_a_disk_that_refuses_a_recording_ends_the_check_of_all_cases(root, monkeypatch):
    for path in (root / "cassettes").rglob("world.yaml"):
        path.unlink()

    def full(*_given, **_more):
        raise Unwritable("world.yaml", "No space left on device", "make room")

    monkeypatch.setattr(Recordings, "append_world", full)
    with pytest.raises(Unwritable, match="No space left on device; make room"):
        check(cases.context_of(root, record="new_episodes"), (QUIET,), 1, lambda *_: None)


@pytest.fixture
def leftover(root):
    """A corpus with one recorded response that nothing asks for, and its path."""
    path = root / "cassettes" / RENAMED / f"{MODEL}.yaml"
    cassette.append(path, replace(cassette.load(path)[0], key="f" * 16))
    return path


def stale(root, trials, known=None):
    configured = ConfiguredTrials(keys=tuple(trials), known=known or {})
    problems = check_case(cases.context_of(root), RENAMED, trials=configured).problems
    return [str(one) for one in problems if "asks for" in one.found]


def test_an_answer_that_no_configured_trial_asks_for_is_reported(root, leftover):
    trials = [
        cases.key(RENAMED, strategy, policy)
        for strategy in ("none", "full-context")
        for policy in ("naive", "two-layer")
    ]
    (said,) = stale(root, trials)
    entries = len(cassette.load(leftover))
    assert (
        said
        == f"{leftover}: 1 of {entries} recorded responses that nothing asks for any more; `mendbench prompts prune --delete` deletes them"
    )


def test_a_trial_that_an_earlier_run_executed_is_not_executed_again(root, leftover, monkeypatch):
    key, others = cases.key(RENAMED, "none", "naive"), " ".join(cassette.keys(leftover) - {"f" * 16})
    monkeypatch.setattr("mendbench.verify.checking.run_trial", None)
    (found,) = stale(root, [key], {key: {"case": RENAMED, "used": others, "verdict": "correct"}})
    assert found.startswith(f"{leftover}: 1 of ")


def test_without_the_configured_trials_nobody_knows(root, leftover):
    assert stale(root, ()) == []


def other_town(truth):
    truth["state"]["json_api"]["collections"]["people"]["p-1"]["town"] = "Voss"


def test_state_that_changed_since_the_recording_is_one_line(root):
    cases.change_case(root, RENAMED, other_town)
    one = check_case(cases.context_of(root), RENAMED)
    assert [problem.found for problem in one.problems] == ["state or inputs changed since the recording"]
    assert one.failed == ()
    assert not one.held


def test_unused_recordings_are_reported_only_if_all_else_holds(root):
    path = root / "cassettes" / RENAMED / "world.yaml"
    cassette.append(path, replace(cassette.load(path)[0], key="f" * 16))
    assert [finding.what for finding in check_case(cases.context_of(root), RENAMED).failed] == [UNUSED]
    cases.change_case(root, RENAMED, lambda truth: truth["fix"][0].update(value="Hello!"))
    failed = [finding.what for finding in check_case(cases.context_of(root), RENAMED).failed]
    assert "the reference fix passes" in failed
    assert UNUSED not in failed


def test_a_proof_made_while_recording_is_stored_as_the_recordings_on_disk_prove_it(root, tmp_path):
    cases.change_case(root, RENAMED, other_town)
    context = cases.context_of(root, record="new_episodes", proofs_dir=tmp_path / "proofs")
    (one,) = check(context, (RENAMED,), 1, lambda *_: None)
    case = context.corpus.case(RENAMED)
    kept = stored_proof(tmp_path / "proofs", case, context.corpus.cassettes(case))
    assert one.held
    assert one.proof.dropped > 0
    assert kept is not None
    assert (kept.held, kept.dropped) == (True, 0)


def test_a_proof_that_fails_while_recording_is_not_stored(root, tmp_path):
    cases.change_case(root, RENAMED, lambda truth: truth["fix"][0].update(value="Hello!"))
    context = cases.context_of(root, record="new_episodes", proofs_dir=tmp_path / "proofs")
    check(context, (RENAMED,), 1, lambda *_: None)
    assert not (tmp_path / "proofs").exists()


def test_a_wrong_fix_that_only_the_kind_of_case_refutes_is_counted_and_noted(root):
    assert {one.note for one in (check_case(cases.context_of(root), name) for name in (CLOSED, QUIET, RENAMED))} == {
        None
    }

    def harmless(truth):
        for fix, text in zip(truth["wrong_fixes"], ("Hi", "Hey"), strict=True):
            fix["patch"] = cases.set_text(text)

    cases.change_case(root, CLOSED, harmless)
    (one,) = check(cases.context_of(root, record="new_episodes"), (CLOSED,), 1, lambda *_: None)
    assert one.held
    assert one.proof.unchecked_fixes == 2
    assert one.note.startswith(
        "no check refutes a wrong fix, because any edit is wrong in a needs_user case; add a check"
    )


def test_a_wrong_fix_of_such_a_case_says_which_check_refutes_it(root):
    findings = check_case(cases.context_of(root), CLOSED).proof.findings
    (why,) = [one.why for one in findings if one.what.startswith("the wrong fix fails: writes a note")]
    assert why.startswith("refuted by no_request POST //notes$/: sent in execution 1 of the trial")
