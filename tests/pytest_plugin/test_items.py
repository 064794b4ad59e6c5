"""What a trial looks like as a test: passed, failed, in error, and reported to other tools."""

import shutil
import xml.etree.ElementTree as ET

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import model_file
from mendbench.repairers.rules import RulesRepairer
from tests.fakes.cases import CLOSED, MODEL, QUIET, RENAMED, change_case, note
from tests.fakes.tables import for_each

pytest_plugins = ["pytester"]

FULL_CONTEXT = ("--mendbench-strategy", "full-context", "--mendbench-policy", "two-layer")
WITHOUT_CONTEXT = ("--mendbench-strategy", "none", "--mendbench-policy", "two-layer")


def section(result, title):
    """Return the lines below a heading of the failures, up to the next heading."""
    lines = result.outlines
    start = next(at for at, line in enumerate(lines) if line.startswith("_") and title in line) + 1
    end = next((at for at in range(start, len(lines)) if lines[at][:3] in {"___", "==="}), len(lines))
    return lines[start:end]


def lose_responses(project):
    """Take every recorded response of the model away from the repairable case."""
    (project / "cassettes" / RENAMED / model_file(MODEL)).unlink()


def test_right_trials_pass(mendbench):
    mendbench(*FULL_CONTEXT).assert_outcomes(passed=3)


def test_a_wrong_trial_fails_and_says_what_happened_without_a_traceback(mendbench):
    result = mendbench(*WITHOUT_CONTEXT, f"cases/{RENAMED}")
    result.assert_outcomes(failed=1)
    lines = section(result, f"{RENAMED} none-two-layer-chat")
    assert lines[0] == (
        f"{RENAMED}: unrepaired: no fault is mended, or the failure was taken for a success; stopped: no_progress"
    )
    assert lines[1].startswith("attempts: ")
    assert "failed checks:" in lines
    assert lines[-1] == (
        f"all of it: mendbench run {RENAMED} --strategy none --policy two-layer --repairer chat --model {MODEL}"
        " --out reports/one, then reports/one/index.html"
    )
    assert "Traceback" not in result.stdout.str()
    assert ".py:" not in result.stdout.str()


def test_a_failure_states_the_differing_request_and_what_became_of_the_workflow(mendbench, project):
    change_case(project, RENAMED, lambda truth: truth.update(checks=[note("Hello Runa, welcome!")]))
    lines = section(mendbench(*FULL_CONTEXT, f"cases/{RENAMED}"), RENAMED)
    assert lines[0] == f"{RENAMED}: plausible: it ran green, and does not do what it should; stopped: succeeded"
    assert lines[1:3] == ["attempts: 1 (1 plausible)", "  1 plausible: edited /nodes/note/params/body/text"]
    wanted = lines.index('    body.text: wanted "Hello Runa, welcome!", sent "Hello Runa!"')
    assert lines[wanted - 1].startswith("    accepted 0 times; sent there: ")
    assert lines[wanted - 2].startswith("  request POST https://desk.kelpforest.example/notes ")
    assert '  -     "text": "Hello ${person.response.name}!",' in lines
    assert '  +     "text": "Hello ${person.response.called}!",' in lines


@for_each("style", ["long", "short", "line", "native"])
def test_the_summary_names_the_outcome_in_every_style(mendbench, monkeypatch, style):
    monkeypatch.setenv("COLUMNS", "200")
    result = mendbench(*WITHOUT_CONTEXT, f"cases/{RENAMED}", f"--tb={style}")
    (line,) = [line for line in result.outlines if line.startswith("FAILED")]
    assert "none-two-layer-chat - unrepaired: no fault is mended" in line
    assert "Traceback" not in result.stdout.str()


def test_a_missing_recording_is_an_error_with_the_command_that_records_it(mendbench, project):
    lose_responses(project)
    result = mendbench(*FULL_CONTEXT)
    result.assert_outcomes(passed=2, errors=1)
    lines = section(result, "ERROR at setup of")
    assert lines[0].startswith(f"{RENAMED}: unjudged: no recording answers the model request ")
    assert "nearest recording: nothing like it is recorded" in lines
    assert (
        f"record it with: mendbench run {RENAMED} --strategy full-context --policy two-layer --repairer chat"
        f" --model {MODEL} --record new_episodes"
    ) in lines


def test_the_command_names_the_folders_that_were_named(mendbench, project):
    shutil.move(project / "cases", project / "own")
    result = mendbench(*WITHOUT_CONTEXT, "--mendbench-cases", "own", "--mendbench-cassettes", "cassettes")
    assert " --cases own --cassettes cassettes --out reports/one, " in section(result, RENAMED)[-1]


def test_what_crashes_is_an_error(mendbench, monkeypatch):
    monkeypatch.setattr(RulesRepairer, "reply", lambda *words, **more: 1 / 0)
    result = mendbench(*FULL_CONTEXT, "--mendbench-repairer", "rules", f"cases/{RENAMED}")
    result.assert_outcomes(errors=1)
    lines = section(result, "ERROR at setup of")
    assert lines[0].startswith(f"{RENAMED}: crashed: ")
    assert "ZeroDivisionError" in lines[0]
    assert lines[1].startswith("run it alone with: mendbench run ")


def test_a_broken_cassette_is_an_error_in_one_line(mendbench, project):
    (project / "cassettes" / QUIET / "world.yaml").write_text("nonsense\n", encoding="utf-8")
    result = mendbench(*FULL_CONTEXT, f"cases/{QUIET}")
    result.assert_outcomes(errors=1)
    lines = [line for line in section(result, "ERROR at setup of") if line]
    assert len(lines) == 1
    assert "quiet-greeting/world.yaml:1: " in lines[0]


def test_a_fault_of_our_own_keeps_its_traceback(mendbench, monkeypatch):
    monkeypatch.setattr("mendbench.api.trials.run_trial", lambda *words: 1 / 0)
    result = mendbench(*FULL_CONTEXT, f"cases/{QUIET}")
    result.assert_outcomes(errors=1)
    assert "ZeroDivisionError" in result.stdout.str()
    assert "api/trials.py" in result.stdout.str()


def test_what_an_api_wrote_cannot_steer_the_terminal(mendbench, project):
    change_case(
        project,
        RENAMED,
        lambda truth: truth["state"]["json_api"]["collections"]["people"]["p-1"].update(called="\x1b[31mRuna"),
    )
    result = mendbench(*FULL_CONTEXT, f"cases/{RENAMED}", "--color=no")
    result.assert_outcomes(failed=1)
    assert "\x1b[31m" not in result.stdout.str()


def test_floor_and_ceiling_are_tests_when_they_are_asked_for(mendbench):
    chosen = ("--mendbench-repairer", "noop", "--mendbench-repairer", "reference")
    result = mendbench(*FULL_CONTEXT, *chosen)
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines([f"FAILED cases/{RENAMED}/case.yaml::full-context-two-layer-noop*"])


def test_junit_has_a_test_case_for_each_trial_with_what_came_out(mendbench, project):
    lose_responses(project)
    mendbench("-k", "two-layer and (renamed or closed)", "--junitxml=out.xml")
    found = {}
    for one in ET.parse(project / "out.xml").iter("testcase"):
        properties = {each.get("name"): each.get("value") for each in one.iter("property")}
        found[one.get("classname"), one.get("name")] = (properties, [each for each in one if each.tag != "properties"])
    properties, others = found[f"cases.{CLOSED.replace('/', '.')}.case.yaml", "full-context-two-layer-chat"]
    assert properties == {"outcome": "warned", "stop_reason": "warned", "attempts": "0", "wasted": "0"}
    assert others == []
    properties, (error,) = found[f"cases.{RENAMED.replace('/', '.')}.case.yaml", "none-two-layer-chat"]
    assert properties["outcome"] == "unjudged"
    assert error.tag == "error"
    assert error.get("message").startswith('failed on setup with "unjudged: no recording answers')


def test_junit_states_tokens_and_waste_of_a_failure_with_its_story(mendbench, project):
    mendbench(*WITHOUT_CONTEXT, f"cases/{RENAMED}", "--junitxml=out.xml")
    (one,) = ET.parse(project / "out.xml").iter("testcase")
    properties = {each.get("name"): each.get("value") for each in one.iter("property")}
    assert properties["outcome"] == "unrepaired"
    assert int(properties["attempts"]) >= int(properties["wasted"]) > 0
    assert int(properties["tokens"]) > 0
    failure = one.find("failure")
    assert failure.get("message").startswith("unrepaired: ")
    assert "\n" not in failure.get("message")
    assert "failed checks:" in failure.text


def test_last_failed_runs_only_what_failed(mendbench, project):
    mendbench("-k", "two-layer").assert_outcomes(passed=5, failed=1, deselected=6)
    again = mendbench("-k", "two-layer", "--lf")
    assert again.parseoutcomes()["failed"] == 1
    assert "passed" not in again.parseoutcomes()
    lose_responses(project)
    assert mendbench("-k", "two-layer", "--lf").parseoutcomes()["errors"] == 1


def test_a_run_can_stop_at_the_first_failure_and_report_durations(mendbench):
    result = mendbench("-k", "none", "-x", "--durations=3", "-vv", f"cases/{RENAMED}", f"cases/{QUIET}")
    result.assert_outcomes(failed=1, deselected=4)
    result.stdout.fnmatch_lines(["*s setup * cases/http/renamed-field/case.yaml::none-naive-chat"])


def test_trials_are_let_go_of_when_they_are_reported(mendbench, pytester):
    pytester.makeconftest(
        "def pytest_sessionfinish(session): print('KEPT', sum(item.trial is not None for item in session.items), 'of', len(session.items))"
    )
    mendbench("-s", "-k", "two-layer").stdout.fnmatch_lines(["*KEPT 0 of 6"])


def test_verbose_lines_show_the_ids_as_they_are(mendbench):
    result = mendbench(*FULL_CONTEXT, "-v", f"cases/{QUIET}")
    result.stdout.fnmatch_lines([f"cases/{QUIET}/case.yaml::full-context-two-layer-chat PASSED*"])


def test_a_trial_that_was_cut_off_keeps_its_recordings_as_they_were(mendbench, project):
    files = sorted((project / "cassettes").rglob("*.yaml"))
    before = {path: path.read_bytes() for path in files}
    mendbench()
    assert {path: path.read_bytes() for path in sorted((project / "cassettes").rglob("*.yaml"))} == before
    assert all(cassette.load(path) for path in files)
    assert not (project / "reports").exists()
