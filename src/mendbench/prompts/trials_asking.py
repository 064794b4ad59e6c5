"""Which trials may use a prompt: they are replayed to find the cases that a response belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mendbench.config.tables import Config
from mendbench.corpus.declared_services import redactor_of
from mendbench.model.case import Case
from mendbench.model.json import Json, JsonObject
from mendbench.model.trial import TrialKey
from mendbench.repair.policies import policy, policy_names
from mendbench.runs.matrix import Matrix, keys_of
from mendbench.strategies import strategies as all_strategies
from mendbench.strategies.frame import SYSTEM
from mendbench.trial.components import BenchContext
from mendbench.trial.engines import self_repairing

CHAT = "chat"
"""The one repairer whose responses can be made elsewhere."""

_FURTHEST = "naive"
"""The policy that never stops early: its trials make all requests of the other policies without a detector."""

_FURTHEST_DETECTING = "warn"
"""The same for policies with a detector. They can make requests that ``naive`` does not: an execution takes other edges if a
detector distinguishes errors from warnings."""


def trials_asking(
    model_requests: Sequence[JsonObject],
    config: Config,
    context: BenchContext,
    *,
    strategies: Sequence[str] = (),
    detectors: Sequence[str] = (),
) -> tuple[TrialKey, ...]:
    """Return the trials that may make these requests: with each of ``detectors``, or with a policy without one if there are none.

    They cover every strategy and the given ones, all tables of the models and samples in the
    model requests, and the cases of these requests. Any model's edit may have led to a node's request.
    """
    configured = (config.matrix.strategies, *(sweep.strategies or () for sweep in config.sweeps.values()))
    known = (info.strategy for info in all_strategies(context.strategy_dirs))
    of_nodes = any(not by_repairer(model_request) for model_request in model_requests)
    asked = {str(model_request["model"]) for model_request in model_requests}
    called = {name: model.served_as or name for name, model in config.models.items()}
    tables = {name for name, model in called.items() if of_nodes or model in asked}
    samples = [
        1 + model_request["draw"][0] for model_request in model_requests if isinstance(model_request["draw"], list)
    ]
    if of_nodes:
        samples += [config.matrix.samples, *(sweep.samples or 1 for sweep in config.sweeps.values())]
    engines = dict.fromkeys(
        (*config.matrix.engines, *(name for one in config.sweeps.values() for name in one.engines or ()))
    )
    alone = self_repairing(engines, config.engines)
    matrix = Matrix(
        engines=tuple(name for name in engines if name not in alone),
        strategies=tuple(dict.fromkeys((*strategies, *(name for names in configured for name in names), *known))),
        policies=(_FURTHEST,),
        repairers=(CHAT,),
        models=tuple(sorted(tables | (asked - set(called.values())))),
        samples=max(samples, default=1),
    )
    cases = cases_of_requests(context.corpus.cases, model_requests)
    if not detectors:
        return keys_of(matrix, cases)
    detecting = (replace(matrix, policies=(_FURTHEST_DETECTING,), detector=name) for name in detectors)
    return tuple(key for one in detecting for key in keys_of(one, cases))


def detectors_of_policies() -> tuple[str, ...]:
    """Return the detectors that policies have."""
    return tuple(sorted({found for name in policy_names() if (found := policy(name).detector) is not None}))


def cases_of_requests(cases: tuple[Case, ...], model_requests: Iterable[JsonObject]) -> tuple[Case, ...]:
    """Return the cases whose request is in one of the model requests; all cases if a model request has none, since a node made it."""
    requests = {case.id: redactor_of(case).text(case.request.strip()) for case in cases}
    found: set[str] = set()
    for model_request in model_requests:
        text = "\n".join(str(message.get("content", "")) for message in model_request["messages"])
        here = {case_id for case_id, request in requests.items() if request in text}
        if not here:
            return cases
        found |= here
    return tuple(case for case in cases if case.id in found)


def by_repairer(model_request: JsonObject | None) -> bool:
    """Return whether a repairer made a model request; the others are those of a workflow's nodes."""
    messages = (model_request or {}).get("messages")
    first: Json = messages[0] if isinstance(messages, list) and messages else None
    return isinstance(first, dict) and first.get("content") == SYSTEM
