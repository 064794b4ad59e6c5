"""Checking one case: what its surroundings lack is told with its place."""

import pytest

from mendbench.bench.checking import check_case
from tests.fakes import cases
from tests.fakes.cases import QUIET


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("checking"))


@pytest.fixture
def root(built, tmp_path):
    return cases.copy_of(built, tmp_path / "corpus")


def told(root):
    return [str(one) for one in check_case(cases.setting_of(root), QUIET).problems]


def test_a_case_whose_group_is_in_no_part_of_the_split_is_told(root):
    (root / "cases" / "split.yaml").write_text("format: 1\ntrain: [other]\ntest: []\nhalf: []\n", encoding="utf-8")
    (said,) = told(root)
    assert said.startswith(f"{root / 'cases' / 'split.yaml'}: the group ")
    assert f"of {QUIET} is in no part; put it under test, or under train" in said


def test_one_whose_group_is_in_a_part_is_not(root):
    group = cases.setting_of(root).corpus.case(QUIET).group
    (root / "cases" / "split.yaml").write_text(f"format: 1\ntrain: []\ntest: [{group}]\nhalf: []\n", encoding="utf-8")
    assert told(root) == []


def test_a_corpus_that_is_not_split_needs_none(root):
    assert told(root) == []
