"""GitHub's workflow commands: one line each, escaped as the runner unescapes them, and no more than it shows."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.report.annotations import MESSAGE, SHOWN, CasePlace, Note, annotation_lines, command
from mendbench.report.findings import RunFinding
from tests.fakes.judged import ODD, gate_says, mixed_run, odd_run, row
from tests.fakes.runs import key_of, plausible, repairable, row_of, stored_run, unjudged, unrepaired


def places(case):
    return CasePlace(file=f"cases/{case}/case.yaml", line=3)


def nowhere(case):
    return None


def read(line):
    """Return level, properties and message as the runner reads a command."""
    level, _, rest = line.removeprefix("::").partition(" ")
    stated, _, message = rest.partition("::")
    properties = dict(one.split("=", 1) for one in stated.split(","))
    return (
        level,
        {name: undone(value, ("%2C", ","), ("%3A", ":")) for name, value in properties.items()},
        undone(message),
    )


def undone(text, *more):
    for sign, char in (*more, ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(sign, char)
    return text


def many(number, happened=plausible, **more):
    cases = [repairable(f"case{at:03}") for at in range(number)]
    return stored_run([row_of(case, happened(), key_of(case), **more) for case in cases])


def test_a_case_is_reported_once_at_its_file():
    assert [read(line) for line in annotation_lines(mixed_run(), places)][-1] == (
        "warning",
        {"file": "cases/slack/wrong/case.yaml", "line": "3", "title": "slack/wrong"},
        "1 of 1 trials are not right; summary, two-layer, tiny-coder: incorrect: unrepaired, stopped: no_progress, after 2 attempts; no fault is mended, or the failure was taken for a success",
    )


def test_what_has_no_verdict_is_an_error_and_what_is_wrong_a_warning():
    annotations = [(read(line)[0], read(line)[1]["title"]) for line in annotation_lines(mixed_run(), places)]
    assert annotations == [
        ("error", "slack/broken"), ("error", "slack/missing"), ("warning", "slack/looks-right"), ("warning", "slack/wrong"),
    ]  # fmt: skip


def test_a_case_outside_the_repository_has_no_place():
    assert read(annotation_lines(mixed_run(), nowhere)[0])[1] == {"title": "slack/broken"}


def test_no_more_is_said_than_is_shown_and_the_rest_is_counted():
    lines = annotation_lines(many(SHOWN + 5), places)
    assert [line[:9] for line in lines] == ["::warning"] * SHOWN + ["::notice "]
    assert lines[-1] == "::notice title=mendbench::5 more warnings; all are in the run's report"


def test_exactly_as_many_as_are_shown_need_no_count():
    assert len(annotation_lines(many(SHOWN), places)) == SHOWN


def test_levels_are_counted_apart():
    one, two = many(SHOWN + 1), many(SHOWN + 2, unrepaired, problem=unjudged())
    others = tuple({**row, "case": f"{row['case']}x", "key": f"x{row['key']}"} for row in two.rows)
    lines = annotation_lines(replace(one, rows=(*one.rows, *others)), places)
    assert len(lines) == 2 * SHOWN + 1
    assert lines[-1].endswith("::2 more errors and 1 more warning; all are in the run's report")


def test_the_count_takes_the_place_of_the_last_notice():
    notices = [RunFinding(level="notice", title=f"new {at}", message="new") for at in range(SHOWN + 3)]
    lines = annotation_lines(mixed_run(), places, findings=notices)
    assert len(lines) == SHOWN
    assert lines[-1] == "::notice title=mendbench::4 more notices; all are in the run's report"


def test_a_count_of_others_leaves_the_notices_that_there_is_room_for():
    warnings = [RunFinding(level="warning", title=f"open {at}", message="open") for at in range(SHOWN + 1)]
    notices = [RunFinding(level="notice", title=f"new {at}", message="new") for at in range(SHOWN)]
    lines = annotation_lines(mixed_run(), places, findings=[*warnings, *notices])
    assert [line[:9] for line in lines] == ["::warning"] * SHOWN + ["::notice "] * SHOWN
    assert lines[-1].endswith("::1 more warning and 1 more notice; all are in the run's report")


def test_with_findings_they_alone_are_reported():
    run = mixed_run()
    annotations = [read(line) for line in annotation_lines(run, places, findings=gate_says(run).findings)]
    assert [(level, stated["title"], stated.get("file")) for level, stated, _ in annotations] == [
        ("error", "lost", "cases/slack/looks-right/case.yaml"), ("error", "limit broken", None), ("error", "gone", None),
        ("notice", "new", "cases/slack/wrong/case.yaml"),
    ]  # fmt: skip
    assert annotations[0][2].startswith(
        "slack/looks-right [summary, two-layer, tiny-coder]: repaired -> plausible\nincorrect: plausible"
    )
    assert "workflow diff:" in annotations[0][2]
    assert annotations[2][2] == "slack/gone | x: repaired -> not in the run"


def test_nothing_found_is_nothing_said():
    assert annotation_lines(mixed_run(), places, findings=()) == ()
    assert annotation_lines(stored_run([]), places) == ()


def test_signs_are_escaped_as_the_runner_has_it():
    note = Note(level="error", title="a:b,c\nd%", message="50%, or: 1\r\n2", case="slack/x")
    assert command(note, places) == (
        "::error file=cases/slack/x/case.yaml,line=3,title=a%3Ab%2Cc%0Ad%25::50%25, or: 1%0D%0A2"
    )


def test_odd_texts_make_no_second_command():
    for line in annotation_lines(odd_run(f"x\n::add-mask::y\r::error::{ODD}"), places):
        assert line.count("\n") == line.count("\r") == 0
        assert line.startswith(("::error ", "::warning "))


@given(st.text(max_size=50), st.text(max_size=50), st.sampled_from(["error", "warning", "notice"]))
def test_any_text_comes_back_as_it_was(title, message, level):
    line = command(Note(level=level, title=title, message=message), nowhere)
    assert read(line) == (level, {"title": title}, message)
    assert "\n" not in line
    assert "\r" not in line


@pytest.mark.parametrize("length", [MESSAGE, MESSAGE + 1, 3 * MESSAGE])
def test_a_message_is_no_longer_than_is_shown(length):
    assert len(read(command(Note(level="error", title="t", message="%" * length), nowhere))[2]) == MESSAGE


def test_a_finding_about_a_case_alone_stands_at_the_case():
    one = RunFinding(level="error", title="t", message="m", case="slack/right")
    _, stated, message = read(annotation_lines(mixed_run(), places, findings=[one])[0])
    assert (stated["file"], message) == ("cases/slack/right/case.yaml", "slack/right: m")


def test_the_trial_of_a_finding_is_reported_by_its_name():
    run = mixed_run()
    one = RunFinding(level="error", title="t", message="m", key=row(run, "right")["key"])
    assert read(annotation_lines(run, places, findings=[one])[0])[2].startswith(
        "slack/right [summary, two-layer, tiny-coder]: m\n"
    )
