"""One line of trials.jsonl."""

from dataclasses import replace

import jsonschema
import pytest

from mendbench.cassettes.cassette import BatchPlace, Entry
from mendbench.config.prices import Price
from mendbench.config.tables import ModelConfig
from mendbench.model.exchange import Request, Response
from mendbench.model.trial import CleanRun, Evidence
from mendbench.model.verdict import Verdict
from mendbench.results.json_schemas import trial_schema
from mendbench.scoring.judging.judge import Judged
from mendbench.trial.long_texts import LONG_TEXT, whole
from mendbench.trial.row import build_row, trial_key
from tests.fakes.runs import crashed, key_of, repairable, repaired, row_of, unjudged, unrepaired, user_only, warned
from tests.fakes.scoring import GREEN, exchange

LONG = "x" * (LONG_TEXT + 1)


def test_a_key_has_all_parts_of_the_trial_and_a_dash_for_what_it_has_not():
    key = key_of(repairable(), "summary", "naive", sample=3)
    assert trial_key(key) == "slack/greeting | mendbench | chat | tiny-coder | summary | naive | - | 000003"


def test_what_distinguishes_trials_stands_in_the_row_however_long_it_is():
    row, _ = row_of(repairable(), repaired(), replace(key_of(repairable()), strategy=LONG))
    assert row["strategy"] == LONG
    assert LONG in row["key"]


@pytest.mark.parametrize(
    ("case", "happened", "problem"),
    [
        (repairable(), repaired(), None),
        (repairable(), unrepaired(), None),
        (user_only(), warned(), None),
        (repairable(), unrepaired(), unjudged()),
    ],
)
def test_every_row_fits_the_published_schema(case, happened, problem):
    row, _ = row_of(case, happened, key_of(case), problem=problem)
    jsonschema.validate(row, trial_schema())


def test_a_trial_that_crashed_before_its_first_execution_ended_has_a_row_too():
    evidence = Evidence(trajectory=None, attempt_clean={}, problem=crashed())
    judged = Judged(verdict=Verdict(verdict="crashed", outcome=None))
    row, _ = build_row(repairable(), key_of(repairable()), evidence, judged, {})
    jsonschema.validate(row, trial_schema())
    assert (row["verdict"], row["stop_reason"], row["first"], row["attempts"]) == ("crashed", "crashed", None, [])
    assert row["nodes"]["greet"] == {"expected": "error", "got": None}


def test_a_row_without_a_judgement_has_no_label_and_its_problem():
    row, texts = row_of(repairable(), unrepaired(), key_of(repairable()), problem=unjudged())
    assert (row["verdict"], row["outcome"], row["stop_reason"], row["wasted_attempts"]) == (
        "unjudged",
        None,
        "unjudged",
        None,
    )
    assert [attempt["label"] for attempt in row["attempts"]] == [None, None]
    assert "record it with" in whole(row["problem"], texts)["message"]


def test_whether_it_was_right_after_the_first_attempt_is_what_the_judgement_says_and_unknown_without_one():
    def right(happened, **more):
        return row_of(repairable(), happened, key_of(repairable()), **more)[0]["right_after_first"]

    assert right(repaired()) is True
    assert right(unrepaired()) is False
    assert right(repaired(), problem=unjudged()) is None


def test_what_the_first_prompt_stated_is_known_without_a_judgement_too():
    row, _ = row_of(repairable(), repaired(context="user.name"), key_of(repairable()), problem=unjudged())
    assert row["context_recall"] == 1
    assert (
        row_of(repairable(), ((warned()[0]), None), key_of(repairable()), problem=unjudged())[0]["context_recall"]
        is None
    )


def of_two(**second):
    """Return the row of a trial with two responses, the second one changed; a dollar for each token."""
    trajectory, text = unrepaired()
    one, two = trajectory.attempts
    happened = (replace(trajectory, attempts=(one, replace(two, reply=replace(two.reply, **second)))), text)
    price = Price(source="configuration", per_million=("1e6", "1e6"))
    return row_of(repairable(), happened, key_of(repairable()), price=price)[0]


def money(row):
    return row["cost_usd"], [attempt["cost_usd"] for attempt in row["attempts"]]


def test_tokens_and_cost_are_the_sum_over_all_answers():
    row = of_two()
    assert (row["prompt_tokens"], row["completion_tokens"]) == (600, 50)
    assert money(row) == (650.0, [325.0, 325.0])


def test_an_answer_that_was_given_before_in_the_trial_is_counted_once():
    row = of_two(model_request="ask1")
    assert (row["prompt_tokens"], row["completion_tokens"]) == (300, 25)
    assert money(row) == (325.0, [325.0, 0.0])


@pytest.mark.parametrize(("count", "expected"), [("prompt_tokens", (None, 50)), ("completion_tokens", (600, None))])
def test_tokens_are_not_known_where_those_of_one_answer_are_not(count, expected):
    row = of_two(**{count: None})
    jsonschema.validate(row, trial_schema())
    assert (row["prompt_tokens"], row["completion_tokens"]) == expected


def test_an_answer_for_which_nobody_was_asked_has_no_tokens():
    row = of_two(model_request=None, model=None, prompt_tokens=None, completion_tokens=None)
    assert (row["prompt_tokens"], row["completion_tokens"]) == (300, 25)


def test_a_trial_costs_nobody_knows_what_where_one_of_its_answers_does():
    assert money(of_two(prompt_tokens=None)) == (None, [325.0, None])


def test_an_answer_for_which_nobody_was_asked_costs_nothing():
    assert money(of_two(model_request=None, model=None, prompt_tokens=None)) == (325.0, [325.0, 0.0])


def test_without_a_known_price_no_cost_is_known():
    row, _ = row_of(repairable(), repaired(), key_of(repairable()))
    assert money(row) == (None, [None])
    assert row["prompt_tokens"] == 300


def test_derived_exchanges_are_counted_wherever_in_the_trial_they_were_used():
    derived = replace(exchange({}), origin="derived", key="other")
    run = CleanRun(variant=None, execution=GREEN, traffic=(derived,))
    trajectory = replace(repaired()[0], traffic=(derived,))
    judged = Judged(verdict=Verdict(verdict="correct", outcome="repaired"))

    def row(**parts):
        evidence = Evidence(**{"trajectory": trajectory, "clean": (run,), "attempt_clean": {0: run}, **parts})
        return build_row(repairable(), key_of(repairable()), evidence, judged, {})[0]

    assert row()["derived"] == 3
    assert row(right={None: (run,)}, first_clean=(run,))["derived"] == 5
    assert row(attempt_clean={})["derived"] == 2
    assert row()["evidence"]["world"] != row(trajectory=repaired()[0])["evidence"]["world"]


READ = replace(exchange(method="GET"), key="0123456789abcdef")


def responses(*sent, judging=()):
    """Return the digest of each response by its request, as the row of a trial with this traffic has them."""
    run = CleanRun(variant=None, execution=GREEN, traffic=judging)
    trajectory = replace(repaired()[0], traffic=sent)
    evidence = Evidence(trajectory=trajectory, clean=(run,), attempt_clean={})
    judged = Judged(verdict=Verdict(verdict="correct", outcome="repaired"))
    row, _ = build_row(repairable(), key_of(repairable()), evidence, judged, {})
    return dict(one.split(":") for one in row["evidence"]["exchanges"])


@pytest.mark.parametrize(
    "otherwise",
    [
        {"response": replace(READ.response, body=b"other")},
        {"response": replace(READ.response, status=500)},
        {"response": replace(READ.response, headers=(("retry-after", "9"),))},
        {"changed": True},
    ],
)
def test_a_row_has_a_digest_of_each_response_of_the_world(otherwise):
    before, after = responses(READ), responses(replace(READ, **otherwise))
    assert before.keys() == after.keys() == {"01234567@0"}
    assert before != after


def test_the_digest_of_a_response_does_not_depend_on_who_gave_it_or_how_long_that_took():
    other = replace(READ, origin="derived", node="n", phase=1, response=replace(READ.response, elapsed_ms=99))
    assert responses(READ, READ) == responses(other) == responses(judging=(READ,))


def test_a_request_that_is_waited_for_longer_is_another_request():
    waits = replace(READ, request=replace(READ.request, timeout_s=5))
    assert list(responses(READ, waits)) == ["01234567@0", "01234567@5"]


def test_only_timing_depends_on_the_moment():
    one, _ = row_of(repairable(), repaired(), key_of(repairable()), seconds=1.0)
    other, _ = row_of(repairable(), repaired(), key_of(repairable()), seconds=2.0)
    assert one != other
    assert {**one, "timing": None} == {**other, "timing": None}


def test_a_row_says_what_changed_the_world_and_what_a_request_meant_where_it_was_sent_otherwise():
    plain = exchange({"text": "Hi!"})
    same = replace(plain, meaning=exchange(b'{"text":"Hi!"}').request)
    other = exchange(method="GET", url="https://slack.com/api/chat.postMessage?text=Hi!", changed=True)
    traffic = (plain, same, replace(other, meaning=plain.request), exchange({}, changed=False))
    trajectory, text = repaired()
    row, _ = row_of(repairable(), (replace(trajectory, traffic=traffic), text), key_of(repairable()))
    requests = [(one["method"], one["changed"], one["meaning"]) for one in row["requests"]]
    means = {"method": "POST", "url": plain.request.url, "body": '{"text": "Hi!"}'}
    assert requests == [("POST", True, None), ("POST", True, None), ("GET", True, means), ("POST", False, None)]


def test_a_model_of_unknown_sampling_has_estimated_tokens_no_cost_and_says_how_it_was_asked():
    model = ModelConfig(sampling="unknown", asked="in batches of 12")
    price = Price(source="configuration", per_million=("1", "1"))
    silent = replace(repaired()[0].attempts[0].reply, prompt_tokens=None, completion_tokens=None)
    trial, clean = repaired()
    trial = replace(trial, attempts=tuple(replace(one, reply=silent) for one in trial.attempts))
    row, _ = row_of(repairable(), (trial, clean), key_of(repairable()), model=model, price=price)
    jsonschema.validate(row, trial_schema())
    assert (row["sampling"], row["asked"], row["tokens_estimated"]) == ("unknown", "in batches of 12", True)
    assert row["prompt_tokens"] > 0
    assert row["completion_tokens"] > 0
    assert row["cost_usd"] is None
    plain, _ = row_of(repairable(), (trial, clean), key_of(repairable()), price=price)
    assert (plain["sampling"], plain["tokens_estimated"], plain["prompt_tokens"]) == (None, False, None)


def test_an_imported_response_states_its_provenance_and_its_batch():
    entry = Entry(
        key="k", request=Request(method="POST", url="model://m/chat"), response=Response(status=200),
        provenance="é" * LONG_TEXT, batch=BatchPlace(name="q", position=2, size=9),
    )  # fmt: skip
    row, _ = row_of(repairable(), repaired(), key_of(repairable()), recorded=lambda _ask: entry)
    assert row["attempts"][0]["provenance"] == "é" * (LONG_TEXT // 2)
    assert row["attempts"][0]["batch"] == {"name": "q", "position": 2, "size": 9}
    bare, _ = row_of(repairable(), repaired(), key_of(repairable()))
    assert (bare["attempts"][0]["provenance"], bare["attempts"][0]["batch"]) == (None, None)
