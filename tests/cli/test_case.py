import json

import pytest

from tests.fakes import cases

ALL = [cases.QUIET, cases.CLOSED, cases.RENAMED]


def test_cases_are_listed_each_on_a_line(corpus, mendbench):
    said = mendbench("case", "list")
    assert (said.code, said.err) == (0, "")
    for case in ALL:
        assert sum(line.startswith(case) for line in said.out.splitlines()) == 1


def test_the_list_in_json_has_the_published_fields(corpus, mendbench):
    listed = json.loads(mendbench("case", "list", "http/*", "--format", "json").out)
    assert [row["case"] for row in listed] == [cases.CLOSED, cases.RENAMED]
    for row in listed:
        assert {"case", "group", "family", "kind", "title", "recorded_from", "tags"} <= set(row)


def test_a_title_is_text_and_no_markup(corpus, mendbench):
    cases.change_case(corpus, cases.QUIET, lambda truth: truth.update(title="[/bold] \x1b[2J :eyes:"))
    assert "[/bold] \\x1b[2J :eyes:" in mendbench("case", "list").out


def test_a_workflow_that_is_broken_in_its_form_is_listed_too(corpus, mendbench):
    (corpus / "cases" / cases.QUIET / "workflow.json").write_text('{"nodes": 5}', encoding="utf-8")
    said = mendbench("case", "list", cases.QUIET, "--format", "json")
    assert said.code == 0
    assert json.loads(said.out)[0]["nodes"] == 0


def test_the_shipped_cases_are_listed_in_an_empty_folder(empty, mendbench):
    said = mendbench("case", "list", "slack", "--format", "json")
    assert said.code == 0
    assert {row["family"] for row in json.loads(said.out)} == {"slack"}
    assert list(empty.iterdir()) == []


def test_a_proved_case_is_said_to_hold_and_each_mutant_that_survives_is_named(corpus, mendbench):
    said = mendbench("case", "check", cases.RENAMED, "--workers", "1")
    assert said.code == 0
    row = next(line for line in said.out.splitlines() if line.startswith(cases.RENAMED)).split()
    assert row[1:3] == ["repairable", "yes"]
    killed, survived = map(int, row[3:5])
    assert f"1 of 1 cases proved; {killed}/{killed + survived} mutants killed" in said.out
    named = [
        line for line in said.err.splitlines() if line.startswith(f"mendbench: {cases.RENAMED}: mutant survives: ")
    ]
    assert len(named) == survived == said.err.count("\n")


def test_a_case_that_anything_passes_fails_the_check_and_says_why(corpus, mendbench):
    def soften(truth):
        truth["checks"] = [{"kept": ["person", "note"]}]
        truth["variants"][0]["checks"] = [{"kept": ["person", "note"]}]

    cases.change_case(corpus, cases.RENAMED, soften)
    said = mendbench("case", "check", cases.RENAMED, "--workers", "1")
    assert said.code == 1
    assert "0 of 1 cases proved; " in said.out
    assert (
        f"mendbench: {cases.RENAMED}: the wrong fix fails: hard-codes the name: does not hold; judged repaired\n"
        in said.err
    )


def test_proofs_in_json_say_what_held(corpus, mendbench):
    said = mendbench("case", "check", "http", "--workers", "1", "--format", "json")
    assert said.code == 0
    for proof in json.loads(said.out):
        assert proof["held"] is True
        assert proof["findings"]


@pytest.mark.parametrize("command", ["list", "check"])
def test_an_unknown_case_is_answered_with_the_closest_and_all(corpus, mendbench, command):
    said = mendbench("case", command, "control/quite-greeting")
    assert said.code == 2
    assert f"unknown case 'control/quite-greeting'; did you mean '{cases.QUIET}'? known: control, " in said.line


def test_an_unknown_record_mode_is_refused(corpus, mendbench):
    said = mendbench("case", "check", "--record", "later")
    assert said.code == 2
    assert said.line == "record mode: unknown record mode 'later'; known: all, new_episodes, none"
