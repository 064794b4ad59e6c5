"""The split of the corpus: read strictly, and what a part holds."""

import pytest

from mendbench.corpus.split import FILE, Split, in_part, read_split
from mendbench.errors import BadInput, UnknownName
from tests.fakes.scoring import make_case

GOOD = "format: 1\ntrain: [a]\ntest: [b, c]\nhalf: [c]\n"
A, B, C = (make_case(name=name, group=name) for name in "abc")


def written(tmp_path, text):
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    return tmp_path


def test_a_corpus_without_the_file_is_not_split(tmp_path):
    assert read_split(tmp_path) is None


def test_a_case_is_in_the_part_of_its_group(tmp_path):
    split = read_split(written(tmp_path, GOOD))
    assert split == Split(train=frozenset("a"), test=frozenset("bc"), half=frozenset("c"))
    assert [split.part_of(case) for case in (A, B, make_case(name="new", group="new"))] == ["train", "test", None]


@pytest.mark.parametrize(("part", "held"), [("all", [A, B, C]), ("train", [A]), ("test", [B, C]), ("half", [C])])
def test_a_part_holds_the_cases_of_its_groups_in_their_order(tmp_path, part, held):
    assert list(in_part([A, B, C], part, written(tmp_path, GOOD))) == held


EDITIONS = GOOD + "editions:\n  second: [c]\n"


@pytest.mark.parametrize(
    ("part", "held"),
    [
        ("first", [A, B]),
        ("second", [C]),
        ("first-train", [A]),
        ("first-test", [B]),
        ("second-train", []),
        ("test", [B, C]),
    ],
)
def test_an_edition_holds_the_groups_that_it_names_and_the_first_one_all_others(tmp_path, part, held):
    assert list(in_part([A, B, C], part, written(tmp_path, EDITIONS))) == held


def test_a_split_without_editions_has_no_parts_of_them(tmp_path):
    with pytest.raises(UnknownName, match="unknown part 'first'"):
        in_part([A], "first", written(tmp_path, GOOD))


def test_all_cases_need_no_split(tmp_path):
    assert in_part([A], "all", tmp_path) == (A,)


def test_a_part_of_a_corpus_that_is_not_split_is_refused(tmp_path):
    with pytest.raises(BadInput, match=r"split\.yaml: no such file, so the corpus has no parts; write it"):
        in_part([A], "train", tmp_path)


def test_an_unknown_part_is_refused(tmp_path):
    with pytest.raises(UnknownName, match="unknown part 'tset'; did you mean 'test'"):
        in_part([A], "tset", written(tmp_path, GOOD))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (GOOD.replace("[b, c]", "[b, a]"), "split.yaml:3:1: test: 'a' stands twice; keep one of the two"),
        (GOOD.replace("half: [c]", "half: [c, c]"), "split.yaml:4:1: half: 'c' stands twice"),
        (
            GOOD.replace("half: [c]", "half: [d]"),
            "split.yaml:4:8: half.0: 'd' is in neither part; put it under train or test",
        ),
        (GOOD.replace("format: 1", "format: 2"), "split.yaml:1:1: format: format 2; this mendbench reads format 1"),
        (GOOD.replace("half", "hlaf"), "split.yaml:4:1: hlaf: unknown key 'hlaf'; did you mean 'half'?"),
        (
            EDITIONS.replace("[c]\n", "[d]\n", 2).replace("half: [d]", "half: [c]"),
            "split.yaml:6:3: editions.second: 'd' is in neither part",
        ),
        (EDITIONS.replace("second: [c]", "second: [c, c]"), "split.yaml:6:3: editions.second: 'c' stands twice"),
        (EDITIONS.replace("second", "first"), "split.yaml:6:3: editions.first: a list of groups; remove it"),
        ("- a\n", "split.yaml:1:1: "),
    ],
)
def test_what_is_wrong_is_one_line_with_its_place(tmp_path, text, said):
    with pytest.raises(BadInput) as raised:
        read_split(written(tmp_path, text))
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
