"""What rows add up to."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.results.run_schema import RUN_DOCUMENT
from mendbench.results.totals import headline_records, totals
from mendbench.scoring.record_table import records_of
from mendbench.scoring.score import measure
from mendbench.scoring.scores import all_scores
from mendbench.scoring.statistics.exact import wilson
from mendbench.values.schema import misfit
from tests.fakes.runs import (
    crashed,
    hopeless,
    key_of,
    plausible,
    repairable,
    repaired,
    row_of,
    stored_run,
    unjudged,
    unrepaired,
    user_only,
    warned,
)


def rows(*trials, **key):
    """Return rows from (case, what happened, problem), each under the same treatment."""
    return [row_of(case, happened, key_of(case, **key), problem=problem)[0] for case, happened, problem in trials]


def sampled(case, *happenings):
    return [row_of(case, happened, key_of(case, sample=at))[0] for at, happened in enumerate(happenings)]


def total(found):
    (only,) = totals(records_of(found))
    return only


def scored(found, name="repair_success"):
    return total(found)["scores"][name]


def fraction(found, name="repair_success"):
    one = scored(found, name)
    return one["numerator"], one["denominator"]


A, B, C, D = (repairable(name) for name in ("a", "b", "c", "d"))


def test_a_total_has_every_score_as_it_is_computed_from_its_trials_records():
    found = rows((A, repaired(), None), (B, plausible(), None), (user_only(), warned(), None))
    assert total(found)["scores"] == {
        name: measure(one, records_of(found)).document() for name, one in all_scores().items()
    }


def test_repair_success_is_right_of_the_cases_with_an_edit_fault():
    found = rows((A, repaired(), None), (B, plausible(), None), (C, unrepaired(), None), (user_only(), warned(), None))
    assert (fraction(found), fraction(found, "attempt1_success")) == ((1, 3), (1, 3))
    assert (fraction(found, "needs_user_success"), fraction(found, "plausible")) == ((1, 1), (1, 4))
    assert total(found)["outcomes"] == {"plausible": 1, "repaired": 1, "unrepaired": 1, "warned": 1}
    assert total(found)["trials"] == 4
    assert scored(found)["bounds"] is None


def test_a_trial_that_crashed_or_has_no_judgement_stays_in_the_denominator():
    found = rows(
        (A, repaired(), None), (B, unrepaired(), crashed()), (C, unrepaired(), unjudged()), (D, unrepaired(), None)
    )
    assert fraction(found) == (1, 4)
    assert (fraction(found, "crashed"), fraction(found, "unjudged")) == ((1, 4), (1, 4))
    assert total(found)["outcomes"] == {"crashed": 1, "repaired": 1, "unjudged": 1, "unrepaired": 1}


def test_only_what_is_unjudged_widens_bounds_and_interval():
    found = scored(
        rows(
            (A, repaired(), None),
            (B, repaired(), unjudged()),
            (C, repaired(), crashed()),
            (D, unrepaired(), unjudged()),
        )
    )
    assert found["bounds"] == {"low": 0.25, "high": 0.75}
    assert found["interval"] == {"low": round(wilson(1, 4).low, 9), "high": round(wilson(3, 4).high, 9)}


def test_an_unjudged_trial_of_a_case_that_no_edit_mends_leaves_the_bounds_alone():
    assert scored(rows((A, repaired(), None), (user_only(), warned(), unjudged())))["bounds"] is None


def test_several_samples_share_a_case():
    found = [
        *sampled(A, repaired(), repaired(), unrepaired(), unrepaired()),
        *sampled(B, repaired(), plausible(), plausible(), plausible()),
    ]
    assert (fraction(found), fraction(found, "attempt1_success")) == ((0.75, 2), (0.75, 2))
    assert fraction(found, "pass_hat_k") == (0, 2)
    assert total(found)["trials"] == 8


def test_each_treatment_has_a_row_of_its_own_in_a_fixed_order():
    found = totals(records_of([
        *rows((A, repaired(), None), strategy="summary"),
        *rows((A, unrepaired(), None), strategy="none"),
        *rows((A, unrepaired(), None), strategy="none", policy="naive"),
        *rows((A, unrepaired(), None), strategy="none", repairer="noop"),
    ]))  # fmt: skip
    assert [(one["repairer"], one["strategy"], one["policy"], one["outcomes"]) for one in found] == [
        ("chat", "none", "naive", {"unrepaired": 1}), ("chat", "none", "two-layer", {"unrepaired": 1}),
        ("chat", "summary", "two-layer", {"repaired": 1}), ("noop", "none", "two-layer", {"unrepaired": 1}),
    ]  # fmt: skip


def test_without_an_edit_case_there_is_no_rate():
    found = scored(rows((user_only(), warned(), None)))
    assert (found["denominator"], found["value"], found["interval"]) == (0, None, None)
    assert found["method"] == "none: there are no cases with an edit fault"


def test_futile_attempts_of_trials_without_a_verdict_are_not_counted_as_none():
    found = rows((user_only("x"), hopeless(), None), (user_only("y"), hopeless(), unjudged()))
    assert fraction(found, "futile") == (3, 1)


def test_waste_is_counted_over_judged_trials_and_prompts_over_all_that_have_one():
    missing = (unrepaired(context="nothing"), unjudged())
    found = rows((A, unrepaired(context="use user.name"), None), (B, *missing), (user_only(), warned(), None))
    assert (fraction(found, "wasted"), fraction(found, "attempts")) == ((2, 2), (2, 2))
    assert (fraction(found, "context_tokens"), fraction(found, "context_recall")) == ((80, 2), (2, 2))
    nothing = rows((A, *missing))
    assert (scored(nothing, "wasted")["value"], scored(nothing, "futile")["value"]) == (None, None)


def test_what_was_used_up_is_the_sum_over_all_trials():
    found = total(rows((A, repaired(), None), (B, unrepaired(), None), (C, unrepaired(), unjudged())))
    assert (found["prompt_tokens"], found["completion_tokens"], found["derived"]) == (1500, 125, 0)
    assert (found["cost_usd"], found["cost_unknown_attempts"]) == (None, 5)


def test_tokens_of_which_one_is_not_known_stand_in_no_total_and_the_run_can_be_read():
    trajectory, text = unrepaired()
    first, second = trajectory.attempts
    silent = replace(second, reply=replace(second.reply, completion_tokens=None))
    half_known = (replace(trajectory, attempts=(first, silent)), text)
    run = stored_run(
        [row_of(case, happened, key_of(case)) for case, happened in ((A, repaired()), (B, half_known))]
    ).run

    (found,) = run["totals"]
    assert (found["prompt_tokens"], "completion_tokens" in found) == (900, False)
    assert misfit(run, RUN_DOCUMENT) is None


def test_trials_without_an_answer_used_up_nothing():
    found = total(rows((user_only(), warned(), None)))
    assert (found["prompt_tokens"], found["completion_tokens"]) == (0, 0)


def test_where_cases_were_chosen_to_catch_the_detector_out_scores_are_given_without_them_too():
    trap = repairable("trap", adversarial_to=("minimal",))
    both = ((A, repaired(), None), (trap, unrepaired(), None))
    caught = total(rows(*both, policy="seed"))
    assert caught["scores"]["repair_success"]["value"] == 0.5
    assert caught["scores_without_adversarial"]["repair_success"]["value"] == 1
    assert set(caught["scores_without_adversarial"]) == set(caught["scores"])
    assert "scores_without_adversarial" not in total(rows(*both, policy="two-layer"))
    alone = total(rows(both[1], policy="seed"))["scores_without_adversarial"]["repair_success"]
    assert (alone["value"], alone["method"]) == (None, "none: there are no cases with an edit fault")


def test_what_totals_say_is_json():
    found = totals(records_of(rows((A, repaired(), None), (B, unrepaired(), unjudged()))))
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_no_rows_add_up_to_nothing():
    assert totals(records_of([])) == []


HAPPENINGS = {
    "right": (repaired(), None),
    "wrong": (unrepaired(), None),
    "open": (unrepaired(), unjudged()),
    "crashed": (unrepaired(), crashed()),
}


@given(names=st.lists(st.sampled_from(sorted(HAPPENINGS)), min_size=1, max_size=6))
def test_nothing_ever_leaves_the_denominator(names):
    cases = [repairable(f"case-{at}") for at in range(len(names))]
    found = rows(*((case, *HAPPENINGS[name]) for case, name in zip(cases, names, strict=True)))
    success, right = scored(found), names.count("right")
    assert success["denominator"] == len(names) == sum(total(found)["outcomes"].values())
    assert success["numerator"] == right
    most = right + names.count("open")
    assert (success["bounds"] or {"high": success["value"]})["high"] == pytest.approx(most / len(names))


def test_parts_of_the_corpus_are_never_pooled_and_the_test_part_comes_first():
    rows = [
        {**row_of(repairable(), repaired(), key_of(repairable()))[0], "part": part}
        for part in ("train", "test", "train")
    ]
    assert [(total["part"], total["trials"]) for total in totals(records_of(rows))] == [("test", 1), ("train", 2)]


def test_results_cover_the_test_part_or_everything_where_there_is_none():
    row, _ = row_of(repairable(), repaired(), key_of(repairable()))
    test, train, other = ({**row, "part": part} for part in ("test", "train", None))
    assert [one.part for one in headline_records(records_of([train, test, other]))] == ["test"]
    assert [one.part for one in headline_records(records_of([train, other]))] == ["train", None]


def test_a_case_in_no_part_is_not_pooled_with_the_test_part():
    rows = [{**row_of(repairable(), repaired(), key_of(repairable()))[0], "part": part} for part in (None, "test")]
    assert [(total["part"], total["trials"]) for total in totals(records_of(rows))] == [("test", 1), (None, 1)]
