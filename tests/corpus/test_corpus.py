"""The corpus: found, loaded once, and selected by name."""

import shutil
from dataclasses import replace

import pytest

from mendbench.corpus.corpus import load_corpus, select
from mendbench.errors import BadInput, UnknownName
from tests.fakes.cases import CLOSED, QUIET, RENAMED, change_case, renamed_case, workflow, write_case, write_corpus


@pytest.fixture
def root(tmp_path):
    write_corpus(tmp_path)
    return tmp_path


def corpus_of(root):
    return load_corpus(root / "cases", root / "cassettes")


def ids(cases):
    return [case.id for case in cases]


def test_cases_are_found_and_sorted_by_id(root):
    corpus = corpus_of(root)
    assert ids(corpus.cases) == [QUIET, CLOSED, RENAMED]
    assert corpus.cassettes(corpus.case(RENAMED)) == root / "cassettes" / "http" / "renamed-field"


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ([], [QUIET, CLOSED, RENAMED]),
        ([RENAMED], [RENAMED]),
        (["http"], [CLOSED, RENAMED]),
        (["*/*-field", "control"], [QUIET, RENAMED]),
        (["http", RENAMED], [CLOSED, RENAMED]),
    ],
)
def test_a_selection_names_ids_families_or_patterns(root, wanted, found):
    assert ids(select(corpus_of(root), wanted)) == found


def test_an_unknown_name_is_reported_with_the_closest_and_all_others(root):
    with pytest.raises(UnknownName, match=f"unknown case 'http/renamed-fields'; did you mean '{RENAMED}'.*{CLOSED}"):
        select(corpus_of(root), ["http/renamed-fields"])
    with pytest.raises(UnknownName, match="unknown case 'htp'; did you mean 'http'"):
        select(corpus_of(root), ["htp"])
    with pytest.raises(UnknownName, match="unknown case 'http'"):
        corpus_of(root).case("http")


def test_a_folder_without_cases_is_reported(tmp_path):
    with pytest.raises(BadInput, match=r"nowhere: no such folder; name the folder of the cases with --cases"):
        load_corpus(tmp_path / "nowhere", tmp_path)
    (tmp_path / "cases" / "http" / "empty").mkdir(parents=True)
    with pytest.raises(BadInput, match=r"cases: no case below it; a case is FAMILY/NAME/case\.yaml"):
        load_corpus(tmp_path / "cases", tmp_path)


def test_any_family_may_hold_cases(root):
    write_case(root, "help-desk/renamed", renamed_case(), workflow("x"))
    assert [case.id for case in select(corpus_of(root), ["help-desk"])] == ["help-desk/renamed"]


def test_a_family_is_named_by_lower_case_words(root):
    write_case(root, "Help Desk/renamed", renamed_case(), workflow("x"))
    with pytest.raises(
        BadInput, match=r"Help Desk/renamed: the family 'Help Desk'; use lower-case words joined by hyphens"
    ):
        select(corpus_of(root), [])


def test_a_case_whose_file_is_misnamed_is_not_passed_over(root):
    folder = root / "cases" / RENAMED
    (folder / "case.yaml").rename(folder / "case.yml")
    with pytest.raises(BadInput, match=r"renamed-field/case\.yaml: no such file"):
        select(corpus_of(root), [])


def test_an_unknown_service_is_reported_with_the_file_and_the_closest(root):
    change_case(root, RENAMED, lambda truth: truth.update(recorded_from={"json_ap": "simulator"}, state={}))
    with pytest.raises(
        UnknownName,
        match=r"renamed-field/case\.yaml:5:3: recorded_from\.json_ap: unknown service 'json_ap'; did you mean 'json_api'",
    ):
        select(corpus_of(root), [])


def test_a_case_that_runs_shell_commands_declares_the_shell(root):
    change_case(root, RENAMED, lambda truth: truth["recorded_from"].update(shell="real", file="real"))
    assert corpus_of(root).case(RENAMED).recorded_from == {"json_api": "simulator", "shell": "real", "file": "real"}


def test_files_that_were_not_written_to_are_not_read_again(root):
    assert corpus_of(root).case(RENAMED) is corpus_of(root).case(RENAMED)


def test_a_broken_case_that_is_not_asked_for_is_in_nobodys_way(root):
    (root / "cases" / CLOSED / "case.yaml").write_text("title: [", encoding="utf-8")
    corpus = corpus_of(root)
    assert ids(select(corpus, [RENAMED])) == [RENAMED]
    assert list(corpus.read) == [RENAMED]
    with pytest.raises(BadInput, match="case.yaml"):
        select(corpus, ["http"])
    assert ids(select(replace(corpus, tolerant=True), ["http"])) == [RENAMED]
    assert list(corpus.broken) == [CLOSED]


def test_a_case_that_was_written_to_or_removed_is_read_again(root):
    before = corpus_of(root)
    change_case(root, RENAMED, lambda truth: truth.update(title="Another title altogether"))
    after = corpus_of(root)
    assert after.case(RENAMED).title == "Another title altogether"
    assert after.digest != before.digest
    shutil.rmtree(root / "cases" / RENAMED)
    assert ids(corpus_of(root).cases) == [QUIET, CLOSED]
