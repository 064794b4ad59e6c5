"""What a recording would ask, take and cost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mendbench.cassettes import cassette
from mendbench.cassettes.cassette import Entry
from mendbench.cassettes.recordings import Recordings, model_file
from mendbench.config.tables import ModelConfig, PricesConfig, RepairerConfig
from mendbench.io.canonical_json import digest
from mendbench.model.exchange import Request
from mendbench.prompts.collecting import collect
from mendbench.prompts.estimate import can_ask, estimated
from mendbench.strategies.tokens import estimate
from tests.fakes import cases
from tests.fakes.cases import CLOSED, MODEL, RENAMED
from tests.fakes.model_worlds import completion

PROMPT = "x" * 320
"""100 tokens by its length."""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return cases.build(tmp_path_factory.mktemp("built"))


@pytest.fixture
def root(built, tmp_path):
    """The corpus, with no response recorded for the case of the renamed field."""
    root = cases.copy_of(built, tmp_path / "corpus")
    (root / "cassettes" / RENAMED / model_file(MODEL)).unlink()
    return root


def keys(*policies, strategies=("none", "full-context")):
    return [
        cases.key(case, strategy, name) for case in (CLOSED, RENAMED) for strategy in strategies for name in policies
    ]


def of(root, *policies, config=None, fresh=False, concurrency=None, **more):
    context = replace(cases.context_of(root), models={MODEL: ModelConfig(**(config or {}))})
    collected = [collect(context, key) for key in keys(*policies, **more)]
    return estimated(context, collected, fresh=fresh, concurrency=concurrency), collected


def answered(root, *responses_sent):
    """Leave these recorded responses of the model and no others: tokens of prompt and response, and how long it took."""
    for path in (root / "cassettes").rglob(model_file(MODEL)):
        path.unlink()
    recordings = Recordings.open(root / "cassettes" / CLOSED)
    for at, (sent, got, took) in enumerate(responses_sent):
        model_request = {"model": MODEL, "messages": [{"role": "user", "content": PROMPT}], "params": {}, "draw": at}
        usage = {"prompt_tokens": sent, "completion_tokens": got}
        request = Request(method="POST", url="model://tiny-coder/chat")
        response = completion("{}", usage=usage, elapsed_ms=took)
        recordings.append_model_entry(
            MODEL, Entry(key=digest(model_request), request=request, response=response, model_request=model_request)
        )


def test_what_is_missing_is_counted_once_however_many_policies_ask_it(root):
    found, collected = of(root, "naive", "two-layer")
    missing = {digest(model_request): model_request for one in collected for model_request in one.missing}
    assert (found.trials, found.cases, found.prompts, found.waiting) == (8, 2, 2, 4)
    assert len(missing) == 2
    assert found.answered == len({(one.trial.case, key) for one in collected for key in one.answered}) == 2
    (model,) = found.models
    assert (model.model, model.prompts, model.later_at_most) == (MODEL, 2, 4)
    assert model.prompt_tokens_by_length == sum(
        estimate(message["content"]) for model_request in missing.values() for message in model_request["messages"]
    )


def test_answers_that_are_there_leave_fewer_to_come(built, tmp_path):
    root = cases.copy_of(built, tmp_path / "corpus")
    path = root / "cassettes" / RENAMED / model_file(MODEL)
    before = [collect(cases.context_of(root), key) for key in keys("naive", strategies=("none",))]
    first = min(before[1].answered, key=[entry.key for entry in cassette.load(path)].index)
    cassette.rewrite(path, [entry for entry in cassette.load(path) if entry.key == first])
    found, collected = of(root, "naive", strategies=("none",))
    assert (collected[1].attempts, collected[1].node_waits) == (1, False)
    assert (found.prompts, found.later_at_most) == (1, 1)


def test_where_all_is_recorded_nothing_would_be_asked(built):
    found, _ = of(built, "naive")
    assert (found.prompts, found.later_at_most, found.models, found.unknown) == (0, 0, (), ())


def test_where_all_is_recorded_again_all_prompts_are_asked_again(built):
    found, collected = of(built, "naive", fresh=True)
    asked = {key for one in collected for key in one.answered}
    assert found.prompts == len(asked)
    assert found.models[0].later_at_most == max(0, len(keys("naive")) * 3 - len(asked))
    assert "new responses may lead to other prompts than the recorded ones did" in found.unknown


def test_figures_come_from_the_recorded_answers_of_the_model(root):
    answered(root, (110, 40, 1000), (130, 60, 3000), (120, 50, 8000))
    found, _ = of(root, "naive", concurrency=2)
    (model,) = found.models
    assert model.prompts == 4
    assert model.recorded == 3
    assert model.prompt_tokens == pytest.approx(model.prompt_tokens_by_length * 1.2, abs=4)
    assert (model.completion_tokens, model.completion_tokens_at_most) == (200, 1600)
    assert (model.median_ms, model.at_once, model.seconds) == (3000, 2, 6.0)
    assert model.seconds_with_later == 6.0 * (4 + 8) / 4


def test_no_more_are_under_way_at_once_than_there_are_prompts(root):
    answered(root, (110, 40, 2000))
    assert of(root, "naive", concurrency=100)[0].models[0].seconds == 2.0


def test_a_limit_of_requests_per_minute_takes_its_time(root):
    answered(root, (110, 40, 2000))
    found, _ = of(root, "naive", config={"concurrency": 4, "requests_per_minute": 6.0})
    assert found.models[0].seconds == 40.0


def test_a_configured_price_gives_a_cost_and_an_upper_one(root):
    answered(root, (100, 50, 1000))
    prices = PricesConfig(input_per_million=1.0, output_per_million=10.0)
    (model,) = of(root, "naive", config={"prices": prices})[0].models
    assert model.price == "configuration"
    assert model.cost_usd == pytest.approx((model.prompt_tokens + 10 * 200) / 1e6)
    assert model.cost_usd_at_most == pytest.approx((model.prompt_tokens + 10 * 1600) / 1e6)
    assert model.cost_usd_with_later == pytest.approx(model.cost_usd * 3)


@pytest.mark.parametrize(("config", "price", "cost"), [({}, "unknown", None), ({"free": True}, "free", 0.0)])
def test_an_unknown_price_is_never_zero(root, config, price, cost):
    answered(root, (100, 50, 1000))
    found, _ = of(root, "naive", config=config)
    (model,) = found.models
    assert (model.price, model.cost_usd, model.cost_usd_at_most, model.cost_usd_with_later) == (price, *[cost] * 3)
    assert any("price of tiny-coder" in line for line in found.unknown) is (cost is None)


def test_without_recorded_answers_time_and_length_are_unknown_and_said_to_be(root):
    answered(root)
    found, _ = of(root, "naive")
    (model,) = found.models
    unknown = (model.prompt_tokens, model.completion_tokens, model.median_ms, model.seconds, model.seconds_with_later)
    assert unknown == (None,) * 5
    assert model.completion_tokens_at_most == 1600
    assert [line.split(":")[0] for line in found.unknown] == [
        "later prompts depend on the responses to earlier ones", "the price of tiny-coder",
        "how long a response of tiny-coder takes", "how long responses of tiny-coder are",
    ]  # fmt: skip


def test_responses_made_elsewhere_show_nothing_of_the_time(root):
    answered(root, (100, 50, 9000))
    folder = root / "cassettes" / CLOSED
    (entry,) = cassette.load(folder / model_file(MODEL))
    cassette.rewrite(folder / model_file(MODEL), [replace(entry, provenance="a batch")])
    (model,) = of(root, "naive")[0].models
    assert (model.recorded, model.median_ms, model.completion_tokens) == (1, None, 200)


def test_a_trial_whose_world_is_not_recorded_is_reported_and_bounds_what_it_may_ask(root):
    cases.make_live(root, RENAMED)
    found, _ = of(root, "naive")
    assert (found.prompts, found.later_at_most) == (0, 6)
    assert [name.split(" | ")[0] for name, _ in found.stopped] == [RENAMED, RENAMED]
    assert found.models[0].seconds_with_later is None
    assert any(line.startswith("2 trials stop before their prompt is known") for line in found.unknown)


def test_only_what_asks_is_counted(root):
    context = replace(cases.context_of(root), repairers={"mine": RepairerConfig(command=["my-agent"])})
    asking = [can_ask(context, cases.key(repairer=name)) for name in ("chat", "mine", "a.b:c", "noop", "reference")]
    assert asking == [True, True, True, False, False]


def test_a_program_is_asked_one_at_a_time_and_by_its_own_name(root):
    context = replace(cases.context_of(root), repairers={"mine": RepairerConfig(command=["my-agent", "--fix"])})
    collected = [collect(context, cases.key(repairer="mine", policy="naive"))]
    (model,) = estimated(context, collected, concurrency=8).models
    assert (model.model, model.prompts, model.later_at_most, model.at_once) == ("command:my-agent --fix", 1, 2, 1)
