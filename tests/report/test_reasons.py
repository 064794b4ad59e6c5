import json
from dataclasses import replace

import pytest

from mendbench.report.reasons import reason, story, treatment_name, trial_name
from mendbench.scoring.records import Treatment, treatment_of
from tests.fakes.judged import mixed_run, row
from tests.fakes.runs import key_of, repairable, repaired, row_of, small_run, stored_run
from tests.fakes.scoring import exchange

PLAIN = Treatment(
    engine="mendbench",
    repairer="chat",
    model="tiny-coder",
    strategy="summary",
    policy="two-layer",
    detector="structural",
)


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({}, "summary, two-layer, tiny-coder"),
        ({"repairer": "rules", "model": None}, "summary, two-layer, rules"),
        ({"repairer": "batch"}, "summary, two-layer, batch tiny-coder"),
        ({"detector": "minimal"}, "summary, two-layer with detector minimal, tiny-coder"),
        ({"detector": None}, "summary, two-layer with detector none, tiny-coder"),
        ({"policy": "naive", "detector": None}, "summary, naive, tiny-coder"),
        ({"policy": "of-an-older-version"}, "summary, of-an-older-version with detector structural, tiny-coder"),
        ({"engine": "other"}, "summary, two-layer, tiny-coder, other"),
    ],
)
def test_a_treatment_is_named_by_what_is_not_usual(change, name):
    assert treatment_name(replace(PLAIN, **change)) == name


def test_no_two_trials_of_a_run_have_one_name():
    case = repairable()
    samples = [row_of(case, repaired(), key_of(case, strategy="other", sample=at)) for at in range(3)]
    run = small_run(extra=samples)
    assert len({trial_name(one) for one in run.rows}) == len(run.rows)


def test_a_name_hangs_on_the_trial_alone():
    case = repairable()
    alone = stored_run([row_of(case, repaired(), key_of(case, "full-context"))])
    named = {trial_name(one) for one in small_run().rows}
    assert trial_name(alone.rows[0]) == "slack/greeting [full-context, two-layer, tiny-coder]"
    assert trial_name(alone.rows[0]) in named


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("right", "correct: repaired, stopped: succeeded, after 1 attempt"),
        ("looks-right", "incorrect: plausible, stopped: succeeded, after 1 attempt; it ran green, and does not do what it should"),
        ("wrong", "incorrect: unrepaired, stopped: no_progress, after 2 attempts; no fault is mended, or the failure was taken for a success"),
        ("missing", "unjudged: no recording answers; record it with: mendbench run slack/greeting --record new_episodes"),
        ("broken", "crashed: ValueError: boom"),
    ],
)  # fmt: skip
def test_a_reason_is_one_line(name, says):
    run = mixed_run("ValueError:\nboom")
    assert reason(row(run, name), run.texts) == says


def test_a_story_says_what_failed_and_what_was_edited():
    run = mixed_run()
    lines = story(row(run, "looks-right"), run.texts).splitlines()
    assert lines[1] == "case slack/looks-right (repairable): The looks-right uses a field that is not there"
    assert any(line.startswith("does not hold (on the variant ") for line in lines)
    assert lines[lines.index("workflow diff:") + 1] == (
        '  /nodes/greet/params/body/text: "Hi ${fetch.response.user.username}!" -> "Hi ada!"'
    )


def test_a_story_of_a_missing_recording_says_which_request_and_what_records_it():
    run = mixed_run()
    story_text = story(row(run, "missing"), run.texts)
    assert (
        "asked: model://tiny-coder/chat\nnearest recorded: nothing like it\nrecord it with: mendbench run" in story_text
    )


def test_a_story_states_the_last_request_that_was_refused():
    case = repairable()
    refused = replace(exchange({"text": "Hi", "channel": "C1"}), accepted=False)
    trajectory = replace(repaired()[0], traffic=(exchange({"text": "first"}), refused, exchange({"text": "last"})))
    run = stored_run([row_of(case, (trajectory, "Hi ada!"), key_of(case))])
    lines = story(run.rows[0], run.texts).splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("last request refused: POST "))
    assert '"text": "Hi"' in lines[at]
    assert lines[at + 1].startswith("  answered: 200")


def test_many_checks_and_places_are_counted():
    run = mixed_run()
    one = {**row(run, "wrong")}
    check = {"check": "kept x", "held": False, "why": "gone", "variant": None, "harm": True}
    one["checks"] = [check] * 7
    one["edits"] = [f"/nodes/x{at}" for at in range(10)]
    story_text = story(one, run.texts)
    assert story_text.count("does not hold [harm]: kept x") == 5
    assert "and 2 more checks do not hold" in story_text
    assert story_text.endswith("  and 2 more places")


def test_an_added_and_a_removed_place_are_distinguished():
    run = mixed_run()
    one = {**row(run, "looks-right"), "edits": ["/nodes/added", "/nodes/greet", "/edges/a->b"]}
    after = json.dumps({"nodes": [{"id": "added"}]})
    one["attempts"] = [{**attempt, "workflow": after} for attempt in one["attempts"]]
    story_text = story(one, run.texts).splitlines()
    assert '  /nodes/added: nothing -> {"id": "added"}' in story_text
    assert any(line.startswith("  /nodes/greet: {") and line.endswith("-> nothing") for line in story_text)
    assert "  /edges/a->b" in story_text


def test_a_row_says_its_treatment():
    assert treatment_of(mixed_run().rows[0]) == PLAIN
