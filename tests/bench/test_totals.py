"""What rows add up to."""

from hypothesis import given
from hypothesis import strategies as st

from mendbench.bench.totals import headline_rows, totals
from mendbench.scoring.stats import wilson
from tests.fakes.runs import (
    crashed,
    hopeless,
    key_of,
    plausible,
    repairable,
    repaired,
    row_of,
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
    (only,) = totals(found)
    return only


A, B, C, D = (repairable(name) for name in ("a", "b", "c", "d"))


def test_repair_success_is_right_of_the_cases_with_an_edit_fault():
    found = total(
        rows((A, repaired(), None), (B, plausible(), None), (C, unrepaired(), None), (user_only(), warned(), None))
    )
    assert (found["right"], found["cases"], found["first_attempt"]) == (1, 3, 1)
    assert found["outcomes"] == {"plausible": 1, "repaired": 1, "unrepaired": 1, "warned": 1}
    assert found["kinds"] == {"needs_user": {"cases": 1, "right": 1}, "repairable": {"cases": 3, "right": 1}}
    assert found["bounds"] == {"lower": 1, "upper": 1}


def test_a_trial_that_crashed_or_has_no_judgement_stays_in_the_denominator():
    found = total(
        rows(
            (A, repaired(), None), (B, unrepaired(), crashed()), (C, unrepaired(), unjudged()), (D, unrepaired(), None)
        )
    )
    assert (found["right"], found["cases"]) == (1, 4)
    assert (found["crashed"], found["unjudged"]) == (1, 1)
    assert found["outcomes"] == {"crashed": 1, "repaired": 1, "unjudged": 1, "unrepaired": 1}


def test_only_what_is_unjudged_widens_the_bounds():
    found = total(
        rows(
            (A, repaired(), None),
            (B, repaired(), unjudged()),
            (C, repaired(), crashed()),
            (D, unrepaired(), unjudged()),
        )
    )
    assert found["bounds"] == {"lower": 1, "upper": 3}


def test_an_unjudged_trial_of_a_case_that_no_edit_mends_leaves_the_bounds_alone():
    found = total(rows((A, repaired(), None), (user_only(), warned(), unjudged())))
    assert (found["bounds"], found["unjudged"]) == ({"lower": 1, "upper": 1}, 1)


def test_the_interval_is_as_wide_as_what_is_unjudged_can_still_make_it():
    judged = total(rows((A, repaired(), None), (B, unrepaired(), None), (C, unrepaired(), None)))
    still_open = total(rows((A, repaired(), None), (B, unrepaired(), unjudged()), (C, unrepaired(), None)))
    assert judged["interval"] == wilson(1, 3)._asdict()
    assert judged["interval_method"] == "Wilson, 95 %"
    assert still_open["interval"] == {"low": wilson(1, 3).low, "high": wilson(2, 3).high}
    assert "lower bound" in still_open["interval_method"]


def test_several_samples_of_a_case_have_no_interval_and_it_is_said_why():
    found = total([*sampled(A, repaired(), unrepaired()), *sampled(B, repaired())])
    assert found["interval"] is None
    assert found["interval_method"] == "none: several samples of a case are not independent of each other"
    alone = total([*rows((A, repaired(), None)), *sampled(user_only(), warned(), warned())])
    assert alone["interval"] is not None


def test_several_samples_share_a_case():
    found = total(
        [
            *sampled(A, repaired(), repaired(), unrepaired(), unrepaired()),
            *sampled(B, repaired(), plausible(), plausible(), plausible()),
        ]
    )
    assert (found["cases"], found["right"], found["first_attempt"]) == (2, 0.75, 0.75)


def test_thirds_of_cases_add_up_to_whole_ones():
    found = total([row for case in (A, B, C) for row in sampled(case, repaired(), unrepaired(), unrepaired())])
    assert (found["cases"], found["right"]) == (3, 1)
    assert isinstance(found["right"], int)


def test_each_treatment_has_a_row_of_its_own_in_a_fixed_order():
    found = totals([
        *rows((A, repaired(), None), strategy="summary"),
        *rows((A, unrepaired(), None), strategy="none"),
        *rows((A, unrepaired(), None), strategy="none", policy="naive"),
        *rows((A, unrepaired(), None), strategy="none", repairer="noop"),
    ])  # fmt: skip
    assert [(one["repairer"], one["strategy"], one["policy"], one["right"]) for one in found] == [
        ("chat", "none", "naive", 0), ("chat", "none", "two-layer", 0), ("chat", "summary", "two-layer", 1), ("noop", "none", "two-layer", 0),
    ]  # fmt: skip


def test_without_an_edit_case_there_is_no_rate():
    found = total(rows((user_only(), warned(), None)))
    assert (found["cases"], found["right"], found["interval"]) == (0, 0, None)
    assert found["interval_method"] == "none: no case with an edit fault"


def test_futile_attempts_are_counted_per_case_that_only_the_user_can_mend():
    found = total([*rows((user_only("x"), hopeless(), None), (user_only("y"), warned(), None), (A, repaired(), None))])
    assert found["futile_per_user_case"] == 1.5
    assert total(rows((A, repaired(), None)))["futile_per_user_case"] is None


def test_tokens_and_attempts_are_added_up():
    found = total(rows((A, repaired(), None), (B, unrepaired(), None)))
    assert (found["attempts"], found["wasted_attempts"]) == (3, 2)
    assert (found["prompt_tokens"], found["completion_tokens"], found["context_tokens"]) == (900, 75, 40)


def test_waste_is_counted_over_judged_trials_and_prompts_over_all_that_have_one():
    missing = (unrepaired(context="nothing"), unjudged())
    found = total(rows((A, unrepaired(context="use user.name"), None), (B, *missing), (user_only(), warned(), None)))
    assert (found["judged"], found["judged_attempts"], found["wasted_attempts"]) == (2, 2, 2)
    assert (found["attempts"], found["wasted_per_trial"]) == (4, 1)
    assert (found["first_prompts"], found["context_tokens"]) == (2, 40)
    assert (found["recall_prompts"], found["context_recall"]) == (2, 1)
    nothing = total(rows((A, *missing)))
    assert (nothing["judged"], nothing["wasted_attempts"], nothing["wasted_per_trial"]) == (0, 0, None)
    assert nothing["futile_per_user_case"] is None


def test_futile_attempts_of_trials_without_a_verdict_are_not_counted_as_none():
    found = total([*rows((user_only("x"), hopeless(), None), (user_only("y"), hopeless(), unjudged()))])
    assert found["futile_per_user_case"] == 3


def test_no_rows_add_up_to_nothing():
    assert totals([]) == []


HAPPENINGS = {
    "right": (repaired(), None),
    "wrong": (unrepaired(), None),
    "open": (unrepaired(), unjudged()),
    "crashed": (unrepaired(), crashed()),
}


@given(names=st.lists(st.sampled_from(sorted(HAPPENINGS)), min_size=1, max_size=6))
def test_nothing_ever_leaves_the_denominator(names):
    cases = [repairable(f"case-{at}") for at in range(len(names))]
    found = total(rows(*((case, *HAPPENINGS[name]) for case, name in zip(cases, names, strict=True))))
    assert found["cases"] == len(names) == sum(found["outcomes"].values())
    assert found["bounds"]["lower"] == found["right"] == names.count("right")
    assert found["bounds"]["upper"] == names.count("right") + names.count("open")


def test_parts_of_the_corpus_are_never_pooled_and_the_test_part_comes_first():
    rows = [
        {**row_of(repairable(), repaired(), key_of(repairable()))[0], "part": part}
        for part in ("train", "test", "train")
    ]
    assert [(total["part"], total["attempts"]) for total in totals(rows)] == [("test", 1), ("train", 2)]


def test_results_are_told_of_the_test_part_and_of_everything_where_there_is_none():
    test, train, other = ({"part": part} for part in ("test", "train", None))
    assert headline_rows([train, test, other]) == (test,)
    assert headline_rows([train, other]) == (train, other)


def test_a_case_in_no_part_is_not_pooled_with_the_test_part():
    rows = [{**row_of(repairable(), repaired(), key_of(repairable()))[0], "part": part} for part in (None, "test")]
    assert [(total["part"], total["attempts"]) for total in totals(rows)] == [("test", 1), (None, 1)]
