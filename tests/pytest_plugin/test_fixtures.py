"""The fixtures: a case, a trial, a run, and options of one's own. They need no --mendbench."""

from tests.fakes.cases import CLOSED, MODEL, RENAMED
from tests.pytest_plugin.test_items import lose_responses

pytest_plugins = ["pytester"]


def test_a_case_is_loaded_by_its_id(plain, pytester):
    pytester.makepyfile(
        f"""
        import pytest
        from mendbench.errors import UnknownName

        def test_case(mendbench_case):
            case = mendbench_case("{CLOSED}")
            assert (case.id, case.kind) == ("{CLOSED}", "needs_user")
            with pytest.raises(UnknownName, match="did you mean '{CLOSED}'"):
                mendbench_case("http/closed-ledgr")
        """
    )
    plain().assert_outcomes(passed=1)


def test_a_trial_is_run_and_looked_at(plain, pytester):
    pytester.makepyfile(
        f"""
        def test_trial(mendbench_case, mendbench_trial):
            trial = mendbench_trial("{RENAMED}", strategy="full-context")
            assert trial.right, trial.story
            assert (trial.verdict, trial.outcome, trial.stop_reason) == ("correct", "repaired", "succeeded")
            assert [attempt.label for attempt in trial.attempts] == ["productive"]
            assert trial.key.model == "{MODEL}"
            assert trial.key.policy == "two-layer"
            assert "Hello ${{person.response.called}}!" in trial.row["attempts"][-1]["workflow"]
            other = mendbench_trial(mendbench_case("{RENAMED}"), repairer="noop", policy="naive", detector="minimal")
            assert (other.key.repairer, other.key.policy, other.key.model) == ("noop", "naive", None)
            assert other.outcome == "unrepaired"
            assert repr(other).startswith("<trial {RENAMED} | ")
        """
    )
    plain().assert_outcomes(passed=1)


def test_an_assertion_about_a_trial_shows_its_story(plain, pytester):
    pytester.makepyfile(
        f"""
        def test_trial(mendbench_trial):
            trial = mendbench_trial("{RENAMED}", strategy="none")
            assert trial.right, trial.story
        """
    )
    result = plain()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: http/renamed-field: unrepaired: *", "*attempts: *", "*all of it: *"])


def test_a_trial_without_a_verdict_passes_no_assertion(plain, pytester, project):
    lose_responses(project)
    pytester.makepyfile(
        f"""
        def test_unharmed(mendbench_trial):
            assert mendbench_trial("{RENAMED}", strategy="full-context").outcome != "harmful"

        def test_expected(mendbench_trial):
            trial = mendbench_trial("{RENAMED}", strategy="full-context", unjudged_ok=True)
            assert (trial.verdict, trial.outcome, trial.judged) == ("unjudged", None, False)

        def test_run(mendbench_run):
            assert not mendbench_run("{RENAMED}").wrong
        """
    )
    result = plain()
    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(["*NoVerdict: http/renamed-field: unjudged: no recording answers *", "*NoVerdict: 4 trials have no verdict:"])  # fmt: skip


def test_a_run_gives_all_rows_and_totals(plain, pytester, project):
    pytester.makepyfile(
        f"""
        def test_run(mendbench_run):
            run = mendbench_run("http/*", strategies=["none", "full-context"], policies=["two-layer"])
            assert len(run.rows) == len(run.records) == 4
            assert [key.split(" | ")[0] for key in run.wrong] == ["{RENAMED}"]
            assert len(run.right) == 3
            success = {{total["strategy"]: total["scores"]["repair_success"] for total in run.totals}}
            assert success["full-context"]["numerator"] == success["full-context"]["denominator"] == 1
            assert success["none"]["numerator"] == 0
            assert all("$text" not in str(row["workflow"]) for row in run.rows)
            assert (run.folder / "index.html").is_file()

        def test_another(mendbench_run):
            assert mendbench_run("http/*", repairers=["reference"], strategies=["none"]).wrong == ()
        """
    )
    plain().assert_outcomes(passed=2)
    assert not (project / "reports").exists()


def test_options_hold_for_fixtures_too_and_a_project_can_give_its_own(plain, pytester):
    pytester.makepyfile(
        f"""
        def test_first(mendbench_trial, mendbench_run):
            assert (mendbench_trial("{RENAMED}").key.strategy, mendbench_trial("{RENAMED}").key.policy) == ("full-context", "naive")
            assert {{row["strategy"] for row in mendbench_run("{RENAMED}").rows}} == {{"full-context"}}
        """
    )
    plain("--mendbench-strategy", "full-context", "--mendbench-policy", "naive").assert_outcomes(passed=1)
    pytester.makeconftest(
        """
        import pytest
        from mendbench.api import RunOptions

        @pytest.fixture(scope="session")
        def mendbench_options():
            return RunOptions(strategies=("full-context",), policies=("naive",))
        """
    )
    plain().assert_outcomes(passed=1)


def test_options_that_cannot_be_used_are_one_line(plain, pytester):
    pytester.makepyfile("def test_case(mendbench_case): pass")
    result = plain("--mendbench-strategy", "full-contxt")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["strategy: unknown strategy 'full-contxt'; did you mean 'full-context'?*"])
    assert "Traceback" not in result.stdout.str()


def test_fixtures_are_listed_with_what_they_do(plain):
    plain("--fixtures").stdout.fnmatch_lines(
        ["mendbench_options *session scope*", "mendbench_case *session scope*", "    Load a case by its id*"]
    )


def test_what_the_fixtures_are_can_be_named_in_annotations(plain, pytester):
    pytester.makepyfile(
        f"""
        from mendbench.pytest_plugin import LoadCase, RunCases, RunTrial

        def test_typed(mendbench_case: LoadCase, mendbench_trial: RunTrial, mendbench_run: RunCases) -> None:
            assert mendbench_trial(mendbench_case("{CLOSED}"), repairer="noop").right
        """
    )
    plain().assert_outcomes(passed=1)
