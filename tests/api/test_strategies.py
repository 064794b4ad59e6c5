"""Strategies shown, rendered and surveyed over the invented corpus, without any model."""

from pathlib import Path

import pytest

from mendbench import api
from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import model_file
from mendbench.errors import BadInput, ReplayMiss, UnknownName
from tests.fakes import cases
from tests.fakes.cases import CLOSED, MODEL, QUIET, RENAMED

SPLIT = "format: 1\ntrain: [desk-renamed-field]\ntest: [desk-closed-ledger, desk-quiet]\nhalf: []\n"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("built"))


@pytest.fixture
def root(built, tmp_path, monkeypatch):
    """Return a copy of the corpus, which the test runs in."""
    monkeypatch.chdir(cases.copy_of(built, tmp_path / "corpus"))
    return Path.cwd()


def survey(*names, wanted=(), part="all"):
    return api.survey_strategies(names, wanted, part, None, None)


def test_a_page_has_the_template_as_it_stands_and_the_digest_of_what_is_left_of_it(root):
    whole, less = api.show_strategy("mend"), api.show_strategy("mend~data")
    assert whole.text == less.text == whole.strategy.path.read_text("utf-8")
    assert whole.strategy.digest != less.strategy.digest


def test_a_survey_has_the_cases_in_which_somebody_is_asked(root):
    (found,) = survey("full-context")
    assert [row.case for row in found.rows] == [CLOSED, RENAMED]
    assert found.unrequested_writes == (QUIET,)
    assert found.missing == {}


def test_its_rows_are_what_rendering_the_case_gives(root):
    (found,) = survey("full-context", wanted=(RENAMED,))
    assert found.rows == (api.render_strategy("full-context", RENAMED, None, None),)


def test_it_adds_up_what_the_contexts_state(root):
    informed, uninformed = survey("full-context", "none")
    assert (informed.context_recall, uninformed.context_recall) == (1, 0)
    assert (informed.fix_shown, uninformed.fix_shown) == (1, 0)
    assert (uninformed.context_tokens, uninformed.places["nowhere"]) == (0, 1)
    assert sum(informed.places.values()) == 1
    tokens = [row.prompt.context.tokens for row in informed.rows]
    assert informed.context_tokens == sum(tokens) / 2


def test_one_strategy_can_be_surveyed_twice(root):
    one, other = survey("summary", "summary")
    assert one == other
    assert len(one.rows) == 2


def test_a_section_left_out_is_not_reported(root):
    whole, less = survey("full-context", "full-context~errors", wanted=(RENAMED,))
    assert less.strategy == "full-context~errors"
    assert less.rows[0].prompt.context.strategy == "full-context~errors"
    assert less.rows[0].prompt.context.tokens < whole.rows[0].prompt.context.tokens


def test_a_case_whose_first_execution_is_not_recorded_is_named_and_left_out(root):
    cases.make_live(root, RENAMED)
    (found,) = survey("summary")
    assert [row.case for row in found.rows] == [CLOSED]
    assert "no recording answers" in found.missing[RENAMED]


def test_a_part_of_the_split_confines_it(root):
    (root / "cases" / "split.yaml").write_text(SPLIT, encoding="utf-8")
    (found,) = survey("summary", part="train")
    assert [row.case for row in found.rows] == [RENAMED]
    with pytest.raises(BadInput, match=r"none of those named is in the part 'train'; name another, or add --part all"):
        survey("summary", part="train", wanted=(CLOSED,))


def test_names_that_there_are_not_are_refused(root):
    with pytest.raises(UnknownName, match="unknown section 'dat'; did you mean 'data'"):
        survey("mend~dat")
    with pytest.raises(UnknownName, match="unknown case"):
        survey("mend", wanted=("sheets",))


def test_where_nothing_fails_nobody_is_asked(root):
    assert not api.render_strategy("summary", QUIET, None, None).asked
    assert api.render_strategy("summary", CLOSED, None, None).asked


def test_the_prompt_of_a_later_attempt_is_the_one_that_was_asked(root):
    rendered = api.render_strategy("none", RENAMED, None, None, attempt=2)
    model_requests = [entry.model_request for entry in cassette.load(root / "cassettes" / RENAMED / model_file(MODEL))]
    assert rendered.attempt == 2
    assert rendered.prompt.user in [model_request["messages"][-1]["content"] for model_request in model_requests]
    assert rendered.prompt.user != api.render_strategy("none", RENAMED, None, None).prompt.user


def test_a_later_attempt_that_there_was_not_is_refused(root):
    with pytest.raises(BadInput, match=r"--attempt 2: the trial has 1 attempt and then stops \(succeeded\)"):
        api.render_strategy("full-context", RENAMED, None, None, attempt=2)


def test_a_later_attempt_that_no_recording_leads_to_says_what_is_missing(root):
    (root / "cassettes" / RENAMED / model_file(MODEL)).unlink()
    with pytest.raises(ReplayMiss, match="no recording answers the model request"):
        api.render_strategy("none", RENAMED, None, None, attempt=2)


def test_a_prompt_whose_own_answer_is_missing_is_shown_all_the_same(root):
    path = root / "cassettes" / RENAMED / model_file(MODEL)
    second = api.render_strategy("none", RENAMED, None, None, attempt=2).prompt.user
    entries = [entry for entry in cassette.load(path) if entry.model_request["messages"][-1]["content"] != second]
    cassette.rewrite(path, entries)
    assert api.render_strategy("none", RENAMED, None, None, attempt=2).prompt.user == second
