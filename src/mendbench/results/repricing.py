"""The cost of an old run's responses at current prices."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from mendbench.config.prices import UNKNOWN, Price, amount, as_described, costs_of
from mendbench.errors import BadInput
from mendbench.io.canonical_json import canonical_json
from mendbench.model.json import Json, JsonObject
from mendbench.model.prompt import Reply
from mendbench.model.trial import TrialRow
from mendbench.scoring.judging.evidence import AGAIN
from mendbench.scoring.record_table import Records
from mendbench.trial.components import BenchContext, price_of
from mendbench.trial.long_texts import whole

if TYPE_CHECKING:
    from mendbench.model.trial_row import AttemptRow


def prices_today(records: Records, described: Mapping[str, Json], context: BenchContext) -> dict[str, Price]:
    """Return the price of each priced model, program or function that responded in a run, by name.

    The current configuration decides. Where it has no price, the run's own price counts. ``described`` is ``digests.prices`` of the run.

    Raises:
        BadInput: a price of the run is malformed; the place is a path in ``run.json``.
    """
    who = {one.model or one.repairer: (one.repairer, one.model) for one in records.column("treatment")}
    return {name: _price(name, described[name], context, *who[name]) for name in sorted(described) if name in who}


def repriced(row: TrialRow, prices: Mapping[str, Price], texts: Mapping[str, str]) -> TrialRow:
    """Return a row with the costs of its responses at these ``prices``; ``texts`` are the run's long texts by digest."""
    replies = [_reply(attempt, texts) for attempt in row["attempts"]]
    costs = costs_of(replies, prices.get(row["model"] or row["repairer"], UNKNOWN))
    each: list[AttemptRow] = [
        {**attempt, "cost_usd": _as_stored(amount(cost))} for attempt, cost in zip(row["attempts"], costs, strict=True)
    ]
    return {**row, "cost_usd": _as_stored(amount(*costs)), "attempts": each}


def _price(name: str, described: JsonObject, context: BenchContext, repairer: str, model: str | None) -> Price:
    today = price_of(repairer, model, context)
    try:
        before = as_described(described)
    except (KeyError, TypeError, AttributeError, ArithmeticError):
        raise BadInput(f"digests.prices.{name}", f"{described!r} is no price", AGAIN) from None
    if today.source == "unknown" and before.of_models:
        return replace(today, of_models={**before.of_models, **today.of_models})
    return before if today.described() == UNKNOWN.described() else today


def _reply(attempt: AttemptRow, texts: Mapping[str, str]) -> Reply:
    """Return what determines the cost of a reply."""
    return Reply(
        text="",
        model_request=attempt["model_request"],
        model=whole(attempt["model"], texts),
        prompt_tokens=attempt["prompt_tokens"],
        completion_tokens=attempt["completion_tokens"],
    )


def _as_stored(cost: float | None) -> Json:
    return json.loads(canonical_json(cost))
