"""Estimates the requests, time and cost of a recording from the prompts without a response and the models' recorded responses."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mendbench.cassettes import cassette
from mendbench.cassettes.recordings import TRAJECTORIES, WORLD
from mendbench.config.prices import UNKNOWN, Price, amount, model_price
from mendbench.config.tables import ModelConfig
from mendbench.corpus.declared_services import MODELS
from mendbench.io.canonical_json import digest
from mendbench.live.reachable import unreachable
from mendbench.model.json import JsonObject
from mendbench.model.prompt import Reply
from mendbench.model.trial import TrialKey
from mendbench.prompts.collecting import Collected
from mendbench.prompts.response_statistics import prompt_length, response_limit, responses_of
from mendbench.recording.recorder import asks_at_once, program_name
from mendbench.repair.policies import policy
from mendbench.trial.components import BenchContext, price_of

_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEstimate:
    """The estimate for one model, program or function. None means unknown."""

    model: str
    """Its name in model requests."""
    prompts: int
    """Distinct prompts without a response that are known now."""
    later_at_most: int
    """Maximum number of later repair prompts that their responses can lead to."""
    prompt_tokens_by_length: int
    """Estimated from the prompts' lengths alone."""
    prompt_tokens: int | None
    """The same, corrected by the token counts in recorded responses."""
    completion_tokens: int | None
    """By the mean of the recorded responses."""
    completion_tokens_at_most: int | None
    """If each response were as long as its limit allows."""
    price: str
    """The source of the price, or ``unknown``."""
    cost_usd: float | None
    cost_usd_at_most: float | None
    """If each response were as long as its limit allows."""
    cost_usd_with_later: float | None
    """``cost_usd`` including all later prompts, if they are like the known ones."""
    at_once: int
    """Number of concurrent model requests."""
    recorded: int
    """Number of recorded responses behind these figures."""
    median_ms: int | None
    """Median duration of the responses recorded here."""
    seconds: float | None
    seconds_with_later: float | None
    unreachable: str | None = None
    """Why the model's server cannot be reached; None if something listens there, or the model has no server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The estimate for a recording."""

    trials: int
    """Trials that can make model requests."""
    cases: int
    prompts: int
    """Distinct prompts that are known to be needed."""
    answered: int
    """Distinct model requests, per case, that already have a recorded response."""
    waiting: int
    """Trials that wait for one of the prompts: their later requests are not known."""
    models: tuple[ModelEstimate, ...]
    stopped: tuple[tuple[str, str], ...]
    """Trials that stop before their prompt is known, and why."""
    unknown: tuple[str, ...]
    """What the estimate does not cover, as sentences."""

    @property
    def later_at_most(self) -> int:
        """Maximum number of later repair prompts."""
        return sum(one.later_at_most for one in self.models)


def can_ask(context: BenchContext, key: TrialKey) -> bool:
    """Return whether a trial can make a model request: its repairer, or a node of its workflow."""
    return by_repairer_request(context, key) or MODELS in context.corpus.case(key.case).recorded_from


def estimated(
    context: BenchContext, collected: Sequence[Collected], *, fresh: bool = False, concurrency: int | None = None
) -> Estimate:
    """Return the estimate for recording these trials. With ``fresh``, recorded responses are requested again."""
    model_requests = {digest(model_request): model_request for one in collected for model_request in one.missing}
    if fresh:
        model_requests |= _answered_asks(context, collected)
    by_model: defaultdict[str, list[JsonObject]] = defaultdict(list)
    for model_request in model_requests.values():
        by_model[str(model_request["model"])].append(model_request)
    later = _later(context, collected, fresh=fresh)
    if fresh:
        later = Counter({name: max(0, count - len(by_model[name])) for name, count in later.items()})
    asked_by = {_named(context, one.trial): one.trial for one in collected if by_repairer_request(context, one.trial)}
    folders = [
        context.corpus.cassettes(context.corpus.case(name)) for name in sorted({one.trial.case for one in collected})
    ]
    models = tuple(
        _of_model(context, name, by_model[name], later[name], asked_by.get(name), folders, concurrency)
        for name in sorted({*by_model, *(name for name, count in later.items() if count)})
    )
    stopped = tuple((_shown(one.trial), one.problem) for one in collected if one.problem is not None)
    waiting = sum(bool(one.missing) for one in collected)
    return Estimate(
        trials=len(collected),
        cases=len({one.trial.case for one in collected}),
        prompts=len(model_requests),
        answered=len({(one.trial.case, key) for one in collected for key in one.answered}),
        waiting=waiting,
        models=models,
        stopped=stopped,
        unknown=tuple(_unknown(context, collected, models, stopped, fresh=fresh)),
    )


def _of_model(
    context: BenchContext,
    name: str,
    model_requests: Sequence[JsonObject],
    later: int,
    caller: TrialKey | None,
    folders: Sequence[Path],
    concurrency: int | None,
) -> ModelEstimate:
    seen = responses_of(context.cassettes_dir, name, folders)
    config, price = _config(context, name, caller), _price(context, name, caller)
    lengths = [prompt_length(model_request) for model_request in model_requests]
    ratio = seen.ratio
    tokens = [round(length * (ratio or 1.0)) for length in lengths]
    mean = seen.completion_tokens
    limits = [response_limit(model_request) for model_request in model_requests]
    most = [limit for limit in limits if limit is not None]
    cost = None if mean is None else _cost(price, name, tokens, [round(mean)] * len(model_requests))
    at_once = 1 if caller is not None and caller.model is None else asks_at_once(config, concurrency)
    seconds = _seconds(len(model_requests), seen.median_ms, at_once, config.requests_per_minute)
    scale = (len(model_requests) + later) / len(model_requests) if model_requests else None
    return ModelEstimate(
        model=name,
        prompts=len(model_requests),
        later_at_most=later,
        prompt_tokens_by_length=sum(lengths),
        prompt_tokens=None if ratio is None else sum(tokens),
        completion_tokens=None if mean is None else round(mean * len(model_requests)),
        completion_tokens_at_most=sum(most) if len(most) == len(limits) else None,
        price=str(price.described()["source"]),
        cost_usd=cost,
        cost_usd_at_most=_cost(price, name, tokens, most) if len(most) == len(limits) else None,
        cost_usd_with_later=None if cost is None or scale is None else round(cost * scale, 9),
        at_once=at_once,
        recorded=seen.responses,
        median_ms=seen.median_ms,
        seconds=seconds,
        seconds_with_later=None if seconds is None or scale is None else round(seconds * scale, 1),
        unreachable=unreachable(config.base_url) if model_requests and config.base_url else None,
    )


def _cost(price: Price, model: str, sent: Sequence[int], got: Sequence[int]) -> float | None:
    replies = [
        Reply(text="", model=model, prompt_tokens=prompt, completion_tokens=response)
        for prompt, response in zip(sent, got, strict=True)
    ]
    return amount(*map(price.cost, replies)) if price.source != "unknown" else None


def _seconds(prompts: int, median_ms: int | None, at_once: int, per_minute: float | None) -> float | None:
    if median_ms is None:
        return None
    answering = prompts * median_ms / 1000 / min(at_once, max(1, prompts))
    return round(max(answering, prompts * _SECONDS / per_minute if per_minute else 0.0), 1)


def _answered_asks(context: BenchContext, collected: Iterable[Collected]) -> dict[str, JsonObject]:
    """Return the model requests with a recorded response, by digest."""
    wanted: defaultdict[str, set[str]] = defaultdict(set)
    for one in collected:
        wanted[one.trial.case] |= one.answered
    found: dict[str, JsonObject] = {}
    for case, keys in wanted.items():
        for path in sorted(context.corpus.cassettes(context.corpus.case(case)).glob("*.yaml")):
            if path.name not in {WORLD, TRAJECTORIES}:
                found |= {
                    entry.key: entry.model_request
                    for entry in cassette.load(path)
                    if entry.model_request and entry.key in keys
                }
    return found


def _later(context: BenchContext, collected: Iterable[Collected], *, fresh: bool) -> Counter[str]:
    """Return by model how many further prompts repairs can need at most.

    All policies use the same sequence of prompts, each as many as it needs. So the maximum for one is the maximum for all.
    """
    most: dict[TrialKey, int] = {}
    for one in collected:
        if not by_repairer_request(context, one.trial) or not (fresh or one.missing or one.problem is not None):
            continue
        open_responses = policy(one.trial.policy).max_responses - (0 if fresh else one.attempts)
        known = 1 if one.missing and not one.node_waits and not fresh else 0
        way = replace(one.trial, policy="", detector=None)
        most[way] = max(most.get(way, 0), open_responses - known)
    counts: Counter[str] = Counter()
    for way, count in most.items():
        counts[_named(context, way)] += count
    return counts


def by_repairer_request(context: BenchContext, key: TrialKey) -> bool:
    """Return whether a trial's repairer sends requests whose responses are recorded: to a model, a program or a function."""
    return key.model is not None or key.repairer in context.repairers or ":" in key.repairer


def _named(context: BenchContext, key: TrialKey) -> str:
    """Return the name of a trial's repairer in model requests."""
    if key.model is not None:
        return context.model(key.model).served_as or key.model
    own = context.repairers.get(key.repairer)
    return program_name(own) if own is not None else f"callable:{key.repairer}"


def _config(context: BenchContext, name: str, caller: TrialKey | None) -> ModelConfig:
    return context.model(caller.model if caller is not None and caller.model is not None else name)


def _price(context: BenchContext, name: str, caller: TrialKey | None) -> Price:
    if caller is not None:
        return price_of(caller.repairer, caller.model, context)
    return model_price(name, context.models[name]) if name in context.models else UNKNOWN


def _shown(key: TrialKey) -> str:
    return " | ".join((key.case, key.strategy, key.policy, key.model or key.repairer, str(key.sample)))


def _unknown(
    context: BenchContext,
    collected: Sequence[Collected],
    models: Sequence[ModelEstimate],
    stopped: Sequence[tuple[str, str]],
    *,
    fresh: bool,
) -> Iterator[str]:
    """Yield what the estimate does not cover."""
    if fresh and any(one.answered for one in collected):
        yield "new responses may lead to other prompts than the recorded ones did"
    if any(one.later_at_most for one in models):
        yield "later prompts depend on the responses to earlier ones"
    if stopped:
        yield f"{len(stopped)} trials stop before their prompt is known, since their world is not recorded that far"
    nodes = {one.trial.case for one in collected if MODELS in context.corpus.case(one.trial.case).recorded_from}
    if nodes and models:
        yield f"what nodes of repaired workflows will ask, in {len(nodes)} of the cases"
    for one in models:
        if one.price == "unknown":
            yield f"the price of {one.model}: configure prices or free, or a provider whose prices are published"
        if one.prompts and one.median_ms is None:
            yield f"how long a response of {one.model} takes: none was recorded here"
        if one.prompts and one.completion_tokens is None:
            yield f"how long responses of {one.model} are: none that is recorded reports its tokens"
