"""What holds for every score. What each is by itself stands on the page about scores, whose examples are tested."""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.errors import BadInput, UnknownName
from mendbench.scoring.score import Score, measure, measures
from mendbench.scoring.scores import ENTRY_POINTS, all_scores, score, score_names
from tests.fakes.installed import install
from tests.fakes.scored import TREATMENT, attempt, record
from tests.fakes.tables import for_each

OURS = all_scores()
OF_SAMPLES = {"pass_1", "pass_k", "pass_hat_k"}
"""What changes with the number of samples."""
SUCCESS = {name for name in OURS if "success" in name and name != "silent_success_rate"} | OF_SAMPLES
KINDS = ("repairable", "mixed", "needs_user", "transient", "control")
OUTCOMES = {
    "correct": ("repaired", "warned", "recovered", "untouched", "declined"),
    "incorrect": ("plausible", "harmful", "false_warning", "missed_warning", "unrepaired"),
    "unjudged": (None,),
    "crashed": (None,),
}
STATES = ("success", "warning", "error")


@st.composite
def attempts(draw):
    labels = draw(st.lists(st.sampled_from(("futile", "fruitless", "productive", "plausible")), max_size=3))
    return tuple(
        attempt(
            number,
            label=label,
            status=draw(st.sampled_from(("edited", "unchanged"))),
            asked=draw(st.booleans()),
            prompt_tokens=draw(st.sampled_from((None, 10, 300))),
            cost_usd=draw(st.sampled_from((None, 0.0, 0.01))),
            truncated=draw(st.booleans()),
        )
        for number, label in enumerate(labels, start=1)
    )


@st.composite
def trials(draw):
    """Return trials of up to six cases with up to four samples each."""
    found = []
    for at in range(draw(st.integers(1, 6))):
        kind, group = draw(st.sampled_from(KINDS)), draw(st.sampled_from("xyz"))
        nodes = tuple(
            (f"n{at}", *states)
            for at, states in enumerate(draw(st.lists(st.tuples(*[st.sampled_from(STATES)] * 2), max_size=3)))
        )
        for sample in range(draw(st.integers(1, 4))):
            verdict = draw(st.sampled_from(tuple(OUTCOMES)))
            made, judged = draw(attempts()), verdict in {"correct", "incorrect"}
            found.append(
                record(
                    f"c{at}",
                    sample,
                    kind=kind,
                    group=group,
                    nodes=nodes,
                    verdict=verdict,
                    attempts=made,
                    outcome=draw(st.sampled_from(OUTCOMES[verdict])),
                    wasted_attempts=sum(one.label in {"futile", "fruitless"} for one in made) if judged else None,
                    right_after_first=draw(st.booleans()) if judged else None,
                    context_recall=draw(st.sampled_from((None, 0, 0.5, 1))) if made else None,
                    leaks=draw(st.sampled_from((None, "raw", "derived"))) if made else None,
                    progress=draw(st.integers(0, 7)) if made else None,
                    edited=draw(st.booleans()),
                    collateral_edits=draw(st.integers(0, 2)),
                )
            )
    return found


def failed(trial):
    return replace(
        trial, verdict="incorrect", outcome="unrepaired", right_after_first=False, end="error", edited=False, progress=0
    )


def test_there_is_every_score_that_the_design_names():
    assert len(OURS) >= 40
    assert {"repair_success", "wasted", "warning_f1"} <= set(OURS) == set(score_names())


@for_each("name", OURS)
def test_over_nothing_a_score_is_undefined_and_says_of_what(name):
    found = measure(score(name), ())
    assert (found.value, found.cases, found.interval, found.bounds) == (None, 0, None, None)
    assert found.undefined == f"undefined, because there are no {OURS[name].of}"


@for_each("name", OURS)
def test_a_score_says_what_it_is(name):
    found = OURS[name]
    assert found.title
    assert found.better in {"higher", "lower"}
    assert len({one.title for one in OURS.values()}) == len(OURS)


@given(trials(), st.randoms(use_true_random=False))
def test_the_order_of_trials_does_not_matter(records, source):
    turned = list(records)
    source.shuffle(turned)
    assert measures(OURS, turned) == measures(OURS, records)


@given(trials())
def test_every_sample_twice_is_no_more_evidence(records):
    twice = [*records, *(replace(one, sample=one.sample + 9, key=f"{one.key} again") for one in records)]
    before, after = measures(OURS, records), measures(OURS, twice)
    assert {name: after[name] for name in OURS if name not in OF_SAMPLES} == {
        name: before[name] for name in OURS if name not in OF_SAMPLES
    }


@given(trials())
def test_values_bounds_and_intervals_are_what_their_units_allow(records):
    for name, found in measures(OURS, records).items():
        most = {"share": 1, "level": 7}.get(OURS[name].unit, math.inf)
        for one in (found.value, *(found.bounds or ()), *(found.interval or ())):
            assert one is None or -1e-9 <= one <= most + 1e-9, name
        assert math.isfinite(found.numerator)
        assert found.cases <= len({one.case for one in records})


@given(trials(), st.integers(0, 30))
def test_one_more_failure_never_raises_a_success(records, at):
    at %= len(records)
    worse = [failed(one) if place == at else one for place, one in enumerate(records)]
    more = [*records, record("z", kind=records[at].kind, verdict="incorrect", outcome="unrepaired")]
    before = measures({name: OURS[name] for name in SUCCESS}, records)
    for changed in (worse, more):
        for name, found in measures({name: OURS[name] for name in SUCCESS}, changed).items():
            if before[name].value is not None and found.value is not None:
                assert found.value <= before[name].value + 1e-9, name


@given(trials(), st.integers(0, 30))
def test_a_crash_is_no_better_than_a_failure(records, at):
    at %= len(records)
    wrong = [failed(one) if place == at else one for place, one in enumerate(records)]
    gone = [
        replace(one, verdict="crashed", outcome=None, right_after_first=None) if place == at else one
        for place, one in enumerate(wrong)
    ]
    scores = {name: OURS[name] for name in SUCCESS}
    assert measures(scores, gone) == measures(scores, wrong)


@given(trials(), st.integers(0, 30))
def test_a_verdict_that_is_still_to_come_stays_within_the_bounds(records, at):
    at %= len(records)
    waiting = [
        replace(one, verdict="unjudged", outcome=None, right_after_first=None) if place == at else one
        for place, one in enumerate(records)
    ]
    scores = {name: OURS[name] for name in SUCCESS}
    for verdict in ("correct", "incorrect"):
        judged = replace(records[at], verdict=verdict, outcome="repaired", right_after_first=verdict == "correct")
        come = measures(scores, [judged if place == at else one for place, one in enumerate(records)])
        for name, found in measures(scores, waiting).items():
            low, high = found.bounds or (found.value, found.value)
            if come[name].value is not None and low is not None:
                assert low - 1e-9 <= come[name].value, name
                assert (come[name].bounds.high if come[name].bounds else come[name].value) <= high + 1e-9, name


@for_each("name", ["attempts", "wasted", "fruitless", "wasted_tokens", "wasted_cost", "prompt_tokens", "cost"])
def test_one_more_fruitless_attempt_never_saves_anything(name):
    more = [attempt(number, cost_usd=0.01) for number in (1, 2)]
    spent = [
        measure(score(name), [record("a", attempts=tuple(more[:many]), wasted_attempts=many)]).value
        for many in range(3)
    ]
    assert spent == sorted(spent)
    assert spent[0] < spent[2]


def test_harm_is_counted_in_every_kind_and_one_more_never_lowers_it():
    for kind in KINDS:
        before = [record("a", kind=kind), record("b", kind=kind)]
        after = [*before, record("c", kind=kind, verdict="incorrect", outcome="harmful")]
        assert (measure(score("harmful"), before).value, measure(score("harmful"), after).value) == (0, 1 / 3)


@for_each("name", ["warning_recall", "warning_precision", "warning_f1", "false_alarm_rate", "silent_success_rate"])
def test_without_a_detector_nothing_is_said_of_warnings(name):
    nodes = (("n", "warning", "warning"), ("m", "success", "warning"))
    bare = record("a", nodes=nodes, treatment=replace(TREATMENT, detector=None))
    assert measure(score(name), [bare]).value is None
    assert measure(score(name), [replace(bare, treatment=TREATMENT)]).value is not None


def test_a_first_execution_is_known_of_a_trial_without_a_verdict_and_counted_once():
    nodes = (("n", "warning", "warning"), ("m", "warning", "error"))
    samples = [
        record("a", 0, verdict="crashed"),
        record("a", 1, verdict="unjudged", nodes=nodes),
        record("a", 2, nodes=nodes),
    ]
    found = measure(score("warning_recall"), samples)
    assert (found.numerator, found.denominator, found.cases) == (1, 2, 1)


@for_each("name", ["cost", "wasted_cost", "cost_per_repair", "prompt_tokens", "wasted_tokens"])
def test_what_is_not_known_is_not_taken_for_nothing(name):
    unknown = attempt(cost_usd=None, prompt_tokens=None)
    found = measure(score(name), [record("a", attempts=(unknown,)), record("b", attempts=(attempt(),))])
    assert found.cases == 1
    assert measure(score(name), [record("a", attempts=(unknown,))]).value is None
    known_too = [record("a", attempts=(unknown,)), record("a", 1, attempts=(attempt(),))]
    assert measure(score(name), known_too).value is None


def test_an_answer_that_was_given_before_costs_nothing_again():
    first, again = attempt(1), attempt(2, asked=False)
    found = measure(score("prompt_tokens"), [record("a", attempts=(first, again))])
    assert found.value == 300


def test_a_score_of_an_installed_package_is_found_by_its_name(monkeypatch, tmp_path):
    install(monkeypatch, tmp_path, ENTRY_POINTS, said_so="theirs_scores:SAID", odd="theirs_scores:ODD")
    (tmp_path / "theirs_scores.py").write_text(
        "from mendbench.scoring.score import Count, Score\n"
        "SAID = Score(title='said', of='trials', unit='share', better='higher', count=lambda trials: Count(numerator=1))\n"
        "ODD = 7\n"
    )
    assert isinstance(score("said_so"), Score)
    assert {"said_so", "odd"} <= set(score_names())
    with pytest.raises(BadInput, match="score 'odd': is no Score"):
        score("odd")


def test_a_name_that_no_score_has_is_refused_with_the_nearest():
    with pytest.raises(UnknownName, match="did you mean 'wasted'"):
        score("wastd")


def test_samples_in_any_order_of_folders_are_reported_the_same():
    records = [
        record(f"c{at}", sample, verdict=("correct", "incorrect")[(at + sample) % 2])
        for at in range(9)
        for sample in range(3)
    ]
    turned = random.Random(7).sample(records, len(records))
    assert [one.document() for one in measures(OURS, turned).values()] == [
        one.document() for one in measures(OURS, records).values()
    ]
