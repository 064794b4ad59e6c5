"""Checking one case: what its surroundings lack is told with its place."""

from dataclasses import replace

import pytest

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import Recordings
from mendbench.errors import Unwritable
from mendbench.verify.checking import check, check_case, stray_groups
from tests.fakes import cases
from tests.fakes.cases import MODEL, QUIET, RENAMED


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("checking"))


@pytest.fixture
def root(built, tmp_path):
    return cases.copy_of(built, tmp_path / "corpus")


def told(root):
    return [str(one) for one in check_case(cases.context_of(root), QUIET).problems]


def test_a_case_whose_group_is_in_no_part_of_the_split_is_told(root):
    (root / "cases" / "split.yaml").write_text("format: 1\ntrain: [other]\ntest: []\nhalf: []\n", encoding="utf-8")
    (said,) = told(root)
    assert said.startswith(f"{root / 'cases' / 'split.yaml'}: the group ")
    assert f"of {QUIET} is in no part; put it under test, or under train" in said


def test_one_whose_group_is_in_a_part_is_not(root):
    group = cases.context_of(root).corpus.case(QUIET).group
    (root / "cases" / "split.yaml").write_text(f"format: 1\ntrain: []\ntest: [{group}]\nhalf: []\n", encoding="utf-8")
    assert told(root) == []


def test_a_group_of_the_split_that_no_case_has_is_told_unless_a_broken_case_may_have_it(root):
    group = cases.context_of(root).corpus.case(QUIET).group
    path = root / "cases" / "split.yaml"
    path.write_text(f"format: 1\ntrain: []\ntest: [{group}, desk-qiet]\nhalf: []\n", encoding="utf-8")
    (problem,) = stray_groups(cases.context_of(root))
    assert str(problem).startswith(f"{path}:3:1: test: unknown group 'desk-qiet'; did you mean {group!r}? known: ")
    cases.change_case(root, RENAMED, lambda truth: truth.pop("title"))
    assert stray_groups(cases.context_of(root)) == ()


def test_a_corpus_that_is_not_split_needs_none(root):
    assert told(root) == []


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


def stale(root, trials):
    problems = check_case(cases.context_of(root), RENAMED, trials=trials).problems
    return [str(one) for one in problems if "asks for" in one.found]


def test_an_answer_that_no_configured_trial_asks_for_is_told(root, leftover):
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


def test_without_the_configured_trials_nobody_knows(root, leftover):
    assert stale(root, ()) == []
