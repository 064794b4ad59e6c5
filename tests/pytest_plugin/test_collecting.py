"""Which case files are collected, what their tests are called, and what is refused."""

import os
import shutil

import pytest

from tests.fakes import cases
from tests.fakes.cases import CLOSED, MODEL, QUIET, RENAMED, change_case
from tests.fakes.planted import record_credential
from tests.fakes.tables import for_each

pytest_plugins = ["pytester"]

ALL = [
    f"cases/{case}/case.yaml::{strategy}-{policy}-chat"
    for case in (QUIET, CLOSED, RENAMED)
    for strategy in ("full-context", "none")
    for policy in ("naive", "two-layer")
]
RULES = ("--mendbench-repairer", "rules", "--mendbench-strategy", "full-context", "--mendbench-policy", "two-layer")


def one_line(result, code=pytest.ExitCode.USAGE_ERROR):
    """Return the one line of an error, after its prefix."""
    assert result.ret == code
    (line,) = [line for line in result.errlines if line.strip()]
    assert "Traceback" not in result.stdout.str()
    return line.removeprefix("ERROR: mendbench: ")


def test_the_trials_that_are_configured_are_the_tests_but_floor_and_ceiling_are_none(ids):
    assert ids() == ALL


def test_without_the_option_nothing_is_collected(plain):
    assert plain().ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_the_ini_file_can_switch_it_on_and_choose(plain, pytester):
    pytester.makeini(
        "[pytest]\nmendbench = true\nmendbench_strategy = full-context\nmendbench_policy = two-layer naive\nmendbench_repairer = rules noop\nmendbench_samples = 1\n"
    )
    result = plain("--collect-only", "-q", f"cases/{RENAMED}")
    names = [line.partition("::")[2] for line in result.outlines if "::" in line]
    assert names == [f"full-context-{policy}-{by}" for by in ("noop", "rules") for policy in ("naive", "two-layer")]


def test_options_win_over_the_ini_file(ids, pytester):
    pytester.makeini("[pytest]\nmendbench_strategy = none\nmendbench_policy = naive\n")
    assert ids("--mendbench-strategy", "full-context", f"cases/{QUIET}") == [
        f"cases/{QUIET}/case.yaml::full-context-naive-chat"
    ]


def test_folders_of_the_ini_file_start_where_it_lies(plain, project, pytester):
    shutil.move(project / "cases", project / "repair" / "all")
    (project / "repair" / "pytest.ini").write_text("[pytest]\nmendbench = true\nmendbench_cases = all\n")
    result = plain("--collect-only", "-q", "-c", "repair/pytest.ini")
    assert len([line for line in result.outlines if "::" in line]) == len(ALL)


@for_each(
    ("chosen", "selected"),
    [
        (("-k", "renamed-field and none"), [one for one in ALL if RENAMED in one and "::none" in one]),
        (("-k", RENAMED), [one for one in ALL if RENAMED in one]),
        (("-m", "repairable and http"), [one for one in ALL if RENAMED in one]),
        (("-m", "http and not repairable"), [one for one in ALL if CLOSED in one]),
        (("-m", "needs_user"), [one for one in ALL if CLOSED in one]),
        (("-m", "mendbench and easy"), ALL),
        (("-m", "mendbench(kind='control', policy='naive')"), [one for one in ALL if QUIET in one and "naive" in one]),
        (("-m", "recorded"), []),
        (
            (f"cases/{RENAMED}/case.yaml::none-naive-chat",),
            [one for one in ALL if RENAMED in one and "none-naive" in one],
        ),
    ],
)
def test_trials_are_selected_by_word_marker_and_id(ids, chosen, selected):
    assert ids("--strict-markers", *chosen) == selected


def test_cases_that_were_recorded_from_real_software_say_so(ids, project):
    change_case(project, RENAMED, lambda truth: truth.update(recorded_from={"json_api": "live"}))
    assert ids("-m", "recorded") == [one for one in ALL if RENAMED in one]


def test_a_family_of_the_projects_own_is_a_marker_too(ids, project):
    for kind in ("cases", "cassettes"):
        folder = project / kind / "help-desk" / "renamed"
        folder.parent.mkdir()
        (project / kind / RENAMED).rename(folder)
    assert {one.partition("::")[0] for one in ids("--strict-markers", "-m", "help_desk")} == {
        "cases/help-desk/renamed/case.yaml"
    }


def test_the_markers_are_listed(mendbench):
    mendbench("--markers").stdout.fnmatch_lines(
        ["@pytest.mark.mixed: *family mixed or the kind mixed", "@pytest.mark.needs_user: *kind needs_user"]
    )


@for_each(
    ("words", "said"),
    [
        (("--mendbench-strategy", "full-contxt"), "strategy: unknown strategy 'full-contxt'; did you mean 'full-context'?"),
        (("--mendbench-strategy", "./mine.md.j2"), "mine.md.j2"),
        (("--mendbench-policy", "two-layers"), "policy: unknown policy 'two-layers'; did you mean 'two-layer'?"),
        (("--mendbench-repairer", "rule"), "repairer: unknown repairer 'rule'; did you mean 'rules'?"),
        (("--mendbench-model", "huge"), "model: unknown model 'huge'"),
        (("--mendbench-detector", "mind"), "detector: unknown detector 'mind'; did you mean"),
        (("--mendbench-part", "training"), "part: unknown part 'training'"),
        (("--mendbench-samples", "0"), "samples: 0; give a whole number from 1 on"),
        (("--mendbench-cases", "nowhere"), "nowhere: no such folder; name the folder of the cases"),
        (("--mendbench-repairer", "rules", "--mendbench-model", MODEL), "no repairer that asks a model"),
    ],
)  # fmt: skip
def test_what_there_is_not_is_a_usage_error_in_one_line(mendbench, words, said):
    assert said in one_line(mendbench(*words))


def test_a_broken_configuration_is_a_usage_error_in_one_line(mendbench, project):
    (project / "mendbench.toml").write_text("format = 1\n[matrix]\nstrategy = []\n", encoding="utf-8")
    assert "mendbench.toml: " in one_line(mendbench())


def test_a_broken_case_is_a_collection_error_in_one_line_and_keeps_nobody_from_the_others(mendbench, project):
    change_case(project, RENAMED, lambda truth: truth.pop("faults"))
    result = mendbench(*RULES, "--continue-on-collection-errors")
    result.assert_outcomes(errors=1, passed=2)
    at = next(number for number, line in enumerate(result.outlines) if "ERROR collecting" in line)
    assert f"{RENAMED}/case.yaml" in result.outlines[at + 1]
    assert "short test summary" in result.outlines[at + 2]


def test_a_case_with_a_credential_in_its_recordings_is_a_collection_error_and_no_trial_runs(mendbench, project):
    planted = record_credential(project, RENAMED)
    result = mendbench()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([f"*cassettes/{RENAMED}/world.yaml:{planted.line}: *; *"])
    assert result.parseoutcomes() == {"errors": 1}
    assert planted.value not in result.stdout.str() + result.stderr.str()


def test_a_case_that_lost_its_file_is_a_collection_error_and_no_case_fewer(mendbench, project):
    (project / "cases" / RENAMED / "case.yaml").unlink()
    result = mendbench(*RULES, "--continue-on-collection-errors")
    result.assert_outcomes(errors=1, passed=2)


def test_a_corpus_of_broken_cases_alone_is_reported_case_by_case(mendbench, project):
    for case in (RENAMED, CLOSED, QUIET):
        change_case(project, case, lambda truth: truth.pop("checks"))
    mendbench().assert_outcomes(errors=3)


def test_the_configured_cases_are_found_where_pytest_looks_elsewhere(ids, pytester):
    pytester.makeini("[pytest]\ntestpaths = tests\n")
    pytester.mkdir("tests")
    assert ids() == ALL


def test_named_paths_are_all_that_is_collected(ids, pytester):
    assert ids(f"cases/{QUIET}") == [one for one in ALL if QUIET in one]


def test_cases_that_were_named_are_tested_even_if_the_configuration_leaves_them_out(ids, project):
    config = project / "mendbench.toml"
    config.write_text(config.read_text().replace("[matrix]\n", f'[matrix]\ncases = ["{QUIET}"]\n'), encoding="utf-8")
    assert ids() == [one for one in ALL if QUIET in one]
    assert ids(f"cases/{RENAMED}/case.yaml") == [one for one in ALL if RENAMED in one]


def test_a_run_that_finds_no_case_is_refused(mendbench, pytester):
    pytester.makepyfile(test_mine="def test_mine(): pass")
    said = one_line(mendbench("test_mine.py"))
    assert said == "no case.yaml below what was named; name their folder, such as cases, or --mendbench-cases DIR"


def test_a_run_whose_cases_have_no_trial_is_refused(mendbench, project, pytester):
    (project / "cases" / "split.yaml").write_text(
        "format: 1\ntrain: [desk-quiet]\ntest: [desk-renamed-field]\nhalf: []\n", encoding="utf-8"
    )
    assert "no trial of these cases" in one_line(mendbench("--mendbench-part", "train", f"cases/{RENAMED}"))


def test_where_the_ini_file_switches_it_on_other_tests_can_be_run_alone(plain, pytester):
    pytester.makeini("[pytest]\nmendbench = true\n")
    pytester.makepyfile(test_mine="def test_mine(): pass")
    plain("test_mine.py").assert_outcomes(passed=1)


def test_a_file_of_that_name_that_is_no_case_is_left_alone(ids, project):
    other = project / "charts" / "of" / "others"
    other.mkdir(parents=True)
    (other / "case.yaml").write_text("what: ever\n", encoding="utf-8")
    assert ids() == [*ALL]


def test_cases_elsewhere_are_collected_with_the_recordings_beside_them(mendbench, project):
    cases.copy_of(project / "cassettes", project / "other" / "cassettes")
    shutil.move(project / "cases", project / "other" / "cases")
    shutil.rmtree(project / "cassettes")
    (project / "mendbench.toml").unlink()
    chosen = ("--mendbench-repairer", "chat", "--mendbench-model", MODEL, "--mendbench-strategy", "full-context")
    mendbench(*chosen, "--mendbench-policy", "two-layer", "other/cases").assert_outcomes(passed=3)


def test_folders_can_be_given(mendbench, project):
    (project / "cases").rename(project / "repair-cases")
    (project / "cassettes").rename(project / "repair-cassettes")
    chosen = ("--mendbench-cases", "repair-cases", "--mendbench-cassettes", "repair-cassettes")
    mendbench(*chosen, "-k", "full-context-two-layer").assert_outcomes(passed=3, deselected=9)


def test_pytest_may_be_started_below_the_folder_of_the_configuration(mendbench, project, pytester):
    pytester.makeini("[pytest]\n")
    os.chdir(pytester.mkdir("tests"))
    mendbench("-k", "full-context-two-layer").assert_outcomes(passed=3, deselected=9)
