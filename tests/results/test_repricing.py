"""What the responses of an old run cost by the prices of today."""

from decimal import Decimal
from pathlib import Path

import pytest

from mendbench.config.prices import UNKNOWN, Price, as_described, model_price, program_price
from mendbench.config.tables import ModelConfig, PricesConfig, RepairerConfig
from mendbench.errors import BadInput
from mendbench.results.repricing import prices_today, repriced
from mendbench.scoring.record_table import records_of
from mendbench.trial.components import BenchContext, price_of
from tests.fakes.runs import MODEL, key_of, repairable, row_of, unrepaired

CHEAP = PricesConfig(input_per_million=0.15, output_per_million=0.6)
DEAR = PricesConfig(input_per_million=15.0, output_per_million=60.0)
HOSTED = ModelConfig(base_url="https://api.openai.com/v1")
PRICES = [
    UNKNOWN,
    model_price("m", ModelConfig(prices=CHEAP)),
    model_price("m", ModelConfig(free=True)),
    model_price("gpt-4o-mini", HOSTED),
    model_price("never-heard-of", HOSTED),
    program_price(None, {"m": ModelConfig(prices=CHEAP), "gpt-4o-mini": HOSTED}),
]


def context(**more):
    return BenchContext(cases_dir=Path("nowhere"), cassettes_dir=Path("nowhere"), **more)


def row(price=UNKNOWN, **words):
    return row_of(repairable(), unrepaired(), key_of(repairable(), **words), price=price)[0]


def configured(prices):
    return model_price(MODEL, ModelConfig(prices=prices))


def price_now(one, entry, **more):
    """Return the price that answers of ``one`` row have today, in a run that describes ``entry``."""
    name = one["model"] or one["repairer"]
    return prices_today(records_of([one]), {name: entry}, context(**more))[name]


@pytest.mark.parametrize("price", PRICES, ids=lambda price: price.source)
def test_a_price_that_was_described_is_described_so_again(price):
    assert as_described(price.described()).described() == price.described()


@pytest.mark.parametrize("price", PRICES[1:4], ids=lambda price: price.source)
def test_a_price_that_was_described_costs_the_same(price):
    assert repriced(row(price), {MODEL: as_described(price.described())}, {}) == row(price)


def test_a_row_keeps_its_costs_under_the_same_prices_and_has_others_under_others():
    cheap, dear = row(configured(CHEAP)), row(configured(DEAR))
    assert cheap["cost_usd"] == 0.00012
    assert repriced(cheap, {MODEL: configured(CHEAP)}, {}) == cheap
    assert repriced(cheap, {MODEL: configured(DEAR)}, {}) == dear
    assert repriced(cheap, {}, {}) == row()
    assert repriced(row(), {MODEL: configured(DEAR)}, {}) == dear


def test_the_configuration_of_today_wins_over_what_the_run_states():
    price = price_now(row(), configured(CHEAP).described(), models={MODEL: ModelConfig(prices=DEAR)})
    assert price == configured(DEAR)


@pytest.mark.parametrize("models", [{}, {MODEL: ModelConfig()}, {MODEL: HOSTED}])
def test_without_todays_price_the_run_states_it_and_unknown_stays_unknown(models):
    assert price_now(row(), configured(CHEAP).described(), models=models) == configured(CHEAP)
    assert price_now(row(), {"source": "unknown"}, models=models) == UNKNOWN


def test_a_published_price_that_a_run_describes_is_asked_for_again_by_its_name():
    price = price_now(row(), {"source": "genai-prices 0.0.1", "model": "openai/gpt-4o-mini"})
    assert price.described() == model_price("gpt-4o-mini", HOSTED).described()


def test_models_that_an_answer_names_cost_what_they_cost_today_else_what_the_run_states():
    one = row(repairer="my.agent:mend")
    entry = program_price(None, {MODEL: ModelConfig(prices=CHEAP), "other": ModelConfig(free=True)}).described()
    price = price_now(one, entry, models={MODEL: ModelConfig(prices=DEAR), "third": ModelConfig(prices=DEAR)})
    assert price.of_models == {
        MODEL: configured(DEAR), "other": Price(source="free"), "third": configured(DEAR),
    }  # fmt: skip
    assert repriced(one, {"my.agent:mend": price}, {})["cost_usd"] == 0.012
    own = price_now(row(repairer="mine"), entry, repairers={"mine": RepairerConfig(command=["x"], prices=CHEAP)})
    assert own.per_million == ("0.15", "0.6")


def test_only_who_answered_and_is_priced_has_a_price():
    unpriced = [row(repairer="noop"), row()]
    entry = configured(CHEAP).described()
    assert prices_today(records_of(unpriced), {MODEL: entry, "gone": entry}, context()) == {MODEL: configured(CHEAP)}
    assert price_of("noop", None, context()) == UNKNOWN


def test_an_answer_for_which_nobody_was_asked_costs_nothing_whatever_the_price():
    one = row()
    one["attempts"][0].update(model_request=None, model=None, prompt_tokens=None)
    assert [each["cost_usd"] for each in repriced(one, {}, {})["attempts"]] == [0, None]
    one["attempts"][1].update(model_request=None, model=None, prompt_tokens=None)
    assert repriced(one, {}, {})["cost_usd"] == 0


def test_the_name_of_a_model_may_be_a_long_text():
    one = row(repairer="mine")
    one["attempts"][0]["model"] = {"$text": "d"}
    price = Price(of_models={"x" * 300: Price(source="free"), MODEL: configured(CHEAP)})
    assert [each["cost_usd"] for each in repriced(one, {"mine": price}, {"d": "x" * 300})["attempts"]] == [0, 0.00006]


@pytest.mark.parametrize(
    "entry",
    [
        {}, {"source": "configuration"}, {"source": "genai-prices 1", "model": 3}, None, 3, {"source": "x", "models": 3},
        {"source": "configuration", "input_per_million": "dear", "output_per_million": "1"},
    ],
)  # fmt: skip
def test_what_is_no_price_is_reported_with_its_place(entry):
    with pytest.raises(BadInput, match=rf"^digests\.prices\.{MODEL}: .* is no price; make the run again"):
        price_now(row(), entry)


def test_a_cost_is_by_the_token():
    assert configured(CHEAP).per_million == ("0.15", "0.6")
    assert repriced(row(), {MODEL: configured(CHEAP)}, {})["attempts"][0]["cost_usd"] == float(Decimal("0.00006"))
