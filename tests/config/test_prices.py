"""What answers cost, and who says so. Unknown is never zero."""

import importlib
import subprocess
import sys
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mendbench.config.config_file import load_config
from mendbench.config.prices import (
    UNKNOWN,
    Price,
    amount,
    cost_totals,
    model_price,
    program_price,
    published,
    published_cost,
)
from mendbench.config.tables import ModelConfig, PricesConfig, RepairerConfig
from mendbench.errors import BadInput
from mendbench.model.prompt import Reply
from tests.fakes.tables import for_each

RATES = PricesConfig(input_per_million=0.15, output_per_million=0.6)
HOSTED = ModelConfig(base_url="https://api.openai.com/v1")
KNOWN = "gpt-4o-mini"
REPLY = Reply(text="", model="m", prompt_tokens=1000, completion_tokens=100, model_request="a")


def test_a_configured_price_is_by_the_token():
    assert model_price("m", ModelConfig(prices=RATES)).cost(REPLY) == Decimal("0.00021")


def test_a_configured_price_wins_over_a_published_one_and_over_this_machine():
    for url in ("https://api.openai.com/v1", "http://127.0.0.1:8091/v1"):
        assert model_price(KNOWN, ModelConfig(base_url=url, prices=RATES)).source == "configuration"


def test_what_is_free_costs_nothing_whatever_was_reported():
    price = model_price("m", ModelConfig(free=True))
    assert price.cost(REPLY) == price.cost(Reply(text="")) == Decimal(0)


@for_each("reply", [Reply(text="", prompt_tokens=5), Reply(text="", completion_tokens=5)])
def test_without_both_counts_of_tokens_a_cost_is_not_known(reply):
    assert model_price("m", ModelConfig(prices=RATES)).cost(reply) is None
    assert model_price(KNOWN, HOSTED).cost(reply) is None


@for_each(
    "config",
    [
        ModelConfig(),
        *(
            ModelConfig(base_url=f"http://{host}/v1")
            for host in ("127.0.0.1:8091", "localhost", "[::1]:9", "a.localhost")
        ),
        ModelConfig(base_url="http://0.0.0.0:8000"),
    ],
)
def test_a_name_alone_and_a_model_on_this_machine_have_no_price(config):
    assert model_price(KNOWN, config) == UNKNOWN
    assert UNKNOWN.cost(REPLY) is None
    assert UNKNOWN.described() == {"source": "unknown"}


@for_each("config", [HOSTED, ModelConfig(provider="openai"), ModelConfig(provider="OpenAI")])
def test_a_published_price_is_taken_where_the_configuration_says_whose_model_it_is(config):
    price = model_price(KNOWN, config)
    assert price.source == "genai-prices"
    assert price.cost(REPLY) == Decimal("0.00021")
    described = price.described()
    assert described["model"] == "openai/gpt-4o-mini"
    assert described["source"].startswith("genai-prices ")


@for_each(
    ("name", "config"),
    [
        (KNOWN, ModelConfig(base_url="https://models.kelpforest.example/v1")),
        ("never-heard-of", HOSTED),
        (KNOWN, ModelConfig(provider="kelpforest")),
        (KNOWN, ModelConfig(base_url="https://models.kelpforest.example/v1", provider="openai")),
    ],
)
def test_what_is_not_published_is_unknown(name, config):
    price = model_price(name, config)
    assert price.cost(REPLY) is None
    assert price.described() == {"source": "unknown"}


def test_no_published_model_lacks_a_price_and_seems_free():
    providers = importlib.import_module("genai_prices.data").providers
    embedding = next(
        (seller, model)
        for seller in providers
        for model in seller.models
        if seller.id == "openai" and model.id.startswith("text-embedding")
    )
    assert published(embedding[1].id, "openai", None) is None
    assert published_cost(embedding[1].id, "openai", None, 1000, 100) is None


def test_a_published_price_depends_on_no_snapshot_that_somebody_installed(monkeypatch):
    snapshots = importlib.import_module("genai_prices.data_snapshot")
    monkeypatch.setattr(snapshots, "_custom_snapshot", snapshots.DataSnapshot(providers=[], from_auto_update=True))
    assert published_cost(KNOWN, "openai", None, 1001, 100) == Decimal("0.00021015")


def test_only_who_asks_for_a_published_price_pays_for_the_import():
    code = (
        "import sys; from mendbench.config.tables import ModelConfig; from mendbench.config.prices import model_price;"
        "from mendbench.model.prompt import Reply;"
        "reply = Reply(text='', prompt_tokens=1, completion_tokens=1);"
        "print([model_price('m', ModelConfig(base_url=url)).cost(reply) for url in (None, 'http://localhost:1')]);"
        "print('genai_prices' in sys.modules, 'httpx2' in sys.modules);"
        "model_price('m', ModelConfig(base_url='https://api.openai.com')).cost(reply); print('genai_prices' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[None, None]\nFalse False\nTrue\n"


def test_a_program_costs_what_is_configured_for_it():
    assert program_price(RepairerConfig(command=["x"], prices=RATES), {}).cost(REPLY) == Decimal("0.00021")
    assert program_price(RepairerConfig(command=["x"], free=True), {}).cost(Reply(text="")) == Decimal(0)


def test_else_what_the_configured_model_costs_that_its_answer_names():
    price = program_price(None, {"m": ModelConfig(prices=RATES), "n": ModelConfig()})
    assert price.cost(REPLY) == Decimal("0.00021")
    assert price.cost(Reply(text="", model="n", prompt_tokens=1, completion_tokens=1)) is None
    assert price.described() == {
        "source": "the model that a response names",
        "models": {"m": {"source": "configuration", "input_per_million": "0.15", "output_per_million": "0.6"}},
    }


def test_an_answer_names_its_model_as_the_server_does_and_not_as_its_table_is_called():
    tables = {
        "bare": ModelConfig(served_as="m"),
        "warm": ModelConfig(served_as="m", prices=RATES),
        "free": ModelConfig(served_as="m", free=True),
        "hosted": ModelConfig(served_as=KNOWN, base_url=HOSTED.base_url),
    }
    price = program_price(None, tables)
    assert price.cost(REPLY) == Decimal("0.00021")
    assert price.cost(Reply(text="", model="warm", prompt_tokens=1, completion_tokens=1)) is None
    assert price.cost(Reply(text="", model=KNOWN, prompt_tokens=1000, completion_tokens=100)) == Decimal("0.00021")
    assert set(price.described()["models"]) == {"m", KNOWN}


def test_a_sum_is_none_where_a_part_of_it_is():
    assert amount(Decimal("0.1"), Decimal("0.2")) == 0.3
    assert amount(Decimal("0.1"), None) is None
    assert amount() == 0.0


@given(st.integers(0, 10**7), st.integers(0, 10**7))
def test_a_cost_is_never_less_than_either_half_of_it(sent, got):
    price = Price(source="configuration", per_million=("0.15", "0.6"))

    def cost(one, two):
        return price.cost(Reply(text="", prompt_tokens=one, completion_tokens=two))

    assert cost(sent, got) == cost(sent, 0) + cost(0, got)


@for_each(
    ("costs", "usd", "unknown"),
    [
        ([[0.1, 0.2], [0.3]], 0.6, 0),
        ([[0.1, None], [0.3]], 0.4, 1),
        ([[None, None]], None, 2),
        ([[None, 0.0]], None, 1),
        ([[0.0], []], 0.0, 0),
        ([], 0.0, 0),
    ],
)
def test_totals_are_sums_of_what_is_known_beside_how_many_are_not(costs, usd, unknown):
    assert cost_totals(cost for one in costs for cost in one) == {"cost_usd": usd, "cost_unknown_attempts": unknown}


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            "[models.m]\nfree = true\nprices = {input_per_million = 1, output_per_million = 1}",
            "both 'prices' and 'free'",
        ),
        ("[models.m]\nprices = {input_per_million = 1}", "output_per_million"),
        ("[models.m]\nprices = {input_per_million = -1, output_per_million = 1}", "at least 0 is needed"),
        ("[models.m]\nprices = {input_per_million = nan, output_per_million = 1}", "input_per_million"),
        ("[models.m]\nprices = {input_per_million = inf, output_per_million = 1}", "input_per_million"),
        ('[models.m]\nprices = {input_per_million = "1", output_per_million = 1}', "input_per_million"),
    ],
)
def test_a_price_that_cannot_be_is_reported_with_its_place(tmp_path, table, said):
    text = f'[matrix]\nstrategies = ["none"]\npolicies = ["naive"]\n{table}\n'
    (tmp_path / "mendbench.toml").write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=said) as caught:
        load_config(tmp_path)
    assert "models.m" in str(caught.value)
