"""The control that shows the labelled facts."""

import re
from dataclasses import replace

import pytest

from mendbench.config.shipped import shipped_root
from mendbench.corpus.corpus import load_corpus
from mendbench.errors import UnknownName
from mendbench.strategies import strategies
from mendbench.trial.strategies import ORACLE_HINT, fact_type, hints_for, trial_strategy
from tests.fakes.scoring import make_case, user_fault
from tests.strategies.invented import view


@pytest.fixture(scope="module")
def corpus():
    return load_corpus(shipped_root() / "cases", shipped_root() / "cassettes")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("shelf_mark", "name"),
        ("hyllyväli", "name"),
        ("MessageGroupId", "code"),
        ("C0DPLY4R8X", "code"),
        ("112.50", "code"),
        ("v2/stations", "path"),
        ("tidewrack-iv.ipynb", "path"),
        ("must be more than 0 characters", "text"),
    ],
)
def test_a_fact_has_the_type_that_it_looks_like(text, kind):
    assert fact_type(text) == kind


def with_facts(*texts):
    case = make_case()
    return replace(case, faults=(replace(case.faults[0], facts=texts, fact_texts=texts),))


def test_half_of_the_hints_are_the_facts_and_half_are_distractors_of_the_same_types():
    facts = {"shelf_mark", "is not an array"}
    hints = set(hints_for(with_facts(*facts)))
    assert facts < hints
    assert sorted(fact_type(one) for one in hints - facts) == ["name", "text"]


def test_hints_are_in_alphabetical_order_so_that_the_place_gives_nothing_away():
    hints = hints_for(with_facts("zone_no", "aisle_no", "is not an array"))
    assert list(hints) == sorted(hints, key=str.lower)


def test_a_distractor_does_not_stand_in_the_request():
    (distractor,) = set(hints_for(with_facts("shelf_mark"))) - {"shelf_mark"}
    case = replace(with_facts("shelf_mark"), request=f"Copy the {distractor}.")
    assert distractor not in hints_for(case)


@pytest.mark.slow
def test_no_distractor_is_a_fact_of_a_shipped_case(corpus):
    for case in corpus.cases:
        facts = [fact for fault in case.faults for fact in fault.facts]
        texts = {text for fault in case.faults for text in fault.fact_texts}
        hints = set(hints_for(case))
        assert len(hints) == 2 * len(texts), case.id
        assert not [one for one in hints - texts if any(re.search(fact, one) for fact in facts)], case.id


def test_a_case_without_facts_gets_the_prompt_without_context():
    case = make_case(fix=None, faults=(user_fault(),))
    assert trial_strategy(ORACLE_HINT, case=case).render(view("Greet ada", [{"id": "greet"}]), 1000).text == ""


def test_the_oracle_is_no_registered_strategy_but_takes_frames_and_treatments():
    assert ORACLE_HINT not in {one.strategy for one in strategies()}
    assert trial_strategy(f"{ORACLE_HINT}+data@v2", case=make_case()).name == f"{ORACLE_HINT}+data@v2"
    with pytest.raises(UnknownName):
        trial_strategy("oracle-hints")
