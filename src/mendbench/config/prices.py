"""The cost of responses: reported tokens times a configured or published price. Unknown stays unknown, never zero.

A published price is the newest one in the data of the ``genai-prices`` distribution, without discounts for caching, off-peak
hours or batches. It is the same every day as long as the installed version is the same. Nothing is downloaded. The import takes a tenth
of a second, so it happens only if the configuration names the model's provider: by a ``base_url`` that is not this machine's, or by a
``provider``. A model name alone is not enough, since any server may use any name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from mendbench.config.tables import ModelConfig, RepairerConfig
from mendbench.exchanges.urls import split_url
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Reply

if TYPE_CHECKING:
    from genai_prices.data_snapshot import DataSnapshot

Source: TypeAlias = Literal["configuration", "free", "genai-prices", "unknown"]

Cost: TypeAlias = Decimal | None
"""US dollars; None if unknown."""

_NEWEST = datetime(9999, 12, 31, 12, tzinfo=UTC)
"""The date for pricing a response: later than all start dates of published prices, so that the newest price applies."""

_MILLION = 1_000_000
_DIGITS = 9
"""Decimals of an amount in a row: a billionth of a dollar, which is a hundredth of the price of the cheapest token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """The price of the responses of one model, program or function, and its source."""

    source: Source = "unknown"
    per_million: tuple[str, str] | None = None
    """Configured: US dollars for a million tokens of prompts and of responses."""
    listed: tuple[str, str | None, str | None] | None = None
    """Published: model, provider, URL."""
    of_models: Mapping[str, Price] = field(default_factory=dict)
    """Prices by model, for responses that name their model."""

    def cost(self, reply: Reply) -> Cost:
        """Return US dollars for one response; None if the price is not known, or the tokens were not reported."""
        if self.source == "unknown":
            other = self.of_models.get(reply.model or "")
            return other.cost(reply) if other is not None else None
        if self.source == "free":
            return Decimal(0)
        sent, got = reply.prompt_tokens, reply.completion_tokens
        if sent is None or got is None:
            return None
        if self.per_million is not None:
            return (Decimal(self.per_million[0]) * sent + Decimal(self.per_million[1]) * got) / _MILLION
        return published_cost(*self.listed, sent, got) if self.listed else None

    def described(self) -> JsonObject:
        """Return a description that must be the same in two runs for their costs to be comparable."""
        description: JsonObject = {"source": self.source}
        if self.per_million is not None:
            description |= dict(zip(("input_per_million", "output_per_million"), self.per_million, strict=True))
        if self.listed is not None:
            found = published(*self.listed)
            description = (
                {"source": "unknown"} if found is None else {"source": f"genai-prices {_version()}", "model": found}
            )
        if self.of_models:
            models = {name: price.described() for name, price in sorted(self.of_models.items())}
            description = {"source": "the model that a response names", "models": models}
        return description


UNKNOWN = Price()


def as_described(document: JsonObject) -> Price:
    """Return the price for a description from :meth:`Price.described`; a published price is the current one.

    Raises:
        KeyError, TypeError, AttributeError, ArithmeticError: it does not describe a price.
    """
    if document.get("models") is not None:
        models = {str(name): as_described(one) for name, one in document["models"].items()}
        return Price(of_models={name: price for name, price in models.items() if price != UNKNOWN})
    if document["source"] == "free":
        return Price(source="free")
    if document["source"] == "configuration":
        rates = (document["input_per_million"], document["output_per_million"])
        return Price(source="configuration", per_million=rates if all(Decimal(rate) >= 0 for rate in rates) else None)
    if document["source"].startswith("genai-prices "):
        seller, _, model = document["model"].partition("/")
        return Price(source="genai-prices", listed=(model, seller, None))
    return {"unknown": UNKNOWN}[document["source"]]


def model_price(name: str, config: ModelConfig) -> Price:
    """Return the price of a model: as configured, else as published if the configuration names the provider."""
    if (own := _configured(config)) is not None:
        return own
    if config.base_url is not None:
        here = _is_this_machine(config.base_url)
        return UNKNOWN if here else Price(source="genai-prices", listed=(name, None, config.base_url))
    if config.provider is not None:
        return Price(source="genai-prices", listed=(name, config.provider, None))
    return UNKNOWN


def program_price(config: RepairerConfig | None, models: Mapping[str, ModelConfig]) -> Price:
    """Return the price of a program or a function: as configured, else that of the configured model that a response names."""
    own = _configured(config) if config is not None else None
    if own is not None:
        return own
    known: dict[str, Price] = {}
    for name, model in models.items():
        called = model.served_as or name
        price = model_price(called, model)
        if price != UNKNOWN:
            known.setdefault(called, price)
    return Price(of_models=known)


def published(model: str, provider: str | None, url: str | None) -> str | None:
    """Return the ``genai-prices`` name of a model with known prices for prompts and responses; None if there is none."""
    found = _found(model, provider, url)
    return None if found is None else f"{found[0]}/{found[1]}"


@lru_cache(maxsize=4096)
def published_cost(
    model: str, provider: str | None, url: str | None, prompt_tokens: int, completion_tokens: int
) -> Cost:
    """Return US dollars by the published price; None if there is none."""
    if _found(model, provider, url) is None:
        return None
    from genai_prices import Usage  # noqa: PLC0415  heavy: only who asks for a published price pays for it

    usage = Usage(input_tokens=prompt_tokens, output_tokens=completion_tokens)
    return _snapshot().calc(usage, model, provider, url, _NEWEST).total_price


@lru_cache(maxsize=256)
def _found(model: str, provider: str | None, url: str | None) -> tuple[str, str] | None:
    try:
        seller, found = _snapshot().find_provider_model(model, None, provider, url)
    except LookupError:
        return None
    prices = found.get_prices(_NEWEST)
    return None if prices.input_mtok is None or prices.output_mtok is None else (seller.id, found.id)


@lru_cache(maxsize=1)
def _snapshot() -> DataSnapshot:
    """Return the prices in the installed distribution, even if other code configured different data."""
    from genai_prices.data import providers  # noqa: PLC0415  as above
    from genai_prices.data_snapshot import DataSnapshot  # noqa: PLC0415

    return DataSnapshot(providers=providers, from_auto_update=False)


def _version() -> str:
    from genai_prices import __version__  # noqa: PLC0415  as above

    return __version__


def _configured(config: ModelConfig | RepairerConfig) -> Price | None:
    if config.free:
        return Price(source="free")
    if config.prices is None:
        return None
    rates = (config.prices.input_per_million, config.prices.output_per_million)
    return Price(source="configuration", per_million=(repr(float(rates[0])), repr(float(rates[1]))))


def _is_this_machine(url: str) -> bool:
    """Return whether a URL points to this machine. The cost of a local model is unknown, not zero."""
    host = (split_url(url).hostname or "").lower()
    return host in {"localhost", "::1", "0.0.0.0"} or host.endswith(".localhost") or host.startswith("127.")  # noqa: S104


def given_before(replies: Sequence[Reply], at: int) -> bool:
    """Return whether a response repeats an earlier one of the trial: it needed no new request and cost nothing."""
    model_request = replies[at].model_request
    return model_request is not None and any(before.model_request == model_request for before in replies[:at])


def costs_of(replies: Sequence[Reply], price: Price) -> tuple[Cost, ...]:
    """Return the cost of each response of a trial: 0 if no request was made for it."""
    return tuple(
        Decimal(0) if _nobody_asked(reply) or given_before(replies, at) else price.cost(reply)
        for at, reply in enumerate(replies)
    )


def _nobody_asked(reply: Reply) -> bool:
    return reply.model_request is None and reply.model is None and reply.prompt_tokens is None


def amount(*costs: Cost) -> float | None:
    """Return the sum of costs for a row: None if one of them is not known."""
    known = [cost for cost in costs if cost is not None]
    return round(float(sum(known, Decimal(0))), _DIGITS) if len(known) == len(costs) else None


def cost_totals(costs: Iterable[float | None]) -> JsonObject:
    """Return the total cost of attempts: the sum of known costs, and the number of unknown ones.

    ``cost_usd`` is None if an attempt's cost is not known and no other cost is above 0.
    """
    amounts = Counter(costs)
    unknown = amounts.pop(None, 0)
    known = [(cost, count) for cost, count in amounts.items() if cost is not None]
    each = (cost for cost, count in known for _ in range(count))
    total = None if unknown and not any(cost for cost, _ in known) else round(math.fsum(each), _DIGITS)
    return {"cost_usd": total, "cost_unknown_attempts": unknown}
