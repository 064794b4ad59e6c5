"""The split of the shipped corpus: every group is in one part, and the parts are alike."""

from collections import Counter

import pytest

from mendbench.config.shipped import shipped_root
from mendbench.corpus.corpus import load_corpus
from mendbench.corpus.split import in_part, read_split

KINDS = ("repairable", "needs_user", "mixed", "transient", "control")


@pytest.fixture(scope="module")
def corpus():
    return load_corpus(shipped_root() / "cases", shipped_root() / "cassettes")


def share(corpus, part, **fields):
    """Return the share of the first edition's cases that a part holds."""
    held = in_part(corpus.cases, part, corpus.cases_dir)
    first = in_part(corpus.cases, "first", corpus.cases_dir)
    of = [case for case in first if all(getattr(case, name) == value for name, value in fields.items())]
    return len([case for case in of if case in held]) / len(of)


def test_every_group_is_in_one_part(corpus):
    split = read_split(corpus.cases_dir)
    assert split.train | split.test == {case.group for case in corpus.cases}


def test_the_second_edition_has_sixty_groups_in_its_test_part(corpus):
    parts = read_split(corpus.cases_dir).parts()
    assert len(parts["second-test"]) >= 60
    assert not parts["first"] & parts["second"]


def test_train_is_a_third_and_half_is_half(corpus):
    assert share(corpus, "train") == pytest.approx(1 / 3, abs=0.02)
    assert share(corpus, "half") == pytest.approx(1 / 2, abs=0.02)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_dealt_out_as_the_whole_is(corpus, kind):
    assert share(corpus, "train", kind=kind) == pytest.approx(1 / 3, abs=0.07)
    assert share(corpus, "half", kind=kind) == pytest.approx(1 / 2, abs=0.11)


def test_every_family_of_five_cases_is_in_both_parts_and_in_the_half(corpus):
    counts = Counter(case.family for case in in_part(corpus.cases, "first", corpus.cases_dir))
    families = {family for family, count in counts.items() if count >= 5}
    for part in ("train", "test", "half"):
        assert families <= {case.family for case in in_part(corpus.cases, part, corpus.cases_dir)}
