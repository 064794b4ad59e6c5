"""Trials spread over processes by pytest-xdist."""

import pytest

from tests.pytest_plugin.conftest import PLUGIN

pytest_plugins = ["pytester"]


@pytest.fixture
def spread(project, pytester):
    """Run pytest with two workers, or another number, and these words."""
    pytest.importorskip("xdist")

    def run(*words, workers=2):
        return pytester.runpytest_subprocess(*PLUGIN, "-p", "no:cacheprovider", "-n", str(workers), *words)

    return run


@pytest.mark.slow
@pytest.mark.parametrize("how", ["load", "loadfile"])
def test_trials_are_run_by_two_workers(spread, how, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    result = spread("--mendbench", "--dist", how, "-k", "two-layer", "--junitxml=out.xml")
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(
        [
            "http/renamed-field: unrepaired: no fault is mended, *",
            "FAILED cases/http/renamed-field/case.yaml::none-two-layer-chat - unrepaired: no fault *",
        ]
    )
    assert ".py:" not in result.stdout.str()


def test_what_there_is_not_is_one_line_there_too(spread):
    result = spread("--mendbench", "--mendbench-strategy", "full-contxt")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "Traceback" not in result.stdout.str() + result.stderr.str()


@pytest.mark.slow
def test_a_run_that_finds_no_case_is_no_success_there_either(spread, pytester):
    pytester.makepyfile(test_mine="def test_mine(): pass")
    result = spread("--mendbench", "test_mine.py", workers=1)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["mendbench: no case.yaml below what was named; *"])


def test_nothing_is_recorded_by_many_processes(spread):
    result = spread("--mendbench", "--record-mode=new_episodes")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "leave -n away" in result.stderr.str()
