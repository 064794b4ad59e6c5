"""JUnit XML: what the viewers' schema allows, and what a build must see red."""

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from junitparser import Error, Failure, JUnitXml, Skipped

from mendbench.report.junit import BODY, MESSAGE, junit, legal
from tests.fakes.judged import ODD, gate_says, mixed_run, odd_run, row
from tests.fakes.runs import small_run, stored_run

ALLOWED = {
    "testsuites": ({"name", "tests", "failures", "errors", "time"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time"},
        {"properties", "testcase"},
    ),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
    "testcase": ({"classname", "name", "time"}, {"failure", "error", "skipped", "system-out"}),
    "failure": ({"type", "message"}, set()),
    "error": ({"type", "message"}, set()),
    "skipped": ({"type", "message"}, set()),
    "system-out": (set(), set()),
}
"""What all of the viewers' schemas have: attributes and children of each element."""

KIND = {Failure: "failure", Error: "error", Skipped: "skipped"}


def statuses(text):
    """Return each trial's case and status, as a viewer reads them."""
    found = {}
    for suite in JUnitXml.fromstring(text.encode()):
        for case in suite:
            found[case.name.split(" [")[0].rpartition("/")[2]] = KIND[type(case.result[0])] if case.result else "passed"
    return found


def element(text, name):
    return next(case for case in ET.fromstring(text).iter("testcase") if f"/{name} [" in case.get("name"))


def well_formed(text):
    """Check a file against the schema and its own sums."""
    root = ET.fromstring(text)
    for one in root.iter():
        attributes, children = ALLOWED[one.tag]
        assert set(one.attrib) <= attributes
        assert {child.tag for child in one} <= children
    for name, tag in (("failures", "failure"), ("errors", "error"), ("tests", "testcase")):
        assert root.get(name) == str(len(list(root.iter(tag))))
        assert all(suite.get(name) == str(len(list(suite.iter(tag)))) for suite in root)
    assert all(suite.get("skipped") == str(len(list(suite.iter("skipped")))) for suite in root)
    return root


def test_each_verdict_has_the_colour_that_a_build_needs():
    assert statuses(junit(mixed_run())) == {
        "right": "passed", "looks-right": "failure", "wrong": "failure", "missing": "error", "broken": "error",
    }  # fmt: skip


def test_a_failure_says_outcome_check_and_diff():
    failed = element(junit(mixed_run()), "looks-right").find("failure")
    assert failed.get("type") == "plausible"
    assert "stopped: succeeded" in failed.get("message")
    assert "does not hold" in failed.text
    assert "workflow diff:" in failed.text


def test_an_unjudged_trial_says_what_records_it():
    error = element(junit(mixed_run()), "missing").find("error")
    assert error.get("type") == "unjudged"
    assert "record it with: mendbench run slack/greeting --record new_episodes" in error.get("message")


def test_a_suite_is_a_treatment_and_a_class_a_case():
    root = well_formed(junit(small_run()))
    assert [suite.get("name") for suite in root if "tiny-coder" in suite.get("name")] == [
        f"{strategy}, {policy}, tiny-coder"
        for strategy in ("full-context", "none", "summary")
        for policy in ("naive", "two-layer")
    ]
    assert {case.get("classname") for case in root.iter("testcase")} == {
        "slack.greeting", "slack.farewell", "slack.absent",
    }  # fmt: skip


def test_no_two_test_cases_are_one_to_a_viewer():
    cases = [(case.get("classname"), case.get("name")) for case in ET.fromstring(junit(small_run())).iter("testcase")]
    assert len(set(cases)) == len(cases) == len(small_run().rows)


def test_a_suite_has_its_scores_and_says_which_are_undefined():
    suite = next(one for one in ET.fromstring(junit(mixed_run())) if one.get("name").startswith("summary"))
    properties = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert properties["strategy"] == "summary"
    assert properties["repair_success"].startswith("0.200 (1 of 5, ")
    assert properties["control_success"].startswith("undefined (none: ")


def test_parts_of_the_corpus_are_never_pooled():
    run = mixed_run()
    parts = ["train", "test", "test", "test", "train"]
    run = replace(run, rows=tuple({**one, "part": part} for one, part in zip(run.rows, parts, strict=True)))
    properties = {one.get("name") for one in ET.fromstring(junit(run)).iter("property")}
    assert {"test: repair_success", "train: repair_success"} <= properties
    assert "repair_success" not in properties


def test_two_replays_of_one_commit_give_the_same_bytes():
    assert junit(small_run(seconds=0.5)) == junit(small_run(seconds=77.0))


def test_time_is_what_executions_and_answers_took():
    run = mixed_run()
    one = {**row(run, "looks-right")}
    one["first"] = {**one["first"], "duration_ms": 1500}
    attempt = one["attempts"][0]
    one["attempts"] = [{**attempt, "elapsed_ms": 2000, "execution": {**attempt["execution"], "duration_ms": 250}}]
    root = ET.fromstring(junit(replace(run, rows=(one,))))
    assert root.get("time") == "3.750"
    assert next(root.iter("testcase")).get("time") == "3.750"


def test_with_a_judgement_only_what_it_found_is_red_and_nothing_wrong_is_green():
    run = mixed_run()
    text = junit(run, judgement=gate_says(run))
    assert statuses(text) == {
        "right": "passed", "looks-right": "failure", "wrong": "skipped", "missing": "skipped", "broken": "skipped",
        "verdict": "failure", "limit broken": "failure", "gone | x": "failure",
    }  # fmt: skip
    failed = element(text, "looks-right").find("failure")
    assert (failed.get("type"), failed.get("message")) == ("lost", "lost: repaired -> plausible")
    assert "workflow diff:" in failed.text
    assert element(text, "missing").find("skipped").get("message") == "known, unjudged"
    well_formed(text)


@pytest.mark.parametrize(("status", "seen"), [("passed", "passed"), ("failed", "failure"), ("open", "error")])
def test_a_judgement_that_is_inconclusive_is_not_green(status, seen):
    run = mixed_run()
    judgement = replace(gate_says(run, status=status), findings=())
    assert statuses(junit(run, judgement=judgement))["verdict"] == seen


@pytest.mark.parametrize("name", ["missing", "broken"])
def test_a_trial_without_a_verdict_that_fails_is_an_error(name):
    run = mixed_run()
    assert statuses(junit(run, failing={row(run, name)["key"]}))[name] == "error"


def test_keys_or_a_function_decide_what_fails():
    run = mixed_run()
    wanted = {
        "right": "failure",
        "looks-right": "skipped",
        "wrong": "skipped",
        "missing": "skipped",
        "broken": "skipped",
    }
    assert statuses(junit(run, failing=[row(run, "right")["key"]])) == wanted
    assert statuses(junit(run, failing=lambda one: one["verdict"] == "correct")) == wanted


def test_nothing_failing_leaves_nothing_red():
    root = ET.fromstring(junit(mixed_run(), failing=()))
    assert (root.get("failures"), root.get("errors")) == ("0", "0")


def test_a_run_without_trials_is_a_file_without_suites():
    assert well_formed(junit(stored_run([]))).get("tests") == "0"


def test_a_long_body_is_cut_and_says_so():
    run = mixed_run("x" * 3 * BODY)
    body = element(junit(run), "broken").find("error").text
    assert body.startswith("crashed: xxx")
    assert len(body) < BODY + 200
    assert body.endswith("more characters; the whole trial is in the run's report")


def test_a_passing_trial_takes_no_more_than_its_names_and_a_hundred_bytes():
    text = junit(mixed_run())
    passed = next(line for line in text.splitlines() if "/right [" in line)
    case = element(text, "right")
    assert passed.strip().endswith("/>")
    assert len(passed.encode()) <= len(case.get("name")) + len(case.get("classname")) + 100


def test_all_bodies_together_are_bounded_and_too_many_have_none(monkeypatch):
    def bodies(most):
        monkeypatch.setattr("mendbench.report.junit.BODIES", most)
        root = well_formed(junit(mixed_run()))
        return [one.text for tag in ("failure", "error") for one in root.iter(tag)]

    assert len(bodies(10**6)) == len(bodies(4 * 250)) == 4
    assert all(len(body) <= 250 + 100 for body in bodies(4 * 250))
    assert any(len(body) > 250 for body in bodies(10**6))
    assert bodies(4 * 199) == [None] * 4
    messages = [one.get("message") for one in ET.fromstring(junit(mixed_run("x" * 5000))).iter("error")]
    assert max(map(len, messages)) == MESSAGE + 1


def test_odd_texts_are_still_there_and_steer_nothing():
    text = junit(odd_run())
    well_formed(text)
    assert "\\x1b[31m\\x00" in text
    assert "&lt;script&gt;" in text
    assert "<script>" not in text
    assert sum(len(list(suite)) for suite in JUnitXml.fromstring(text.encode())) == 2


@given(st.text(st.characters(), max_size=40))
def test_any_text_makes_a_file_that_can_be_read(text):
    root = well_formed(junit(odd_run("odd" + text)))
    assert root.get("tests") == "2"


@given(st.text(st.characters()))
def test_a_legal_text_comes_back_as_it_is(text):
    made = legal(text)
    assert legal(made) == made
    held = ET.Element("a", {"b": made})
    held.text = made
    back = ET.fromstring(ET.tostring(held, encoding="unicode"))
    assert (back.text or "", back.get("b")) == (made, made)


def test_text_without_control_characters_is_left_alone():
    assert legal("Grüße \U0001f600\n\tend") == "Grüße \U0001f600\n\tend"
    assert legal(ODD) != ODD
