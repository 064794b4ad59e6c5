"""Records are what scores need of a row, and no more."""

import dataclasses

from mendbench.scoring.record_table import records_of
from mendbench.scoring.records import record_of
from tests.fakes.runs import (
    attempt,
    crashed,
    fixed_workflow,
    hopeless,
    key_of,
    repairable,
    repaired,
    row_of,
    trial,
    unjudged,
    unrepaired,
    user_only,
    warned,
)


def recorded(case, happened, **words):
    return record_of(row_of(case, happened, key_of(case), **words)[0])


def test_a_record_has_what_its_row_has_under_the_same_names():
    case = repairable(adversarial_to=("minimal",))
    row, _ = row_of(case, repaired(), key_of(case), part="train")
    found = record_of(row)
    same = {field.name for field in dataclasses.fields(found)} & set(row)
    simple = {name for name in same if isinstance(row[name], str | int | float | None)}
    assert {"key", "verdict", "outcome", "progress", "context_recall", "leaks", "right_after_first", "part"} <= simple
    assert {name: getattr(found, name) for name in simple} == {name: row[name] for name in simple}
    assert (found.adversarial_to, found.treatment.detector, found.judged, found.right) == (
        ("minimal",),
        "structural",
        True,
        True,
    )
    assert (found.model_requests, found.world) == (row["evidence"]["model_requests"], row["evidence"]["world"])


def test_nodes_that_did_not_run_or_were_not_to_are_left_out():
    case = repairable(first={"fetch": "success", "greet": "error", "later": "not_run"})
    assert recorded(case, repaired()).nodes == (("fetch", "success", "success"), ("greet", "error", "error"))


def test_only_judged_trials_know_what_was_wasted():
    found = [recorded(repairable(), unrepaired(), problem=why) for why in (None, unjudged(), crashed())]
    assert [one.wasted_attempts for one in found] == [2, None, None]
    assert [one.judged for one in found] == [True, False, False]


def test_attempts_say_whether_somebody_was_asked():
    tries = hopeless()[0].attempts
    same = [
        dataclasses.replace(one, reply=dataclasses.replace(one.reply, model_request=model_request))
        for one, model_request in zip(tries, "xxy", strict=True)
    ]
    found = recorded(user_only(), (trial(*same, stop="attempts_exhausted", traffic=()), None))
    assert [one.asked for one in found.attempts] == [True, False, True]
    alone = attempt(1, fixed_workflow(), repaired()[0].attempts[0].execution)
    nobody = dataclasses.replace(alone, reply=dataclasses.replace(alone.reply, model_request=None))
    assert not recorded(repairable(), (trial(nobody, stop="succeeded"), "Hi bob!")).attempts[0].asked


def test_rows_become_records_in_their_order():
    rows = [row_of(case, warned(), key_of(case))[0] for case in (user_only("b"), user_only("a"))]
    assert [one.case for one in records_of(rows)] == [row["case"] for row in rows]
