from fractions import Fraction

import pytest

from mendbench.scoring.forensics.passes import as_json, by_part, label_of, per, spent, tidy, total, weighed
from tests.fakes.forensics import attempt, trial

ONE = Fraction(1)


def test_parts_are_distinguished_the_test_part_first():
    records = [trial("a", part=None), trial("b", part="train"), trial("c", part="test"), trial("d", part="train")]
    assert [(part, [one.case for one in own]) for part, own in by_part(records)] == [
        ("test", ["c"]), ("train", ["b", "d"]), (None, ["a"]),
    ]  # fmt: skip


def test_a_case_with_several_samples_counts_once():
    shares = weighed([trial("a"), trial("b", sample=0), trial("b", sample=1), trial("b", sample=2)])
    assert [share for share, _ in shares] == [1, Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)]
    assert total(share for share, _ in shares) == 2


def test_sums_are_whole_where_they_are_whole():
    assert total([Fraction(1, 3)] * 3) == 1
    assert isinstance(total([Fraction(1, 3)] * 3), int)
    assert total([Fraction(1, 3)]) == pytest.approx(1 / 3)
    assert tidy(0.1 + 0.2) == 0.3


def test_what_attempts_spend_adds_up_by_their_shares():
    found = spent([(ONE, attempt(1, "futile")), (Fraction(1, 2), attempt(2, "futile", prompt=40, response=4, usd=0.1))])
    assert (found.attempts, found.prompt_tokens, found.completion_tokens, found.cost_usd) == (1.5, 120, 12, 0.55)
    assert found.tokens == 132
    assert (found.tokens_unknown, found.cost_unknown) == (0, 0)


def test_what_is_not_reported_is_counted_and_never_taken_for_nothing():
    found = spent([(ONE, attempt(1, "futile", prompt=None, response=None, usd=None)), (ONE, attempt(2, "futile"))])
    assert (found.prompt_tokens, found.tokens_unknown) == (100, 1)
    assert (found.cost_usd, found.cost_unknown) == (0.5, 1)
    alone = spent([(ONE, attempt(1, "futile", response=None, usd=None))])
    assert (alone.prompt_tokens, alone.completion_tokens, alone.tokens, alone.tokens_unknown) == (100, None, None, 1)
    assert (alone.cost_usd, alone.cost_unknown) == (None, 1)


def test_no_attempt_costs_nothing():
    found = spent([])
    assert (found.attempts, found.tokens, found.cost_usd, found.cost_unknown) == (0, 0, 0, 0)


def test_an_answer_that_nobody_was_asked_for_has_no_tokens():
    again = attempt(2, "fruitless", usd=0.0, asked=False)
    found = spent([(ONE, attempt(1, "fruitless")), (ONE, again)])
    assert (found.attempts, found.tokens, found.cost_usd) == (2, 110, 0.5)


@pytest.mark.parametrize(("amount", "repairs", "each"), [(6, 2, 3), (6, 0, None), (None, 2, None), (0, 2, 0)])
def test_an_amount_for_each_repair_is_undefined_without_one(amount, repairs, each):
    assert per(amount, repairs) == each


def test_an_attempt_without_a_judgement_has_a_label_of_its_own():
    assert (label_of(attempt(1, None)), label_of(attempt(1, "futile"))) == ("unlabelled", "futile")


def test_only_frozen_data_becomes_json():
    assert as_json(spent([]))["attempts"] == 0
    with pytest.raises(TypeError, match="dict"):
        as_json({})
