"""What a baseline says is wrong is an expected failure, and nothing else is."""

import re
from contextlib import chdir

import pytest

from mendbench import api
from mendbench.results.baseline import baseline_of, render_baseline
from tests.fakes.cases import RENAMED, change_case, copy_of
from tests.pytest_plugin.test_collecting import one_line
from tests.pytest_plugin.test_items import FULL_CONTEXT, WITHOUT_CONTEXT, lose_responses

pytest_plugins = ["pytester"]

ACCEPTED = ("--mendbench-baseline", "accepted.tsv")


@pytest.fixture(scope="module")
def baseline(built, tmp_path_factory):
    """The text of the baseline of a run of everything that is configured."""
    root = copy_of(built, tmp_path_factory.mktemp("accepted"))
    with chdir(root):
        stored = api.run(api.RunOptions(workers=1), lambda *_: None)
        return render_baseline(baseline_of(stored, root / "accepted.tsv"))


@pytest.fixture
def accepted(project, baseline):
    """Write the baseline, changed by a function."""

    def write(change=lambda text: text):
        (project / "accepted.tsv").write_text(change(baseline), encoding="utf-8")

    return write


def test_what_was_accepted_as_wrong_is_an_expected_failure(mendbench, accepted):
    accepted()
    result = mendbench(*ACCEPTED, *WITHOUT_CONTEXT, "-rx")
    result.assert_outcomes(passed=2, xfailed=1)
    result.stdout.fnmatch_lines([f"XFAIL cases/{RENAMED}/case.yaml::none-two-layer-chat*unrepaired in accepted.tsv*"])


def test_the_ini_file_can_name_the_baseline(mendbench, accepted, pytester):
    accepted()
    pytester.makeini("[pytest]\nxfail_strict = true\nmendbench_baseline = accepted.tsv\n")
    mendbench(*WITHOUT_CONTEXT).assert_outcomes(passed=2, xfailed=1)


def test_what_was_accepted_as_right_still_fails(mendbench, accepted, project):
    accepted()
    (project / "mendbench.toml").write_text((project / "mendbench.toml").read_text(encoding="utf-8"), encoding="utf-8")
    mendbench(*ACCEPTED, *FULL_CONTEXT, "--mendbench-repairer", "noop").assert_outcomes(passed=2, failed=1)


def test_what_is_right_by_now_is_reported(mendbench, accepted):
    accepted(lambda text: text.replace("\tcorrect\trepaired\t", "\tincorrect\tunrepaired\t"))
    mendbench(*ACCEPTED, *FULL_CONTEXT).assert_outcomes(passed=2, xpassed=1)


def test_a_case_that_was_changed_since_is_judged_again(mendbench, accepted, project):
    accepted()
    change_case(project, RENAMED, lambda truth: truth.update(title="Another title"))
    mendbench(*ACCEPTED, *WITHOUT_CONTEXT).assert_outcomes(passed=2, failed=1)


def test_what_is_wrong_in_a_graver_way_than_was_accepted_fails_and_says_so(mendbench, accepted):
    accepted(lambda text: text.replace("\tincorrect\tunrepaired\t", "\tincorrect\tpartly\t"))
    result = mendbench(*ACCEPTED, *WITHOUT_CONTEXT)
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["worse than in accepted.tsv: partly (*) -> unrepaired (*)"])


def test_what_is_wrong_in_a_lesser_way_is_still_expected(mendbench, accepted):
    accepted(lambda text: text.replace("\tincorrect\tunrepaired\t", "\tincorrect\tharmful\t"))
    mendbench(*ACCEPTED, *WITHOUT_CONTEXT).assert_outcomes(passed=2, xfailed=1)


@pytest.mark.parametrize("name", ["engine", "scorer"])
def test_a_baseline_of_another_engine_or_scorer_is_a_usage_error_in_one_line(mendbench, accepted, name):
    accepted(lambda text: text.replace(f"\n{name}\t", f"\n{name}\tother than "))
    assert one_line(mendbench(*ACCEPTED, *WITHOUT_CONTEXT)).startswith(f"accepted.tsv: another {name} (other than ")


def test_a_baseline_of_another_price_is_a_usage_error_too(mendbench, accepted):
    accepted(lambda text: re.sub(r"\n(price\t\S+)\t\w+", r"\n\1\tdear", text))
    assert one_line(mendbench(*ACCEPTED, *WITHOUT_CONTEXT)).startswith("accepted.tsv: another price of ")


def test_a_missing_recording_is_an_error_whatever_was_accepted(mendbench, accepted, project):
    accepted()
    lose_responses(project)
    mendbench(*ACCEPTED, *WITHOUT_CONTEXT).assert_outcomes(passed=2, errors=1)


def test_a_baseline_that_cannot_be_read_is_a_usage_error_in_one_line(mendbench):
    assert "accepted.tsv: no such baseline; make it" in one_line(mendbench(*ACCEPTED))
