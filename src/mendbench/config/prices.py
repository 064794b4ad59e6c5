"""What answers cost: tokens as they were reported, times a price that is configured or published. Unknown stays unknown, never zero.

A published price comes from the data inside the ``genai-prices`` distribution, the newest it knows, without discounts for caching, off-peak
hours or batches: the same on every day that one version of it is installed. Nothing is downloaded. It takes a tenth of a second to
import, so it is asked only where the configuration says whose model it is: by a ``base_url`` that is not this machine's, or by a
``provider``. A name alone is no proof, since anybody may serve a model under any name.
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

from mendbench.config.config_file import ModelConfig, RepairerConfig
from mendbench.exchanges.urls import split_url
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Reply

if TYPE_CHECKING:
    from genai_prices.data_snapshot import DataSnapshot

Source: TypeAlias = Literal["configuration", "free", "genai-prices", "unknown"]

Cost: TypeAlias = Decimal | None
"""US dollars; None where nobody knows."""

_NEWEST = datetime(9999, 12, 31, 12, tzinfo=UTC)
"""When a response is priced: after all dates from which a published price holds, so that the newest one does."""

_MILLION = 1_000_000
_DIGITS = 9
"""Decimals of an amount in a row: a thousandth of a millionth of a dollar, a hundredth of what the cheapest token costs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What the responses of one model, program or function cost, and who says so."""

    source: Source = "unknown"
    per_million: tuple[str, str] | None = None
    """Configured: US dollars for a million tokens of prompts and of responses."""
    listed: tuple[str, str | None, str | None] | None = None
    """Published: model, provider, URL."""
    of_models: Mapping[str, Price] = field(default_factory=dict)
    """Where a response says which model it is of, the prices of those that are known."""

    def cost(self, reply: Reply) -> Cost:
        """Return US dollars for one response; None where the price is not known, or the tokens were not reported."""
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
        """Return what two runs must have in common for their costs to be compared."""
        told: JsonObject = {"source": self.source}
        if self.per_million is not None:
            told |= dict(zip(("input_per_million", "output_per_million"), self.per_million, strict=True))
        if self.listed is not None:
            found = published(*self.listed)
            told = {"source": "unknown"} if found is None else {"source": f"genai-prices {_version()}", "model": found}
        if self.of_models:
            models = {name: price.described() for name, price in sorted(self.of_models.items())}
            told = {"source": "the model that a response names", "models": models}
        return told


UNKNOWN = Price()


def as_described(told: JsonObject) -> Price:
    """Return the price that a run tells of by what :meth:`Price.described` said; a published one is the one of today.

    Raises:
        KeyError, TypeError, AttributeError, ArithmeticError: no price is described so.
    """
    if told.get("models") is not None:
        models = {str(name): as_described(one) for name, one in told["models"].items()}
        return Price(of_models={name: price for name, price in models.items() if price != UNKNOWN})
    if told["source"] == "free":
        return Price(source="free")
    if told["source"] == "configuration":
        rates = (told["input_per_million"], told["output_per_million"])
        return Price(source="configuration", per_million=rates if all(Decimal(rate) >= 0 for rate in rates) else None)
    if told["source"].startswith("genai-prices "):
        seller, _, model = told["model"].partition("/")
        return Price(source="genai-prices", listed=(model, seller, None))
    return {"unknown": UNKNOWN}[told["source"]]


def model_price(name: str, config: ModelConfig) -> Price:
    """Return the price of a model: as configured, else as published where the configuration says whose model it is."""
    if (own := _configured(config)) is not None:
        return own
    if config.base_url is not None:
        here = _is_this_machine(config.base_url)
        return UNKNOWN if here else Price(source="genai-prices", listed=(name, None, config.base_url))
    if config.provider is not None:
        return Price(source="genai-prices", listed=(name, config.provider, None))
    return UNKNOWN


def program_price(config: RepairerConfig | None, models: Mapping[str, ModelConfig]) -> Price:
    """Return the price of a program or a function: as configured, else that of the configured model which a response names."""
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
    """Return how ``genai-prices`` calls a model whose price for prompts and responses it knows, None if it knows none."""
    found = _found(model, provider, url)
    return None if found is None else f"{found[0]}/{found[1]}"


@lru_cache(maxsize=4096)
def published_cost(
    model: str, provider: str | None, url: str | None, prompt_tokens: int, completion_tokens: int
) -> Cost:
    """Return US dollars by the published price, None where there is none."""
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
    """Return the prices in the installed distribution, whatever else somebody made it use."""
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
    """Return whether a URL is of this machine. A model that runs there is not free for that: nobody knows what it costs."""
    host = (split_url(url).hostname or "").lower()
    return host in {"localhost", "::1", "0.0.0.0"} or host.endswith(".localhost") or host.startswith("127.")  # noqa: S104


def given_before(replies: Sequence[Reply], at: int) -> bool:
    """Return whether a response was given earlier in the trial: nobody was asked, and nothing was paid, again."""
    model_request = replies[at].model_request
    return model_request is not None and any(before.model_request == model_request for before in replies[:at])


def costs_of(replies: Sequence[Reply], price: Price) -> tuple[Cost, ...]:
    """Return what each response of a trial cost: 0 where nobody was asked for one."""
    return tuple(
        Decimal(0) if _nobody_asked(reply) or given_before(replies, at) else price.cost(reply)
        for at, reply in enumerate(replies)
    )


def _nobody_asked(reply: Reply) -> bool:
    return reply.model_request is None and reply.model is None and reply.prompt_tokens is None


def amount(*costs: Cost) -> float | None:
    """Return a sum of costs as a row holds it: None if one of them is not known."""
    known = [cost for cost in costs if cost is not None]
    return round(float(sum(known, Decimal(0))), _DIGITS) if len(known) == len(costs) else None


def cost_totals(costs: Iterable[float | None]) -> JsonObject:
    """Return what attempts cost together: the sum of what is known, and of how many it is not.

    ``cost_usd`` is None where an attempt's cost is not known and no other one's is above 0.
    """
    amounts = Counter(costs)
    unknown = amounts.pop(None, 0)
    known = [(cost, count) for cost, count in amounts.items() if cost is not None]
    each = (cost for cost, count in known for _ in range(count))
    total = None if unknown and not any(cost for cost, _ in known) else round(math.fsum(each), _DIGITS)
    return {"cost_usd": total, "cost_unknown_attempts": unknown}
